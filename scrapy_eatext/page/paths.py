"""XPath expressions that lead to elements, for many elements of one page.

lxml's getpath() counts the siblings of every element anew, which is quadratic in
a flat page, and writes names that XPath cannot read (``o:p``, ``a"b``).  On a deep
page each of its paths is as long as the page is deep.
"""

from __future__ import annotations

import math
import re
from typing import Any

from lxml import etree

# Names that stand for themselves in an expression; others are counted past.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# How many characters a path has before it begins anew, and how many the names have
# that are in it: few pages are deep enough for the one, and none has use for more
# of the other.
_LONGEST, _LONGEST_NAME = 500, 64


class Paths:
    """Paths of elements of one tree, which must not change meanwhile.

    Deep down a path begins with an element by its place among all of its name, as
    ``(//div)[7]/p``, so that none is much longer than others.  ``whole`` ones lead
    through all elements around, by their names.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._longest = math.inf if whole else _LONGEST
        self._longest_name = math.inf if whole else _LONGEST_NAME
        self._paths: dict[Any, str] = {}
        # For each parent, the steps to its children.
        self._steps: dict[Any, dict[Any, str]] = {}
        # For each element where it stands among all of its name, once one is asked for.
        self._places: dict[Any, int] = {}

    def of(self, element: Any) -> str:
        """The path of an element, from the root of its document."""
        way = []
        while element is not None and element not in self._paths:
            way.append(element)
            element = element.getparent()
        path = "" if element is None else self._paths[element]
        for child in reversed(way):
            if len(path) > self._longest:
                path = self._anew(child)
            else:
                path = f"{path}/{self._step(child)}"
            self._paths[child] = path
        return path

    def _anew(self, element: Any) -> str:
        if not self._places:
            self._places = self._places_in(element.getroottree().getroot())
        return f"(//{self._name(element.tag)})[{self._places[element]}]"

    def _places_in(self, root: Any) -> dict[Any, int]:
        """The place of each element of a document among all that have its name."""
        places = {}
        seen: dict[str, int] = {"*": 0}
        # What is behind the end tag of a root can be a second one.
        for top in (root, *root.itersiblings(etree.Element)):
            for element in top.iter(etree.Element):
                seen["*"] += 1
                name = self._name(element.tag)
                if name != "*":
                    seen[name] = seen.get(name, 0) + 1
                places[element] = seen[name]
        return places

    def _step(self, element: Any) -> str:
        parent = element.getparent()
        if parent not in self._steps:
            self._steps[parent] = self._steps_below(parent, element)
        return self._steps[parent][element]

    def _steps_below(self, parent: Any, one: Any) -> dict[Any, str]:
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
            if self._name(tag) == "*":
                steps[child] = f"*[{place}]"
            else:
                steps[child] = tag if total[tag] == 1 else f"{tag}[{seen[tag]}]"
        return steps

    def _name(self, tag: str) -> str:
        plain = len(tag) <= self._longest_name and _PLAIN.fullmatch(tag)
        return tag if plain else "*"
