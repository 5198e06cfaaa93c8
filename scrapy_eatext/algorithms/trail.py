"""The XPaths of the elements that a walk enters, written on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from scrapy_eatext.algorithms.base import Unit, UnitList


class PageError(ValueError):
    """A page on which an original raises an exception, or writes without bound."""


class Trail:
    """The path from the root to the current element of a walk.

    Each element gets a number, by which ``parents`` and ``names`` have an entry; 0 is
    the root's parent, with the path "/".  All paths of a deep page would take quadratic
    time.
    """

    def __init__(self) -> None:
        self.parents = [0]
        self.names = [""]
        self._orders = [0]
        # For each open element, the number of its children so far, by name.
        self._counts: list[Counter[str]] = [Counter()]
        self._open = [0]

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def here(self) -> int:
        """The number of the innermost open element."""
        return self._open[-1]

    def enter(self, name: str) -> int:
        """Enter the next child with this name; returns its number."""
        counts = self._counts[-1]
        counts[name] += 1
        number = len(self.parents)
        self.parents.append(self._open[-1])
        self.names.append(name)
        self._orders.append(counts[name])
        self._open.append(number)
        self._counts.append(Counter())
        return number

    def leave(self) -> None:
        self._open.pop()
        self._counts.pop()

    def xpath(self, number: int) -> str:
        """The XPath of an element; steps have indexes among siblings of a name."""
        steps = []
        while number:
            steps.append(f"{self.names[number]}[{self._orders[number]}]")
            number = self.parents[number]
        return "/" + "/".join(reversed(steps))


class TrailUnits(UnitList):
    """Units in elements of a trail; ``places`` are the elements' numbers."""

    def __init__(
        self, units: Iterable[Unit], places: Sequence[int], trail: Trail
    ) -> None:
        super().__init__(units)
        self._places = places
        self._trail = trail

    def xpath(self, i: int) -> str:
        return self._trail.xpath(self._places[i])
