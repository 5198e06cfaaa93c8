"""Walking a tree, and where its elements stand, written out when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from scrapy_eatext.deadline import check


def walk(
    root: Any, skip: Callable[[Any], bool] = lambda element: False
) -> Iterator[tuple[str, Any]]:
    """Every node of a tree with what happens to it, in the order of the page.

    That is "start" and "end" for an element, "skipped" for one that is not gone
    into, and "other" for a comment or an instruction.  lxml's iterwalk() does so
    in quadratic time where many comments stand side by side.
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

    Every element entered gets a number.  Its XPath is written only when it is
    asked for: a path is as long as its element is deep, so writing all of them
    would cost the square of the depth on a deeply nested page.
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
        """How many numbers there are, the 0 above the root included."""
        return len(self._parents)

    @property
    def here(self) -> int:
        """The number of the innermost open element."""
        return self._open[-1]

    def enter(self, name: str) -> int:
        """Go down into the next child of this name; gives its number."""
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
        """The path of an element, every step with its place among its like."""
        steps = []
        while number:
            steps.append(f"{self._names[number]}[{self._orders[number]}]")
            number = self._parents[number]
        return "/" + "/".join(reversed(steps))
