"""The options of a result's outputs, each declared once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pkgutil import resolve_name
from typing import Any

from scrapy_eatext.declared import (
    Kind,
    OptionError,
    declarations,
    declare,
    number,
    switch,
)

# A function that returns a text's tokens, or their number.
Counter = Callable[[str], Any]
UNITS = ("words", "chars")


@lru_cache(maxsize=64)
def counter_of(path: str) -> Counter:
    """The function at an import path.

    Raises ValueError, TypeError, or whatever importing it raises.
    """
    if "." not in path:
        raise ValueError("it has no module")
    found: Counter = resolve_name(path)
    if not callable(found):
        raise TypeError("it is no function")
    return found


@dataclass(frozen=True, slots=True)
class MarkdownForm:
    """Whether Markdown begins with metadata, and has links and images."""

    front_matter: bool = switch(False)
    links: bool = switch(True)
    images: bool = switch(True)


class Unit(Kind):
    """The unit of the size of a chunk: one of UNITS, or a function for tokens.

    The function takes a text, and returns its tokens or their number.
    """

    def allowed(self) -> str:
        return "'words', 'chars', a function for tokens, or the import path of one"

    def take(self, value: Any, key: str) -> str | Counter:
        if isinstance(value, str) and value not in UNITS:
            try:
                counter_of(value)
            except Exception as error:  # whatever importing a module raises
                raise self.error(value, key, error) from error
        elif not isinstance(value, str) and not callable(value):
            raise self.error(value, key)
        taken: str | Counter = value
        return taken


@dataclass(frozen=True, slots=True)
class ChunkForm:
    """The options of chunks.

    ``size`` is the most that a chunk may have, and ``overlap`` how much of that may
    repeat the chunk before, both in ``unit``.  With ``markdown`` the text is in
    Markdown.
    """

    size: int = number(200, 10, math.inf)
    overlap: int = number(0, 0, math.inf)
    unit: str | Counter = declare("words", Unit())  # noqa: RUF009 - it makes a field
    markdown: bool = switch(False)

    def __post_init__(self) -> None:
        # With a larger overlap, a text would be repeated many times.
        if self.overlap > self.size // 2:
            allowed = f"at most half of size, which is {self.size}"
            raise OptionError("overlap", self.overlap, allowed)

    def changed(self, given: Mapping[str, Any]) -> ChunkForm:
        """This form with other values; None keeps a value.  Raises OptionError."""
        changes = {
            name: field.metadata["kind"].take(given[name], name)
            for name, field in declarations(ChunkForm).items()
            if given.get(name) is not None
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
