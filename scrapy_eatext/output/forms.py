"""The options of a result's outputs, each declared once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from scrapy_eatext.declared import OptionError, declarations, number, switch


@dataclass(frozen=True, slots=True)
class MarkdownForm:
    """Whether Markdown begins with metadata, and has links and images."""

    front_matter: bool = switch(False)
    links: bool = switch(True)
    images: bool = switch(True)


@dataclass(frozen=True, slots=True)
class ChunkForm:
    """How many words a chunk may have, and how many of them repeat the chunk before."""

    max_words: int = number(200, 10, math.inf)
    overlap: int = number(0, 0, math.inf)

    def __post_init__(self) -> None:
        # With a larger overlap, a text would be repeated many times.
        if self.overlap > self.max_words // 2:
            allowed = f"at most half of max_words, which is {self.max_words}"
            raise OptionError("overlap", self.overlap, allowed)

    def changed(self, max_words: int | None, overlap: int | None) -> ChunkForm:
        """This form with other numbers; None keeps a number.  Raises OptionError."""
        given = {"max_words": max_words, "overlap": overlap}
        changes = {
            name: field.metadata["kind"].take(given[name], name)
            for name, field in declarations(ChunkForm).items()
            if given[name] is not None
        }
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Forms:
    """The form of each output that has options.

    With ``title`` text, Markdown and HTML begin with the page's headline.
    """

    title: bool = False
    markdown: MarkdownForm = MarkdownForm()
    chunks: ChunkForm = ChunkForm()


PLAIN = Forms()
