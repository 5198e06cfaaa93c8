"""What a crawler's components share: it chooses, runs, remembers and counts."""

from __future__ import annotations

import logging
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary, WeakSet, ref

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpErrorMiddleware
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.misc import load_object
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl import collector
from scrapy_eatext.crawl.decay import DecayWatch
from scrapy_eatext.crawl.pages import LISTS, joined, next_page, page_of
from scrapy_eatext.crawl.recent import RecentPages, SeenUrls, key_of, keys_of, size_of
from scrapy_eatext.crawl.reextraction import Reextraction, further_pages
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.crawl.tally import Tally
from scrapy_eatext.crawl.weak import (
    SECOND,
    SecondAnswers,
    came_direct,
    further_meta,
    go_direct,
    is_better,
    is_second,
    is_weak,
    keep_second,
    second_meta,
)
from scrapy_eatext.execution.cascade import Job, Outcome, extract_page, warm_up
from scrapy_eatext.execution.choice import SettingError, to_json_value
from scrapy_eatext.execution.executors import make_executor, wait
from scrapy_eatext.extraction import extract
from scrapy_eatext.page.decode import text_of
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walk import compiled
from scrapy_eatext.page.walls import WALLS
from scrapy_eatext.result import NOTHING, MainText

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request

    from scrapy_eatext.crawl.weak import Weak
    from scrapy_eatext.execution.choice import Choice

# The meta keys: how to extract a request's page, and the result for its response.
INPUT = "eatext"
RESULT = "main_text"

# The most characters of an error that are logged.
_SHOWN = 300

# The outcome for a page without a byte.
_EMPTY = Outcome(NOTHING, "empty")

# Outcomes of an algorithm: only their texts can show a site's decay.
_JUDGED = frozenset({"extracted", "below", "empty", *WALLS})

# Statuses whose responses have no body, as HTTP has it.
_WITHOUT_BODY = frozenset((204, 205, 304))

# Statuses that tell of a page, not of the way in which it was asked for.
_OF_THE_PAGE = frozenset({*range(400), 404, 410})

# The response of the item that is in the pipelines: Scrapy sends an item through all
# pipelines in one context.
_response: ContextVar[ref[Response] | None] = ContextVar("response", default=None)


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a page: its outcome, and the choice that led to it."""

    outcome: Outcome
    choice: Choice

    @property
    def result(self) -> MainText:
        return self.outcome.result

    @property
    def drop(self) -> bool:
        """Whether an item with this text is to be dropped.

        Only a text that an algorithm found too poor drops an item, and a wall; a failed
        extraction does not.
        """
        poor = _JUDGED - {"extracted"}
        return self.choice.below == "drop" and self.outcome.kind in poor


class Service:
    """One service for each crawler; the crawler's components get it from of()."""

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        if not self.config.enabled:
            raise NotConfigured
        self._crawler = crawler
        self.tally = Tally(crawler)
        self._executor = make_executor(
            self.config.executor,
            self.config.workers,
            self.config.choice,
            self.config.memory,
        )
        if self.config.executor != "process":
            warm_up(self.config.choice)
        self._found: WeakKeyDictionary[Response, Found] = WeakKeyDictionary()
        self._late: WeakKeyDictionary[Response, Future[Outcome]] = WeakKeyDictionary()
        self._recent: RecentPages[Found] = RecentPages()
        self._asked: WeakSet[Request] = WeakSet()
        self._seen = SeenUrls()
        # Whether there is a pipeline that fills items; the pipeline sets this.
        self.fills = False
        self._tied: dict[int, tuple[Any, list[ref[Response]]]] = {}
        self._decay = DecayWatch()
        self._seconds = SecondAnswers()
        # What is not in the cache is not asked for then.
        self._offline = crawler.settings.getbool(
            "HTTPCACHE_ENABLED"
        ) and crawler.settings.getbool("HTTPCACHE_IGNORE_MISSING")
        self._http_ok = _HttpOk(crawler)
        crawler.signals.connect(self._open, signals.spider_opened)
        crawler.signals.connect(self._close, signals.spider_closed)
        crawler.signals.connect(self._note, signals.response_received)
        crawler.signals.connect(self._lighten, signals.request_scheduled)

    @classmethod
    def of(cls, crawler: Crawler) -> Service:
        """The crawler's service, made when first asked for.

        Raises SettingError, which ends the crawl before it starts, or NotConfigured if
        EATEXT_ENABLED is off.
        """
        known = _services.get(crawler)
        service = None if known is None else known()
        if service is None:
            service = cls(crawler)
            _services[crawler] = ref(service)
        return service

    @property
    def crawling(self) -> bool:
        """Whether the crawl has started and not ended."""
        return bool(self._crawler.crawling)

    # -- responses

    def prepare(self, request: Request) -> None:
        """Take note of a request before it is downloaded."""
        # A request made with another response's meta has that response's text.
        request.meta.pop(RESULT, None)
        self._asked.add(request)
        self.see(request.url)
        # The page that it was found on may have been requested by another process: of a
        # crawl that was paused, or with a queue in common.
        if found_on := request.headers.get("Referer"):
            self.see(found_on.decode("latin-1"))
        host = host_of(request.url)
        if self._seconds.at_once(host) and _may_be_weak(request):
            with suppress(SettingError):  # it is told of when the response is there
                given = request.meta.get(INPUT)
                weak = self.config.weak_for(request.url, given)
                if (
                    weak.meta
                    and self.config.choice_for(request.url, given)
                    and not is_second(request.meta, weak)
                ):
                    go_direct(request.meta, weak)
                    self.tally.inc("weak/direct")

    async def process(self, request: Request, response: Response) -> Response:
        """Extract a response that was just downloaded, into request.meta.

        Another comes back where the page was asked for once more and that one is the
        better.  Raises nothing but CancelledError: errors are counted and logged.
        """
        if SECOND in request.meta:
            return response
        request.meta.pop(RESULT, None)
        direct = came_direct(request.meta)
        kind = "cancelled"
        try:
            skipped, choice = self._choose(request, response)
            if choice is None:
                kind = skipped
                if direct and response.status not in _OF_THE_PAGE:
                    self._seconds.passed(
                        host_of(request.url), direct=True, strong=False
                    )
            else:
                given = request.meta.get(INPUT)
                weak = self.config.weak_for(response.url, given)
                outcome = await wait(self._submit(response, response.url, choice))
                if weak.meta and _may_be_weak(request):
                    response, outcome, choice = await self._better(
                        request, response, outcome, choice, weak, direct=direct
                    )
                found = self._told(response.url, outcome, choice)
                if self.config.pages > 1:
                    found = await self._continued(request, response, found)
                kind = found.outcome.kind
                request.meta[RESULT] = self._asking(response, found)
                self._remember(request, response, found)
                self._watch(response.url, found.outcome)
        except CancelledError:  # Twisted's; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001
            kind = "failed"
            self.tally.error(response.url, error)
            found = Found(Outcome(NOTHING, kind), self.config.choice)
            request.meta[RESULT] = self._asking(response, found)
            self._found[response] = found
        finally:
            # Both at once, so that they add up whenever somebody looks.
            self.tally.inc("response_count")
            self.tally.inc(f"response/{kind}")
        return response

    def failed(self, request: Request, error: Exception) -> None:
        """Take note of a request that got no response, after all retries."""
        # One that is ignored, as by robots.txt, would be so either way.
        if came_direct(request.meta) and not isinstance(error, IgnoreRequest):
            self._seconds.passed(host_of(request.url), direct=True, strong=False)

    def receive(self, response: Response) -> None:
        """Warn of a response that took the place of the one that was extracted."""
        request = response.request
        if (
            request is None
            or not isinstance(request.meta.get(RESULT), MainText)
            or attached(request, response) is not None
        ):
            return
        self.tally.log(
            logging.WARNING,
            "A downloader middleware has replaced %(response)s after its main text was "
            "extracted: items and main_text() get the new one's text, by one more "
            "extraction and without further pages; response.meta has the old one's. "
            "Give that middleware a higher number in DOWNLOADER_MIDDLEWARES than "
            "EatextDownloaderMiddleware has (545)",
            {"response": response},
            once="replaced",
        )

    async def _better(
        self,
        request: Request,
        response: Response,
        outcome: Outcome,
        choice: Choice,
        weak: Weak,
        *,
        direct: bool,
    ) -> tuple[Response, Outcome, Choice]:
        """The better of a page's two answers; it is asked for once more if it is weak."""
        first = response, outcome, choice
        host = host_of(request.url)
        if direct or not is_weak(outcome, weak, response.body):
            strong = not is_weak(outcome, weak, response.body)
            self._seconds.passed(host, direct=direct, strong=strong)
            return first
        if is_second(request.meta, weak):
            return first
        if self._offline or not self._seconds.may_ask(host, weak):
            self.tally.inc("weak/given_up")
            return first
        self.tally.inc("weak/asked")
        kept = first
        try:
            second = await self._second(request, weak)
            _, told = self._choose(request, second)
            if told is not None:
                seen = await wait(self._submit(second, second.url, told))
                if is_better(seen, outcome, weak):
                    kept = second, seen, told
        except CancelledError:  # Twisted's; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001 - the first answer is there
            self.tally.inc("weak/failed")
            self.tally.log(
                logging.INFO,
                "No second answer for %(url)s: %(error)s",
                {"url": request.url, "error": repr(error)[:_SHOWN]},
            )
        better = kept is not first
        self.tally.inc("weak/better" if better else "weak/no_better")
        self._seconds.answered(host, better=better)
        if better:
            second = kept[0]
            keep_second(request.meta, second.meta)
            second.request = request
        return kept

    async def _continued(
        self, request: Request, response: Response, found: Found
    ) -> Found:
        """What is known of a page with the pages that continue its article, if any."""
        if found.outcome.kind != "extracted" or found.result.page_type in LISTS:
            return found
        first, results, last = response.url, [found.result], response
        pages: list[tuple[str, str]] = []
        try:
            while len(results) < self.config.pages:
                url = next_page(cast("TextResponse", last), first, len(results) + 1)
                if not url or request.method != "GET":
                    break
                self.tally.inc("pages/asked")
                further = await self._further(request, url)
                if further is None:
                    break
                last = further
                _, choice = self._choose(request, last)
                # A redirect may lead anywhere, and a spider may ask for errors' pages.
                same = page_of(last.url) == page_of(url)
                if choice is None or not same or not 200 <= last.status < 300:
                    break
                told = await self._run(last, last.url, choice.of_continuation)
                text = told.result.text
                if not text or any(text == known.body for known in results):
                    break
                results.append(told.result)
                pages.append((text_of(cast("TextResponse", last)), last.url))
                self.tally.inc("pages/joined")
        except CancelledError:  # Twisted's; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001 - the pages so far are there
            self.tally.error(first, error)
        if len(results) == 1:
            return found
        further_pages[cast("TextResponse", response)] = pages
        return replace(found, outcome=replace(found.outcome, result=joined(results)))

    async def _further(self, request: Request, url: str) -> Response | None:
        """A page that continues another, None if it cannot be downloaded."""
        meta = further_meta(request.meta)
        further = request.replace(
            url=url, meta=meta, callback=NO_CALLBACK, errback=None
        )
        try:
            response: Response = await self._crawler.engine.download_async(further)
        except CancelledError:  # Twisted's; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001 - the pages so far are there
            self.tally.inc("pages/failed")
            self.tally.log(
                logging.INFO,
                "No further page of %(first)s at %(url)s: %(error)s",
                {"first": request.url, "url": url, "error": repr(error)[:_SHOWN]},
            )
            return None
        return response

    async def _second(self, request: Request, weak: Weak) -> Response:
        """A page's second answer, by a request that goes the way of any other.

        It is made here and now: one that were scheduled would have to hold the first
        answer meanwhile, and could be written to disk.
        """
        meta = second_meta(request.meta, weak)
        again = request.replace(meta=meta, callback=NO_CALLBACK, errback=None)
        response: Response = await self._crawler.engine.download_async(again)
        return response

    async def _run(self, html: Any, url: str, choice: Choice) -> Found:
        """Extract HTML, or a response whose tree nobody else uses meanwhile."""
        return self._told(url, await wait(self._submit(html, url, choice)), choice)

    def _submit(self, html: Any, url: str, choice: Choice) -> Future[Outcome]:
        if not (html if isinstance(html, (str, bytes)) else html.body):
            nothing: Future[Outcome] = Future()
            nothing.set_result(_EMPTY)
            return nothing
        fields = tuple(self.config.fields.values())
        return self._executor.submit(
            Job.of(html, url, choice, self.config.limits, fields)
        )

    def _told(self, url: str, outcome: Outcome, choice: Choice) -> Found:
        if outcome is not _EMPTY:  # for which nothing was run
            self.tally.outcome(url, outcome)
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
        # That nothing is there says nothing of the page.
        if request.method == "HEAD" or response.status in _WITHOUT_BODY:
            return "skipped_type", None
        return "skipped_off", self.config.choice_for(response.url, said)

    def _remember(self, request: Request, response: Response, found: Found) -> None:
        self._found[response] = found
        kept = found.result, found.result.computed, found.outcome.failures
        self._recent.remember(_urls(response, request), found, size_of(kept))

    def _asking(self, response: Response, found: Found) -> MainText:
        """A result that computes missing attributes from its response."""
        way = Reextraction(
            ref(cast("TextResponse", response)),
            found.choice,
            self.config.limits,
            found.outcome.kind,
        )
        return found.result.backed(found.result.computed, way)

    def _watch(self, url: str, outcome: Outcome) -> None:
        """Look out for a site whose texts have turned empty or alike."""
        if self.config.on_decay == "ignore" or outcome.kind not in _JUDGED:
            return
        host = host_of(url)
        news = self._decay.see(host, outcome.result.body)
        if news is None:
            return
        self.tally.inc(f"decay/{news}")
        self.tally.log(
            logging.WARNING,
            "The last texts of %(host)s are nearly all %(news)s: its layout may "
            "have changed, or it may block this crawl",
            {"host": host, "news": news},
            once=f"decay {host}",
        )
        if self.config.on_decay == "close_spider":
            # Not awaited: the engine waits for this very response.
            deferred_from_coro(
                self._crawler.engine.close_spider_async(reason="eatext_decay")
            )

    # -- items

    def _follow_items(self) -> None:
        """See each item before any pipeline replaces it."""
        pipelines = getattr(self._crawler.engine.scraper.itemproc, "methods", None)
        if pipelines is None:
            self.tally.log(
                logging.WARNING,
                "Items find their pages by their URLs alone: %(what)s has no list of "
                "pipelines, as a subclass of scrapy.pipelines.ItemPipelineManager has",
                {"what": self._crawler.settings["ITEM_PROCESSOR"]},
            )
        else:
            pipelines["process_item"].appendleft(self.enter)

    def tie(self, item: object, response: Response) -> None:
        """Remember an item's response until the item enters the pipelines.

        If the item never enters, the tie ends with the response.
        """
        if not self.fills:
            return
        # By identity, as few items can be hashed; the item itself is kept so
        # that no other gets its id meanwhile.
        key = id(item)
        _, ties = self._tied.setdefault(key, (item, []))
        ties.append(ref(response, lambda tie: self._untie(key, tie)))

    def _untie(self, key: int, tie: ref[Response]) -> None:
        _, ties = self._tied[key]
        ties.remove(tie)
        if not ties:
            del self._tied[key]

    def enter(self, item: Any) -> Any:
        """Take note of an item that enters the pipelines, and untie it.

        Within its context the item, and any item in its place, belongs to its response.
        """
        response = None
        if id(item) in self._tied:
            # An item that is yielded twice enters twice, in the same order.
            tie = self._tied[id(item)][1][0]
            response = tie()
            self._untie(id(item), tie)
        _response.set(None if response is None else ref(response))
        return item

    def response_of_item(self) -> Response | None:
        """The response of the item that is in the pipelines in this context."""
        tie = _response.get()
        return None if tie is None else tie()

    def see(self, url: str) -> None:
        """Remember that this crawl has requested a URL, or will request it."""
        if self.fills and self.config.url_field:
            self._seen.add(url)

    def has_seen(self, url: str) -> bool:
        """Whether see() has been told of a URL, as far as that is remembered."""
        return any(key in self._seen for key in keys_of(url))

    def is_url_of(self, response: Response, url: str) -> bool:
        """Whether a URL belongs to a response, and to no other page that is known."""
        urls = _urls(response, response.request)
        if url in urls:
            return True
        own = {key_of(own) for own in urls}
        for key in keys_of(url):
            if key in own:
                return True
            if self._recent.find(key) is not None:
                return False
        known = self._found.get(response)
        metadata = known and known.result.computed.get("metadata")
        return bool(
            metadata
            and metadata.canonical_url
            and key_of(metadata.canonical_url) in keys_of(url)
        )

    async def of_response(self, response: Response) -> Found | None:
        """What is known of a response, which is extracted now if it was not before.

        None if the response is not to be extracted.
        """
        if response in self._found:
            return self._found[response]
        # The downloader middleware is off, or saw another response, which was replaced.
        request = response.request
        if request is None:
            return None
        _, choice = self._choose(request, response)
        if choice is None:
            return None
        # Several items may wait for the same page, and some of them may be cancelled.
        if response not in self._late:
            # By now the spider may work on the response's own tree: parse again.
            text = text_of(cast("TextResponse", response))
            self._late[response] = self._submit(text, response.url, choice)
        outcome = await wait(self._late[response], shared=True)
        if response not in self._found:
            found = self._told(response.url, outcome, choice)
            self.tally.inc(f"late/{outcome.kind}")
            self._remember(request, response, found)
        return self._found[response]

    async def of_html(self, html: str | bytes, url: str) -> Found | None:
        """The result for the HTML that an item carries, None if its host is off."""
        choice = self.config.choice_for(url)
        if choice is None:
            return None
        found = await self._run(html, url, choice)
        self.tally.inc(f"html/{found.outcome.kind}")
        return found

    def of_url(self, url: str) -> Found | None:
        """What is known of the page last seen at a URL, or redirected from it."""
        found = map(self._recent.find, keys_of(url))
        return next((page for page in found if page is not None), None)

    # -- callbacks

    def known(self, response: Response) -> MainText | None:
        """The result of a response that this crawl has extracted."""
        found = self._found.get(response)
        return None if found is None else self._asking(response, found)

    def asked(self, request: Request | None) -> bool:
        """Whether this crawl sent a request, or got a response to it."""
        return request is not None and request in self._asked

    def _lighten(self, request: Request) -> None:
        """Have a request that goes into a queue carry what any serializer can take.

        A request made with a response's meta has that response's text.
        """
        request.meta.pop(RESULT, None)
        if INPUT in request.meta:
            request.meta[INPUT] = to_json_value(request.meta[INPUT])

    def _note(self, request: Request) -> None:
        self._asked.add(request)

    def by_hand(self, response: TextResponse) -> MainText:
        """Extract a response here and now, whether or not it was to be extracted.

        Raises SettingError for a wrong meta of its request.
        """
        request = response.request
        said = None if request is None else request.meta.get(INPUT)
        choice = self.config.choice_for(response.url, said)
        job = Job.of(
            response,
            response.url,
            choice or self.config.choice,
            self.config.limits,
            tuple(self.config.fields.values()),
        )
        outcome = extract_page(job)
        self.tally.outcome(response.url, outcome)
        self.tally.inc(f"late/{outcome.kind}")
        found = Found(outcome, choice or self.config.choice)
        if choice is not None and request is not None:
            self._remember(request, response, found)
        return self._asking(response, found)

    # -- start and end

    def _open(self) -> None:
        if not compiled:
            self.tally.log(
                logging.INFO,
                "Main text: without %(what)s pages take several times longer",
                {"what": "the compiled modules"},
            )
        if self.fills:
            self._follow_items()
        collector.put_aside(self._crawler)

    async def _close(self) -> None:
        collector.take_back(self._crawler)
        try:
            await self._executor.close()
        finally:
            for name, count in self._executor.counts().items():
                self.tally.inc(f"worker/{name}", count)
            self.tally.close()
            _services.pop(self._crawler, None)


def main_text(response: Response) -> MainText:
    """The main text of a response, for callbacks.

    It is the result that the downloader middleware attached.  If there is none, or the
    response has been replaced since, the response is extracted here and now, by the
    settings of the crawl that got a response to its request; without a request, by
    those of the only crawl in this process.  The default algorithm extracts it if no
    component of this package is on, or if it cannot be told which crawl the response
    is of; a warning says the latter.

    A response that is no text, such as an image, has an empty result.  Raises TypeError
    for what is no response, and SettingError for a wrong ``eatext`` in the meta of the
    request where the response is extracted here.
    """
    if not isinstance(response, Response):
        raise TypeError(
            f"main_text() takes a response of Scrapy, not {type(response).__name__}; "
            "extract() takes HTML and selectors"
        )
    if not isinstance(response, TextResponse):
        return NOTHING
    request = response.request
    if request is not None and (found := attached(request, response)):
        return found
    if response not in _by_hand:
        _by_hand[response] = _found_out(response)
    return _by_hand[response]


def _found_out(response: TextResponse) -> MainText:
    # The service of a crawl that could not start may still exist.
    services = [service() for service in _services.values()]
    crawls = [s for s in services if s is not None and s.crawling]
    # In downloader middlewares a response has no request yet.
    for crawl in crawls:
        if known := crawl.known(response):
            return known
    # A response does not know its crawl; a replaced response still has its request.
    request = response.request
    mine = [s for s in crawls if request is None or s.asked(request)]
    if len(mine) == 1:
        return mine[0].by_hand(response)
    if mine:
        mine[0].tally.log(
            logging.WARNING,
            "main_text(): no request tells which of %(count)d crawls %(response)s is "
            "of, so it is extracted by the default algorithm; give the response its "
            "request: response.replace(request=...)",
            {"count": len(mine), "response": response},
            once="main_text",
        )
    elif crawls:
        # It is not for another crawl to lend its settings, or to count this page.
        crawls[0].tally.log(
            logging.WARNING,
            "main_text(): %(response)s answers no request of a crawl that has this "
            "package's components, so it is extracted by the default algorithm; put "
            'ADDONS = {"scrapy_eatext.Addon": 500} into the settings of its crawl, or '
            "give the response its request: response.replace(request=...)",
            {"response": response},
            once="main_text of no crawl",
        )
    return extract(response)


def attached(request: Request, response: Response) -> MainText | None:
    """The result that the downloader middleware attached to this very response.

    If another middleware or a callback replaces a response, the meta of the request
    stays, and has the text of the response before.
    """
    found = request.meta.get(RESULT)
    if not isinstance(found, MainText):
        return None
    way = found.source
    return (
        None
        if isinstance(way, Reextraction) and way.response() is not response
        else found
    )


def _may_be_weak(request: Request) -> bool:
    """Whether a request may be made once more."""
    of_nobody = request.callback is NO_CALLBACK or request.meta.get(INPUT) is False
    return request.method == "GET" and not of_nobody and SECOND not in request.meta


# Not kept in the meta of requests, which other requests may inherit.
_by_hand: WeakKeyDictionary[Response, MainText] = WeakKeyDictionary()
# A crawler's components have its service: with a crawl that could not start, both go.
_services: WeakKeyDictionary[Crawler, ref[Service]] = WeakKeyDictionary()


def _urls(response: Response, request: Request | None) -> list[str]:
    """The URLs that lead to a response: its own, and those redirected to it."""
    if request is None:
        return [response.url]
    redirected = request.meta.get("redirect_urls")
    # Anyone may write into a request's meta.
    redirected = redirected if isinstance(redirected, (list, tuple)) else ()
    urls = [response.url, request.url, *redirected]
    return [url for url in urls if isinstance(url, str)]


def _passes_errors(crawler: Crawler) -> bool:
    """Whether no spider middleware keeps errors' pages from their callbacks."""
    places: dict[object, object] = {}
    # Scrapy's own way to join the two has another name in each of its versions.
    for key in ("SPIDER_MIDDLEWARES_BASE", "SPIDER_MIDDLEWARES"):
        for path, place in crawler.settings.getdict(key).items():
            places[load_object(path)] = place
    return not any(
        isinstance(cls, type)
        and issubclass(cls, HttpErrorMiddleware)
        and place is not None
        for cls, place in places.items()
    )


class _HttpOk:
    """Whether a response's status lets it through to its callback.

    scrapy.spidermiddlewares.httperror decides the same later on.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._off = _passes_errors(crawler)
        self._all = crawler.settings.getbool("HTTPERROR_ALLOW_ALL")
        self._codes = crawler.settings.getlist("HTTPERROR_ALLOWED_CODES")

    def __call__(self, request: Request, response: Response) -> bool:
        if self._off or 200 <= response.status < 300:
            return True
        if request.meta.get("handle_httpstatus_all"):
            return True
        if "handle_httpstatus_list" in request.meta:
            return response.status in request.meta["handle_httpstatus_list"]
        if self._all:
            return True
        codes = getattr(self._crawler.spider, "handle_httpstatus_list", self._codes)
        return response.status in codes
