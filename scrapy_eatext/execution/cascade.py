"""Extracts one page by its cascade of algorithms, within limits and without raising."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.deadline import TimeLimitError, check, time_limit
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page
from scrapy_eatext.page.decode import corrected, decode
from scrapy_eatext.page.memory import lacks_memory
from scrapy_eatext.page.walls import WALLS, wall_of
from scrapy_eatext.rendering import render, run, with_outputs
from scrapy_eatext.result import NOTHING, IncompleteError, MainText, computed_for
from scrapy_eatext.rules import apply_rules

if TYPE_CHECKING:
    from scrapy.http import TextResponse

    from scrapy_eatext.execution.choice import Choice

# The last resort keeps blocks of this many characters, of which at most this share is
# in links.
_LAST_RESORT = "last resort"
_DENSE_CHARS = 80
_DENSE_LINKS = 0.25

# If time or memory runs out, the last resort reads the first quarter of a page, then
# the first quarter of that, down to this many bytes or characters.
_SHORTEST = 10_000

# The maximum length of a traceback, as an exception may quote a whole page.
_MAX_TRACEBACK = 10_000

# The additional time for the search for an article's next page.  It is less than the
# grace period of a worker process.
_SEEK_SECONDS = 0.5

# Exceptions that end the extraction of one page, not the crawl.  A library may raise
# SystemExit; KeyboardInterrupt (Ctrl-C) must end the crawl.
BREAKS = (Exception, SystemExit)
_MAX_LINE = 500

# A thread is replaced after it has parsed this many bytes, as lxml keeps the names of
# elements and attributes until the thread that parsed them ends.  A name may take ten
# times its size in the page.
TURN = 1 << 22

# Kinds of outcome, which name its stats.  TEXTS: an algorithm's text passes, does not
# pass, or is empty.  POOR: no text passes.  GIVEN_UP: the result is the last resort's.
TEXTS = ("extracted", "below", "empty")
POOR = frozenset((*TEXTS[1:], *WALLS))
GIVEN_UP = frozenset(("failed", "timed_out", "too_large", "worker_died"))


# Cached, as all pages of a crawl have the same attributes.
_outputs_for = lru_cache(computed_for)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a page: ``timeout`` in seconds, ``max_size`` in bytes; 0 is none.

    ``last_resort`` is the method for a page beyond them: ``density`` or ``empty``.
    """

    timeout: float = 0.0
    max_size: int = 0
    last_resort: str = "density"


@dataclass(frozen=True, slots=True)
class Job:
    """A page to extract, and the ``fields`` to compute with the text.

    ``sought`` is the page of an article to search for: the URL of the first page, and a
    number.  With ``give_up``, a kind of outcome, only the last resort is run.
    """

    html: str | bytes | TextResponse
    url: str
    choice: Choice
    limits: Limits
    fields: tuple[str, ...] = ()
    sought: tuple[str, int] | None = None
    give_up: str = ""

    def bounded(self) -> Job:
        """This job, or one for the beginning of the page if that is too large."""
        limit = self.limits.max_size
        return self.cut(limit, "too_large") if limit and self.size > limit else self

    @property
    def size(self) -> int:
        """The page's bytes or characters."""
        source = self.html if isinstance(self.html, (str, bytes)) else self.html.body
        return len(source)

    def cut(self, size: int, kind: str) -> Job:
        html = self.html
        if not isinstance(html, (str, bytes)):
            # A response's encoding may be in its headers.
            encoding = corrected(html) or html.encoding
            html = decode(bytes(html.body[:size]), encoding)[1]
        return replace(self, html=html[:size], give_up=kind)

    def shortened(self, kind: str) -> Job | None:
        """A job for the page's first quarter, None if the page is not long enough."""
        if self.size <= _SHORTEST:
            return None
        return self.cut(max(self.size // 4, _SHORTEST), kind)


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of an extraction: the name of its class, and its traceback.

    ``field`` is the attribute that could not be computed, "" for the text.  ``name`` is
    "MemoryError" for any exception that a lack of memory caused.
    """

    name: str
    traceback: str
    field: str = ""

    @classmethod
    def of(cls, error: BaseException, field: str = "") -> Failure:
        name = "MemoryError" if lacks_memory(error) else type(error).__name__
        try:
            text = "".join(traceback.format_exception(error))
        except MemoryError:
            text = name
        half = _MAX_TRACEBACK // 2
        if len(text) > _MAX_TRACEBACK:
            text = f"{text[:half]}\n[...]\n{text[-half:]}"
        return cls(name, text, field)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a page; its ``kind`` is one of TEXTS, page.walls.WALLS or GIVEN_UP.

    ``next_url`` is the URL of the page sought, "" if no link leads there.
    """

    result: MainText
    kind: str
    seconds: float = 0.0
    failures: tuple[Failure, ...] = ()
    next_url: str = ""


def extract_page(job: Job) -> Outcome:
    """Extract a page.  Never raises; errors are in the outcome's ``failures``."""
    started = time.perf_counter()
    failures: list[Failure] = []
    result = page = None
    kind = job.give_up or "failed"
    try:
        if not job.give_up:
            with time_limit(job.limits.timeout):
                page = Page.of(job.html, job.url)
                check()
                result, kind = cascade(job.choice, page, failures)
                result = _detached(result, job.fields, failures)
    except TimeLimitError:
        result, kind = None, "timed_out"
        if page is None:
            # Parsing the whole page again would take as much time.
            job = job.shortened(kind) or job
    except BREAKS as error:
        result, kind = None, "failed"
        failures.append(Failure.of(error))
        if lacks_memory(error):
            page = None
    if result is None:
        result = _last_resort(page, job, failures)
    next_url = ""
    if job.sought and page is not None and result.text:
        try:
            with time_limit(_SEEK_SECONDS):
                next_url = next_page(page, *job.sought)
        except BREAKS as error:
            failures.append(Failure.of(error, "next_url"))
    seconds = time.perf_counter() - started
    return Outcome(result, kind, seconds, tuple(failures), next_url)


def warm_up(choice: Choice) -> None:
    """Run a choice's algorithms once, so that they load their models."""
    for name in choice.algorithms:
        single = replace(choice, algorithms=(name,))
        extract_page(Job("<p>A first page.</p>", "", single, Limits()))


def run_one(choice: Choice, name: str, page: Page) -> MainText:
    algorithm = get_algorithm(name, choice.options.get(name))
    return run(algorithm, page, rules=(choice.keep, choice.remove))


def describe_error(error: BaseException) -> str:
    """An exception in one line: its class and its message."""
    message = " ".join(str(error).split())[:_MAX_LINE]
    return f"{type(error).__name__}: {message}".removesuffix(": ")


def cascade(
    choice: Choice, page: Page, failures: list[Failure]
) -> tuple[MainText, str]:
    """The result and its kind: the first text that passes, or else the longest text.

    A wall has no text, unless the choice keeps walls.  If an algorithm fails, the next
    one is tried; if all fail, the last error is raised.
    """
    results: list[MainText] = []
    for name in choice.algorithms:
        try:
            result = run_one(choice, name, page)
            # A wall has no text in embedded data.
            wall = wall_of(page, result.text) if result.origin == "page" else ""
        except TimeLimitError:
            raise
        except BREAKS as error:
            if name == choice.algorithms[-1] and not results:
                raise
            failures.append(Failure.of(error))
            continue
        if wall:
            named = replace(result, origin=wall)
            named = named.backed(result.computed, result.source)
            if choice.keep_walls:
                return with_outputs(named, choice.forms), wall
            return named.without_text(), wall
        if choice.passes(result.text, result.score):
            return with_outputs(result, choice.forms), "extracted"
        results.append(result)
        check()
    result = max(results, key=lambda result: len(result.text))
    kind = "below" if result.text else "empty"
    if choice.below == "empty":
        return result.without_text(), kind
    return with_outputs(result, choice.forms), kind


def _detached(
    result: MainText, fields: tuple[str, ...], failures: list[Failure]
) -> MainText:
    """A result without its page, with its outputs, empty where these fail."""
    for name in _outputs_for(fields):
        try:
            check()
            result.value(name)
        except IncompleteError as error:  # noqa: PERF203
            failures.append(Failure.of(error.__cause__ or error, name))
            result.computed[name] = error.value
        except BREAKS as error:
            failures.append(Failure.of(error, name))
            result.computed[name] = NOTHING.computed[name]
    result.attach(None)
    return result


def _last_resort(page: Page | None, job: Job, failures: list[Failure]) -> MainText:
    """The last resort's result for a page, or for a beginning of it that can be read.

    Each attempt has half the time of the one before: all together have the page's time.
    """
    attempt: Job | None = None if job.limits.last_resort == "empty" else job
    seconds = job.limits.timeout
    while attempt is not None:
        seconds /= 2
        try:
            with time_limit(seconds):
                page = page or Page.of(attempt.html, attempt.url)
                check()
                verdict = judge_dense(page)
                check()
                choice = job.choice
                verdict = apply_rules(page, verdict, choice.keep, choice.remove)
                result = render(verdict, page, _LAST_RESORT, version="1")
                result = with_outputs(result, choice.forms)
                return _detached(result, job.fields, failures)
        except TimeLimitError:
            pass
        except BREAKS as error:
            failure = Failure.of(error)
            if failure.name != "MemoryError":
                failures.append(failure)
                return NOTHING
            if all(earlier.name != "MemoryError" for earlier in failures):
                failures.append(failure)
        page = None
        attempt = attempt.shortened(attempt.give_up)
    return NOTHING


def judge_dense(page: Page) -> Verdict:
    """Keep dense blocks, and a heading right before one.  The score is always 0."""
    blocks = page.blocks
    dense = [
        chars >= _DENSE_CHARS and link_chars <= _DENSE_LINKS * chars
        for chars, link_chars in zip(blocks.chars, blocks.link_chars, strict=True)
    ]
    kept = [
        is_dense or (before_dense and blocks.kind(i) == "heading")
        for i, (is_dense, before_dense) in enumerate(pairwise([*dense, False]))
    ]
    return Verdict(
        units=blocks,
        kept=kept,
        scores=[float(is_kept) for is_kept in kept],
        reasons=["dense" if is_kept else "thin" for is_kept in kept],
        score=0.0,
    )
