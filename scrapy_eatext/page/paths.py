"""XPath expressions that lead to elements, for many elements of one page.

lxml's getpath() counts the siblings of every element anew, which is quadratic in
a flat page, and writes names that XPath cannot read (``o:p``, ``a"b``).
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

# Names that stand for themselves in an expression; others are counted past.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class Paths:
    """Paths of elements of one tree, which must not change meanwhile."""

    def __init__(self) -> None:
        self._paths: dict[Any, str] = {}
        # For each parent, the steps to its children.
        self._steps: dict[Any, dict[Any, str]] = {}

    def of(self, element: Any) -> str:
        """The path of an element, from the root of its document."""
        way = []
        while element is not None and element not in self._paths:
            way.append(element)
            element = element.getparent()
        path = "" if element is None else self._paths[element]
        for child in reversed(way):
            path = self._paths[child] = f"{path}/{self._step(child)}"
        return path

    def _step(self, element: Any) -> str:
        parent = element.getparent()
        if parent not in self._steps:
            self._steps[parent] = _steps(parent, element)
        return self._steps[parent][element]


def _steps(parent: Any, one: Any) -> dict[Any, str]:
    """The step to each child: its name, with its place where there are more."""
    if parent is not None:
        children = list(parent.iterchildren(etree.Element))
    else:  # what is behind the end tag of a root can be a second one
        before = one.itersiblings(etree.Element, preceding=True)
        after = one.itersiblings(etree.Element)
        children = [*reversed(list(before)), one, *after]
    total: dict[str, int] = {}
    for child in children:
        total[child.tag] = total.get(child.tag, 0) + 1
    steps = {}
    seen: dict[str, int] = {}
    for place, child in enumerate(children, 1):
        tag = child.tag
        seen[tag] = seen.get(tag, 0) + 1
        if not _PLAIN.fullmatch(tag):
            steps[child] = f"*[{place}]"
        else:
            steps[child] = tag if total[tag] == 1 else f"{tag}[{seen[tag]}]"
    return steps
