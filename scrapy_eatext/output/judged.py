"""A page with a verdict, from which the outputs of a result are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from operator import or_
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.code import Content, content
from scrapy_eatext.output.forms import PLAIN
from scrapy_eatext.output.text import render_text
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.result import OUTPUTS, Block, IncompleteError, Metadata

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Verdict
    from scrapy_eatext.output.headline import Headline
    from scrapy_eatext.output.nodes import Nodes
    from scrapy_eatext.output.threads import Thread
    from scrapy_eatext.page import Page
    from scrapy_eatext.result import Chunk


class JudgedPage:
    """A page with a verdict, from which each output is written on first access.

    ``page`` is the original page; ``text_page`` has the verdict's units, and is another
    one if the text is from data in the page.  ``forms`` are the outputs' options, and
    ``text`` is the result's text.
    """

    at_hand = True

    def __init__(self, page: Page, verdict: Verdict) -> None:
        self.page = page
        self.text_page = verdict.page or page
        self.verdict = verdict
        self.units = verdict.units
        self.forms = PLAIN
        self.text = ""
        self._written: dict[str, Any] = {}

    def compute(self, names: Iterable[str]) -> dict[str, Any]:
        return {name: self.output(name) for name in names}

    def output(self, name: str) -> Any:
        """An output; it is written once."""
        if name not in self._written:
            self._written[name] = OUTPUTS[name].write(self)
        return self._written[name]

    def chunks(self, form: Mapping[str, Any]) -> tuple[Chunk, ...]:
        from scrapy_eatext.output.chunks import chunks_in

        return chunks_in(self, self.forms.chunks.changed(form))

    @cached_property
    def shown(self) -> Content:
        """The units that are main text."""
        return content(self.units, self.verdict.kept)

    @cached_property
    def below(self) -> Content:
        """The main text below the headline."""
        own = self.headline.own
        if not own:
            return self.shown
        others = [unit for unit in self.shown.units if unit not in own]
        return Content(others, self.shown.code)

    @cached_property
    def comments(self) -> Content:
        """The units that readers wrote."""
        return content(self.units, self._are_comments)

    @cached_property
    def _are_comments(self) -> Sequence[bool]:
        comments = self.verdict.comments
        return [False] * len(self.units) if comments is None else comments()

    @cached_property
    def thread(self) -> Thread | None:
        """The posts of a page of the type "forum", in its main text and comments."""
        verdict, spoken = self.verdict, self.shown
        if verdict.page_type != "forum" or not isinstance(self.units, Blocks):
            return None
        from scrapy_eatext.output.threads import Thread

        if any(self._are_comments):
            spoken = content(self.units, [*map(or_, verdict.kept, self._are_comments)])
        day_first = self.text_page.is_day_first
        return Thread(self.units, spoken, verdict.removed.units, day_first=day_first)

    def opening(self) -> tuple[str, str]:
        """The author and the time of a thread's first post, "" without both."""
        return ("", "") if self.thread is None else self.thread.opening()

    @cached_property
    def headline(self) -> Headline:
        """The headline before the text, empty unless the option ``title`` is set."""
        from scrapy_eatext.output.headline import Headline, headline_of

        if not self.forms.title or not self.shown.units:
            return Headline()
        return headline_of(self.units, self.shown.units, self.readable_metadata.title)

    def text_below(self, text: str) -> str:
        """The text to stand below the headline; ``text`` is the text without one."""
        if self.verdict.text is None:
            return render_text(self.verdict, self.below) if self.headline.own else text
        # The algorithm itself wrote the text.
        from scrapy_eatext.output.headline import without_headline

        return without_headline(text, self.headline.text)

    @cached_property
    def nodes(self) -> Nodes:
        """The main text as nodes, below its headline."""
        return self._nodes_with(links=True, images=True)

    @cached_property
    def markdown_nodes(self) -> Nodes:
        """The nodes for Markdown, with footnotes.

        They are without links or images if its form excludes them.
        """
        form = self.forms.markdown
        if form.links and form.images:
            nodes = self.nodes
        else:
            nodes = self._nodes_with(links=form.links, images=form.images)
        if not nodes.fragments or not isinstance(self.units, Blocks):
            return nodes
        from scrapy_eatext.output.footnotes import with_footnotes

        return with_footnotes(nodes, self.units.walk)

    def _nodes_with(self, *, links: bool, images: bool) -> Nodes:
        from scrapy_eatext.output.structure import tree_of

        nodes = tree_of(
            self.text_page,
            self.units,
            self.shown,
            self.headline.own,
            self.thread,
            self.verdict.removed,
            links=links,
            images=images,
        )
        if self.headline.text:
            nodes.entitle(self.headline.text)
        return nodes

    @property
    def readable_metadata(self) -> Metadata:
        """The metadata, without the fields that could not be read."""
        try:
            metadata: Metadata = self.output("metadata")
        except IncompleteError as error:
            metadata = error.value
        return metadata


def write_blocks(judged: JudgedPage) -> tuple[Block, ...]:
    """All units of the verdict as blocks."""
    units, verdict = judged.units, judged.verdict
    return tuple(
        Block(
            text=units.text(i),
            kind=units.kind(i),
            level=units.level(i),
            xpath=units.xpath(i),
            # An algorithm of the user's own may give anything; max() makes 0 of NaN.
            score=min(1.0, max(0.0, float(verdict.scores[i]))),
            kept=bool(verdict.kept[i]),
            reason=str(verdict.reasons[i]),
        )
        for i in range(len(units))
    )


def write_comments(judged: JudgedPage) -> str:
    """The comments as one text."""
    comments = judged.comments
    return render_text(judged.verdict, comments) if comments.units else ""
