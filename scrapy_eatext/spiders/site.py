"""A spider that crawls a whole site and yields the main texts of its pages."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from itemadapter import ItemAdapter
from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, IgnoreRequest
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import IGNORED_EXTENSIONS
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.job import job_dir
from scrapy.utils.response import get_meta_refresh
from scrapy.utils.sitemap import sitemap_urls_from_robots
from scrapy.utils.url import url_has_any_extension

from scrapy_eatext.algorithms.language import text_language
from scrapy_eatext.crawl.service import main_text
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page import Page
from scrapy_eatext.page.dates import iso
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.page.urls import Addresses, host_of, joined
from scrapy_eatext.sites.evidence import hosts_of
from scrapy_eatext.spiders.addresses import (
    canonical,
    has_session,
    is_same_page,
    language_of,
    shapes,
    trap,
)
from scrapy_eatext.spiders.arguments import ARGUMENTS, SETTINGS
from scrapy_eatext.spiders.state import State, StateError, Visit
from scrapy_eatext.spiders.syndication import pages_of_feed, read_sitemap
from scrapy_eatext.spiders.yields import NAMED, REFUSE, REQUEST, Yields

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure
    from typing_extensions import Self

    from scrapy_eatext.result import MainText

logger = logging.getLogger(__name__)

# How the reason begins with which a spider without a working state is closed.
BROKEN = "state error of"
# The kinds of pages that list others, which are yielded only if the argument names
# them.
_LISTS = frozenset(("collection", "listing"))
# The kinds of pages whose links are followed last: lists link to the same pages.
_LEAVES = frozenset(("article", "forum", "product"))
# Extensions of files that are not pages.
_NO_PAGES = {f".{extension}" for extension in IGNORED_EXTENSIONS}
_REDIRECTS = (301, 302, 303, 307, 308)
# The spider handles redirects itself, as the target may be in the queue already.
_NOT_FOLLOWED = {"dont_redirect": True, "handle_httpstatus_list": _REDIRECTS}
# The maximum number of redirects of a URL to itself, and of redirects in a row.
_MAX_SELF_REDIRECTS, _MAX_REDIRECTS = 2, 10
# The maximum number of copies that name the same original, and of originals whose
# copies are counted.
_MAX_COPIES, _MAX_ORIGINALS = 3, 10_000
# Priorities in the queue: start URLs, entries of a list, the list's next page, other
# links, URLs from sitemaps and feeds, which may be dead, and links of leaves.
_START, _LISTED, _NEXT, _OTHER, _NAMED, _OF_LEAF = 120, 110, 100, 60, 20, 10
# The minimum priority of each rank.  A rank is requested when no request of a higher
# one is in flight, as its response may add to the higher rank.
_RANKS = (_NEXT, _NAMED + 10, -inf)
# The maximum number of sitemaps; of feeds, and of those of a page.
_MAX_SITEMAPS, _MAX_FEEDS, _FEEDS = 1000, 100, 5
# The number of failed pages in a row after which a host's other pages are left out, and
# the maximum number of such hosts in the log.
_MAX_FAILURES, _MAX_NAMED = 20, 10
# The statuses of busy hosts.  Each response with one doubles the delay between requests,
# which is from _MIN_DELAY to _MAX_DELAY seconds; any other multiplies it by _QUICKER.
_BUSY, _MIN_DELAY, _MAX_DELAY, _QUICKER = (429, 503), 1, 10, 0.9
# The key in the meta of requests that were sent before the delay was raised.
_KEEPS_DELAY = "autothrottle_dont_adjust_delay"
# Seconds without a response after which lower ranks no longer wait for higher ones.
_PATIENCE = 5
# The number of URLs that are queued before the event loop has its turn.
_PORTION = 200


class SiteSpider(Spider):
    """Crawls a site and yields its pages as items with their main text.

    ``ARGUMENTS`` describes its arguments; lists may be given as comma-separated texts.
    To decide what is requested and yielded, override priority(), wants() and item().
    An argument of a subclass is a class attribute.  Raises ValueError for other arguments
    and for wrong values.
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
        for name in kwargs:
            # Servers add arguments such as Scrapyd's _job.
            if not (name in ARGUMENTS or name[0] == "_" or hasattr(type(self), name)):
                raise SettingError("argument", name, f"one of {', '.join(ARGUMENTS)}")
        for name, argument in ARGUMENTS.items():
            kwargs[name] = argument.take(name, kwargs.get(name, argument.default))
        super().__init__(*args, **kwargs)
        if self.until and self.since > self.until:
            raise SettingError("until", self.until, ARGUMENTS["until"].meaning)
        hosts = (host_of(url).removeprefix("www.") for url in self.urls)
        self.allowed_domains = sorted(set(hosts))
        self._yields = Yields()
        # The number of copies by the URLs of their originals.
        self._copies: Counter[str] = Counter()
        # The pages that were held for their originals.
        self._held: set[str] = set()
        # The number of requests in flight by rank.
        self._in_flight: Counter[float] = Counter()
        # The number of failed pages in a row, by host.
        self._failures: Counter[str] = Counter()
        # The minimum delays of busy hosts in seconds, by download slot.
        self._delays: dict[str, float] = {}
        # Whether a response has come since the last call of _go_on().
        self._has_response = True
        self._sitemaps = self._followed_feeds = 0
        # The number of items, and their maximum, 0 for no limit.
        self._items = self.max_items = 0

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        super().update_settings(settings)
        addons = settings.getdict("ADDONS")
        if not any("scrapy_eatext" in str(addon) for addon in addons):
            settings.set("ADDONS", {**addons, "scrapy_eatext.Addon": 500}, "addon")
        for name, value in SETTINGS.items():
            settings.set(name, value, "addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        folder = job_dir(crawler.settings)
        state = spider.state or (str(Path(folder, "site.db")) if folder else "")
        spider.known = State(state, spider.allowed_domains)
        project_limit = crawler.settings.getint("CLOSESPIDER_ITEMCOUNT")
        if limit := min(filter(None, (spider.max_pages, project_limit)), default=0):
            crawler.settings.set("CLOSESPIDER_ITEMCOUNT", limit, "cmdline")
        spider.max_items = limit
        connect = crawler.signals.connect
        connect(spider.spider_opened, signals.spider_opened)
        connect(spider.spider_idle, signals.spider_idle)
        connect(spider.spider_closed, signals.spider_closed)
        connect(spider.received, signals.response_received)
        return spider

    # -- decisions

    def wants(self, response: Response, result: MainText) -> bool:
        """Whether a page is one to yield."""
        return not self._lack(response, result)

    def _lack(self, response: Response, result: MainText) -> str:
        """The reason in the stats why a page is not yielded, "" if it is."""
        kind, visit = result.page_type, self._visit(response)
        if kind in _LISTS or self._is_list(result):
            is_kind = kind in self.kinds & _LISTS
        else:
            # The kind may be wrong for one page of a URL pattern, not for most of them.
            is_kind = (
                not self.kinds
                or kind in self.kinds
                or self._yields.is_mostly_worth(_shapes(visit)[0])
            )
        holds = {
            "text": result.text,
            "score": result.score >= self.min_score,
            "kind": is_kind,
            "language": not self.language
            or self._is_language(
                text_language(result.text, result.language) or "unknown"
            ),
            "url": self.include.search(response.url) and not trap(response.url),
            "date": self._is_in_time(result.date or visit.lastmod),
        }
        return next((name for name, value in holds.items() if not value), "")

    def priority(self, visit: Visit) -> int | None:
        """The priority of a URL in the queue, higher is sooner; None for no request."""
        if self.exclude.pattern and self.exclude.search(visit.url):
            return None
        if name := trap(visit.url):
            self._count(f"trap/{name}")
            return None
        if visit.depth and not self._is_language(language_of(visit.url)):
            return -visit.depth
        if visit.role != "page" or not visit.lastmod:
            return visit.priority
        # lastmod is not compared with ``until``, as a page may be changed long after its
        # publication.
        return visit.priority if visit.lastmod[:10] >= self.since else None

    def item(self, response: Response, result: MainText) -> Any:
        """The item of a page, to which EATEXT_FIELDS is added."""
        return {"url": canonical(response.url)}

    # -- requests

    async def start(self) -> AsyncIterator[Any]:
        for request in filter(None, self._requests()):
            yield request

    def _requests(self, *, is_late: bool = False) -> Iterator[Request | None]:
        """Requests for the first URLs in the queue, CONCURRENT_REQUESTS at most.

        They have at least the highest rank in flight, unless ``is_late``.  None in
        between gives the event loop its turn.
        """
        limit = self.settings.getint("CONCURRENT_REQUESTS")
        while self._in_flight.total() < limit and not self._is_full():
            highest = max(+self._in_flight, default=_RANKS[-1])
            request = None
            with self.known.transaction():
                for _ in range(_PORTION):
                    visit = self.known.take(_RANKS[-1] if is_late else highest)
                    if visit is None:
                        return
                    if self._is_worth_request(visit):
                        request = self._request(visit, visit.url)
                        break
            yield request

    def _is_worth_request(self, visit: Visit) -> bool:
        """Whether a URL of the queue is worth a request now."""
        if visit.role == "page":
            if self._failures[host_of(visit.url)] >= _MAX_FAILURES:
                self.known.set(visit.url, "failed")
                self._count("failed/page")
                return False
            verdict, shape = self._yields.judge(_shapes(visit))
            if visit.url in self._held:
                # It is wanted, as its original has no page.
                verdict = REQUEST
            if verdict != REQUEST:
                self.known.set(visit.url, verdict, shape)
                self._count("trap/alike", verdict == REFUSE)
                return False
        self._count(f"asked/{visit.role}")
        return True

    def _request(self, visit: Visit, url: str, hops: int = 0) -> Request:
        self._in_flight[_rank(visit)] += 1
        meta = {"site_visit": tuple(visit), "site_hops": hops}
        return Request(
            url,
            self._answered,
            # The queue has each URL once.
            dont_filter=True,
            errback=self._failed,
            meta=meta | _NOT_FOLLOWED if visit.role == "page" else meta,
        )

    def _go_on(self) -> None:
        if not self._has_response:
            self._crawl(self._requests(is_late=True))
        self._has_response = False

    def _crawl(self, requests: Iterable[Request | None]) -> bool:
        """Schedule requests.  Returns whether there are any."""
        scheduled = list(filter(None, requests))
        for request in scheduled:
            self.crawler.engine.crawl(request)
        return bool(scheduled)

    def spider_idle(self) -> None:
        # Requests and items that other components dropped are still counted.
        self._in_flight.clear()
        if self.crawler.stats is not None:
            self._items = self.crawler.stats.get_value("item_scraped_count", 0)
        self._yields.reset_in_flight()
        with self._needing_state():
            self.known.release()
            if self._crawl(self._requests()):
                raise DontCloseSpider

    @contextmanager
    def _needing_state(self) -> Iterator[None]:
        """Close the spider, not as finished, if the file of its state has an error."""
        try:
            yield
        except StateError as error:
            raise CloseSpider(f"{BROKEN} {self.known.path!r}: {error}") from error

    def spider_opened(self) -> None:
        # Connected after the feed exporter, so the item is written when this runs.
        self.crawler.signals.connect(self._scraped, signals.item_scraped)
        self.crawler.signals.connect(self._scraped, signals.item_dropped)
        if self.settings.getbool("AUTOTHROTTLE_ENABLED"):
            # Connected after AutoThrottle, which reads _KEEPS_DELAY too.
            self.crawler.signals.connect(self._downloaded, signals.response_downloaded)
        self.known.begin(self._start_visits())
        self._clock = create_looping_call(self._go_on)
        self._clock.start(_PATIENCE, now=False)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Raise the delay of a busy host, and lower it with each other response."""
        key = request.meta.get("download_slot", "")
        slot = self.crawler.engine.downloader.slots.get(key)
        if request.meta.pop(_KEEPS_DELAY, False) or slot is None:
            return
        if response.status in _BUSY:
            doubled = 2 * self._delays.get(key, 0)
            self._delays[key] = min(max(doubled, _MIN_DELAY), _MAX_DELAY)
            longest = self.settings.getfloat("AUTOTHROTTLE_MAX_DELAY")
            # Scrapy waits for a random time, at least half of a slot's delay.
            retry_after = 2 * min(_retry_after(response), longest)
            slot.delay = max(self._delays[key], retry_after)
            for other in slot.transferring - {request}:
                other.meta[_KEEPS_DELAY] = True
        elif key in self._delays:
            self._delays[key] *= _QUICKER
            slot.delay = max(slot.delay, self._delays[key])

    def spider_closed(self, reason: str) -> None:
        self._clock.stop()
        hosts = [host for host, n in self._failures.items() if n >= _MAX_FAILURES]
        if hosts:
            message = "%s failed for %d pages in a row: the next crawl tries again"
            more = f" and {len(hosts) - _MAX_NAMED} more" * (len(hosts) > _MAX_NAMED)
            logger.warning(message, ", ".join(hosts[:_MAX_NAMED]) + more, _MAX_FAILURES)
        if reason.startswith(BROKEN):
            self.known.leave()
        else:
            self.known.close(is_finished=reason == "finished")

    def _start_visits(self) -> Iterator[Visit]:
        for url in self.urls:
            yield Visit(url, "page", 0, _START)
            if not self.settings.getbool("ROBOTSTXT_OBEY"):
                yield Visit(urljoin(url, "/robots.txt"), "sitemap", 0, _START)

    def received(self, response: Response, request: Request) -> None:
        """Queue the sitemaps of a robots.txt that Scrapy's middleware requested."""
        requested = request.meta.get("redirect_urls", [request.url])[0]
        if urlsplit(requested).path != "/robots.txt" or not self._domain(requested):
            return
        body = response.body if response.status == HTTPStatus.OK else b""
        # With a base URL the function raises for broken URLs.
        sitemaps = list(sitemap_urls_from_robots(body)) or ["/sitemap.xml"]
        urls = (joined(response.url, url) for url in sitemaps)
        self._add((Visit(url, "sitemap", 0, _START) for url in urls), again=True)

    # -- responses

    def _answered(self, response: Response) -> Iterator[Any]:
        # The next requests are for URLs of the queue, which this page may not link to.
        response.meta["depth"] = 0
        visit = self._landed(self._visit(response))
        with self._needing_state():
            try:
                yield from getattr(self, f"parse_{visit.role}")(response, visit)
            finally:
                if visit.role != "page":
                    self.known.done(visit.url)
            yield from self._requests()

    def _failed(self, failure: Failure) -> Iterator[Any]:
        meta = failure.request.meta  # type: ignore[attr-defined]
        with self._needing_state():
            visit = self._landed(Visit(*meta["site_visit"]))
            error = failure.value
            status = error.response.status if isinstance(error, HttpError) else 0
            is_temporary = status in map(int, self.settings.getlist("RETRY_HTTP_CODES"))
            # HTTP errors are IgnoreRequests too; network errors are not.
            is_permanent = isinstance(error, IgnoreRequest) and not is_temporary
            if is_permanent:
                self.known.done(visit.url)
            else:
                self.known.set(visit.url, "failed")
                self._count(f"failed/{visit.role}")
            reason = f"HTTP status {status}" if status else failure.getErrorMessage()
            self._has_no_page(visit, reason)
            if visit.role == "page":
                if is_permanent:
                    self._count(f"failed/{status or 'forbidden'}")
                    self._failures.pop(host_of(visit.url), None)
                else:
                    self._failures[host_of(visit.url)] += 1
                # A temporary error is no evidence about the URL's shapes.
                self._count_response(visit, is_worth=False if is_permanent else None)
            yield from self._requests()

    def _landed(self, visit: Visit) -> Visit:
        """Count a visit whose request is no longer in flight."""
        self._in_flight[_rank(visit)] -= 1
        self._has_response = True
        return visit

    def parse_page(self, response: Response, visit: Visit) -> Iterator[Any]:
        self._failures.pop(host_of(visit.url), None)
        if self._is_full():
            self._count_response(visit, is_worth=None)
            self.known.set(visit.url, "pending")
            return
        target = self._target(response)
        if response.status in _REDIRECTS or canonical(target) not in ("", visit.url):
            yield from self._redirected(response, visit, target)
            return
        if not isinstance(response, HtmlResponse) or is_binary(
            response.body, response.encoding
        ):
            self._has_no_page(visit, "it is not HTML")
            self._count_response(visit, is_worth=False)
            self.known.done(visit.url)
            return
        result = main_text(response)
        # The search saves parsing most pages.
        if self.language and b"hreflang" in response.body.lower():
            self._leave_other_languages(response)
        is_list = self._is_list(result)
        added = yield from self._follow(response, result, visit, is_list)
        original, is_new, item = "", 0, None
        if self.wants(response, result):
            original, is_new = self._original(result, visit)
            item = None if original else self._item_of(response, result, visit)
        else:
            self._count(f"unwanted/{self._lack(response, result) or 'other'}")
        is_held = bool(original) and not self.known.is_done(original)
        is_worth = bool(added or is_new) or item is not None
        # A page that is held for a known one may still give an item.
        self._count_response(visit, is_worth=is_worth or (None if is_held else False))
        if item is not None:
            kind = result.page_type or "unknown"
            self._count(f"yielded/{kind}/{self._domain(visit.url)}")
            self._items += 1
            yield item
        elif is_held:
            self._held.add(visit.url)
            self.known.set(visit.url, "held", original)
        else:
            text = "" if original else result.text
            self.known.done(visit.url, text=text, is_list=is_list)

    def _leave_other_languages(self, response: HtmlResponse) -> None:
        """Do not request the pages that hreflang declares to be in other languages."""
        for code, href in _links(response):
            if code == "x-default" or self._is_language(code):
                continue
            url = canonical(href)
            if self._domain(url) and self.known.leave_out(url):
                # Counted as a response that was not worth its request.
                self._count("trap/language")
                self._count_response(Visit(url), is_worth=False)

    def _target(self, response: Response) -> str:
        """The URL of an HTTP redirect or a meta refresh, "" if there is none."""
        if response.status in _REDIRECTS:
            location = response.headers.get("Location", b"")
            return joined(response.url, location.decode("latin-1")) if location else ""
        if not isinstance(response, HtmlResponse):
            return ""
        try:
            seconds, url = get_meta_refresh(response)
        except ValueError:  # of the URL of a base element
            return ""
        limit = self.settings.getint("METAREFRESH_MAXDELAY")
        is_followed = self.settings.getbool("METAREFRESH_ENABLED")
        return url if url and is_followed and (seconds or 0) < limit else ""

    def _redirected(
        self, response: Response, visit: Visit, target: str
    ) -> Iterator[Request]:
        """Follow a redirect if its target is new."""
        self._count("trap/redirect")
        url, hops = canonical(target), response.meta["site_hops"] + 1
        if url == visit.url and hops <= _MAX_SELF_REDIRECTS:
            # The site has set a cookie or added a session ID, and wants it back.
            yield self._request(visit, target, hops)
            return
        is_new = hops <= _MAX_REDIRECTS and self._add([visit._replace(url=url)])
        if not self._domain(url):
            self._has_no_page(visit, f"it redirects to another site: {target}")
        elif not is_new and not self.known.has_text(url):
            self._has_no_page(visit, f"it redirects to {target}")
        # A redirect to another spelling of the URL is no evidence about its shapes.
        is_same = is_same_page(url, visit.url, with_query=True)
        self._count_response(visit, is_worth=None if is_same else bool(is_new))
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
        if self.known.is_kept:
            # An item's class may not have the field, or be frozen.
            with suppress(KeyError, AttributeError, TypeError, ValueError):
                ItemAdapter(item)["change"] = change
        return item

    def _original(self, result: MainText, visit: Visit) -> tuple[str, int]:
        """The canonical URL of a copy, "" for an original, and whether it is new.

        It is queued.  If it differs only in its query or ending and is not done, this
        page replaces it.
        """
        original = canonical(result.canonical_url)
        # Some sites wrongly name their front page, or one page for a whole section, as
        # the original: hence _MAX_COPIES.
        is_front = urlsplit(original).path == "/"
        if original == visit.url or not self._domain(original) or is_front:
            return "", 0
        is_new = 0
        if not self.known.is_done(original):
            if is_same_page(original, visit.url):
                self.known.leave_out(original)
                return "", 0
            is_new = self._add([visit._replace(url=original)])
        self._copies[original] += 1
        if len(self._copies) > _MAX_ORIGINALS:
            self._copies.clear()
            self._held.clear()
        # An original without a text may be a redirect to this page.
        if self._copies[original] > _MAX_COPIES or not self.known.has_text(original):
            return "", is_new
        self._count("trap/copy")
        return original, is_new

    def _follow(
        self, response: HtmlResponse, result: MainText, visit: Visit, is_list: bool
    ) -> Generator[None, None, int]:
        """Queue the URLs that a page leads to.  Returns how many entries are new."""
        depth = visit.depth + 1
        urls = (canonical(entry.url) for entry in result.entries)
        listed = (Visit(url, "page", depth, _LISTED) for url in urls if url)
        # An endless list may have known pages under ever new URLs.
        added = self._add(
            one for one in listed if not self._yields.refusing(_shapes(one))
        )
        is_start = self._is_start(visit)
        is_leaf = result.page_type in _LEAVES and not is_list
        if (is_start or not is_leaf) and self._followed_feeds < _MAX_FEEDS:
            feeds = (Visit(url, "feed", 0, _NEXT) for url in result.feeds[:_FEEDS])
            self._followed_feeds += self._add(feeds)
        if result.next_page and (added or is_leaf or is_start or not visit.lastmod):
            next_visit = Visit(result.next_page, "page", visit.depth, _NEXT)
            # If no entry is new, the entries of the list's next page are not new either.
            self._add([next_visit], again=bool(added))
        if depth <= self.max_depth:
            # Not counted as new entries, as the links of a calendar are endless.
            priority = (_OTHER if is_start or not is_leaf else _OF_LEAF) - depth
            yield from self._add_all(
                Visit(url, "page", depth, priority) for _, url in _links(response)
            )
        return added

    def parse_sitemap(self, response: Response, visit: Visit) -> Iterator[Any]:
        priority = {"page": _NAMED, "sitemap": _NEXT}
        return self._add_all(
            Visit(joined(response.url, url), role, 1, priority[role], lastmod)
            for role, url, lastmod in read_sitemap(response.body)
        )

    def parse_feed(self, response: Response, visit: Visit) -> Iterator[Any]:
        return self._add_all(
            Visit(joined(response.url, url), "page", 1, _NAMED, lastmod)
            for url, lastmod in pages_of_feed(response.body, response.url)
        )

    def _add_all(self, visits: Iterator[Visit]) -> Iterator[None]:
        """Queue URLs in portions; None after each of them lets the event loop run."""
        while portion := list(islice(visits, _PORTION)):
            self._add(portion)
            yield None

    def _add(self, visits: Iterable[Visit], *, again: bool = False) -> int:
        """Queue the site's URLs that priority() admits; return how many are new."""
        return self.known.add(self._admitted(visits), again=again)

    def _admitted(self, visits: Iterable[Visit]) -> Iterator[Visit]:
        """The visits with canonical URLs, and with their priorities."""
        for visit in visits:
            if visit.role == "sitemap":
                self._sitemaps += 1
                if self._sitemaps > _MAX_SITEMAPS:
                    return
            # lastmod may be any text.
            url, date = canonical(visit.url), iso(visit.lastmod)
            is_file = visit.role == "page" and url_has_any_extension(url, _NO_PAGES)
            # A robots.txt may name sitemaps on other hosts.
            if is_file or not (self._domain(url) or (url and visit.role == "sitemap")):
                continue
            if has_session(visit.url):
                self._count("trap/session")
            cleaned = visit._replace(url=url, lastmod=date)
            if (priority := self.priority(cleaned)) is not None:
                yield cleaned._replace(priority=priority)

    # -- items

    def _scraped(self, item: Any, response: Response | None) -> None:
        """Mark a page as done when its item is in the feeds, or was dropped."""
        if response is not None and "site_visit" in response.meta:
            url = self._visit(response).url
            self.known.done(url, text=main_text(response).text, feeds=self._feeds())

    def _feeds(self) -> dict[str, int]:
        """The sizes of the feeds in local files, by path, after a flush."""
        if not self.known.is_kept:
            return {}
        exporter = self.crawler.get_extension(FeedExporter)
        sizes: dict[str, int] = {}
        for slot in exporter.slots if exporter else ():
            file, storage = slot.file, slot.storage
            # Remote storages have a path too.
            if file and not file.closed and isinstance(storage, FileFeedStorage):
                file.flush()
                path = Path(storage.path).absolute()
                sizes[str(path)] = path.stat().st_size
        return sizes

    # -- checks and counts

    def _visit(self, response: Response) -> Visit:
        return Visit(*response.meta.get("site_visit", (canonical(response.url),)))

    def _is_full(self) -> bool:
        return 0 < self.max_items <= self._items

    def _is_start(self, visit: Visit) -> bool:
        return visit.role == "page" and visit.depth == 0 and visit.priority >= _START

    def _domain(self, url: str) -> str:
        """The domain of the site that a URL belongs to, "" if it belongs to none."""
        domains = self.allowed_domains
        return next((host for host in hosts_of(url) if host in domains), "")

    def _is_list(self, result: MainText) -> bool:
        """Whether most entries of a page, and at least one, are on the site."""
        own = sum(bool(self._domain(entry.url)) for entry in result.entries)
        return own * 2 > len(result.entries)

    def _is_language(self, code: str) -> bool:
        """Whether a code may mean ``language``; either may leave out the region."""
        given, wanted = f"{code.lower()}-", f"{self.language}-"
        is_alike = given.startswith(wanted) or wanted.startswith(given)
        return is_alike or "-" in (given, wanted)

    def _is_in_time(self, date: str) -> bool:
        """Whether a date is from ``since`` to ``until``; "" is if neither is set."""
        is_in_time = self.since <= date[:10] <= (self.until or "9")
        return is_in_time and bool(date or not self.since + self.until)

    def _has_no_page(self, visit: Visit, reason: str) -> None:
        """Warn and count if a URL without a page is a start URL."""
        if self._is_start(visit):
            logger.warning("the start URL %s has no page: %s", visit.url, reason)
            self._count("failed/start")

    def _count_response(self, visit: Visit, *, is_worth: bool | None) -> None:
        for shape, verdict in self._yields.count(_shapes(visit), is_worth):
            released = self.known.release(shape, verdict)
            self._count("trap/alike", released * (verdict == REFUSE))

    def _count(self, name: str, count: int = 1) -> None:
        if self.crawler.stats is not None and count:
            self.crawler.stats.inc_value(f"eatext/site/{name}", count)


def _retry_after(response: Response) -> float:
    """The seconds of a response's Retry-After, 0 without a valid one."""
    value = (response.headers.get("Retry-After") or b"").decode("latin-1")
    with suppress(ValueError, TypeError, OverflowError):
        if value.isdigit():
            return float(value)
        until = parsedate_to_datetime(value) - datetime.now(timezone.utc)
        return until.total_seconds()
    return 0


def _links(response: HtmlResponse) -> Iterator[tuple[str, str]]:
    """The hreflang (or "") and URL of each link of a page."""
    try:
        root = response.selector.root  # it is parsed already
    except ValueError:  # of the URL of a base element
        root = Page.of(response).root
    addresses = Addresses(root, response.url)
    for link in root.iter("a", "area", "frame", "link"):
        href = link.get("src" if link.tag == "frame" else "href")
        code = link.get("hreflang", "")
        if href and (code or link.tag != "link"):
            yield code, addresses.link(href)


def _rank(visit: Visit) -> float:
    """The minimum priority of the visit's rank."""
    return next(minimum for minimum in _RANKS if visit.priority >= minimum)


def _shapes(visit: Visit) -> list[str]:
    """The shapes of a URL, marked if it is known from a sitemap or a feed alone."""
    url_shapes = shapes(visit.url)
    is_named = _NAMED <= visit.priority < _RANKS[1]
    return [f"{NAMED} {shape}" for shape in url_shapes] if is_named else url_shapes
