"""One page through the algorithms chosen for it, whatever may go wrong on the way."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.deadline import TimeLimitError, check, time_limit
from scrapy_eatext.execution import lastresort
from scrapy_eatext.page import Page
from scrapy_eatext.page.continued import next_page
from scrapy_eatext.page.decode import decode
from scrapy_eatext.page.memory import lacks_memory
from scrapy_eatext.page.walls import wall_of
from scrapy_eatext.rendering import render, run, with_outputs
from scrapy_eatext.result import NOTHING, IncompleteError, MainText, computed_for
from scrapy_eatext.rules import apply_rules

if TYPE_CHECKING:
    from scrapy.http import TextResponse

    from scrapy_eatext.execution.choice import Choice

# If time or memory is short, the last resort reads a page's first quarter, then the
# first quarter of that, down to so many bytes or characters.
_SHORTEST = 10_000

# The most characters kept of a traceback: an exception may quote a whole page.
_MAX_TRACEBACK = 10_000

# The most seconds for the search for an article's next page, which comes after the
# page's own time: fewer than a worker process has beyond that.
_SEEK_SECONDS = 0.5

# Exceptions that end the extraction of one page, not the crawl.  A library may raise
# SystemExit; KeyboardInterrupt (Ctrl-C) is to end the crawl.
BREAKS = (Exception, SystemExit)
# The most characters of an exception that is described in a line.
_MAX_LINE = 500

# After so many bytes of pages another thread replaces one that parses: lxml keeps each
# name of an element or attribute until the thread that parsed it ends.  A name may take
# ten times its size in the page.
TURN = 1 << 22

# The kinds of outcome whose result is the last resort's.
GIVEN_UP = frozenset(("failed", "timed_out", "too_large", "worker_died"))


# Cached, as all pages of a crawl have the same attributes.
_outputs_for = lru_cache(computed_for)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a page may take: seconds, bytes (0 is no limit).

    ``last_resort`` is the method for a page that takes more: ``density`` or ``empty``.
    """

    timeout: float = 0.0
    max_size: int = 0
    last_resort: str = "density"


@dataclass(frozen=True, slots=True)
class Job:
    """A page to extract.

    ``fields`` are the attributes to compute before the result lets go of its page.
    ``sought`` is the page of an article to look for: the address of its first page, and
    a number.  If ``give_up`` is not "", it is the outcome's kind, and only the last
    resort is left.
    """

    html: str | bytes | TextResponse
    url: str
    choice: Choice
    limits: Limits
    fields: tuple[str, ...] = ()
    sought: tuple[str, int] | None = None
    give_up: str = ""

    def bounded(self) -> Job:
        """This job, or one for the beginning of a page that is too large."""
        most = self.limits.max_size
        return self.cut(most, "too_large") if most and self.size > most else self

    @property
    def size(self) -> int:
        """The page's bytes or characters."""
        source = self.html if isinstance(self.html, (str, bytes)) else self.html.body
        return len(source)

    def cut(self, size: int, kind: str) -> Job:
        """A job for the page's beginning, for which only the last resort is left."""
        html = self.html
        if not isinstance(html, (str, bytes)):
            # The encoding may stand in its headers.
            html = decode(bytes(html.body[:size]), html.encoding)[1]
        return replace(self, html=html[:size], give_up=kind)

    def shortened(self, kind: str) -> Job | None:
        """A job for the page's first quarter, None if the page is short already."""
        if self.size <= _SHORTEST:
            return None
        return self.cut(max(self.size // 4, _SHORTEST), kind)


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of an extraction: the name of its class, and its traceback.

    ``field`` is the attribute that could not be computed, "" for the text.  ``name`` is
    MemoryError for any lack of memory, whatever exception it raised.
    """

    name: str
    traceback: str
    field: str = ""

    @classmethod
    def of(cls, error: BaseException, field: str = "") -> Failure:
        name = "MemoryError" if lacks_memory(error) else type(error).__name__
        try:
            shown = "".join(traceback.format_exception(error))
        except MemoryError:
            shown = name
        half = _MAX_TRACEBACK // 2
        if len(shown) > _MAX_TRACEBACK:
            shown = f"{shown[:half]}\n[...]\n{shown[-half:]}"
        return cls(name, shown, field)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a page.

    ``kind`` is ``extracted`` (a text that passes), ``below`` (none passes), ``empty``
    (there is no text), one of page.walls.WALLS, ``failed``, ``timed_out``,
    ``too_large`` or ``worker_died``; for the last four the result is the last resort's.
    ``next_url`` is the address of the page sought, "" where no link leads there.
    """

    result: MainText
    kind: str
    seconds: float = 0.0
    failures: tuple[Failure, ...] = ()
    next_url: str = ""


def extract_page(job: Job) -> Outcome:
    """Extract a page.  It never raises, whatever a page or an algorithm does."""
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
            # Reading the whole page once more would take as long.
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
        next_url = _next_url(page, *job.sought, failures)
    seconds = time.perf_counter() - started
    return Outcome(result, kind, seconds, tuple(failures), next_url)


def warm_up(choice: Choice) -> None:
    """Have a choice's algorithms load what they need for their first page."""
    for name in choice.algorithms:
        one = replace(choice, algorithms=(name,))
        extract_page(Job("<p>A first page.</p>", "", one, Limits()))


def run_one(choice: Choice, name: str, page: Page) -> MainText:
    """What one of a choice's algorithms makes of a page."""
    algorithm = get_algorithm(name, choice.options.get(name))
    return run(algorithm, page, rules=(choice.keep, choice.remove))


def describe_error(error: BaseException) -> str:
    """An exception in a line: its class and its message."""
    message = " ".join(str(error).split())[:_MAX_LINE]
    return f"{type(error).__name__}: {message}".removesuffix(": ")


def cascade(
    choice: Choice, page: Page, failures: list[Failure]
) -> tuple[MainText, str]:
    """The first text that passes, else the longest; what is a wall has none.

    If an algorithm fails, the next one is tried; if all fail, the last error is raised.
    """
    results: list[MainText] = []
    for name in choice.algorithms:
        try:
            result = run_one(choice, name, page)
            # What only the data have is a page's own text.
            wall = wall_of(page, result.text) if result.origin == "page" else ""
        except TimeLimitError:
            raise
        except BREAKS as error:
            if name == choice.algorithms[-1] and not results:
                raise
            failures.append(Failure.of(error))
            continue
        if wall:
            return result.without_text(wall), wall
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
    """A result without its page."""
    for name in _outputs_for(fields):
        _compute(result, name, failures)
    result.attach(None)
    return result


def _compute(result: MainText, name: str, failures: list[Failure]) -> None:
    """Compute a field; it is empty if that fails or no time is left."""
    try:
        check()
        result.value(name)
    except IncompleteError as error:
        failures.append(Failure.of(error.__cause__ or error, name))
        result.computed[name] = error.value
    except BREAKS as error:
        failures.append(Failure.of(error, name))
        result.computed[name] = NOTHING.computed[name]


def _next_url(page: Page, first: str, number: int, failures: list[Failure]) -> str:
    """Where an article goes on; nowhere if that fails or no time is left."""
    try:
        with time_limit(_SEEK_SECONDS):
            return next_page(page, first, number)
    except BREAKS as error:
        failures.append(Failure.of(error, "next_url"))
        return ""


def _last_resort(page: Page | None, job: Job, failures: list[Failure]) -> MainText:
    """The last resort's result for a page, or for as much of the page as can be read.

    Each try has half the time of the one before, so that all tries together take no
    longer than the page may.
    """
    left: Job | None = None if job.limits.last_resort == "empty" else job
    seconds = job.limits.timeout
    while left is not None:
        seconds /= 2
        try:
            with time_limit(seconds):
                return _keep_dense(page or Page.of(left.html, left.url), left, failures)
        except TimeLimitError:
            pass
        except BREAKS as error:
            failure = Failure.of(error)
            if failure.name != "MemoryError":
                failures.append(failure)
                return NOTHING
            if all(known.name != "MemoryError" for known in failures):
                failures.append(failure)
        page = None
        left = left.shortened(left.give_up)
    return NOTHING


def _keep_dense(page: Page, job: Job, failures: list[Failure]) -> MainText:
    check()
    verdict = lastresort.judge(page)
    check()
    verdict = apply_rules(page, verdict, job.choice.keep, job.choice.remove)
    result = render(verdict, page, lastresort.NAME, lastresort.VERSION)
    return _detached(with_outputs(result, job.choice.forms), job.fields, failures)
