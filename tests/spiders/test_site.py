"""A spider that goes from a site's address to its pages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import attrs
import pydantic
import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response, XmlResponse
from scrapy.utils.test import get_crawler

from scrapy_eatext import MainText
from scrapy_eatext.algorithms.modelfile import SHIPPED
from scrapy_eatext.result import Entry, Metadata
from scrapy_eatext.spiders import SiteSpider
from scrapy_eatext.spiders.addresses import shapes
from scrapy_eatext.spiders.arguments import KINDS
from scrapy_eatext.spiders.state import Visit
from tests.support.commands import run_command, run_scrapy
from tests.support.crawling import crawl
from tests.support.suites import values_of

TEXT = (
    "The water of the lake was low that summer, and nobody took the boat number {} out "
    "before the rain came back in the autumn, as the people of the town remember well. "
    "They sat on the shore, mended what had to be mended, and waited for the wind. "
)


def article(name, more=""):
    title = f"How the boat {name} was mended in the end"
    return (
        f"<html lang=en><head><title>{title}</title>{more}</head><body><nav><a href=/>Home</a>"
        f" <a href=/about>About</a></nav><article><h1>{title}</h1>"
        f"<p>{TEXT.format(name)}</p><p>{TEXT.format(name + '2')}</p></article>"
        "<footer>All rights reserved</footer></body></html>"
    )


def listing(names, more="", head=""):
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


class Server:
    """Serves the pages of a dict, by their paths, and counts what is asked for."""

    def __init__(self):
        self.pages, self.asked = {}, Counter()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked[self.path] += 1
                body = outer.pages.get(self.path)
                location = ""
                if callable(body):
                    body = body(self)
                if isinstance(body, tuple):
                    status, location = body
                    body = ""
                else:
                    status = 404 if body is None else 200
                if status:
                    self.send_response(status)
                if location:
                    self.send_header("Location", location)
                kind = (
                    "application/xml"
                    if (body or "").startswith("<?xml")
                    else "text/html"
                )
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write((body or "").encode())

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        # It looks whether it is to end a hundred times a second.
        serve = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        serve.daemon = True
        serve.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site():
    server = Server()
    yield server
    server.close()


SETTINGS = {"AUTOTHROTTLE_ENABLED": False, "EATEXT_ALGORITHM": "eatext"}


def done(site, **arguments):
    """A finished crawl of a site, and the paths of the items."""
    settings = {**SETTINGS, **arguments.pop("settings", {})}
    found = crawl(SiteSpider, settings, urls=site.url, **arguments)
    assert not found.errors
    return found, sorted(item["url"].removeprefix(site.url) for item in found.items)


def add_news(site, count=12, size=4):
    """A front page, lists with next pages, and articles."""
    for n in range(count):
        site.pages[f"/news/b{n}"] = article(f"b{n}")
    for page in range(count // size):
        names = [f"b{n}" for n in range(page * size, (page + 1) * size)]
        behind = f"<a rel=next href=/?page={page + 2}>Next</a>" * (
            page + 1 < count // size
        )
        site.pages[f"/?page={page + 1}" if page else "/"] = listing(names, behind)
    return [f"/news/b{n}" for n in range(count)]


def test_lists_and_their_next_pages(site):
    wanted = add_news(site)
    found, paths = done(site)
    assert paths == sorted(wanted)
    assert set(site.asked.values()) == {1}
    item = next(item for item in found.items if item["url"].endswith("/b3"))
    assert item["title"] == "How the boat b3 was mended in the end"
    assert item["text"].startswith("How the boat b3") or "number b3" in item["text"]
    assert (item["language"], item["kind"]) == ("en", "article")
    assert found.eatext("site/yielded/") == {"article/127.0.0.1": 12}


@pytest.mark.parametrize("obey", [True, False])
def test_sitemaps_with_dates(site, obey):
    add_news(site)
    site.pages["/"] = listing([])
    site.pages["/robots.txt"] = f"User-agent: *\nSitemap: {site.url}/index.xml\n"
    site.pages["/index.xml"] = (
        f'<?xml version="1.0"?><sitemapindex><sitemap><loc>{site.url}/map.xml</loc></sitemap>'
        "</sitemapindex>"
    )
    urls = "".join(
        f"<url><loc>{site.url}/news/b{n}</loc><lastmod>2024-03-{n + 1:02}</lastmod></url>"
        for n in range(12)
    )
    site.pages["/map.xml"] = f'<?xml version="1.0"?><urlset>{urls}</urlset>'
    settings = {"ROBOTSTXT_OBEY": obey}
    _, paths = done(site, since="2024-03-10", settings=settings)
    assert paths == ["/news/b10", "/news/b11", "/news/b9"]
    assert site.asked["/robots.txt"] == 1
    assert not site.asked["/news/b3"]


def test_a_page_that_was_changed_later_than_it_was_published(site):
    date = '<meta property="article:published_time" content="2024-03-05">'
    site.pages["/news/b2"] = article("b2", date)
    site.pages["/sitemap.xml"] = (
        f'<?xml version="1.0"?><urlset><url><loc>{site.url}/news/b2</loc>'
        "<lastmod>2024-05-01</lastmod></url></urlset>"
    )
    assert done(site, until="2024-03-05")[1] == ["/news/b2"]


@pytest.mark.parametrize("path", ["/feed", "/news.rss"])
def test_feeds(site, path):
    pytest.importorskip("feedparser")
    add_news(site)
    head = f"<link rel=alternate type=application/rss+xml href={path}>"
    site.pages["/"] = listing([], head=head)
    items = "".join(f"<item><link>{site.url}/news/b{n}</link></item>" for n in range(5))
    site.pages[path] = (
        f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'
    )
    assert done(site, kinds="article")[1] == [f"/news/b{n}" for n in range(5)]


def test_relative_addresses_in_sitemaps_and_feeds(site):
    add_news(site, 3)
    head = "<link rel=alternate type=application/feed+json href=/news/feed.json>"
    site.pages["/"] = listing([], head=head)
    site.pages["/robots.txt"] = "Sitemap: /news/index.xml"
    for name, root in ("index", "sitemapindex"), ("map", "urlset"):
        urls = "".join(f"<url><loc>{url}</loc></url>" for url in ("b0", "/news/b1"))
        rows = urls if name == "map" else "<sitemap><loc>map.xml</loc></sitemap>"
        site.pages[f"/news/{name}.xml"] = (
            f'<?xml version="1.0"?><{root}>{rows}</{root}>'
        )
    site.pages["/news/feed.json"] = json.dumps({"items": [{"url": "b2"}]})
    assert done(site, kinds="article")[1] == ["/news/b0", "/news/b1", "/news/b2"]


def test_addresses_that_are_none(site):
    pytest.importorskip("feedparser")
    wanted = add_news(site, 4)
    site.pages["/robots.txt"] = f"Sitemap: http://[a/\nSitemap: {site.url}/map.xml\n"
    urls = "<url><loc>http://[a/</loc></url><url><loc>http://a:99999/</loc></url>"
    site.pages["/news/b7"] = article("b7", "<link rel=canonical href='http://[a/'>")
    site.pages["/map.xml"] = (
        f'<?xml version="1.0"?><urlset>{urls}<url><loc>{site.url}/news/b7</loc>'
        f"<lastmod>{'9' * 5000}</lastmod></url></urlset>"
    )
    head = "<link rel=alternate type=application/feed+json href=/feed.json>"
    site.pages["/"] = listing(["b0", "b1", "b2", "b3"], head=head)
    site.pages["/news/b8"] = article("b8")
    site.pages["/feed.json"] = json.dumps(
        {
            "items": [
                {"url": f"{site.url}/\ud800"},
                {"url": f"{site.url}/news/b8", "date_modified": "\ud800"},
            ]
        }
    )
    add_link(site, "/moved")
    site.pages["/moved"] = (302, "http://[a/")
    assert done(site)[1] == [*wanted, "/news/b7", "/news/b8"]


def test_redirects_are_followed_once(site):
    wanted = add_news(site, 4)
    for n in range(4):
        add_link(site, f"/short/{n}")
        site.pages[f"/short/{n}"] = (302, "/news/b1")
    site.pages["/robots.txt"] = f"Sitemap: {site.url}/moved.xml"
    site.pages["/moved.xml"] = (301, "/map.xml")
    site.pages["/news/b7"] = article("b7")
    site.pages["/map.xml"] = (
        f'<?xml version="1.0"?><urlset><url><loc>{site.url}/news/b7</loc></url></urlset>'
    )
    found, paths = done(site)
    assert paths == [*wanted, "/news/b7"]
    assert site.asked["/news/b1"] == 1
    assert found.eatext("site/trap/") == {"redirect": 4}


def test_a_page_that_redirects_to_itself_until_a_cookie_comes_back(site):
    wanted = add_news(site, 4)

    def page(asked):
        if "seen=1" in asked.headers.get("Cookie", ""):
            return article("b7")
        asked.send_response(302)
        asked.send_header("Set-Cookie", "seen=1")
        return 0, "/news/b7"

    site.pages["/news/b7"] = page
    site.pages["/news/b8"] = (302, "/news/b8?sid=0123456789abcdef")
    site.pages["/news/b8?sid=0123456789abcdef"] = article("b8")
    site.pages["/news/b9"] = (302, "/news/b9")
    for name in ("b7", "b8", "b9"):
        add_link(site, f"/news/{name}")
    assert done(site)[1] == [*wanted, "/news/b7", "/news/b8"]
    assert site.asked["/news/b9"] == 3


def test_redirects_without_end(site):
    wanted = add_news(site, 4)
    for n in range(100):
        site.pages[f"/{n:x}x/y"] = (302, f"/{n + 1:x}x/y")
    add_link(site, "/0x/y")
    found, paths = done(site)
    assert paths == wanted
    assert found.eatext("site/trap/") == {"redirect": 11}


def test_a_site_without_an_answer(site, caplog):
    assert done(site)[1] == []
    assert site.asked["/sitemap.xml"] == 1
    assert "127.0.0.1" in caplog.text
    assert "has no page: HTTP status 404" in caplog.text


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ((301, "http://a.invalid/"), "it redirects to another site: http://a.invalid/"),
        ((302, "/login"), "it redirects to http://127.0.0.1"),
        ('<?xml version="1.0"?><a/>', "it is not HTML"),
    ],
)
def test_a_start_without_a_page(site, caplog, page, reason):
    site.pages["/"] = page
    found, paths = done(site)
    assert paths == []
    assert f"{site.url}/ has no page: {reason}" in caplog.text
    assert found.eatext("site/failed/") == {"start": 1}


def test_pages_that_lead_to_others_by_themselves(site):
    wanted = add_news(site, 4)
    site.pages["/home"] = site.pages["/"]
    refresh = "<meta http-equiv=refresh content='{}'>"
    site.pages["/"] = refresh.format("0; url=/home")
    site.pages["/news/b1"] = article("b1", refresh.format("60"))
    site.pages["/news/b2"] = article("b2", refresh.format("600; url=/home"))
    found, paths = done(site)
    assert paths == wanted
    assert found.eatext("site/trap/") == {"redirect": 1}
    assert "/home" not in done(site, settings={"METAREFRESH_ENABLED": False})[1]


def test_what_is_wanted(site):
    add_news(site)
    site.pages["/news/b1"] = site.pages["/news/b1"].replace("lang=en", "lang=de")
    date = '<meta property="article:published_time" content="2024-03-05">'
    site.pages["/news/b2"] = article("b2", date)
    assert done(site, include="b[34]$")[1] == ["/news/b3", "/news/b4"]
    site.asked.clear()
    assert "/news/b5" not in done(site, exclude="b5")[1]
    assert not site.asked["/news/b5"]
    assert done(site, since="2024-03-01", until="2024-03-05")[1] == ["/news/b2"]
    assert done(site, kinds="product, forum")[1] == []
    assert len(done(site, max_pages=3)[1]) >= 3


def test_lists_are_wanted_where_their_kind_is_named():
    url = "https://a.org/"
    entries = (Entry("Boats", "https://a.org/1"),)
    result = MainText("Boats", score=0.9, page_type="listing").backed(
        {"entries": entries, "metadata": Metadata()}
    )
    response = HtmlResponse(url, request=Request(url, meta={"site_visit": (url,)}))
    assert SiteSpider(urls=url, kinds="listing").wants(response, result)
    assert not SiteSpider(urls=url, kinds="article").wants(response, result)
    assert not SiteSpider(urls=url).wants(response, result)


def test_traps(site):
    wanted = add_news(site)
    for n in range(100):
        site.pages[f"/calendar/2024/{n}"] = listing(
            [], f"<a href=/calendar/2024/{n + 1}>Next</a>"
        )
        site.pages[f"/tag/t{n}"] = listing([f"b{n % 12}"])
        site.pages[f"/news/b{n % 12}?sid={n:032x}"] = site.pages[f"/news/b{n % 12}"]
    tags = "".join(f"<a href=/tag/t{n}>t{n}</a> " for n in range(100))
    sessions = "".join(
        f"<a href=/news/b{n % 12}?sid={n:032x}>b</a> " for n in range(100)
    )
    more = f"{tags}{sessions}<a href=/calendar/2024/0>Calendar</a><a href=/login>Log in</a>"
    site.pages["/"] = site.pages["/"].replace(
        "</body>", f"<footer>{more}</footer></body>"
    )
    found, paths = done(site)
    assert paths == sorted(wanted)
    asked = Counter(path.split("/")[1].split("?")[0] for path in site.asked.elements())
    assert asked["tag"] <= 12
    assert (asked["calendar"], asked["login"]) == (0, 0)
    counted = found.eatext("site/trap/")
    assert counted["alike"] == 100 - asked["tag"]
    assert counted["session"] == 100
    assert counted["calendar"] == counted["login"] == 1


def test_a_list_without_end_of_known_pages_under_new_addresses(site):
    wanted = add_news(site, 4)
    for n in range(300):
        names = [f"b{m}?from={n}" for m in range(4)]
        site.pages[f"/old?page={n}"] = listing(
            names, f"<a rel=next href=/old?page={n + 1}>Next</a>"
        )
        site.pages |= {f"/news/b{m}?from={n}": article(f"b{m}") for m in range(4)}
    add_link(site, "/old?page=0")
    assert done(site)[1] == wanted
    assert sum(path.startswith("/old?page") for path in site.asked) < 30


def test_a_text_that_another_page_has(site):
    add_news(site, 4)
    add_link(site, "/old/b1")
    site.pages["/old/b1"] = site.pages["/news/b1"]
    found, paths = done(site)
    assert len(paths) == 4
    assert found.eatext("site/trap/") == {"copy": 1}


def test_a_copy_that_names_its_original(site):
    add_news(site, 4)
    add_link(site, "/mobile/b1")
    link = f"<link rel=canonical href={site.url}/news/b1>"
    site.pages["/mobile/b1"] = article("b1 and more", link)
    found, paths = done(site)
    assert paths == [f"/news/b{n}" for n in range(4)]
    assert found.eatext("site/trap/") == {"copy": 1}


def test_a_page_stands_for_the_original_that_it_names(site):
    for n in range(30):
        link = f"<link rel=canonical href={site.url}/topic?t={n}>"
        site.pages[f"/topic?f=1&t={n}"] = article(f"b{n}", link)
    links = "".join(
        f"<p><a href='/topic?f=1&amp;t={n}'>The boat b{n} was mended</a>"
        for n in range(30)
    )
    site.pages["/"] = f"<title>Boats</title><h1>Boats</h1>{links}"
    assert len(done(site)[1]) == 30
    assert not any(path.startswith("/topic?t=") for path in site.asked)


@pytest.mark.parametrize("ending", ["/", ".html", "/index.php"])
@pytest.mark.parametrize("in_map", [True, False])
def test_an_original_that_leads_back(site, ending, in_map):
    """What a site calls its pages' addresses need not be what its server does."""
    wanted = add_news(site, 30, 30)
    urls = ""
    for path in wanted:
        link = f"<link rel=canonical href={site.url}{path}{ending}>"
        site.pages[path] = article(path, link)
        site.pages[path + ending] = (301, path)
        urls += f"<url><loc>{site.url}{path}{ending}</loc></url>"
    if in_map:
        site.pages["/sitemap.xml"] = f'<?xml version="1.0"?><urlset>{urls}</urlset>'
    assert done(site)[1] == sorted(wanted)


def test_a_wrong_original_of_all_pages_loses_few_of_them(site):
    add_news(site, 40, 40)
    for n in range(40):
        site.pages[f"/news/b{n}"] = article(
            f"b{n}", f"<link rel=canonical href={site.url}/news>"
        )
    assert len(done(site)[1]) == 40
    # Those that wait for the answer of the original are asked for once more.
    assert sum(map(site.asked.get, (f"/news/b{n}" for n in range(40)))) <= 43


def test_an_original_with_the_same_text(site):
    wanted = add_news(site, 4)
    site.pages["/b1"] = site.pages["/news/b1"]
    site.pages["/news/b1"] = article("b1", f"<link rel=canonical href={site.url}/b1>")
    assert done(site)[1] == sorted({*wanted, "/b1"} - {"/news/b1"})
    assert site.asked["/news/b1"] == 1


def test_an_original_that_is_not_to_be_asked_for(site):
    wanted = add_news(site, 4)
    site.pages["/news/b1"] = article("b1", f"<link rel=canonical href={site.url}/x/1>")
    assert done(site, exclude="/x/")[1] == wanted


def test_a_sitemap_of_which_much_is_dead(site):
    """What lists name is asked for, and of the rest little."""
    wanted = add_news(site, 30, 10)
    urls = [f"/news/{'b' if n < 30 else 'x'}{n}" for n in range(60)]
    urls = "".join(f"<url><loc>{site.url}{url}</loc></url>" for url in urls[::-1])
    site.pages["/sitemap.xml"] = f'<?xml version="1.0"?><urlset>{urls}</urlset>'
    settings = {"CONCURRENT_REQUESTS": 2}
    assert done(site, settings=settings)[1] == sorted(wanted)
    assert 10 <= sum(path.startswith("/news/x") for path in site.asked) <= 20


def test_a_sitemap_of_which_little_is_dead(site):
    site.pages["/"] = listing([])
    urls = [f"/news/b{n}" for n in range(45)]
    for n, url in enumerate(urls):
        if n % 4:
            site.pages[url] = article(f"b{n}")
    urls += [f"/news/c{n}" for n in range(100)]
    for url in urls[45:]:
        site.pages[url] = article(url)
    text = "".join(f"<url><loc>{site.url}{url}</loc></url>" for url in urls)
    site.pages["/sitemap.xml"] = f'<?xml version="1.0"?><urlset>{text}</urlset>'
    assert len(done(site, kinds="article")[1]) == 133


def test_an_answer_that_does_not_come_holds_nothing_up(site, monkeypatch):
    monkeypatch.setattr("scrapy_eatext.spiders.site._PATIENCE", 0.1)
    add_news(site, 4)
    site.pages["/news/b7"] = article("b7")
    site.pages["/sitemap.xml"] = (
        f'<?xml version="1.0"?><urlset><url><loc>{site.url}/news/b7</loc></url></urlset>'
    )
    come = threading.Event()

    def slow(asked):
        return article("b1") if come.wait(20) else article("nobody asked for b7")

    def behind(asked):
        come.set()
        return article("b7")

    site.pages |= {"/news/b1": slow, "/news/b7": behind}
    found, paths = done(site)
    assert "/news/b7" in paths
    assert not any("nobody" in item["title"] for item in found.items)


def test_what_pages_call_themselves_in_other_languages(site):
    add_news(site, 30, 30)
    german = {}
    for n in range(30):
        german[f"/de/b{n}"] = article(f"c{n}").replace("lang=en", "lang=de")
        other = f"<link rel=alternate hreflang=de href=/de/b{n}>"
        other += f"<link rel=alternate hreflang=en-GB href=/news/b{n}>"
        site.pages[f"/news/b{n}"] = article(f"b{n}", other)
    site.pages |= german
    text = "".join(f"<url><loc>{site.url}{url}</loc></url>" for url in german)
    site.pages["/sitemap.xml"] = f'<?xml version="1.0"?><urlset>{text}</urlset>'
    found, paths = done(site, language="en")
    assert len(paths) == 30
    assert not german.keys() & site.asked.keys()
    assert found.eatext("site/trap/")["language"] > 0


def test_a_language_with_a_region(site):
    wanted = add_news(site, 4)
    for code in ("en-US", "en-GB"):
        add_link(site, f"/news/{code} hreflang={code}")
        site.pages[f"/news/{code}"] = article(code)
    assert done(site, language="en-GB")[1] == [*wanted, "/news/en-GB"]


def test_a_file_that_is_sent_as_a_page(site):
    wanted = add_news(site, 4)
    site.pages["/news/b2"] = "%PDF-1.4\n" + article("b2")
    found, paths = done(site)
    assert paths == sorted({*wanted} - {"/news/b2"})
    assert found.eatext("response/")["skipped_type"] == 1


def test_sitemaps_on_another_host(site):
    site.pages["/news/b7"] = article("b7")
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/robots.txt"] = f"Sitemap: {other}/map.xml"
    site.pages["/map.xml"] = (
        f'<?xml version="1.0"?><urlset><url><loc>{site.url}/news/b7</loc></url></urlset>'
    )
    site.pages["/"] = listing([])
    assert done(site)[1] == ["/news/b7"]


def test_sitemaps_of_the_host_that_the_start_leads_to(site):
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    request = Request("https://www.a.org/robots.txt")
    body = b"Sitemap: https://www.a.org/boats.xml"
    spider.received(Response(request.url, body=body), request)
    assert spider.known.take() == Visit(
        "https://www.a.org/boats.xml", "sitemap", 0, 120
    )
    request = Request("https://b.org/robots.txt")
    spider.received(Response(request.url, body=body), request)
    assert spider.known.take() is None
    spider.known.close()


def test_frames(site):
    wanted = add_news(site, 4)
    site.pages["/main"] = site.pages["/"]
    site.pages["/"] = "<frameset><frame src=/menu><frame src=/main></frameset>"
    assert done(site)[1] == wanted


def test_a_page_that_looks_like_another_kind_than_those_around_it():
    spider = SiteSpider(urls="https://a.org/", kinds="article")

    def is_wanted(url, kind):
        result = MainText("Boats", score=0.9, page_type=kind).backed(
            {"entries": (), "metadata": Metadata()}
        )
        response = HtmlResponse(url, request=Request(url, meta={"site_visit": (url,)}))
        return spider.wants(response, result)

    assert not is_wanted("https://a.org/news/1", "service")
    for n in range(9):
        list(spider._yields.answered(shapes(f"https://a.org/news/{n}"), gave=n > 1))
    assert is_wanted("https://a.org/news/9", "service")
    assert not is_wanted("https://a.org/about", "service")
    assert not is_wanted("https://a.org/news/9", "listing")


def test_long_lists_give_the_event_loop_its_turn(site):
    """Between portions of the addresses of a sitemap, or of a page's links."""
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    rows = "".join(f"<url><loc>https://a.org/{n:x}/</loc></url>" for n in range(5000))
    body = f'<?xml version="1.0"?><urlset>{rows}</urlset>'.encode()
    visit = Visit("https://a.org/map.xml", "sitemap")
    steps = spider.parse_sitemap(XmlResponse(visit.url, body=body), visit)
    assert [spider.known.waiting() for _ in steps] == [*range(200, 5001, 200)]
    links = "".join(f"<a href=/{n:x}>{n}</a>" for n in range(1000))
    response = HtmlResponse("https://a.org/", body=links.encode())
    visit = Visit(response.url, priority=120)
    outputs = {"entries": (), "next_page": "", "metadata": Metadata()}
    result = MainText("").backed(outputs)
    steps = spider._follow(response, result, visit, is_list=True)
    assert [spider.known.waiting() for _ in steps] == [*range(5200, 6001, 200)]
    spider.known.close()


def test_a_long_queue_gives_the_event_loop_its_turn():
    """Where nearly all of it has to wait for the first answers."""
    crawler = get_crawler(SiteSpider, {"CONCURRENT_REQUESTS": 100})
    spider = SiteSpider.from_crawler(crawler, urls="https://a.org")
    spider._add(Visit(f"https://a.org/a/x{n:x}", priority=20) for n in range(1000))
    requests = list(spider._requests())
    assert len(requests) - requests.count(None) == 16
    assert requests.count(None) == 4
    assert spider.known.release() == 984
    spider.known.close()


def test_the_next_crawl_yields_what_is_new_or_changed(site, tmp_path):
    state = str(tmp_path / "site.db")
    wanted = add_news(site)
    first, paths = done(site, state=state)
    assert paths == sorted(wanted)
    assert {item["change"] for item in first.items} == {"new"}
    site.asked.clear()
    assert done(site, state=state)[1] == []
    assert sum(site.asked.values()) <= 6
    site.pages["/news/b99"] = article("b99")
    site.pages["/"] = listing(
        ["b99", "b0", "b1", "b2"], "<a rel=next href=/?page=2>Next</a>"
    )
    again, paths = done(site, state=state)
    assert paths == ["/news/b99"]
    assert again.items[0]["change"] == "new"


class ScrapyItem(scrapy.Item):
    url, change = scrapy.Field(), scrapy.Field()


@dataclass
class DataItem:
    url: str
    change: str = ""


@dataclass(frozen=True)
class Frozen:
    url: str
    change: str = ""


@dataclass
class Without:
    url: str


@attrs.define
class AttrsItem:
    url: str
    change: str = ""


class PydanticItem(pydantic.BaseModel):
    url: str
    change: str = ""


@pytest.mark.parametrize(
    ("cls", "change"),
    [
        (ScrapyItem, "new"),
        (DataItem, "new"),
        (AttrsItem, "new"),
        (PydanticItem, "new"),
        (Frozen, ""),
        (Without, None),
    ],
)
def test_the_change_of_items_of_classes(site, tmp_path, cls, change):
    class Spider(SiteSpider):
        def item(self, response, result):
            return cls(url=response.url)

    add_news(site, 1)
    state = str(tmp_path / "site.db")
    found = crawl(Spider, SETTINGS, urls=f"{site.url}/news/b0", state=state)
    assert [ItemAdapter(item).get("change") for item in found.items] == [change]


# Scrapy 2.15 leaves files of its queues open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("max_pages", [4, 0])
def test_a_job_s_folder_has_the_state(site, tmp_path, max_pages):
    wanted = add_news(site)
    settings = {"CONCURRENT_REQUESTS": 1, "JOBDIR": str(tmp_path)}
    first = done(site, max_pages=max_pages, settings=settings)[1]
    second = done(site, settings=settings)[1]
    assert sorted(first + second) == sorted(wanted)


def test_a_crawl_that_was_stopped_goes_on(site, tmp_path):
    state = str(tmp_path / "site.db")
    wanted = add_news(site)
    settings = {"CONCURRENT_REQUESTS": 1}
    first = done(site, state=state, max_pages=4, settings=settings)[1]
    assert 4 <= len(first) < 12
    second = done(site, state=state)[1]
    assert sorted(first + second) == sorted(wanted)


def test_what_the_server_had_no_answer_for_is_asked_for_in_the_next_crawl(
    site, tmp_path
):
    state = str(tmp_path / "site.db")
    wanted = add_news(site)
    settings = {"RETRY_ENABLED": False}
    site.pages["/news/b3"] = (503, "")
    assert done(site, state=state, settings=settings)[1] == sorted(
        {*wanted} - {"/news/b3"}
    )
    site.pages["/news/b3"] = article("b3")
    assert done(site, state=state)[1] == ["/news/b3"]


def test_a_site_that_is_down_for_a_while(site, tmp_path, caplog):
    """No more than some pages fail, and none is lost to the next crawl."""
    state = str(tmp_path / "site.db")
    wanted = add_news(site, 60, 60)
    whole = dict(site.pages)
    site.pages |= dict.fromkeys(wanted[8:], (503, ""))
    settings = {"RETRY_ENABLED": False, "CONCURRENT_REQUESTS": 1}
    first, paths = done(site, state=state, settings=settings)
    assert paths == wanted[:8]
    assert first.eatext("site/failed/") == {"page": 52}
    assert sum(path in wanted for path in site.asked) == 28
    assert "127.0.0.1 failed for 20 pages in a row" in caplog.text
    site.pages = whole
    assert done(site, state=state)[1] == sorted(wanted[8:])


def test_what_fails_now_and_then_says_nothing_of_what_is_alike(site):
    wanted = add_news(site, 60, 60)
    site.pages |= dict.fromkeys(wanted[8:26], (429, ""))
    settings = {"RETRY_ENABLED": False, "CONCURRENT_REQUESTS": 1}
    assert len(done(site, settings=settings)[1]) == 42


@pytest.mark.parametrize(("status", "after"), [(429, "1"), (503, "date"), (429, "x")])
def test_a_busy_host_is_asked_later(site, status, after):
    wanted = add_news(site, 6, 6)
    times = []

    def page(asked):
        times.append(time.monotonic())
        if len(times) != 4:
            return article(asked.path)
        asked.send_response(status)
        later = formatdate(time.time() + 2, usegmt=True)
        asked.send_header("Retry-After", later if after == "date" else after)
        return 0, ""

    site.pages |= dict.fromkeys(wanted, page)
    settings = {
        "AUTOTHROTTLE_ENABLED": True,
        "AUTOTHROTTLE_START_DELAY": 0,
        "CONCURRENT_REQUESTS": 1,
    }
    assert done(site, settings=settings)[1] == sorted(wanted)
    assert times[4] - times[3] > (0.45 if after == "x" else 0.9)


def test_the_delay_of_a_busy_host():
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    meta = {"download_slot": "a.org"}
    first, second, third = (Request("https://a.org/", meta=meta) for _ in range(3))
    slot = SimpleNamespace(delay=0.0, transferring=set())
    downloader = SimpleNamespace(slots={"a.org": slot})
    spider.crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader))

    def delay_after(request, status, after=0):
        headers = {"Retry-After": str(after)}
        spider._downloaded(Response(request.url, status, headers), request)
        slot.transferring.discard(request)
        return slot.delay

    slot.transferring |= {first, second, third}
    assert delay_after(first, 429) == 1
    # These were on their way.
    assert delay_after(second, 503) == 1
    assert delay_after(third, 200) == 1
    assert [delay_after(second, 429) for _ in range(5)] == [2, 4, 8, 10, 10]
    assert delay_after(first, 429, 100_000) == 120
    delays = []
    for _ in range(50):
        slot.delay = 0.1  # as AutoThrottle may set it
        delays.append(delay_after(first, 200))
    assert delays[:2] == [9, 8.1]
    assert delays[-1] == 0.1
    spider.known.close()


@pytest.mark.parametrize(("own", "project"), [(8, 2), (2, 8), (0, 2)])
def test_the_smaller_number_of_pages_holds(site, own, project):
    add_news(site)
    settings = {"CLOSESPIDER_ITEMCOUNT": project, "CONCURRENT_REQUESTS": 1}
    assert 2 <= len(done(site, max_pages=own, settings=settings)[1]) < 6


def test_the_project_s_limit_of_depth_loses_no_page(site):
    wanted = add_news(site)
    assert done(site, settings={"DEPTH_LIMIT": 1})[1] == sorted(wanted)


class Picky(SiteSpider):
    """Fails on some pages, as a subclass may."""

    def wants(self, response, result):
        if response.url.endswith(("b3", "b4")):
            raise RuntimeError(response.url)
        return super().wants(response, result)


def test_an_error_on_a_page_is_no_reason_not_to_look_for_news(site, tmp_path):
    state = str(tmp_path / "site.db")
    wanted = add_news(site)
    first = crawl(Picky, SETTINGS, urls=site.url, state=state)
    assert len(first.errors) == 2
    assert len(first.items) == len(wanted) - 2
    site.pages["/news/b99"] = article("b99")
    names = ["b99", "b0", "b1", "b2"]
    site.pages["/"] = listing(names, "<a rel=next href=/?page=2>Next</a>")
    assert done(site, state=state)[1] == ["/news/b3", "/news/b4", "/news/b99"]


def test_errors_do_not_keep_back_what_is_alike(site):
    class Failing(SiteSpider):
        def wants(self, response, result):
            raise RuntimeError(response.url)

    add_news(site, 15, 15)
    crawl(Failing, SETTINGS, urls=site.url)
    assert sum(path.startswith("/news/") for path in site.asked) == 15


def test_many_hosts_that_are_down_are_a_line_of_the_log(site, caplog):
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    spider._clock = SimpleNamespace(stop=lambda: None)
    spider._failures.update({f"b{n}.a.org": 20 if n < 30 else 19 for n in range(40)})
    spider.spider_closed("finished")
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert re.match(r"b0.a.org, .* and 20 more failed for 20 pages in a row", lines[0])


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz"])
def test_feeds_of_a_state(site, tmp_path, monkeypatch, name):
    """They are read by any folder's crawl, and a stopped crawl's stays whole."""
    monkeypatch.chdir(tmp_path)
    wanted = add_news(site)
    options = {"format": name.split(".")[1]}
    if name.endswith("gz"):
        options["postprocessing"] = ["scrapy.extensions.postprocessing.GzipPlugin"]
    settings = {"CONCURRENT_REQUESTS": 1, "FEEDS": {name: options}}
    first = done(site, state="site.db", max_pages=4, settings=settings)[1]
    written = (tmp_path / name).read_bytes()
    assert written
    second = done(site, state="site.db")[1]
    assert sorted(first + second) == sorted(wanted)
    assert (tmp_path / name).read_bytes() == written


def test_a_state_that_goes_on_with_other_addresses(site, tmp_path):
    state = str(tmp_path / "site.db")
    add_news(site, 4)
    done(site, state=state, max_pages=1, settings={"CONCURRENT_REQUESTS": 1})
    site.pages["/more"] = listing(["b7", "b8", "b9"])
    for name in ("b7", "b8", "b9"):
        site.pages[f"/news/{name}"] = article(name)
    found = crawl(SiteSpider, SETTINGS, urls=f"{site.url}/more", state=state)
    paths = {item["url"].removeprefix(site.url) for item in found.items}
    assert paths >= {"/news/b7", "/news/b8", "/news/b9"}


def add_link(site, path):
    """Add a link to the front page's footer."""
    footer = f"<footer><a href={path}>Boats elsewhere</a></footer></body>"
    site.pages["/"] = site.pages["/"].replace("</body>", footer)


@pytest.mark.parametrize(
    ("arguments", "message"), values_of("tables/wrong_site_arguments.txt")
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SiteSpider(**{"urls": "a.org", **arguments})


def test_arguments_of_subclasses_and_of_servers():
    class Regional(SiteSpider):
        region = ""

    spider = Regional(urls="a.org", region="north", _job="1")
    assert spider.region == "north"


def test_a_wrong_argument_ends_the_crawl_in_a_line_of_the_log(site, tmp_path):
    code = "from scrapy_eatext import spiders\nclass Site(spiders.SiteSpider): pass"
    (tmp_path / "boats.py").write_text(code, "utf-8")
    arguments = ["-a", f"urls={site.url}", "-a", "kind=article"]
    done = run_scrapy(tmp_path, "runspider", "boats.py", *arguments)
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert "argument is 'kind', it must be one of urls, kinds, since, until" in last
    assert not site.asked


def test_all_kinds_of_the_model_may_be_named():
    about = json.loads((SHIPPED / "eatext.json").read_text("utf-8"))
    assert sorted(about["kinds"]) == KINDS.split()


def test_addresses_to_begin_at():
    spider = SiteSpider(urls=["b\u00fccher.example", "a.org/?u=http://b.org/"])
    assert spider.urls == [
        "https://xn--bcher-kva.example/",
        "https://a.org/?u=http%3A%2F%2Fb.org%2F",
    ]
    assert spider.allowed_domains == ["a.org", "xn--bcher-kva.example"]


def test_hosts_are_counted_by_the_domains_that_were_given():
    spider = SiteSpider(urls="www.a.org,b.org")
    urls = ("https://x.a.org/", "http://a.org:80/", "https://b.org", "https://ba.org/")
    assert [spider._domain(url) for url in urls] == ["a.org", "a.org", "b.org", ""]


@pytest.mark.slow
def test_the_command(site, tmp_path):
    leader, follower = pytest.importorskip("pty").openpty()
    wanted = add_news(site, 4)
    feed = tmp_path / "feed.jsonl"
    command = [sys.executable, "-m", "scrapy", "eatext", "site", site.url, "--markdown"]
    done = subprocess.run(
        [*command, "-O", str(feed)],
        stdout=subprocess.PIPE,
        stderr=follower,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    os.close(follower)
    shown = os.read(leader, 4096).decode()
    os.close(leader)
    # A line that shows how far the crawl is, and nothing else.
    assert re.fullmatch(r"(\r\x1b\[K(\d+ responses, [^\r\n]*)?)+", shown)
    assert shown.endswith("\x1b[K")
    items = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    assert sorted(item["url"].removeprefix(site.url) for item in items) == wanted
    assert all(item["markdown"] and "text" not in item for item in items)
    assert re.search(r"yielded\s+article\s+127.0.0.1\s+4", done.stdout)


def test_a_wrong_argument_of_the_command(capsys):
    assert run_command("site", "a.org", "--since", "x") == 2
    assert "since is 'x', it must be the first day" in capsys.readouterr().err


def test_a_crawl_without_a_feed(capsys):
    assert run_command("site", "a.org") == 2
    assert capsys.readouterr().err == "scrapy eatext: the pages need a feed: -O FILE\n"


def test_why_pages_are_not_yielded(site):
    def counted(**arguments):
        found, paths = done(site, **arguments)
        assert not paths
        return found.eatext("site/unwanted/"), found.eatext("site/failed/")

    add_news(site, 4)
    assert counted(kinds="product", since="2024-03-01") == ({"kind": 5}, {})
    assert counted(since="2024-03-01") == ({"date": 4, "kind": 1}, {})
    assert counted(include="boats") == ({"url": 4, "kind": 1}, {})
    assert counted(language="de")[0] == {"language": 4, "kind": 1}
    site.pages["/news/b1"] = None
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /*0\nDisallow: /*2"
    assert counted(min_score=1) == ({"score": 2}, {"404": 1, "forbidden": 2})


@pytest.mark.slow
@pytest.mark.parametrize("state", [[], ["--state", "site.db"]])
def test_a_crawl_without_an_item_fails_if_it_has_no_state(site, tmp_path, state):
    site.pages["/"] = listing([])
    arguments = [site.url, "-O", "a.jsonl", *state]
    done = run_scrapy(tmp_path, "eatext", "site", *arguments)
    reason = "scrapy eatext: no page is in the feed: the start pages lead to no others"
    assert done.returncode == (not state)
    assert (reason in done.stderr) == (not state)


@pytest.mark.slow
def test_the_project_s_feeds(site, tmp_path):
    """They are written, also where an address to begin at gives no page.

    The table does not come between the items.
    """
    feeds = json.dumps({uri: {"format": "jsonlines"} for uri in ("a.jsonl", "stdout:")})
    add_news(site, 4)
    urls = [site.url, f"{site.url}/none"]
    done = run_scrapy(tmp_path, "eatext", "site", *urls, "-s", f"FEEDS={feeds}")
    assert done.returncode == 1
    assert re.search(r"failed\s+start\s+1", done.stderr)
    assert done.stdout == (tmp_path / "a.jsonl").read_text("utf-8")
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 4


@pytest.mark.slow
def test_a_state_that_cannot_be_used(tmp_path):
    """The command says so, in a line."""
    done = run_scrapy(
        tmp_path,
        *("eatext", "site", "http://127.0.0.1:1", "-O", "a.jsonl"),
        *("--state", str(tmp_path / "none" / "x.db")),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"scrapy eatext: state is .*unable to open.*\n", done.stderr)
