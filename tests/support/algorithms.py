"""Algorithms that fail on purpose, in the ways in which a page can make one fail."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from scrapy_eatext.algorithms.base import (
    Algorithm,
    Options,
    Unit,
    UnitList,
    Verdict,
    number,
)
from scrapy_eatext.deadline import check
from scrapy_eatext.execution.choice import Choice


def choice(*names: str, **more: Any) -> Choice:
    """A choice of some of these algorithms."""
    return Choice(tuple(f"{__name__}.{name}" for name in names), **more)


@dataclass(frozen=True)
class PlainOptions(Options):
    min_length: int = number(0, 0, 1000)


class Plain(Algorithm[PlainOptions]):
    """Keeps every paragraph, with the score 0.5."""

    name = "plain"
    version = "1"
    options_class = PlainOptions

    def __init_subclass__(cls) -> None:
        if cls.__module__ == __name__:
            cls.name = cls.__name__.lower()

    def judge(self, page) -> Verdict:
        blocks = page.blocks
        kept = [
            blocks.kind(i) == "paragraph" and blocks.chars[i] >= self.options.min_length
            for i in range(len(blocks))
        ]
        return Verdict(
            units=blocks,
            kept=kept,
            scores=[float(keep) for keep in kept],
            reasons=["" for _ in kept],
            score=0.5,
            page_type="test page",
        )


class Nothing(Plain):
    """Keeps nothing."""

    def judge(self, page) -> Verdict:
        none = [False] * len(page.blocks)
        return Verdict(page.blocks, none, [0.0] * len(none), [""] * len(none))


class Silent(Plain):
    """Keeps every block, and does not say how sure it is."""

    def judge(self, page) -> Verdict:
        count = len(page.blocks)
        return Verdict(page.blocks, [True] * count, [0.0] * count, [""] * count)


class Unknowing(Silent):
    """As Silent, with a score that is no number."""

    def judge(self, page) -> Verdict:
        return replace(super().judge(page), score=float("nan"))


class Whole(Silent):
    """Gives a text without units, and no score, as a library that finds texts does."""

    def judge(self, page) -> Verdict:
        return Verdict((), (), (), (), text="A text.")


@dataclass(frozen=True)
class TaggedOptions(PlainOptions):
    tags: tuple[str, ...] = ()


class Tagged(Plain):
    """As Plain, with an option that JSON cannot hold."""

    options_class = TaggedOptions


class Numbers(Plain):
    """As Plain, in numpy's numbers."""

    def judge(self, page) -> Verdict:
        verdict = super().judge(page)
        return replace(
            verdict,
            kept=np.array(verdict.kept),
            scores=np.array(verdict.scores, dtype=np.float32),
            score=np.float32(verdict.score),
        )


class _Failing(Plain):
    """Fails on every page that has its name for a word; else as Plain."""

    def judge(self, page) -> Verdict:
        if self.name in page.html:
            self.fail()
        return super().judge(page)

    def fail(self) -> None:
        raise NotImplementedError


class Broken(_Failing):
    """Raises."""

    def fail(self) -> None:
        raise ZeroDivisionError("a page broke it")


class Quits(_Failing):
    """Asks Python to end."""

    def fail(self) -> None:
        raise SystemExit(2)


class _NoPlaces(UnitList):
    """Units that have no paths."""

    def xpath(self, i: int) -> str:
        while self.text(len(self) - 1) == "slow":
            check()
            time.sleep(0.001)
        raise ZeroDivisionError("a unit has no place")


class Placeless(Plain):
    """Keeps units that have no paths; on slow pages it takes for ever."""

    def judge(self, page) -> Verdict:
        blocks = page.blocks
        places = [i for i in range(len(blocks)) if blocks.kind(i) == "paragraph"]
        units = [Unit(blocks.text(i)) for i in places]
        many = [True] * len(units)
        return Verdict(_NoPlaces(units), many, [1.0] * len(units), [""] * len(units))


class Endless(_Failing):
    """Looks at its clock for ever."""

    def fail(self) -> None:
        while True:
            check()
            time.sleep(0.001)


class Slow(_Failing):
    """Takes half a second."""

    def fail(self) -> None:
        time.sleep(0.5)


class Stuck(_Failing):
    """Never looks at its clock; a test ends it."""

    ended = threading.Event()

    def fail(self) -> None:
        self.ended.wait()


class Killed(_Failing):
    """Kills its process."""

    def fail(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Greedy(_Failing):
    """Takes 4 GiB."""

    def fail(self) -> None:
        b"x" * (4 << 30)


class Leaky(Plain):
    """Keeps 100 MiB for every page."""

    kept: ClassVar[list[bytes]] = []

    def judge(self, page) -> Verdict:
        self.kept.append(b"x" * (100 << 20))
        return super().judge(page)


class Big(Plain):
    """Finds a long text on pages that have the word "big"."""

    def judge(self, page) -> Verdict:
        verdict = super().judge(page)
        return (
            replace(verdict, text="x" * (15 << 20)) if "big" in page.html else verdict
        )


class Where(Plain):
    """Tells the process and the thread that it ran in, as the page's type."""

    def judge(self, page) -> Verdict:
        where = f"{os.getpid()} {threading.get_native_id()}"
        return replace(super().judge(page), page_type=where)
