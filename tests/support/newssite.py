"""A site of articles about boats, served from a dict of pages, and crawls of it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from http.server import ThreadingHTTPServer
from typing import Any

from scrapy_eatext.spiders import SiteSpider
from tests.support.crawling import Crawl, crawl
from tests.support.mockserver import Answering

TEXT = (
    "The water of the lake was low that summer, and nobody took the boat number {} out "
    "before the rain came back in the autumn, as the people of the town remember well. "
    "They sat on the shore, mended what had to be mended, and waited for the wind. "
)
SETTINGS = {"AUTOTHROTTLE_ENABLED": False, "EATEXT_ALGORITHM": "eatext"}
ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}


def article(name: str, more: str = "") -> str:
    title = f"How the boat {name} was mended in the end"
    return (
        f"<html lang=en><head><title>{title}</title>{more}</head><body><nav><a href=/>Home</a>"
        f" <a href=/about>About</a></nav><article><h1>{title}</h1>"
        f"<p>{TEXT.format(name)}</p><p>{TEXT.format(name + '2')}</p></article>"
        "<footer>All rights reserved</footer></body></html>"
    )


def listing(names: Iterable[str], more: str = "", head: str = "") -> str:
    teasers = "".join(
        f"<article><h2><a href=/news/{name}>How the boat {name} was mended</a></h2>"
        f"<p>The water of the lake was low that summer, as the people of the town remember "
        f"of {name}.</p></article>"
        for name in names
    )
    return (
        f"<html lang=en><head><title>Boats of the lake</title>{head}</head><body>"
        f"<nav><a href=/>Home</a></nav><main><h1>News</h1>{teasers}</main>{more}</body></html>"
    )


def canonical(url: str) -> str:
    return f"<link rel=canonical href='{url}'>"


def urlset(dates: Mapping[str, str]) -> str:
    """A sitemap of addresses with the dates of their changes, or with ""."""
    rows = (
        f"<url><loc>{url}</loc>{f'<lastmod>{date}</lastmod>' * bool(date)}</url>"
        for url, date in dates.items()
    )
    return f'<?xml version="1.0"?><urlset>{"".join(rows)}</urlset>'


class Handler(Answering):
    protocol_version = "HTTP/1.0"
    server: NewsSite

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        page = self.server.pages.get(self.path, (404, ""))
        if callable(page):
            page = page(self)
        status, place, body = (
            (*page, "") if isinstance(page, tuple) else (200, "", page)
        )
        kind = "application/xml" if body.startswith("<?xml") else "text/html"
        self.answer(body.encode(), status, kind, Location=place)

    do_POST = do_HEAD = do_GET  # noqa: N815


Page = str | tuple[int, str]


class NewsSite(ThreadingHTTPServer):
    """Serves pages by their paths, and counts what is asked for.

    A page is its HTML or XML, or a status and a Location, or a function of the handler
    that gives one of these.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, Page | Callable[[Any], Page]] = {}
        self.asked: Counter[str] = Counter()
        self.url = f"http://127.0.0.1:{self.server_port}"
        # It looks whether it is to end a hundred times a second.
        serve = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        serve.start()

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def add_news(self, count: int = 12, size: int = 4) -> list[str]:
        """A front page, lists with next pages, and articles; the paths of these."""
        names = [f"b{n}" for n in range(count)]
        self.add_articles(*names)
        for page in range(1, count // size + 1):
            more = f"<a rel=next href=/?page={page + 1}>Next</a>" * (
                page < count // size
            )
            shown = listing(names[(page - 1) * size : page * size], more)
            self.pages[f"/?page={page}" if page > 1 else "/"] = shown
        return [f"/news/{name}" for name in names]

    def add_articles(self, *names: str) -> None:
        self.pages |= {f"/news/{name}": article(name) for name in names}

    def add_link(self, path: str) -> None:
        """Add a link to the front page's footer."""
        footer = f"<footer><a href={path}>Boats elsewhere</a></footer></body>"
        self.pages["/"] = str(self.pages["/"]).replace("</body>", footer)

    def add_sitemap(self, paths: Iterable[str], lastmod: str = "") -> None:
        urls = dict.fromkeys((f"{self.url}{path}" for path in paths), lastmod)
        self.pages["/sitemap.xml"] = urlset(urls)

    def crawled(self, **arguments: Any) -> tuple[Crawl, list[str]]:
        """A finished crawl, and the paths of its items."""
        settings = {**SETTINGS, **arguments.pop("settings", {})}
        arguments.setdefault("urls", self.url)
        found = crawl(SiteSpider, settings, **arguments)
        return found, sorted(item["url"].removeprefix(self.url) for item in found.items)

    def paths(self, **arguments: Any) -> list[str]:
        """The paths of a finished crawl's items."""
        return self.crawled(**arguments)[1]
