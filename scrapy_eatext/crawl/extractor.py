"""Decides which responses are extracted, extracts them, and caches the results.

Attributes that a result lacks are computed by extracting its response again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard, cast
from urllib.parse import parse_qsl
from weakref import ReferenceType, WeakKeyDictionary, ref

from scrapy.http import HtmlResponse, JsonResponse, XmlResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.responsetypes import responsetypes
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware

from scrapy_eatext.crawl import tuning
from scrapy_eatext.crawl.ownrequests import INPUT, RESULT, further_pages
from scrapy_eatext.crawl.recent import RecentPages, key_of, keys_of, size_of
from scrapy_eatext.execution.cascade import (
    GIVEN_UP,
    Job,
    Limits,
    Outcome,
    extract_page,
    warm_up,
)
from scrapy_eatext.execution.executors import make_executor, wait
from scrapy_eatext.page.decode import is_binary, text_of
from scrapy_eatext.result import COMPUTED, NOTHING, MainText, joined

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response, TextResponse

    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.crawl.tally import Tally
    from scrapy_eatext.execution.choice import Choice
    from scrapy_eatext.result import Chunk

# Statuses whose responses have no body, by HTTP's rules.
_WITHOUT_BODY = frozenset((204, 205, 304))


@dataclass(frozen=True, slots=True)
class Extracted:
    """A page's result, its outcome's kind, and the choice that it was extracted by."""

    result: MainText
    kind: str
    choice: Choice


class Extractor:
    """Caches a response's result while the response lives, and the last ones by URL."""

    def __init__(self, crawler: Crawler, config: Config, tally: Tally) -> None:
        self._crawler = crawler
        self._config = config
        self._tally = tally
        self._limits = config.limits
        self._fields = (*config.fields.values(), *config.ahead)
        begin = tuning.lower_priority if config.tune_process else None
        self._executor = make_executor(
            config.executor, config.workers, config.choice, config.memory, begin
        )
        if config.executor != "process":
            warm_up(config.choice)
        self._known: WeakKeyDictionary[Response, Extracted] = WeakKeyDictionary()
        self._late: WeakKeyDictionary[Response, Future[Outcome]] = WeakKeyDictionary()
        self._recent: RecentPages[Extracted] = RecentPages()

    async def close(self) -> None:
        try:
            await self._executor.close()
        finally:
            for name, count in self._executor.counts().items():
                self._tally.inc(f"worker/{name}", count)

    # -- what is extracted, and how

    def choice_for(
        self, request: Request, response: Response
    ) -> tuple[Choice | None, str]:
        """How to extract a response, or None, and the outcome's kind if it is None."""
        overrides = request.meta.get(INPUT)
        if overrides is False:
            return None, "skipped_off"
        # Requests for robots.txt and of media pipelines have no callback.
        if request.callback is NO_CALLBACK and overrides is None:
            return None, "skipped_internal"
        if not (
            isinstance(response, HtmlResponse) or declares_html(response)
        ) or is_binary(response.body, response.encoding):
            return None, "skipped_type"
        if not 200 <= response.status < 300 and not self.passes(request, response):
            return None, "skipped_status"
        if request.method == "HEAD" or response.status in _WITHOUT_BODY:
            return None, "skipped_type"
        return self._config.choice_for(response.url, overrides), "skipped_off"

    def passes(self, request: Request, response: Response) -> bool:
        """Whether an unsuccessful response reaches its callback, and not the errback."""
        checker = self._crawler.get_spider_middleware(HttpErrorMiddleware)
        try:
            if checker is not None:
                # In downloader middlewares a response has no request yet.  replace()
                # calls the constructor, which in a subclass may need other arguments.
                # Scrapy calls a subclass's own method later, which may count.
                asked = copy(response)
                asked.request = request
                HttpErrorMiddleware.process_spider_input(checker, asked)
        except HttpError:
            return False
        return True

    # -- running

    async def run(
        self, html: Any, url: str, choice: Choice, sought: tuple[str, int] | None = None
    ) -> Outcome:
        """Extract HTML, or a response whose tree no other code uses meanwhile.

        Of a response the second page is sought, unless ``sought`` is another.
        """
        if self._config.pages > 1 and not isinstance(html, (str, bytes)):
            sought = sought or (url, 2)
        return await wait(self._submit(html, url, choice, sought))

    def _submit(
        self, html: Any, url: str, choice: Choice, sought: tuple[str, int] | None = None
    ) -> Future[Outcome]:
        job = Job(html, url, choice, self._limits, self._fields, sought)
        return self._executor.submit(job.bounded())

    def counted(
        self, url: str, outcome: Outcome, choice: Choice, stats: str = ""
    ) -> Extracted:
        """Count an outcome that is used; ``stats`` is the prefix for its kind, if any."""
        if stats:
            self._tally.inc(f"{stats}/{outcome.kind}")
        self._tally.outcome(url, outcome)
        return Extracted(outcome.result, outcome.kind, choice)

    async def of_html(self, html: str | bytes, url: str) -> Extracted | None:
        """The result for an item's HTML, None if its host is excluded."""
        choice = self._config.choice_for(url)
        if choice is None:
            return None
        outcome = await self.run(html, url, choice)
        return self.counted(url, outcome, choice, "html")

    async def of_response(self, response: Response) -> Extracted | None:
        """The result of a response, extracted now if needed; None if it is excluded."""
        if response in self._known:
            return self._known[response]
        # The downloader middleware is off, or another one replaced the response later.
        request = response.request
        if request is None:
            return None
        choice, _ = self.choice_for(request, response)
        if choice is None:
            return None
        # Several items may wait for the same page, and some of them may be cancelled.
        if response not in self._late:
            # The spider may be changing the response's tree by now, so parse it again.
            text = text_of(cast("TextResponse", response))
            self._late[response] = self._submit(text, response.url, choice)
        outcome = await wait(self._late[response], shared=True)
        if response not in self._known:
            extracted = self.counted(response.url, outcome, choice, "late")
            self.remember(response, extracted, urls_of(response, request))
        return self._known[response]

    def now(self, response: TextResponse) -> MainText:
        """Extract a response in the calling thread, also if its site is excluded.

        Raises SettingError for a wrong ``eatext`` in its request's meta.
        """
        request = response.request
        overrides = None if request is None else request.meta.get(INPUT)
        choice = self._config.choice_for(response.url, overrides)
        used = choice or self._config.choice
        job = Job(response, response.url, used, self._limits, self._fields)
        outcome = extract_page(job.bounded())
        extracted = self.counted(response.url, outcome, used, "late")
        is_off = choice is None or request is None
        urls = None if is_off else urls_of(response, request)
        return self.remember(response, extracted, urls)

    # -- the cache

    def remember(
        self, response: Response, extracted: Extracted, urls: Iterable[str] | None
    ) -> MainText:
        """A response's result, which computes missing attributes from the response.

        It is cached for the response and its URLs, unless ``urls`` is None.
        """
        result = extracted.result
        if urls is not None:
            self._recent.remember(urls, extracted, size_of((result, result.computed)))
            self._known[response] = extracted
        page = ref(cast("TextResponse", response))
        source = Reextraction(page, extracted.choice, self._limits, extracted.kind)
        if result is NOTHING:  # a constant that pages share
            return NOTHING.backed(NOTHING.computed, source)
        result.attach(source)
        return result

    def known(self, response: Response) -> MainText | None:
        """The result of a response, None if this crawl has not extracted it."""
        extracted = self._known.get(response)
        return None if extracted is None else extracted.result

    def at_url(self, url: str) -> Extracted | None:
        """The result of the page last seen at a URL, or redirected from it."""
        pages = map(self._recent.find, keys_of(url))
        return next((page for page in pages if page is not None), None)

    def is_url_of(self, response: Response, url: str) -> bool:
        """Whether a URL belongs to a response, and to no other page in the cache."""
        urls = urls_of(response, response.request)
        if url in urls:
            return True
        own, keys = set(map(key_of, urls)), keys_of(url)
        for key in keys:
            if key in own:
                return True
            if self._recent.find(key) is not None:
                return False
        # APIs that download pages get their URLs as parameters.
        others = [value for _, value in parse_qsl(response.url.partition("?")[2])]
        result = self.known(response)
        if result and (metadata := result.computed.get("metadata")):
            others.append(metadata.canonical_url)
        return any(key_of(other) in keys for other in others if other)


def declares_html(response: Response) -> TypeGuard[TextResponse]:
    """Whether a response that is no HtmlResponse is HTML, as scrapy-splash's may be."""
    kind = response.headers.get("Content-Type") or b""
    return (
        responsetypes.from_content_type(kind) is HtmlResponse
        and hasattr(type(response), "selector")
        and not isinstance(response, (JsonResponse, XmlResponse))
    )


def urls_of(response: Response, request: Request | None) -> list[str]:
    """The URLs that lead to a response: its own, and redirected ones."""
    if request is None:
        return [response.url]
    redirected = request.meta.get("redirect_urls")
    # Other code may have written any value into the meta.
    redirected = redirected if isinstance(redirected, (list, tuple)) else ()
    urls = [response.url, request.url, *redirected]
    return [url for url in urls if isinstance(url, str)]


@dataclass(frozen=True, slots=True)
class Reextraction:
    """Extracts a response again, with its continuations.

    It is parsed again, as the spider may have changed its tree.
    """

    response: ReferenceType[TextResponse]
    choice: Choice
    limits: Limits
    kind: str
    at_hand = False

    def compute(self, names: Iterable[str]) -> Mapping[str, Any]:
        """All of COMPUTED, as one extraction gives them all."""
        response = self.response()
        if response is None:
            raise LookupError(
                f"{', '.join(names)} cannot be computed, as the response is gone or "
                "another has replaced it: name what you need in EATEXT_AHEAD to have "
                "it computed with the text, or ask main_text(response)"
            )
        job = self._job(response, self.choice)
        if self.kind in GIVEN_UP and not job.give_up:
            job = replace(job, give_up=self.kind)
        choice = self.choice.of_continuation
        pages = further_pages.get(response, ())
        jobs = [job, *(self._job(page, choice) for page in pages)]
        return joined([extract_page(job).result for job in jobs]).computed

    def _job(self, page: TextResponse, choice: Choice) -> Job:
        job = Job(text_of(page), page.url, choice, limits=self.limits, fields=COMPUTED)
        return job.bounded()

    def chunks(self, form: Mapping[str, Any]) -> tuple[Chunk, ...]:
        """Chunks of another form, by another extraction."""
        changed = self.choice.chunks.changed(form)
        source = replace(self, choice=replace(self.choice, chunks=changed))
        chunks: tuple[Chunk, ...] = source.compute(("chunks",))["chunks"]
        return chunks


def attached(request: Request, response: Response) -> MainText | None:
    """The result that the downloader middleware attached to a response, or None.

    A response that replaced another one has none, though the other's is in the meta.
    """
    result = request.meta.get(RESULT)
    if not isinstance(result, MainText):
        return None
    source = result.source
    if isinstance(source, Reextraction) and source.response() is not response:
        return None
    return result
