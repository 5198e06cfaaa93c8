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
    the root's parent, with the path "/".  ``here`` is the innermost open element.  All
    paths of a deep page would take quadratic time.
    """

    def __init__(self) -> None:
        self.parents = [0]
        self.names = [""]
        self._orders = [0]
        self.here = 0
        # The number of children of an element so far, by name.
        self.counts: Counter[tuple[int, str]] = Counter()

    def enter(self, name: str) -> int:
        """Enter the next child with this name; returns its number."""
        self.counts[self.here, name] += 1
        self._orders.append(self.counts[self.here, name])
        self.parents.append(self.here)
        self.names.append(name)
        self.here = len(self.parents) - 1
        return self.here

    def leave(self) -> None:
        self.here = self.parents[self.here]

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
