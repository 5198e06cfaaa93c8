"""Algorithms that fail on purpose, in the ways in which a page can make one fail."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass, replace
from typing import ClassVar

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


@dataclass(frozen=True)
class PlainOptions(Options):
    min_length: int = number(0, 0, 1000)


class Plain(Algorithm[PlainOptions]):
    """Keeps every paragraph, with the score 0.5."""

    name = "plain"
    version = "1"
    options_class = PlainOptions

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

    name = "nothing"

    def judge(self, page) -> Verdict:
        none = [False] * len(page.blocks)
        return Verdict(page.blocks, none, [0.0] * len(none), [""] * len(none))


class Silent(Plain):
    """Keeps every block, and does not say how sure it is."""

    name = "silent"

    def judge(self, page) -> Verdict:
        count = len(page.blocks)
        return Verdict(page.blocks, [True] * count, [0.0] * count, [""] * count)


class Unknowing(Silent):
    """As Silent, with a score that is no number."""

    name = "unknowing"

    def judge(self, page) -> Verdict:
        return replace(super().judge(page), score=float("nan"))


class Whole(Silent):
    """Gives a text without units, and no score, as a library that finds texts does."""

    name = "whole"

    def judge(self, page) -> Verdict:
        return Verdict((), (), (), (), text="A text.")


@dataclass(frozen=True)
class TaggedOptions(PlainOptions):
    tags: tuple[str, ...] = ()


class Tagged(Plain):
    """As Plain, with an option that JSON cannot hold."""

    name = "tagged"
    options_class = TaggedOptions


class Numbers(Plain):
    """As Plain, in numpy's numbers."""

    name = "numbers"

    def judge(self, page) -> Verdict:
        verdict = super().judge(page)
        return replace(
            verdict,
            kept=np.array(verdict.kept),
            scores=np.array(verdict.scores, dtype=np.float32),
            score=np.float32(verdict.score),
        )


class Broken(Plain):
    """Raises on every page that has the word "broken"; else as Plain."""

    name = "broken"

    def judge(self, page) -> Verdict:
        if "broken" in page.html:
            raise ZeroDivisionError("a page broke it")
        return super().judge(page)


class Quits(Plain):
    """Asks Python to end on every page that has the word "quits"; else as Plain."""

    name = "quits"

    def judge(self, page) -> Verdict:
        if "quits" in page.html:
            raise SystemExit(2)
        return super().judge(page)


class _NoPlaces(UnitList):
    """Units that have no paths."""

    def xpath(self, i: int) -> str:
        while self.text(len(self) - 1) == "slow":
            check()
            time.sleep(0.001)
        raise ZeroDivisionError("a unit has no place")


class Placeless(Plain):
    """Keeps units that have no paths; on slow pages it takes for ever."""

    name = "placeless"

    def judge(self, page) -> Verdict:
        blocks = page.blocks
        places = [i for i in range(len(blocks)) if blocks.kind(i) == "paragraph"]
        units = [Unit(blocks.text(i)) for i in places]
        many = [True] * len(units)
        return Verdict(_NoPlaces(units), many, [1.0] * len(units), [""] * len(units))


class Endless(Plain):
    """Looks at its clock for ever on pages that have the word "endless"."""

    name = "endless"

    def judge(self, page) -> Verdict:
        while "endless" in page.html:
            check()
            time.sleep(0.001)
        return super().judge(page)


class Slow(Plain):
    """Takes half a second for pages that have the word "slow"."""

    name = "slow"

    def judge(self, page) -> Verdict:
        if "slow" in page.html:
            time.sleep(0.5)
        return super().judge(page)


class Stuck(Plain):
    """Never looks at its clock on pages that have the word "stuck"."""

    name = "stuck"

    def judge(self, page) -> Verdict:
        while "stuck" in page.html:
            time.sleep(0.01)
        return super().judge(page)


class Killed(Plain):
    """Kills its process on pages that have the word "killed"."""

    name = "killed"

    def judge(self, page) -> Verdict:
        if "killed" in page.html:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().judge(page)


class Leaky(Plain):
    """Keeps 100 MiB for every page."""

    name = "leaky"
    kept: ClassVar[list[bytes]] = []

    def judge(self, page) -> Verdict:
        self.kept.append(b"x" * (100 << 20))
        return super().judge(page)


class Greedy(Plain):
    """Takes 4 GiB on pages that have the word "greedy"."""

    name = "greedy"

    def judge(self, page) -> Verdict:
        if "greedy" in page.html:
            b"x" * (4 << 30)
        return super().judge(page)


class Big(Plain):
    """Finds a long text on pages that have the word "big"."""

    name = "big"

    def judge(self, page) -> Verdict:
        verdict = super().judge(page)
        big = "big" in page.html
        return replace(verdict, text="x" * (15 << 20)) if big else verdict


class Where(Plain):
    """Tells the process and the thread that it ran in, as the page's type."""

    name = "where"

    def judge(self, page) -> Verdict:
        where = f"{os.getpid()} {threading.get_native_id()}"
        return replace(super().judge(page), page_type=where)
