"""The interface of algorithms: an algorithm makes a Verdict on the units of a Page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from scrapy_eatext.declared import OptionError, number, one_of, switch, text

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# Authors of algorithms import these from here, beside what this module has.
__all__ = ["OptionError", "number", "one_of", "switch", "text"]

# The kinds of pages that the shipped model knows.
PAGE_TYPES = tuple(
    "article collection documentation forum listing other page product service".split()
)


@dataclass(frozen=True)
class Options:
    """The options that every algorithm has."""

    reference: bool = switch(
        False,
        "`True` reproduces the original implementation exactly, quirks included; "
        "`False` mends its known defects, which its page lists.",
    )


OptionsT = TypeVar("OptionsT", bound=Options)


def make_options(cls: type[OptionsT], given: Mapping[str, Any]) -> OptionsT:
    """The options of a class.  Raises OptionError for a wrong name or value."""
    if not given:  # as for most pages of a crawl
        return cls()
    known = {f.name: f.metadata.get("kind") for f in fields(cls)}
    values = dict(given)
    for name, value in given.items():
        if name not in known:
            allowed = "left out: the options are " + ", ".join(sorted(known))
            raise OptionError(name, value, allowed)
        if kind := known[name]:
            values[name] = kind.take(value, name)
        try:
            hash(value)  # algorithms are cached by their options
        except TypeError:
            raise OptionError(name, value, "of a type that can be hashed") from None
    return cls(**values)


class Units(Protocol):
    """The numbered pieces of a page that an algorithm judges.

    They are the page's blocks or, if an algorithm's original is defined on these, lines
    or sentences.  ``kind`` is one of KINDS (page/tags.py) or the algorithm's own;
    ``level`` is that of a heading, a list item or a quotation, 0 for other units;
    ``xpath`` is the path of the unit's element, "" if it is not known.
    """

    def __len__(self) -> int: ...
    def text(self, i: int) -> str: ...
    def kind(self, i: int) -> str: ...
    def level(self, i: int) -> int: ...
    def xpath(self, i: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that is not a block of the page; its fields are those of Units."""

    text: str
    kind: str = "paragraph"
    level: int = 0
    xpath: str = ""


class UnitList(list[Unit]):
    """A list of Unit as Units."""

    def text(self, i: int) -> str:
        return self[i].text

    def kind(self, i: int) -> str:
        return self[i].kind

    def level(self, i: int) -> int:
        return self[i].level

    def xpath(self, i: int) -> str:
        return self[i].xpath


class Removed(NamedTuple):
    """The parts of a page that a site's rule removes from all outputs.

    ``images`` are images, embeds and rules between blocks, by the rows of their parents
    and their places among the parents' children.
    """

    units: frozenset[int] = frozenset()
    images: frozenset[tuple[int, int]] = frozenset()


NOTHING = Removed()


@dataclass(frozen=True, slots=True)
class Verdict:
    """An algorithm's judgement of a page's units.

    ``kept``, ``scores`` (0 to 1) and ``reasons`` have an entry for each unit.  ``text``
    is set if an original joins its units in its own way; otherwise the kept units are
    rendered.  ``score`` is the confidence for the page as a whole, 0 to 1; None counts
    as 1, so that the text passes any EATEXT_MIN_SCORE.  ``comments`` returns for each
    unit whether it is a reader's comment; it is None if the algorithm does not find
    comments.  ``origin`` is "page", or names the data in the page that the text is
    from; then ``page`` is a page of that text alone, and the units are its blocks.
    ``template`` is as in MainText.
    """

    units: Units
    kept: Sequence[bool]
    scores: Sequence[float]
    reasons: Sequence[str]
    text: str | None = None
    score: float | None = None
    page_type: str = ""
    language: str = ""
    origin: str = "page"
    template: str = ""
    page: Page | None = None
    comments: Callable[[], Sequence[bool]] | None = None
    removed: Removed = NOTHING


class Algorithm(ABC, Generic[OptionsT]):
    """A method to find a page's main text.

    Subclasses set ``name``, ``version`` (of code and model) and ``options_class``, and
    implement judge().  Threads may share an instance, so judge() must not keep state.
    """

    name: ClassVar[str]
    version: str
    options_class: ClassVar[type[Options]]

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @abstractmethod
    def judge(self, page: Page) -> Verdict:
        """Judge which of the page's units are main text."""
