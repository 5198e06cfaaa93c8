"""How far a run over archives is, and how long what is left will take."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

# After so many seconds work counts half of what is done now for the pace.
_HALF = 20.0


@dataclass(frozen=True, slots=True)
class UnderWay:
    """A part that is being worked on: its bytes, how much of it is done, its pages."""

    size: int = 0
    share: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Progress:
    """How far a run is.  Sizes are bytes of input."""

    size: int = 0
    # Of parts that earlier runs have done or that failed, and of those of this run.
    skipped: int = 0
    done: int = 0
    parts: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    errors: dict[str, str] = field(default_factory=dict)
    # Damage in all parts that are in the output: records, and files that are cut off.
    damaged: int = 0
    cut_off: dict[str, None] = field(default_factory=dict)
    # Parts in the output of files that are gone: after an error they stay.
    stay: int = 0
    started: float = field(default_factory=time.monotonic)
    # What each process works on.
    under_way: dict[int, UnderWay] = field(default_factory=dict)
    # Bytes done and the seconds of processes that they took, those of long ago faded.
    _moved: float = 0.0
    _worked: float = 0.0
    _noted: tuple[float, float] | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def totals(self) -> Counter[str]:
        """Pages by outcome, of this run."""
        under_way = [one.counts for one in list(self.under_way.values())]
        return sum(under_way, Counter(self.counts))

    def rate(self) -> float:
        """Pages a second."""
        return self.totals().total() / max(self.seconds, 1e-9)

    def share(self) -> float:
        """The share of the input that is done, by this run or an earlier one."""
        return min(1.0, (self.skipped + self._done()) / max(self.size, 1))

    def note(self, now: float) -> None:
        """Look at the pace, as is to be done every now and then."""
        done = self._done()
        before, had = self._noted or (now, done)
        fade = 0.5 ** ((now - before) / _HALF)
        self._moved = self._moved * fade + done - had
        self._worked = self._worked * fade + (now - before) * len(self.under_way)
        self._noted = now, done

    def remaining(self) -> float | None:
        """Seconds that what is left will take, None while they are unknown.

        All processes share in what is left, but for a part that one has begun.
        """
        under_way = list(self.under_way.values())
        if not under_way or self._moved <= 0 or self._worked <= 0:
            return None
        left = self.size - self.skipped - self._done()
        longest = max(one.size * (1 - one.share) for one in under_way)
        at_pace = self._worked / self._moved
        return max(0.0, left / len(under_way), longest) * at_pace

    def _done(self) -> float:
        under_way = list(self.under_way.values())
        return self.done + sum(one.size * one.share for one in under_way)
