"""One algorithm's verdict on one page, as MainText."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.code import Content, content
from scrapy_eatext.output.forms import PLAIN
from scrapy_eatext.output.text import render_text
from scrapy_eatext.page.values import kept
from scrapy_eatext.result import Block, Chunk, IncompleteError, MainText, Metadata, Post
from scrapy_eatext.rules import apply_rules

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Algorithm, Verdict
    from scrapy_eatext.output.forms import ChunkForm, Forms
    from scrapy_eatext.output.headline import Headline
    from scrapy_eatext.output.nodes import Nodes
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
    verdict = algorithm.judge(page)
    if any(rules):
        verdict = apply_rules(page, verdict, *rules)
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
    judged.text = text
    result = MainText(
        text=text,
        algorithm=name,
        version=version,
        score=_score(verdict.score, text),
        page_type=kept("page_type", verdict.page_type or ""),
        language=kept("language", verdict.language or "") or page.language,
        origin=_origin(page, verdict),
    )
    result.attach(judged)
    if blocks:
        result.computed["blocks"] = _blocks(verdict)
    return result


def formed(result: MainText, forms: Forms) -> MainText:
    """A result of render() whose outputs have certain forms, its text included."""
    judged = result.source
    if not isinstance(judged, _Judged) or not result.text:
        return result
    judged.forms = forms
    if not forms.title or not judged.headline.text:
        return result
    headline, text = judged.headline.text, judged.body(result.text)
    whole = judged.text = f"{headline}\n\n{text}" if text else headline
    entitled = replace(result, text=whole)
    return entitled.backed({**result.computed, "headline": headline}, judged)


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
        self.forms = PLAIN
        self.text = ""

    def compute(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: getattr(self, f"_{name}") for name in names}

    @cached_property
    def shown(self) -> Content:
        return content(self._verdict.units, self._verdict.kept)

    @cached_property
    def headline(self) -> Headline:
        """What stands before the text; nothing, unless that is asked for."""
        from scrapy_eatext.output.headline import Headline, headline_of

        if not self.forms.title or not self.shown.units:
            return Headline()
        return headline_of(self._verdict.units, self.shown.units, self._said.title)

    @cached_property
    def below(self) -> Content:
        """What comes out below the headline."""
        own = self.headline.own
        if not own:
            return self.shown
        rest = [unit for unit in self.shown.units if unit not in own]
        return Content(rest, self.shown.code)

    def body(self, text: str) -> str:
        """The text below the headline, of the text without one."""
        if self._verdict.text is None:
            return render_text(self._verdict, self.below) if self.headline.own else text
        # The algorithm itself joined it.
        from scrapy_eatext.output.headline import without_headline

        return without_headline(text, self.headline.text)

    @cached_property
    def _nodes(self) -> Nodes:
        from scrapy_eatext.output.structure import tree_of

        units = self._verdict.units
        nodes = tree_of(self._told, units, self.shown, self.headline.own)
        if self.headline.text:
            nodes.entitle(self.headline.text)
        return nodes

    @property
    def _markdown(self) -> str:
        from scrapy_eatext.output.markdown import markdown

        form, nodes = self.forms.markdown, self._nodes
        if not (form.links and form.images):
            from scrapy_eatext.output.bare import without

            nodes = without(nodes, links=form.links, images=form.images)
        text = markdown(nodes)
        if not form.front_matter or not text:
            return text
        from scrapy_eatext.output.frontmatter import front_matter

        return "\n".join(filter(None, (front_matter(self._said), text)))

    @property
    def _html(self) -> str:
        from scrapy_eatext.output.html import html

        return html(self._nodes)

    @property
    def _tables(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        from scrapy_eatext.output.tables import rows_of_tables

        return rows_of_tables(self._nodes)

    @property
    def _blocks(self) -> tuple[Block, ...]:
        return _blocks(self._verdict)

    def chunks(self, max_words: int | None, overlap: int | None) -> tuple[Chunk, ...]:
        return self._cut(self.forms.chunks.changed(max_words, overlap))

    @property
    def _chunks(self) -> tuple[Chunk, ...]:
        return self._cut(self.forms.chunks)

    def _cut(self, form: ChunkForm) -> tuple[Chunk, ...]:
        from scrapy_eatext.output.chunks import chunks_of, lines_of, passages_of

        text, units = self.text, self._verdict.units
        headline, own = self.headline
        if self._verdict.text is None:
            unit = min(own, default=-1)
            passages = passages_of(text, units, self.below, headline, unit)
        else:
            passages = lines_of(text, headline)
        return chunks_of(text, passages, form, units)

    @cached_property
    def _spoken(self) -> Content:
        """What of the page's units readers wrote."""
        verdict = self._verdict
        if verdict.comments is None:
            return Content((), {})
        return content(verdict.units, verdict.comments())

    @property
    def _comments(self) -> str:
        spoken = self._spoken
        return render_text(self._verdict, spoken) if spoken.units else ""

    @property
    def _posts(self) -> tuple[Post, ...]:
        if not self._spoken.units:
            return ()
        from scrapy_eatext.output.comments import posts_of

        day_first = self._told.is_day_first
        return posts_of(self._verdict.units, self._spoken, day_first=day_first)

    @cached_property
    def _metadata(self) -> Metadata:
        from scrapy_eatext.metadata import read_metadata

        return read_metadata(self._page)

    @property
    def _said(self) -> Metadata:
        """The metadata as far as they can be read."""
        try:
            return self._metadata
        except IncompleteError as error:
            said: Metadata = error.value
            return said


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
