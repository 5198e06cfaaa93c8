"""What a crawler's components share: it chooses, runs, remembers and counts."""

from __future__ import annotations

import logging
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.http.request import NO_CALLBACK
from w3lib.url import canonicalize_url

from scrapy_eatext.cascade import Failure, Job, Outcome
from scrapy_eatext.choice import Choice, SettingError
from scrapy_eatext.extraction import extract
from scrapy_eatext.result import MainText
from scrapy_eatext.settings import Config
from scrapy_eatext.workers import make_executor, wait

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response, TextResponse

logger = logging.getLogger(__name__)

# Where a request says how its page is to be extracted, and where its response
# has the result.
INPUT = "eatext"
RESULT = "main_text"

# How many pages are found by their URL, and how many items on their way to the
# pipeline are known.  Both are bounds that a crawl should not reach: an item
# follows its page, and Scrapy holds few of either at a time.
_MAX_RECENT = 1000
_MAX_TIED = 10_000


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a page: what became of it, and how it was chosen to be."""

    outcome: Outcome
    choice: Choice

    @property
    def result(self) -> MainText:
        return self.outcome.result

    @property
    def drop(self) -> bool:
        """Whether an item with this text is to be dropped.

        Only a text that an algorithm found too poor drops an item; a page on
        which something broke does not.
        """
        return self.choice.below == "drop" and self.outcome.kind in ("below", "empty")


class Service:
    """One for each crawler; its components get it from of()."""

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        if not self.config.enabled:
            raise NotConfigured
        self._crawler = crawler
        self._stats = crawler.stats
        self._executor = make_executor(self.config)
        self._found: WeakKeyDictionary[Response, Found] = WeakKeyDictionary()
        self._late: WeakKeyDictionary[Response, Future[Found]] = WeakKeyDictionary()
        self._recent: OrderedDict[str, Found] = OrderedDict()
        self._tied: OrderedDict[int, tuple[Any, ref[Response]]] = OrderedDict()
        self._logged: set[str] = set()
        self._http_ok = _HttpOk(crawler)
        crawler.signals.connect(self._close, signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> Service:
        """The crawler's service, made when first asked for.

        Raises SettingError, which ends the crawl before it starts, or
        NotConfigured where EATEXT_ENABLED is off.
        """
        if crawler not in _services:
            _services[crawler] = cls(crawler)
        return _services[crawler]

    # -- responses

    async def process(self, request: Request, response: Response) -> None:
        """Extract a response that was just downloaded, into request.meta.

        Never raises: what goes wrong is counted and logged.
        """
        request.meta.pop(RESULT, None)
        self._stats.inc_value("eatext/response_count")
        found = None
        try:
            kind, choice = self._choose(request, response)
            if choice is not None:
                found = await self._run(response, response.url, choice)
                kind = found.outcome.kind
        except Exception as error:  # noqa: BLE001
            kind = "failed"
            self.count_error(response.url, error)
            found = Found(Outcome(MainText(), kind), self.config.choice)
        self._stats.inc_value(f"eatext/response/{kind}")
        if found is not None:
            self._remember(request, response, found)

    async def _run(self, html: Any, url: str, choice: Choice) -> Found:
        """Extract HTML, or a response on whose tree nobody works meanwhile."""
        if not (html if isinstance(html, (str, bytes)) else html.body):
            return Found(Outcome(MainText(), "empty"), choice)
        job = Job(html, url, choice, self.config.limits)
        outcome = await wait(self._executor.submit(job))
        self._count(url, outcome)
        return Found(outcome, choice)

    def _choose(
        self, request: Request, response: Response
    ) -> tuple[str, Choice | None]:
        """How to extract a response, or why not."""
        said = request.meta.get(INPUT)
        if said is False:
            return "skipped_off", None
        # robots.txt, and what media pipelines download, have no callback.
        if request.callback is NO_CALLBACK and said is None:
            return "skipped_internal", None
        if not isinstance(response, HtmlResponse):
            return "skipped_type", None
        if not self._http_ok(request, response):
            return "skipped_status", None
        return "skipped_off", self.config.choice_for(response.url, said)

    def _remember(self, request: Request, response: Response, found: Found) -> None:
        request.meta[RESULT] = found.result
        self._found[response] = found
        urls = {response.url, request.url, *request.meta.get("redirect_urls", ())}
        for url in urls:
            key = canonicalize_url(url)
            self._recent[key] = found
            self._recent.move_to_end(key)
        while len(self._recent) > _MAX_RECENT:
            self._recent.popitem(last=False)

    # -- items

    def tie(self, item: object, response: Response) -> None:
        """Remember which response an item came from."""
        # By identity, as few items can be hashed; the item itself is kept so
        # that no other gets its id meanwhile.
        self._tied[id(item)] = (item, ref(response))
        self._tied.move_to_end(id(item))
        if len(self._tied) > _MAX_TIED:
            self._tied.popitem(last=False)

    def untie(self, item: object) -> Response | None:
        """The response that an item came from, which is then forgotten."""
        entry = self._tied.pop(id(item), None)
        return entry[1]() if entry is not None and entry[0] is item else None

    async def of_response(self, response: Response) -> Found | None:
        """What is known of a response, found out now where it is not known yet.

        None where the response is not to be extracted.
        """
        if response in self._found:
            return self._found[response]
        # The downloader middleware is not there, or what it saw was replaced.
        request = response.request
        if request is None:
            return None
        _, choice = self._choose(request, response)
        if choice is None:
            return None
        if response in self._late:  # for another item, and not done yet
            return await wait(self._late[response])
        late = self._late[response] = Future()
        try:
            # By now the spider may work on the response's own tree: parse again.
            found = await self._run(response.text, response.url, choice)
        except BaseException as error:
            late.set_exception(error)
            raise
        late.set_result(found)
        self.inc(f"late/{found.outcome.kind}")
        self._remember(request, response, found)
        return found

    async def of_html(self, html: str | bytes, url: str) -> Found | None:
        """What is in the HTML that an item carries."""
        choice = self.config.choice_for(url)
        if choice is None:
            return None
        found = await self._run(html, url, choice)
        self.inc(f"html/{found.outcome.kind}")
        return found

    def of_url(self, url: str) -> Found | None:
        """What is known of the page last seen at a URL, or redirected from it."""
        try:
            return self._recent.get(canonicalize_url(url))
        except ValueError:
            return None

    # -- counting

    def inc(self, name: str) -> None:
        """Count something under eatext/."""
        self._stats.inc_value(f"eatext/{name}")

    def first(self, what: str) -> bool:
        """Whether something is said for the first time in this crawl."""
        new = what not in self._logged
        self._logged.add(what)
        return new

    def _count(self, url: str, outcome: Outcome) -> None:
        if outcome.result.algorithm:
            self.inc(f"algorithm/{outcome.result.algorithm}")
        if outcome.result.page_type:
            self.inc(f"page_type/{outcome.result.page_type}")
        for failure in outcome.failures:
            self._log_failure(url, failure)
        if outcome.kind in ("timed_out", "too_large", "worker_died"):
            logger.warning(
                "Gave up on the main text of %(url)s: %(kind)s",
                {"url": url, "kind": outcome.kind.replace("_", " ")},
                extra={"spider": self._crawler.spider},
            )

    def count_error(self, url: str, error: Exception) -> None:
        """Count an error that is no page's doing, such as a bad meta value."""
        if isinstance(error, SettingError):
            self.inc("exception_count/SettingError")
            logger.error(
                "No main text for %(url)s: %(error)s",
                {"url": url, "error": error},
                extra={"spider": self._crawler.spider},
            )
        else:
            self._log_failure(url, Failure.of(error))

    def _log_failure(self, url: str, failure: Failure) -> None:
        """Log a failure, with its traceback when it is the first of its kind."""
        self.inc(f"exception_count/{failure.name}")
        shown = (
            f"\n{failure.traceback}" if self.first(f"exception {failure.name}") else ""
        )
        logger.error(
            "Extraction failed with %(name)s on %(url)s%(shown)s",
            {"name": failure.name, "url": url, "shown": shown},
            extra={"spider": self._crawler.spider},
        )

    async def _close(self) -> None:
        await self._executor.close()
        for name, count in self._executor.counts().items():
            self._stats.inc_value(f"eatext/worker/{name}", count)
        _services.pop(self._crawler, None)


def main_text(response: TextResponse) -> MainText:
    """The main text of a response, for callbacks that want it by hand.

    It is what the downloader middleware attached.  Where it attached nothing
    the text is found out here and now, by the default algorithm, and attached.
    """
    request = response.request
    attached = request.meta.get(RESULT) if request is not None else None
    if isinstance(attached, MainText):
        return attached
    result = extract(response)
    if request is not None:
        request.meta[RESULT] = result
    return result


_services: WeakKeyDictionary[Crawler, Service] = WeakKeyDictionary()


class _HttpOk:
    """Whether a response's status lets it through to its callback.

    As scrapy.spidermiddlewares.httperror decides it later on.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._all = crawler.settings.getbool("HTTPERROR_ALLOW_ALL")
        self._codes = crawler.settings.getlist("HTTPERROR_ALLOWED_CODES")

    def __call__(self, request: Request, response: Response) -> bool:
        if 200 <= response.status < 300 or request.meta.get("handle_httpstatus_all"):
            return True
        if "handle_httpstatus_list" in request.meta:
            return response.status in request.meta["handle_httpstatus_list"]
        if self._all:
            return True
        codes = getattr(self._crawler.spider, "handle_httpstatus_list", self._codes)
        return response.status in map(int, codes)
