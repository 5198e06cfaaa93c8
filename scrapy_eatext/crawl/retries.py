"""Retries of weak pages, and the hosts whose pages are requested as retries at once.

A retry helps on some sites only, and is often costly: for each host it is counted how
often the retry had the better text.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from twisted.internet.defer import CancelledError

from scrapy_eatext.crawl.ownrequests import (
    INPUT,
    OWN,
    adopt_retry,
    download,
    has_retry_meta,
    make_direct,
    retry_meta,
    was_direct,
)
from scrapy_eatext.crawl.tally import shortened
from scrapy_eatext.crawl.weak import is_better, is_weak
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.page.urls import host_of

if TYPE_CHECKING:
    from scrapy.http import Request, Response

    from scrapy_eatext.crawl.service import Service
    from scrapy_eatext.crawl.weak import Weak
    from scrapy_eatext.execution.cascade import Outcome
    from scrapy_eatext.execution.choice import Choice

    # A response, what became of it, and how it was extracted.
    Answer = tuple[Response, Outcome, Choice]

# A host is judged by _TRIES pages at least.  Its pages are requested as retries at once
# (direct) if that was right for _NEARLY_ALWAYS of the last _TRIES.
_TRIES = 10
_NEARLY_ALWAYS = 9
# The most hosts that are known; those seen last stay.
_MAX_HOSTS = 1000
# Statuses that do not depend on the way in which a page is requested.
_OF_THE_PAGE = frozenset({*range(400), 404, 410})


class Retries:
    """The retries of a crawl."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._config = service.config
        self._tally = service.tally
        self._hosts = RetriedHosts()
        # Scrapy requests nothing that its cache lacks.
        settings = service.crawler.settings
        self._offline = settings.getbool("HTTPCACHE_ENABLED") and settings.getbool(
            "HTTPCACHE_IGNORE_MISSING"
        )

    def prepare(self, request: Request) -> None:
        """Make a request direct, if nearly all pages of its host are better so."""
        if not self._hosts.are_direct(host_of(request.url)) or not _may_retry(request):
            return
        overrides = request.meta.get(INPUT)
        with suppress(SettingError):  # it is logged when the response is there
            weak = self._config.weak_for(request.url, overrides)
            if (
                weak.meta
                and self._config.choice_for(request.url, overrides)
                and not has_retry_meta(request.meta, weak.meta)
            ):
                make_direct(request.meta, weak.meta)
                self._tally.inc("weak/direct")

    def skipped(self, request: Request, response: Response) -> None:
        """Count a direct request whose response is not extracted."""
        if response.status not in _OF_THE_PAGE:
            self._hosts.add_first(host_of(request.url), was_right=False)

    def failed(self, request: Request, error: Exception) -> None:
        """Count a request that got no response, after all of Scrapy's retries."""
        # An ignored request, as by robots.txt, would be ignored without the meta too.
        if was_direct(request.meta) and not isinstance(error, IgnoreRequest):
            self._hosts.add_first(host_of(request.url), was_right=False)

    async def better(self, request: Request, first: Answer, *, direct: bool) -> Answer:
        """The better of a page's two answers; the page is retried if it is weak."""
        weak = self._config.weak_for(first[0].url, request.meta.get(INPUT))
        if not weak.meta or not _may_retry(request):
            return first
        host = host_of(request.url)
        response, outcome, _ = first
        poor = is_weak(outcome, weak, response.body)
        if direct or not poor:
            self._hosts.add_first(host, was_right=direct and not poor)
            return first
        if has_retry_meta(request.meta, weak.meta):
            return first
        if self._offline or not self._hosts.may_retry(host, weak):
            self._tally.inc("weak/given_up")
            return first
        self._tally.inc("weak/asked")
        second = None
        try:
            second = await self._second(request, outcome, weak)
        except CancelledError:  # Twisted's; asyncio's is no Exception
            raise
        except Exception as error:  # noqa: BLE001 - the first answer is there
            self._tally.inc("weak/failed")
            self._tally.log(
                logging.INFO,
                "No second answer for %(url)s: %(error)s",
                {"url": request.url, "error": shortened(error)},
            )
        self._tally.inc("weak/better" if second else "weak/no_better")
        self._hosts.add_retry(host, better=second is not None)
        return second or first

    async def _second(
        self, request: Request, first: Outcome, weak: Weak
    ) -> Answer | None:
        """A page's second answer, if it is the better one."""
        meta = retry_meta(request.meta, weak.meta)
        response = await download(self._service.crawler, request, meta)
        choice, _ = self._service.admission.choice_for(request, response)
        if choice is None:
            return None
        outcome = await self._service.extractor.run(response, response.url, choice)
        if not is_better(outcome, first, weak):
            return None
        adopt_retry(request.meta, response.meta)
        response.request = request
        return response, outcome, choice


@dataclass(slots=True)
class _Host:
    """What is known of a host."""

    retries: int = 0
    answers: int = 0
    better: int = 0
    # Of the last pages whether a retry was right for them.
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=_TRIES))


class RetriedHosts:
    """The hosts of a crawl, and how often a retry helped there."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[int, _Host] = OrderedDict()

    def _host(self, host: str) -> _Host:
        # A host may have a name of any length.
        key = hash(host)
        known = self._hosts.setdefault(key, _Host())
        self._hosts.move_to_end(key)
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)
        return known

    def are_direct(self, host: str) -> bool:
        """Whether a host's pages are requested with a retry's meta at once."""
        known = self._hosts.get(hash(host))
        return (
            known is not None
            and len(known.last) == _TRIES
            and sum(known.last) >= _NEARLY_ALWAYS
        )

    def may_retry(self, host: str, weak: Weak) -> bool:
        """Whether a host's weak page is retried; it counts as retried then.

        A host is left alone where too few of its retries were better, or all of
        ``per_host`` are spent.
        """
        known = self._host(host)
        in_vain = known.answers >= _TRIES and known.better < weak.share * known.answers
        if in_vain or (weak.per_host and known.retries >= weak.per_host):
            return False
        known.retries += 1
        return True

    def add_retry(self, host: str, *, better: bool) -> None:
        """Count a page that was retried."""
        known = self._host(host)
        known.answers += 1
        known.better += better
        known.last.append(better)

    def add_first(self, host: str, *, was_right: bool) -> None:
        """Count a page that was not retried.

        ``was_right`` says whether a direct request was or would have been right: false
        for a page that is weak after a direct request, or good without one.
        """
        self._host(host).last.append(was_right)


def _may_retry(request: Request) -> bool:
    """Whether a request may be made once more."""
    is_off = request.callback is NO_CALLBACK or request.meta.get(INPUT) is False
    return request.method == "GET" and not is_off and OWN not in request.meta
