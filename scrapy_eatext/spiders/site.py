"""From a site's address to the main texts of its pages, without a selector."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, IgnoreRequest
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.sitemap import sitemap_urls_from_robots

from scrapy_eatext.crawl.callbacks import main_text
from scrapy_eatext.page.dates import iso
from scrapy_eatext.page.urls import host_of, joined
from scrapy_eatext.spiders.addresses import (
    canonical,
    is_of_visit,
    is_same_page,
    language_of,
    shapes,
    trap,
)
from scrapy_eatext.spiders.state import State, Visit
from scrapy_eatext.spiders.syndication import (
    MissingParserError,
    pages_of_feed,
    read_sitemap,
)
from scrapy_eatext.spiders.yields import ASK, HOLD, REFUSE, Yields

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
# What the spider itself reads of a result.
_AHEAD = ("entries", "next_page", "metadata")
# The kinds of pages that the shipped model knows.
KINDS = frozenset(
    "article collection documentation forum listing other page product service".split()
)
# The kinds of pages that lead to others, and are none to want unless they are named.
_LISTS = frozenset(("collection", "listing"))
# The kinds of pages whose links need not be looked at: their site lists them elsewhere.
_LEAVES = frozenset(("article", "forum", "product"))
_REDIRECTS = (301, 302, 303, 307, 308)
# Where an address leads to may be known: the spider looks first.
_NOT_FOLLOWED = {"dont_redirect": True, "handle_httpstatus_list": _REDIRECTS}
# How often an address may lead to itself, and how many to each other in a row.
_AGAIN, _HOPS = 2, 10
# How many copies a page may have, and of how many that is known at a time.
_COPIES, _MOST_COPIES = 3, 10_000
# Priorities in the queue: the start, what a list lists, what a site itself names, the
# list's next page, other links, and what is named by what names many dead pages.
_START, _LISTED, _NAMED, _NEXT, _OTHER, _DOUBTED = 120, 110, 100, 60, 40, -100
# The least priorities of what is asked for together.
_RANKS = (_NAMED, _DOUBTED + 1, -inf)
# What a host names is doubted from so many dead addresses on, if they are a quarter.
_DEAD, _SHARE = 10, 4
# How many lists of addresses a site may name.
_SITEMAPS = 1000
# So many addresses are put into the queue before the event loop has its turn.
_PORTION = 200


class SiteSpider(Spider):
    """Crawls a site and yields its pages as items with their main text.

    ``urls`` are addresses or hosts to begin at, and ``kinds`` those of pages to yield
    (see ``page_type``; without them all that are no lists), both in lists or with commas
    between them.  ``include`` and ``exclude`` are regular expressions for addresses, one
    or a list.
    ``since`` and ``until`` are dates in ISO 8601 between which a page was published;
    ``language`` is its language, ``min_score`` its least score.  ``max_pages`` ends the
    crawl; ``max_depth`` is how many links that no list has may lead from a beginning to
    a page.  ``state`` names a file with all that is known of the site: a crawl that was
    stopped goes on, and the next one yields what is new or changed.

    wants(), priority() and item() decide, and can be overridden.  Raises ValueError for
    a wrong argument.
    """

    name = "site"
    known: State

    def __init__(
        self,
        *args: Any,
        urls: str | Sequence[str] = (),
        kinds: str | Sequence[str] = (),
        since: str = "",
        until: str = "",
        max_pages: int | str = 0,
        max_depth: int | str = 2,
        include: str | Sequence[str] = (),
        exclude: str | Sequence[str] = (),
        language: str = "",
        min_score: float | str = 0.3,
        state: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.urls = [_address(url) for url in _listed(urls) or self.start_urls]
        if not self.urls:
            raise ValueError("urls is empty, it must have an address or a host")
        self.kinds = frozenset(_listed(kinds))
        for kind in sorted(self.kinds - KINDS):
            raise ValueError(
                f"kinds has {kind!r}, it may be {', '.join(sorted(KINDS))}"
            )
        self.since, self.until = _day("since", since), _day("until", until)
        if self.until and self.since > self.until:
            raise ValueError(f"until is {until!r}, it must not be before since")
        self.max_pages = _number("max_pages", max_pages, int)
        self.max_depth = _number("max_depth", max_depth, int)
        self.min_score = _number("min_score", min_score, float)
        if not self.min_score <= 1:
            raise ValueError(f"min_score is {min_score!r}, it must be at most 1")
        self.include, self.exclude = (
            _pattern("include", include),
            _pattern("exclude", exclude),
        )
        self.language = language.lower()
        if language and not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", self.language):
            raise ValueError(f"language is {language!r}, it must be a code: en")
        hosts = (host_of(url).removeprefix("www.") for url in self.urls)
        self.allowed_domains = sorted(set(hosts))
        self.state_file = state
        self.links = LinkExtractor(unique=True)
        self._yields = Yields()
        # How many pages have named another as their original.
        self._copies: Counter[str] = Counter()
        # How many addresses led to one in the queue.
        self._hops: dict[str, int] = {}
        # How many of the pages that a host itself names were asked for, and are dead.
        self._named: Counter[str] = Counter()
        self._dead: Counter[str] = Counter()
        # How many requests of each rank are under way.
        self._under_way: Counter[float] = Counter()
        self._found = self._sitemaps = 0

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Set what the spider needs where the project has nothing else."""
        super().update_settings(settings)
        addons = settings.getdict("ADDONS")
        if not any("scrapy_eatext" in str(addon) for addon in addons):
            settings.set("ADDONS", {**addons, "scrapy_eatext.Addon": 500}, "addon")
        settings.set("EATEXT_FIELDS", FIELDS, "addon")
        settings.set("EATEXT_AHEAD", list(_AHEAD), "addon")
        settings.set("AUTOTHROTTLE_ENABLED", True, "addon")
        # Scrapy's 5 seconds would be most of a small site's crawl.
        settings.set("AUTOTHROTTLE_START_DELAY", 0.5, "addon")
        settings.set("ROBOTSTXT_OBEY", True, "addon")
        # What has no answer holds up what is worth less.
        settings.set("DOWNLOAD_TIMEOUT", 30, "addon")
        # How far a link is from the start is the spider's own to say.
        settings.set("DEPTH_LIMIT", 0, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.known = State(spider.state_file, spider.allowed_domains)
        connect = crawler.signals.connect
        connect(spider.spider_opened, signals.spider_opened)
        connect(spider.spider_idle, signals.spider_idle)
        connect(spider.spider_closed, signals.spider_closed)
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
        shape = shapes(canonical(response.url))[0]
        if self.kinds and kind not in self.kinds and not self._yields.most_gave(shape):
            return False
        if kind not in self.kinds & _LISTS and self._leads_on(result):
            return False
        if not self._is_language(result.language or "unknown"):
            return False
        if self.include and not self.include.search(response.url):
            return False
        return self._is_in_time(result.date or self._visit(response).lastmod)

    def priority(self, visit: Visit) -> int | None:
        """How soon to ask for an address: higher is sooner; None for never."""
        if self.exclude and self.exclude.search(visit.url):
            return None
        if name := trap(visit.url):
            self._count(f"trap/{name}")
            return None
        if visit.depth and not self._is_language(language_of(visit.url)):
            return _OTHER - visit.depth
        if visit.role != "page" or not visit.lastmod:
            return visit.priority
        # A page may have been changed long after it was published.
        return visit.priority + 5 if visit.lastmod[:10] >= self.since else None

    def item(self, response: Response, result: MainText) -> Any:
        """The item of a page; EATEXT_FIELDS fills it."""
        return {"url": canonical(response.url)}

    # -- requests

    async def start(self) -> AsyncIterator[Any]:
        for request in self._requests():
            yield request

    def _requests(self) -> Iterator[Request]:
        """Requests for what stands first in the queue, as many as Scrapy has room for."""
        most = self.settings.getint("CONCURRENT_REQUESTS")
        while self._under_way.total() < most:
            # What is worth less waits for what these lead to.
            best = max(+self._under_way, default=_RANKS[-1])
            if (visit := self.known.take(best)) is None:
                return
            if self._is_doubted(visit):
                self.known.postpone(visit.url, _DOUBTED)
                continue
            if visit.role == "page":
                verdict, shape = self._yields.judge(_shapes(visit))
                if verdict == HOLD:
                    self.known.hold(visit.url, shape)
                elif verdict == REFUSE:
                    self.known.refuse(visit.url)
                    self._count("trap/alike")
                if verdict != ASK:
                    continue
            self._count(f"asked/{visit.role}")
            meta = _NOT_FOLLOWED if visit.role == "page" else {}
            yield self._request(visit, visit.url, meta)

    def _request(self, visit: Visit, url: str, meta: dict[str, Any]) -> Request:
        self._under_way[_rank(visit)] += 1
        return Request(
            url,
            self._answered,
            # The queue has each address once.
            dont_filter=True,
            errback=self._failed,
            meta={"site_visit": tuple(visit), **meta},
        )

    def spider_idle(self) -> None:
        # Nothing is under way: what was dropped on its way counts no more.
        self._under_way.clear()
        self._yields.forget_coming()
        self.known.release()
        if requests := list(self._requests()):
            for request in requests:
                self.crawler.engine.crawl(request)
            raise DontCloseSpider

    def spider_opened(self) -> None:
        # Behind the feeds' own receiver, which has written the item by then.
        self.crawler.signals.connect(self._scraped, signals.item_scraped)
        self.crawler.signals.connect(self._scraped, signals.item_dropped)
        if self.known.goes_on:
            # It may have begun elsewhere.
            self.known.add(self._beginnings())
        else:
            self.known.begin_round(self._beginnings())

    def spider_closed(self, reason: str) -> None:
        self.known.close(is_finished=reason == "finished")

    def _beginnings(self) -> Iterator[Visit]:
        for url in self.urls:
            yield Visit(url, "page", 0, _START)
            yield Visit(urljoin(url, "/robots.txt"), "robots", 0, _START + 20)

    # -- responses

    def _answered(self, response: Response) -> Iterator[Any]:
        visit = self._visit(response)
        self._under_way[_rank(visit)] -= 1
        try:
            yield from getattr(self, f"parse_{visit.role}")(response, visit)
        finally:
            if visit.role != "page":
                self.known.done(visit.url)
        yield from self._requests()

    def _failed(self, failure: Failure) -> Iterator[Any]:
        visit = Visit(*failure.request.meta["site_visit"])  # type: ignore[attr-defined]
        self._under_way[_rank(visit)] -= 1
        error = failure.value
        status = error.response.status if isinstance(error, HttpError) else 0
        is_passing = status in map(int, self.settings.getlist("RETRY_HTTP_CODES"))
        # It is gone for good if the site says so, or is not to be asked for.
        if isinstance(error, IgnoreRequest) and not is_passing:
            self.known.done(visit.url)
        else:
            self.known.fail(visit.url)
        if self._is_start(visit):
            logger.warning("%s has no page: %s", visit.url, error)
        if visit.role == "page":
            self._count_answer(visit, gave=False, is_dead=True)
        if visit.role == "robots":
            self._add(
                [Visit(urljoin(visit.url, "/sitemap.xml"), "sitemap", 0, _START + 10)]
            )
        yield from self._requests()

    def parse_page(self, response: Response, visit: Visit) -> Iterator[Any]:
        if response.status in _REDIRECTS:
            yield from self._redirected(response, visit)
            return
        if not isinstance(response, HtmlResponse):
            self._count_answer(visit, gave=False)
            self.known.done(visit.url)
            return
        result, url = main_text(response), visit.url
        # A page without the word need not be parsed for it.
        if self.language and b"hreflang" in response.body.lower():
            self._leave_other_languages(response)
        is_list = self._leads_on(result)
        added = yield from self._follow(response, result, visit, is_list)
        is_wanted = self.wants(response, result)
        original = self._original(result, visit) if is_wanted else ""
        is_new = is_wanted and not original
        yields = self._item_of(response, result, visit) if is_new else None
        self._count_answer(visit, gave=bool(added or yields))
        if original:
            self._count("trap/copy")
            if self.known.is_done(original):
                self.known.done(url)
            else:
                self.known.hold(url, original)
            return
        if yields is None:
            self.known.done(url, text=result.text, is_list=is_list)
            return
        self._found += 1
        self._count(f"yielded/{result.page_type or 'unknown'}/{host_of(url)}")
        yield yields
        if 0 < self.max_pages <= self._found:
            raise CloseSpider("max_pages")

    def _leave_other_languages(self, response: HtmlResponse) -> None:
        """Do not ask for what a page calls itself in other languages."""
        for link in response.xpath("//*[@hreflang and @href]"):
            code = link.attrib["hreflang"]
            if code == "x-default" or self._is_language(code):
                continue
            url = canonical(joined(response.url, link.attrib["href"]))
            if self._is_ours(url) and self.known.leave_out(url):
                # As if it had been asked for.
                self._count("trap/language")
                self._count_answer(Visit(url), gave=False)

    def _redirected(self, response: Response, visit: Visit) -> Iterator[Request]:
        """Put where an answer leads to into the queue."""
        self._count("trap/redirect")
        location = response.headers.get("Location")
        target = joined(response.url, location.decode("latin-1")) if location else ""
        url = canonical(target)
        times = response.meta.get("site_again", 0) + 1
        if url == visit.url and times <= _AGAIN:
            # It wants a cookie back, or the number of a visit.
            yield self._request(visit, target, {**_NOT_FOLLOWED, "site_again": times})
            return
        hops = self._hops.pop(visit.url, 0) + 1
        if self._is_start(visit) and not self._is_ours(url):
            logger.warning("%s leads to another site: %s", visit.url, target)
        added = self._add([visit._replace(url=url)]) if hops <= _HOPS else 0
        if added:
            self._hops[url] = hops
        # Another spelling of a page's address says nothing of others like it.
        is_same = is_same_page(url, visit.url, with_query=True)
        gave = None if is_same else bool(added)
        self._count_answer(visit, gave=gave, is_dead=gave is False)
        self.known.done(visit.url)

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
        if self.known.has_no_text(own):  # as it leads back
            return ""
        if not self.known.is_done(own):
            if is_same_page(own, visit.url):
                self.known.leave_out(own)
                return ""
            self._add([visit._replace(url=own)])
            if not self.known.is_coming(own):
                return ""
        self._copies[own] += 1
        if len(self._copies) > _MOST_COPIES:
            self._copies.clear()
        return own if self._copies[own] <= _COPIES else ""

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
            self._add(Visit(feed, "feed", 0, _NAMED) for feed in feeds[:5])
        if result.next_page and (added or is_leaf or is_start or not visit.lastmod):
            # Behind a list without anything new there is nothing new either.
            again = bool(added)
            self._add(
                [Visit(result.next_page, "page", visit.depth, _NEXT)], again=again
            )
        if depth <= self.max_depth and (is_start or not is_leaf):
            # They are no yield: those of a calendar are new without end.
            priority = _OTHER - depth
            links = self.links.extract_links(response)
            yield from self._add_all(
                Visit(link.url, "page", depth, priority) for link in links
            )
        return added

    def parse_robots(self, response: Response, visit: Visit) -> Iterator[Any]:
        # Without a base it takes any text for an address.
        named = list(sitemap_urls_from_robots(response.body)) or ["/sitemap.xml"]
        urls = [joined(response.url, url) for url in named]
        self._add((Visit(url, "sitemap", 0, _START + 10) for url in urls), again=True)
        return iter(())

    def parse_sitemap(self, response: Response, visit: Visit) -> Iterator[Any]:
        return self._add_all(
            Visit(url, role, 1, _NAMED, lastmod)
            for role, url, lastmod in read_sitemap(response.body)
        )

    def parse_feed(self, response: Response, visit: Visit) -> Iterator[Any]:
        try:
            pages = list(pages_of_feed(response.body, response.url))
        except MissingParserError as error:
            logger.warning("%s", error)
            pages = []
        return self._add_all(
            Visit(url, "page", 1, _NAMED, lastmod) for url, lastmod in pages
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
            if not self._is_ours(url):
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
        return Visit(*response.meta["site_visit"])

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
        if not (self.since or self.until):
            return True
        day = date[:10]
        return bool(day) and self.since <= day and (not self.until or day <= self.until)

    def _is_doubted(self, visit: Visit) -> bool:
        """Whether much of what its host names, as this address, was found dead."""
        host = host_of(visit.url)
        dead = self._dead[host]
        is_old = dead >= _DEAD and dead * _SHARE >= self._named[host]
        return is_old and _is_named(visit)

    def _count_answer(
        self, visit: Visit, *, gave: bool | None, is_dead: bool = False
    ) -> None:
        if _is_named(visit):
            self._named[host_of(visit.url)] += 1
            self._dead[host_of(visit.url)] += is_dead
            # It is the sitemap that is wrong, and not what is alike.
            gave = None if is_dead else gave
        for shape, verdict in self._yields.answered(_shapes(visit), gave):
            released = self.known.release(shape, refuse=verdict == REFUSE)
            if verdict == REFUSE:
                self._count("trap/alike", released)

    def _count(self, name: str, count: int = 1) -> None:
        if self.crawler.stats is not None and count:
            self.crawler.stats.inc_value(f"eatext/site/{name}", count)


def _rank(visit: Visit) -> float:
    return next(least for least in _RANKS if visit.priority >= least)


def _is_named(visit: Visit) -> bool:
    """Whether an address was found in a sitemap or a feed, and in no list so far."""
    return visit.role == "page" and _NAMED <= visit.priority < _LISTED


def _shapes(visit: Visit) -> list[str]:
    """What an address has in common with others: that it is doubted, or how it looks."""
    if visit.priority == _DOUBTED:
        return [f"{host_of(visit.url)} doubted"]
    return shapes(visit.url)


def _listed(value: str | Sequence[str]) -> list[str]:
    """The parts of a text with commas, or of a list, without empty ones."""
    parts = value.split(",") if isinstance(value, str) else value
    return [part.strip() for part in parts if part.strip()]


def _address(url: str) -> str:
    """An address, also of what is only a host."""
    found = canonical(url if re.match(r"\w+://", url) else f"https://{url}")
    if not found:
        raise ValueError(f"urls has {url!r}, it must be an address or a host")
    return found


def _number(name: str, value: Any, kind: type) -> Any:
    try:
        found = kind(value)
    except (TypeError, ValueError):
        found = -1
    if found < 0:
        raise ValueError(f"{name} is {value!r}, it must be a number from 0 on")
    return found


def _day(name: str, value: str) -> str:
    try:
        is_day = not value or date.fromisoformat(value).isoformat() == value
    except ValueError:
        is_day = False
    if not is_day:
        raise ValueError(f"{name} is {value!r}, it must be a day: 2024-03-01")
    return value


def _pattern(name: str, value: str | Sequence[str]) -> re.Pattern[str] | None:
    patterns = [value] if isinstance(value, str) else list(value)
    try:
        return re.compile("|".join(filter(None, patterns))) if any(patterns) else None
    except re.error as error:
        raise ValueError(
            f"{name} is {value!r}, it must be a regular expression"
        ) from error
