"""The one shape of every algorithm: a Page in, a verdict on its blocks out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from scrapy_eatext.declared import OptionError, choice, number, switch, text

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

__all__ = [
    "Algorithm",
    "OptionError",
    "Options",
    "Unit",
    "UnitList",
    "Units",
    "Verdict",
    "choice",
    "make_options",
    "number",
    "switch",
    "text",
]


@dataclass(frozen=True)
class Options:
    """What every algorithm may be told."""

    reference: bool = switch(
        False,
        "`True` reproduces the original implementation exactly, quirks included; "
        "`False` mends its known defects: see [below](#what-reference-changes).",
    )


OptionsT = TypeVar("OptionsT", bound=Options)


def make_options(cls: type[OptionsT], given: Mapping[str, Any]) -> OptionsT:
    """The options of a class, checked; OptionError names what is wrong."""
    if not given:  # as in most crawls, for each page
        return cls()
    known = {f.name: f.metadata.get("kind") for f in fields(cls)}
    values = dict(given)
    for name, value in given.items():
        if name not in known:
            raise OptionError(
                name, value, "left out: the options are " + ", ".join(sorted(known))
            )
        if kind := known[name]:
            values[name] = kind.take(value, name)
        try:
            hash(value)  # by which an algorithm with its options is kept for reuse
        except TypeError:
            raise OptionError(name, value, "of a type that can be hashed") from None
    return cls(**values)


class Units(Protocol):
    """Pieces of a page that an algorithm decides on, by index.

    A page's own blocks are units; so are the lines or sentences of an
    algorithm whose original has others.
    """

    def __len__(self) -> int: ...
    def text(self, i: int) -> str: ...
    def kind(self, i: int) -> str: ...
    def level(self, i: int) -> int: ...
    def xpath(self, i: int) -> str: ...


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a page, for algorithms that do not look at its blocks."""

    text: str
    kind: str = "paragraph"
    level: int = 0
    xpath: str = ""


class UnitList:
    """Units from a sequence of Unit."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units

    def __len__(self) -> int:
        return len(self._units)

    def text(self, i: int) -> str:
        return self._units[i].text

    def kind(self, i: int) -> str:
        return self._units[i].kind

    def level(self, i: int) -> int:
        return self._units[i].level

    def xpath(self, i: int) -> str:
        return self._units[i].xpath


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an algorithm says of a page.

    ``kept``, ``scores`` (0 to 1) and ``reasons`` have an entry a unit.
    ``text`` is given only where the original joins its units in a way of its
    own; otherwise the output is rendered from the kept units.  ``score`` is
    how sure the algorithm is of the page as a whole, 0 to 1.  One that does not
    say it (None) is taken to be sure: its texts have the score 1 and pass any
    EATEXT_MIN_SCORE.
    ``origin`` is "page", or which of the page's data the text is from; ``page``
    is then one of that text alone, whose blocks the units are.
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
    page: Page | None = None


class Algorithm(ABC, Generic[OptionsT]):
    """A way to find a page's main text.

    Subclasses set ``name``, ``version`` (of code and model) and
    ``options_class``, and implement judge().  An instance may be shared by
    threads: judge() keeps no state.
    """

    name: ClassVar[str]
    version: str
    options_class: ClassVar[type[Options]]

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @abstractmethod
    def judge(self, page: Page) -> Verdict:
        """Say which of the page's units are main text."""
