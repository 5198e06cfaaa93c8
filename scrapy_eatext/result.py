"""What an extraction gives back: MainText, and the blocks it was decided on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page, and the verdict on it.

    ``kind`` is one of paragraph, heading, list item, quote, code, table cell,
    caption, term, definition, or, for algorithms that look at other units,
    line and sentence.  ``level`` is a heading's level (1 to 6) or a list
    item's depth, else 0.  ``xpath`` leads to the element on the page as lxml
    parses it, empty where a unit has no element.  ``score`` runs from 0 to 1.
    """

    text: str
    kind: str
    level: int
    xpath: str
    score: float
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class MainText:
    """The main text of a page: frozen, small and picklable.

    ``score`` is how sure the algorithm is of the whole, from 0 to 1;
    ``version`` is that of algorithm and model; ``blocks`` is None unless it
    was asked for.  ``str(result)`` is the text.
    """

    text: str = ""
    title: str = ""
    algorithm: str = ""
    version: str = ""
    score: float = 0.0
    page_type: str = ""
    language: str = ""
    blocks: tuple[Block, ...] | None = None

    def __str__(self) -> str:
        return self.text


# What EATEXT_FIELDS may put into an item.
ATTRIBUTES = (
    "text",
    "title",
    "algorithm",
    "version",
    "score",
    "page_type",
    "language",
)
