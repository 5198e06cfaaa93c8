"""A walk over a tree, and the paths of its elements, written on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scrapy_eatext.algorithms.base import Unit, UnitList
from scrapy_eatext.deadline import check


class PageError(ValueError):
    """A page on which an original raises an exception, or writes without end."""


def events(
    root: Any, skip: Callable[[Any], bool] = lambda element: False
) -> Iterator[tuple[str, Any]]:
    """The nodes of a tree in the order of the page, each with an event.

    The events are "start" and "end" of an element, "skipped" for an element of which
    ``skip`` is true, whose content is left out, and "other" for a comment or an
    instruction.  lxml's iterwalk() takes quadratic time if many comments stand side by
    side.
    """
    yield "start", root
    open_elements = [(root, root.iterchildren())]
    while open_elements:
        check()
        element, children = open_elements[-1]
        child = next(children, None)
        if child is None:
            open_elements.pop()
            yield "end", element
        elif not isinstance(child.tag, str):
            yield "other", child
        elif skip(child):
            yield "skipped", child
        else:
            yield "start", child
            open_elements.append((child, child.iterchildren()))


class Trail:
    """The path from the root to the element that a walk is at.

    Each element gets a number.  Its XPath is written on demand: a path is as long as its
    element is deep, so all paths of a deep page would take quadratic time.
    """

    def __init__(self) -> None:
        # Number 0 is the place above the root, whose path is "/".
        self._parents = [0]
        self._names = [""]
        self._orders = [0]
        # For each open element, how many children of a name it has had.
        self._counts: list[dict[str, int]] = [{}]
        self._open = [0]

    def __len__(self) -> int:
        """How many numbers there are, with the 0 above the root."""
        return len(self._parents)

    @property
    def here(self) -> int:
        """The number of the innermost open element."""
        return self._open[-1]

    def enter(self, name: str) -> int:
        """Go down into the next child of this name, and return its number."""
        counts = self._counts[-1]
        order = counts[name] = counts.get(name, 0) + 1
        number = len(self._parents)
        self._parents.append(self._open[-1])
        self._names.append(name)
        self._orders.append(order)
        self._open.append(number)
        self._counts.append({})
        return number

    def leave(self) -> None:
        """Go back up."""
        self._open.pop()
        self._counts.pop()

    def parent(self, number: int) -> int:
        """The number of an element's parent."""
        return self._parents[number]

    def name(self, number: int) -> str:
        """The name of an element."""
        return self._names[number]

    def xpath(self, number: int) -> str:
        """The path of an element; each step has a place among siblings of its name."""
        steps = []
        while number:
            steps.append(f"{self._names[number]}[{self._orders[number]}]")
            number = self._parents[number]
        return "/" + "/".join(reversed(steps))


class TrailUnits(UnitList):
    """Units, each in an element of a trail, by the elements' numbers."""

    def __init__(
        self, units: Sequence[Unit], places: Sequence[int], trail: Trail
    ) -> None:
        super().__init__(units)
        self._places = places
        self._trail = trail

    def xpath(self, i: int) -> str:
        return self._trail.xpath(self._places[i])
