"""Retries of weak pages.

A retry is often costly and helps on some sites only, so each host's retries with a better
text are counted.  A host whose retries nearly always have one is made direct: its pages
are first requested with a retry's meta.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from scrapy_eatext.crawl.ownrequests import (
    INPUT,
    OWN,
    adopt_retry,
    counted_failure,
    download,
    make_direct,
    retry_meta,
    was_direct,
)
from scrapy_eatext.crawl.recent import by_host
from scrapy_eatext.execution.cascade import TEXTS
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walls import PASSABLE, WALLS, has_scripts

if TYPE_CHECKING:
    from scrapy.http import Request, Response

    from scrapy_eatext.crawl.service import Service
    from scrapy_eatext.execution.cascade import Outcome
    from scrapy_eatext.execution.choice import Choice, Weak

    # A response, its outcome, and the choice by which it was extracted.
    Answer = tuple[Response, Outcome, Choice]

# A host is judged by at least _TRIES pages.  It is direct if a direct request was right
# for _NEARLY_ALWAYS of the last _TRIES.
_TRIES = 10
_NEARLY_ALWAYS = 9
# Statuses that do not depend on a request's meta.
_OF_THE_PAGE = frozenset({*range(400), 404, 410})
# A weak text of a retry is better if it is more than this many times as long.
_LONGER = 2


def is_weak(outcome: Outcome, weak: Weak, body: bytes) -> bool:
    """Whether a retry may give a better text of a page."""
    kind, result = outcome.kind, outcome.result
    if kind in WALLS:
        return kind in PASSABLE
    if kind not in TEXTS:
        return False
    poor = len(result.body) < weak.min_chars or result.score < weak.min_score
    return poor and (not weak.only_if_scripts or has_scripts(body))


def is_better(second: Outcome, first: Outcome, weak: Weak) -> bool:
    """Whether the text of a retry is better than that of the weak page."""
    if second.kind not in ("extracted", "below"):
        return False
    text, score = second.result.body, second.result.score
    if len(text) >= weak.min_chars and score >= weak.min_score:
        return True
    return len(text) > _LONGER * len(first.result.body)


class Retries:
    def __init__(self, service: Service) -> None:
        self._service = service
        self._config = service.config
        self._tally = service.tally
        self._hosts = by_host(Host)
        # Whether Scrapy serves pages from its cache alone.
        settings = service.crawler.settings
        self._offline = settings.getbool("HTTPCACHE_ENABLED") and settings.getbool(
            "HTTPCACHE_IGNORE_MISSING"
        )

    def _host(self, request: Request) -> Host:
        return self._hosts(hash(host_of(request.url)))

    def prepare(self, request: Request) -> None:
        """Make a request direct if its host is."""
        if not self._host(request).is_direct() or not _may_retry(request):
            return
        with suppress(SettingError):  # logged with the response
            choice = self._config.choice_for(request.url, request.meta.get(INPUT))
            added = choice.weak.meta if choice else {}
            if added and not added.items() <= request.meta.items():
                make_direct(request.meta, added)
                self._tally.inc("weak/direct")

    def skipped(self, request: Request, response: Response) -> None:
        """Count a direct request whose response is not extracted."""
        if response.status not in _OF_THE_PAGE:
            self._host(request).add(was_right=False)

    def failed(self, request: Request, error: Exception) -> None:
        """Count a request that got no response, after all of Scrapy's retries."""
        # A request that is ignored, as for robots.txt, would be ignored without the meta
        # too.
        if was_direct(request.meta) and not isinstance(error, IgnoreRequest):
            self._host(request).add(was_right=False)

    async def better(self, request: Request, first: Answer, *, direct: bool) -> Answer:
        """The page's answer, or that of its retry if the page is weak and it is better."""
        response, outcome, choice = first
        weak = choice.weak
        if not _may_retry(request):
            return first
        host = self._host(request)
        weak_page = is_weak(outcome, weak, response.body)
        if direct or not weak_page:
            host.add(was_right=direct and not weak_page)
            return first
        if weak.meta.items() <= request.meta.items():  # a retry would be the same
            return first
        if self._offline or not host.may_retry(weak):
            self._tally.inc("weak/given_up")
            return first
        self._tally.inc("weak/asked")
        second = None
        message = "No second answer for %(url)s"
        with counted_failure(self._tally, "weak/failed", message, url=request.url):
            second = await self._second(request, outcome, weak)
        self._tally.inc("weak/better" if second else "weak/no_better")
        host.add(was_right=second is not None, retried=True)
        return second or first

    async def _second(
        self, request: Request, first: Outcome, weak: Weak
    ) -> Answer | None:
        """The answer of a page's retry, None if it is not better."""
        meta = retry_meta(request.meta, weak.meta)
        response = await download(self._service.crawler, request, meta)
        choice, _ = self._service.extractor.choice_for(request, response)
        if choice is None:
            return None
        outcome = await self._service.extractor.run(response, response.url, choice)
        if not is_better(outcome, first, weak):
            return None
        adopt_retry(request.meta, response.meta)
        response.request = request
        return response, outcome, choice


class Host:
    """A host, and how often a retry helped there."""

    def __init__(self) -> None:
        # The number of retries begun, ended, and with a better text.
        self._retries = self._answers = self._better = 0
        # Of the last pages, whether a direct request was or would have been right.
        self._last: deque[bool] = deque(maxlen=_TRIES)

    def is_direct(self) -> bool:
        """Whether the host's pages are first requested with a retry's meta."""
        return len(self._last) == _TRIES and sum(self._last) >= _NEARLY_ALWAYS

    def may_retry(self, weak: Weak) -> bool:
        """Whether to retry a weak page, which counts as a retry then."""
        is_useless = (
            self._answers >= _TRIES and self._better < weak.share * self._answers
        )
        if is_useless or (weak.per_host and self._retries >= weak.per_host):
            return False
        self._retries += 1
        return True

    def add(self, *, was_right: bool, retried: bool = False) -> None:
        """Count a page, and whether a direct or second request was or would be right."""
        self._last.append(was_right)
        self._answers += retried
        self._better += retried and was_right


def _may_retry(request: Request) -> bool:
    is_off = request.callback is NO_CALLBACK or request.meta.get(INPUT) is False
    return request.method == "GET" and not is_off and OWN not in request.meta
