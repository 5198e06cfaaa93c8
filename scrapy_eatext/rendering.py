"""One algorithm's verdict on one page, as MainText."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.code import content
from scrapy_eatext.output.text import render_text
from scrapy_eatext.page.values import kept
from scrapy_eatext.result import Block, MainText, Metadata
from scrapy_eatext.rules import apply_rules

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Algorithm, Verdict
    from scrapy_eatext.output.code import Content
    from scrapy_eatext.page import Page


def run(
    algorithm: Algorithm[Any],
    page: Page,
    *,
    blocks: bool = False,
    rules: tuple[str, str] = ("", ""),
) -> MainText:
    """Let one algorithm judge one page and render what it keeps.

    ``rules`` are two XPath expressions, for the elements to keep and to remove whatever
    the algorithm says.
    """
    verdict = apply_rules(page, algorithm.judge(page), *rules)
    return render(verdict, page, algorithm.name, algorithm.version, blocks=blocks)


def render(
    verdict: Verdict, page: Page, name: str, version: str, *, blocks: bool = False
) -> MainText:
    """A verdict as MainText, with the name and version of the algorithm.

    Raises ValueError for a verdict that lacks units.
    """
    if len(verdict.kept) != len(verdict.units):
        raise ValueError(
            f"{name} has a verdict on {len(verdict.kept)} of {len(verdict.units)} units"
        )
    judged = _Judged(page, verdict)
    text = verdict.text
    if text is None:
        text = render_text(verdict, judged.shown)
    result = MainText(
        text=text,
        algorithm=name,
        version=version,
        score=_score(verdict.score, text),
        page_type=kept("page_type", verdict.page_type or ""),
        language=kept("language", verdict.language or "") or page.language,
        origin=_origin(page, verdict),
    )
    return result.backed({"blocks": _blocks(verdict)} if blocks else {}, judged)


def _score(said: float | None, text: str) -> float:
    """An algorithm's score for a text; without one, 1 for a text and 0 for none."""
    if said is None or math.isnan(said):
        return 1.0 if text else 0.0
    return float(said)


class _Judged:
    """A page and the verdict on it, from which attributes are computed on first access.

    The modules that compute them are imported then too: most crawls want the text
    alone.
    """

    at_hand = True

    def __init__(self, page: Page, verdict: Verdict) -> None:
        self._page = page
        self._told = verdict.page or page
        self._verdict = verdict

    def compute(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: getattr(self, f"_{name}") for name in names}

    @cached_property
    def shown(self) -> Content:
        return content(self._verdict.units, self._verdict.kept)

    @property
    def _markdown(self) -> str:
        from scrapy_eatext.output.markdown import markdown_of

        return markdown_of(self._told, self._verdict.units, self.shown)

    @property
    def _html(self) -> str:
        from scrapy_eatext.output.html import html
        from scrapy_eatext.output.structure import tree_of

        return html(tree_of(self._told, self._verdict.units, self.shown))

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return _blocks(self._verdict)

    @property
    def _metadata(self) -> Metadata:
        from scrapy_eatext.metadata import read_metadata

        return read_metadata(self._page)


def _origin(page: Page, verdict: Verdict) -> str:
    """Where a text is from: hidden text is read only of pages that show none."""
    # is_lenient is False for a page without a walk, so page.blocks starts none here.
    if (
        verdict.origin != "page"
        or not page.is_lenient
        or verdict.units is not page.blocks
    ):
        return verdict.origin
    from scrapy_eatext.page.hidden import origin

    return origin(page.blocks, verdict.kept)


def _blocks(verdict: Verdict) -> tuple[Block, ...]:
    units = verdict.units
    return tuple(
        Block(
            text=units.text(i),
            kind=units.kind(i),
            level=units.level(i),
            xpath=units.xpath(i),
            score=float(verdict.scores[i]),
            kept=bool(verdict.kept[i]),
            reason=verdict.reasons[i],
        )
        for i in range(len(units))
    )
