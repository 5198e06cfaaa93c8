"""From a site's address to the main texts of its pages, without a selector."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from http import HTTPStatus
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.sitemap import sitemap_urls_from_robots
from scrapy.utils.url import url_has_any_extension

from scrapy_eatext.crawl.callbacks import main_text
from scrapy_eatext.declared import OptionError
from scrapy_eatext.page.dates import iso
from scrapy_eatext.page.urls import Addresses, host_of, joined
from scrapy_eatext.spiders.addresses import (
    canonical,
    is_of_visit,
    is_same_page,
    language_of,
    shapes,
    trap,
)
from scrapy_eatext.spiders.arguments import ARGUMENTS
from scrapy_eatext.spiders.state import State, Visit
from scrapy_eatext.spiders.syndication import pages_of_feed, read_sitemap
from scrapy_eatext.spiders.yields import ASK, HOLD, NAMED, REFUSE, Yields

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure
    from typing_extensions import Self

    from scrapy_eatext.result import MainText

logger = logging.getLogger(__name__)

# What an item says, beside its address and, with a state, its change.
FIELDS = {
    "title": "title",
    "date": "date",
    "authors": "authors",
    "language": "language",
    "kind": "page_type",
    "score": "score",
    "text": "text",
}
# What the spider needs where the project has nothing else.
_SETTINGS = {
    "EATEXT_FIELDS": FIELDS,
    "EATEXT_AHEAD": ["entries", "next_page", "metadata"],
    "AUTOTHROTTLE_ENABLED": True,
    # Scrapy's 5 seconds would be most of a small site's crawl.
    "AUTOTHROTTLE_START_DELAY": 0.5,
    "ROBOTSTXT_OBEY": True,
}
# The kinds of pages that lead to others, and are none to want unless they are named.
_LISTS = frozenset(("collection", "listing"))
# The kinds of pages whose links need not be looked at: their site lists them elsewhere.
_LEAVES = frozenset(("article", "forum", "product"))
# The endings of files that are no pages.
_NO_PAGES = {f".{ending}" for ending in IGNORED_EXTENSIONS}
_REDIRECTS = (301, 302, 303, 307, 308)
# Where an address leads to may be known: the spider looks first.
_NOT_FOLLOWED = {"dont_redirect": True, "handle_httpstatus_list": _REDIRECTS}
# How often an address may lead to itself, and how often to others in a row.
_AGAIN, _HOPS = 2, 10
# How many copies a page may have, and of how many that is known at a time.
_COPIES, _MOST_COPIES = 3, 10_000
# Priorities in the queue: the start, what a list lists, the list's next page, other links,
# and what a site itself names, which may be dead.
_START, _LISTED, _NEXT, _OTHER, _NAMED = 120, 110, 100, 60, 20
# The least priorities of what is asked for together; the rest waits for what it leads to.
_RANKS = (_NEXT, _NAMED + 10, -inf)
# How much sooner is asked for what was changed since the day that is wanted.
_DATED = 5
# How many lists of addresses a site may name.
_SITEMAPS = 1000
# So many seconds after an answer nothing waits any longer.
_PATIENCE = 5
# So many addresses are put into the queue before the event loop has its turn.
_PORTION = 200


class SiteSpider(Spider):
    """Crawls a site and yields its pages as items with their main text.

    ``ARGUMENTS`` says what it takes: lists, or texts with commas.  wants(), priority()
    and item() decide, and can be overridden.  Raises ValueError for a wrong argument.
    """

    name = "site"
    known: State
    urls: list[str]
    kinds: frozenset[str]
    since: str
    until: str
    max_pages: int
    max_depth: int
    include: re.Pattern[str]
    exclude: re.Pattern[str]
    language: str
    min_score: float
    state: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["urls"] = kwargs.get("urls") or getattr(self, "start_urls", [])
        for name, argument in ARGUMENTS.items():
            value = kwargs.get(name, argument.default)
            kwargs[name] = argument.take(name, value)
        super().__init__(*args, **kwargs)
        if self.until and self.since > self.until:
            raise OptionError("until", self.until, ARGUMENTS["until"].meaning)
        hosts = (host_of(url).removeprefix("www.") for url in self.urls)
        self.allowed_domains = sorted(set(hosts))
        self._yields = Yields()
        # How many pages have named another as their original.
        self._copies: Counter[str] = Counter()
        # How many requests are under way, by their ranks.
        self._under_way: Counter[float] = Counter()
        self._is_answered = True
        self._sitemaps = 0

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        addons = settings.getdict("ADDONS")
        if not any("scrapy_eatext" in str(addon) for addon in addons):
            settings.set("ADDONS", {**addons, "scrapy_eatext.Addon": 500}, "addon")
        for name, value in _SETTINGS.items():
            settings.set(name, value, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.known = State(spider.state, spider.allowed_domains)
        if spider.max_pages:
            crawler.settings.set("CLOSESPIDER_ITEMCOUNT", spider.max_pages, "spider")
        connect = crawler.signals.connect
        connect(spider.spider_opened, signals.spider_opened)
        connect(spider.spider_idle, signals.spider_idle)
        connect(spider.spider_closed, signals.spider_closed)
        connect(spider.received, signals.response_received)
        return spider

    # -- decisions

    def wants(self, response: Response, result: MainText) -> bool:
        """Whether a page is one to yield."""
        if not result.text or result.score < self.min_score or trap(response.url):
            return False
        kind = result.page_type
        if kind not in self.kinds and kind in _LISTS:
            return False
        # Pages whose addresses are made alike are of one kind, though one may look else.
        shape = _shapes(self._visit(response))[0]
        if self.kinds and kind not in self.kinds and not self._yields.most_gave(shape):
            return False
        if kind not in self.kinds & _LISTS and self._leads_on(result):
            return False
        if not self._is_language(result.language or "unknown"):
            return False
        if not self.include.search(response.url):
            return False
        return self._is_in_time(result.date or self._visit(response).lastmod)

    def priority(self, visit: Visit) -> int | None:
        """How soon to ask for an address: higher is sooner; None for never."""
        if self.exclude.pattern and self.exclude.search(visit.url):
            return None
        if name := trap(visit.url):
            self._count(f"trap/{name}")
            return None
        if visit.depth and not self._is_language(language_of(visit.url)):
            return -visit.depth
        if visit.role != "page" or not visit.lastmod:
            return visit.priority
        # A page may have been changed long after it was published.
        return visit.priority + _DATED if visit.lastmod[:10] >= self.since else None

    def item(self, response: Response, result: MainText) -> Any:
        """The item of a page; EATEXT_FIELDS fills it."""
        return {"url": canonical(response.url)}

    # -- requests

    async def start(self) -> AsyncIterator[Any]:
        for request in self._requests():
            yield request

    def _requests(self, *, is_late: bool = False) -> Iterator[Request]:
        """Requests for what stands first in the queue, as many as Scrapy has room for."""
        most = self.settings.getint("CONCURRENT_REQUESTS")
        while self._under_way.total() < most:
            best = max(+self._under_way, default=_RANKS[-1])
            if (visit := self.known.take(_RANKS[-1] if is_late else best)) is None:
                return
            if visit.role == "page":
                verdict, shape = self._yields.judge(_shapes(visit))
                if verdict == HOLD:
                    self.known.hold(visit.url, shape)
                elif verdict == REFUSE:
                    self.known.set(visit.url, "refused")
                    self._count("trap/alike")
                if verdict != ASK:
                    continue
            self._count(f"asked/{visit.role}")
            yield self._request(visit, visit.url)

    def _request(self, visit: Visit, url: str, hops: int = 0) -> Request:
        self._under_way[_rank(visit)] += 1
        meta = {"site_visit": tuple(visit), "site_hops": hops}
        return Request(
            url,
            self._answered,
            # The queue has each address once.
            dont_filter=True,
            errback=self._failed,
            meta=meta | _NOT_FOLLOWED if visit.role == "page" else meta,
        )

    def _go_on(self) -> None:
        if not self._is_answered:
            self._crawl(self._requests(is_late=True))
        self._is_answered = False

    def _crawl(self, requests: Iterable[Request]) -> bool:
        """Whether there are requests."""
        found = list(requests)
        for request in found:
            self.crawler.engine.crawl(request)
        return bool(found)

    def spider_idle(self) -> None:
        # Nothing is under way: what was dropped on its way counts no more.
        self._under_way.clear()
        self._yields.forget_coming()
        self.known.release()
        if self._crawl(self._requests()):
            raise DontCloseSpider

    def spider_opened(self) -> None:
        # Behind the feeds' own receiver, which has written the item by then.
        self.crawler.signals.connect(self._scraped, signals.item_scraped)
        self.crawler.signals.connect(self._scraped, signals.item_dropped)
        self.known.begin(self._beginnings())
        self._clock = create_looping_call(self._go_on)
        self._clock.start(_PATIENCE, now=False)

    def spider_closed(self, reason: str) -> None:
        self._clock.stop()
        self.known.close(is_finished=reason == "finished")

    def _beginnings(self) -> Iterator[Visit]:
        for url in self.urls:
            yield Visit(url, "page", 0, _START)
            if not self.settings.getbool("ROBOTSTXT_OBEY"):
                yield Visit(urljoin(url, "/robots.txt"), "sitemap", 0, _START)

    def received(self, response: Response, request: Request) -> None:
        """Ask for the sitemaps that robots.txt names, which Scrapy itself asks for."""
        asked = request.meta.get("redirect_urls", [request.url])[0]
        if asked not in {urljoin(url, "/robots.txt") for url in self.urls}:
            return
        found = response.body if response.status == HTTPStatus.OK else b""
        # Without a base it takes any text for an address.
        named = list(sitemap_urls_from_robots(found)) or ["/sitemap.xml"]
        urls = (joined(response.url, url) for url in named)
        self._add((Visit(url, "sitemap", 0, _START) for url in urls), again=True)

    # -- responses

    def _answered(self, response: Response) -> Iterator[Any]:
        visit = self._visit(response)
        self._under_way[_rank(visit)] -= 1
        self._is_answered = True
        try:
            yield from getattr(self, f"parse_{visit.role}")(response, visit)
        finally:
            if visit.role != "page":
                self.known.done(visit.url)
        yield from self._requests()

    def _failed(self, failure: Failure) -> Iterator[Any]:
        visit = Visit(*failure.request.meta["site_visit"])  # type: ignore[attr-defined]
        self._under_way[_rank(visit)] -= 1
        self._is_answered = True
        error = failure.value
        status = error.response.status if isinstance(error, HttpError) else 0
        is_passing = status in map(int, self.settings.getlist("RETRY_HTTP_CODES"))
        # It is gone for good if the site says so, or is not to be asked for.
        if isinstance(error, IgnoreRequest) and not is_passing:
            self.known.done(visit.url)
        else:
            self.known.set(visit.url, "failed")
        if self._is_start(visit):
            logger.warning("%s has no page: %s", visit.url, error)
        if visit.role == "page":
            self._count_answer(visit, gave=False)
        yield from self._requests()

    def parse_page(self, response: Response, visit: Visit) -> Iterator[Any]:
        if response.status in _REDIRECTS:
            yield from self._redirected(response, visit)
            return
        if not isinstance(response, HtmlResponse):
            self._count_answer(visit, gave=False)
            self.known.done(visit.url)
            return
        result = main_text(response)
        # A page without the word need not be parsed for it.
        if self.language and b"hreflang" in response.body.lower():
            self._leave_other_languages(response)
        is_list = self._leads_on(result)
        added = yield from self._follow(response, result, visit, is_list)
        original, item = "", None
        if self.wants(response, result):
            original = self._original(result, visit)
            item = None if original else self._item_of(response, result, visit)
        self._count_answer(visit, gave=bool(added) or item is not None)
        if item is not None:
            kind, host = result.page_type or "unknown", host_of(visit.url)
            self._count(f"yielded/{kind}/{host}")
            yield item
        elif original and not self.known.is_done(original):
            self.known.hold(visit.url, original)
        else:
            text = "" if original else result.text
            self.known.done(visit.url, text=text, is_list=is_list)

    def _leave_other_languages(self, response: HtmlResponse) -> None:
        """Do not ask for what a page calls itself in other languages."""
        for code, address in _links(response):
            if code == "x-default" or self._is_language(code):
                continue
            url = canonical(address)
            if self._is_ours(url) and self.known.leave_out(url):
                # As if it had been asked for.
                self._count("trap/language")
                self._count_answer(Visit(url), gave=False)

    def _redirected(self, response: Response, visit: Visit) -> Iterator[Request]:
        """Ask for where an answer leads to, if it is new."""
        self._count("trap/redirect")
        location = response.headers.get("Location")
        target = joined(response.url, location.decode("latin-1")) if location else ""
        url, hops = canonical(target), response.meta["site_hops"] + 1
        if url == visit.url and hops <= _AGAIN:
            # It wants a cookie back, or the number of a visit.
            yield self._request(visit, target, hops)
            return
        if self._is_start(visit) and not self._is_ours(url):
            logger.warning("%s leads to another site: %s", visit.url, target)
        is_new = hops <= _HOPS and self._add([visit._replace(url=url)])
        # Another spelling of a page's address says nothing of others like it.
        is_same = is_same_page(url, visit.url, with_query=True)
        self._count_answer(visit, gave=None if is_same else bool(is_new))
        self.known.done(visit.url)
        if is_new:
            self.known.set(url, "asked")
            yield self._request(visit._replace(url=url), target, hops)

    def _item_of(self, response: Response, result: MainText, visit: Visit) -> Any:
        """The item of a page that is new or changed, else None."""
        if not self.known.is_first_with(result.text, visit.url):
            self._count("trap/copy")
            return None
        change = self.known.change(visit.url, result.text)
        if not change:
            return None
        item = self.item(response, result)
        if self.known.is_kept and isinstance(item, dict):
            item["change"] = change
        return item

    def _original(self, result: MainText, visit: Visit) -> str:
        """The page that a page names as its original, "" if it is one itself.

        The original is asked for, if it is not known.  One that differs in the query or
        the ending alone need not be: this page stands for it.
        """
        own = canonical(result.canonical_url)
        # Some sites call their front page the original of all pages, or one of a section.
        is_front = urlsplit(own).path == "/"
        if own == visit.url or not self._is_ours(own) or is_front:
            return ""
        if not self.known.is_done(own):
            if is_same_page(own, visit.url):
                self.known.leave_out(own)
                return ""
            self._add([visit._replace(url=own)])
        self._copies[own] += 1
        if len(self._copies) > _MOST_COPIES:
            self._copies.clear()
        # One without a text may lead back.
        if self._copies[own] > _COPIES or not self.known.has_text(own):
            return ""
        self._count("trap/copy")
        return own

    def _follow(
        self, response: HtmlResponse, result: MainText, visit: Visit, is_list: bool
    ) -> Generator[None, None, int]:
        """Put what a page leads to into the queue; how many entries are new."""
        depth = visit.depth + 1
        added = self._add(
            Visit(one.url, "page", depth, _LISTED) for one in result.entries
        )
        is_start = self._is_start(visit)
        is_leaf = result.page_type in _LEAVES and not is_list
        if is_start or not is_leaf:
            feeds = result.feeds if visit.depth <= 1 else ()
            self._add(Visit(feed, "feed", 0, _NEXT) for feed in feeds[:5])
        if result.next_page and (added or is_leaf or is_start or not visit.lastmod):
            # Behind a list without anything new there is nothing new either.
            again = bool(added)
            self._add(
                [Visit(result.next_page, "page", visit.depth, _NEXT)], again=again
            )
        if depth <= self.max_depth and (is_start or not is_leaf):
            # They are no yield: those of a calendar are new without end.
            priority = _OTHER - depth
            yield from self._add_all(
                Visit(url, "page", depth, priority) for _, url in _links(response)
            )
        return added

    def parse_sitemap(self, response: Response, visit: Visit) -> Iterator[Any]:
        return self._add_all(
            Visit(url, role, 1, _NAMED if role == "page" else _NEXT, lastmod)
            for role, url, lastmod in read_sitemap(response.body)
        )

    def parse_feed(self, response: Response, visit: Visit) -> Iterator[Any]:
        return self._add_all(
            Visit(url, "page", 1, _NAMED, lastmod)
            for url, lastmod in pages_of_feed(response.body, response.url)
        )

    def _add_all(self, visits: Iterator[Visit]) -> Iterator[None]:
        """Put many addresses into the queue, in portions between which the loop has its turn.

        Scrapy leaves out what is None.
        """
        while portion := list(islice(visits, _PORTION)):
            self._add(portion)
            yield None

    def _add(self, visits: Iterable[Visit], *, again: bool = False) -> int:
        """Put addresses of the site into the queue that are worth a request."""
        return self.known.add(self._worth(visits), again=again)

    def _worth(self, visits: Iterable[Visit]) -> Iterator[Visit]:
        for visit in visits:
            if visit.role == "sitemap":
                self._sitemaps += 1
                if self._sitemaps > _SITEMAPS:
                    return
            # What is said to be a date may be any text.
            url, date = canonical(visit.url), iso(visit.lastmod)
            if not self._is_ours(url) or url_has_any_extension(url, _NO_PAGES):
                continue
            if is_of_visit(visit.url):
                self._count("trap/session")
            own = visit._replace(url=url, lastmod=date)
            if (priority := self.priority(own)) is not None:
                yield own._replace(priority=priority)

    # -- items

    def _scraped(self, item: Any, response: Response | None) -> None:
        """A page is done where its item is in the feeds, or was dropped."""
        if response is not None and "site_visit" in response.meta:
            url = self._visit(response).url
            self.known.done(url, text=main_text(response).text, feeds=self._feeds())

    def _feeds(self) -> dict[str, int]:
        """The sizes of the feeds in files, all of which is on its way to the disk."""
        exporter = (
            self.crawler.get_extension(FeedExporter) if self.known.is_kept else None
        )
        sizes: dict[str, int] = {}
        for slot in exporter.slots if exporter else ():
            file, storage = slot.file, slot.storage
            # Others have a path too, which is no file's here.
            if file and not file.closed and isinstance(storage, FileFeedStorage):
                file.flush()
                path = Path(storage.path).absolute()
                sizes[str(path)] = path.stat().st_size
        return sizes

    # -- the rest

    def _visit(self, response: Response) -> Visit:
        return Visit(*response.meta.get("site_visit", (canonical(response.url),)))

    def _is_start(self, visit: Visit) -> bool:
        return visit.role == "page" and visit.depth == 0 and visit.priority >= _START

    def _is_ours(self, url: str) -> bool:
        host = host_of(url)
        return any(
            host == own or host.endswith(f".{own}") for own in self.allowed_domains
        )

    def _leads_on(self, result: MainText) -> bool:
        """Whether a page lists others of the site, and is no list of things elsewhere."""
        own = sum(self._is_ours(entry.url) for entry in result.entries)
        return own * 2 > len(result.entries)

    def _is_language(self, code: str) -> bool:
        return not code or code.lower().startswith(self.language)

    def _is_in_time(self, date: str) -> bool:
        """Whether a date lies between ``since`` and ``until``; one that is unknown does not."""
        is_in_time = self.since <= date[:10] <= (self.until or "9")
        return is_in_time and bool(date or not self.since + self.until)

    def _count_answer(self, visit: Visit, *, gave: bool | None) -> None:
        for shape, verdict in self._yields.answered(_shapes(visit), gave):
            status = "refused" if verdict == REFUSE else "pending"
            released = self.known.release(shape, status)
            if verdict == REFUSE:
                self._count("trap/alike", released)

    def _count(self, name: str, count: int = 1) -> None:
        if self.crawler.stats is not None and count:
            self.crawler.stats.inc_value(f"eatext/site/{name}", count)


def _links(response: HtmlResponse) -> Iterator[tuple[str, str]]:
    """What a page links to, one after the other: its language, or "", and address."""
    root = response.selector.root
    addresses = Addresses(root, response.url)
    for link in root.iter("a", "area", "link"):
        href, code = link.get("href"), link.get("hreflang", "")
        if href and (code or link.tag != "link"):
            yield code, addresses.link(href)


def _rank(visit: Visit) -> float:
    return next(least for least in _RANKS if visit.priority >= least)


def _shapes(visit: Visit) -> list[str]:
    """What an address has in common with others that are found in the same way."""
    found = shapes(visit.url)
    is_named = _NAMED <= visit.priority < _RANKS[1]
    return [f"{NAMED} {shape}" for shape in found] if is_named else found
