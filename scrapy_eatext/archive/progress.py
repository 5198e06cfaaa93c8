"""The progress of a run over archives, its remaining time, and counts of pages."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from scrapy_eatext.page.urls import host_of

# The half-life, in seconds, of past work in the estimate of the pace.
_HALF_LIFE = 20.0
# The columns that a Tally counts, besides outcome and URL.
COUNTED = ("algorithm", "page_type", "language", "score")
# The most hosts in the counts of a part, and in a report: those with the most pages.
_HOSTS, REPORTED = 50, 1000


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A part in progress: its bytes, the share that is done, its pages by outcome."""

    size: int = 0
    share: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Progress:
    """The progress of a run; sizes are bytes of input."""

    size: int = 0
    # The bytes of parts that failed or that earlier runs extracted, and of this run's.
    skipped: int = 0
    done: int = 0
    parts: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)
    # The damaged records of all parts, and the files that are cut off.
    damaged: int = 0
    cut_off: dict[str, None] = field(default_factory=dict)
    # The parts of deleted inputs that the output keeps, because there were errors.
    orphaned: int = 0
    started: float = field(default_factory=time.monotonic)
    # The part in progress of each process.
    under_way: dict[int, UnderWay] = field(default_factory=dict)
    # Bytes done, and the seconds of processes that they took, both decayed over time;
    # the time and the bytes done at the last note().
    _moved: float = 0.0
    _worked: float = 0.0
    _noted: tuple[float, float] | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def totals(self) -> Counter[str]:
        """The numbers of pages by outcome, of this run."""
        under_way = [part.counts for part in list(self.under_way.values())]
        return sum(under_way, Counter(self.counts))

    def rate(self) -> float:
        """Pages per second."""
        return self.totals().total() / max(self.seconds, 1e-9)

    def share(self) -> float:
        """The share of the input that is done, by this run or an earlier one."""
        return min(1.0, (self.skipped + self._done()) / max(self.size, 1))

    def note(self, now: float) -> None:
        """Update the pace; to be called regularly."""
        done = self._done()
        last, last_done = self._noted or (now, done)
        decay = 0.5 ** ((now - last) / _HALF_LIFE)
        self._moved = self._moved * decay + done - last_done
        self._worked = self._worked * decay + (now - last) * len(self.under_way)
        self._noted = now, done

    def remaining(self) -> float | None:
        """The estimated remaining seconds, None while they are unknown.

        All processes share the remaining bytes, but each part ends in its own process.
        """
        under_way = list(self.under_way.values())
        if not under_way or self._moved <= 0 or self._worked <= 0:
            return None
        left = self.size - self.skipped - self._done()
        longest = max(part.size * (1 - part.share) for part in under_way)
        at_pace = self._worked / self._moved
        return max(0.0, left / len(under_way), longest) * at_pace

    def _done(self) -> float:
        under_way = list(self.under_way.values())
        return self.done + sum(part.size * part.share for part in under_way)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of pages by outcome, and of those with a result by host, kind and so on.

    Scores are counted by tenths: "0.8" has those from 0.8 to below 0.9.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    page_types: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    scores: Counter[str] = field(default_factory=Counter)

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        self.outcomes[row["outcome"]] += 1
        if row["algorithm"]:
            self.hosts[host_of(row["url"])] += 1
            self.page_types[row["page_type"]] += 1
            self.languages[row["language"]] += 1
            self.scores[f"{min(9, int(10 * row['score'])) / 10}"] += 1

    def merge(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        """Add the counts of another tally."""
        for name, others in counts.items():
            getattr(self, name).update(others)

    def as_json(self, hosts: int = _HOSTS) -> dict[str, dict[str, int]]:
        """The counts in descending order, with at most ``hosts`` hosts."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        most = {"hosts": hosts}
        return {name: dict(c.most_common(most.get(name))) for name, c in counts.items()}
