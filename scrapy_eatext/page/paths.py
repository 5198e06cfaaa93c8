"""XPath expressions that lead to elements, for many elements of one page.

lxml's getpath() counts the siblings of every element anew, which is quadratic in
a flat page, and writes names that XPath cannot read (``o:p``, ``a"b``).  On a deep
page each of its paths is as long as the page is deep.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from lxml import etree

from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk

# Names that an expression can have as they are; others are replaced by a place.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# A path that is longer begins anew, and longer names are not written out.  Few pages
# are deep enough for the one, and names in use are shorter than the other.
LONGEST, LONGEST_NAME = 500, 64
# lxml's own path is quick if it counts few siblings: up to _FEW for one path, or up to
# MORE for all paths of a page.
_FEW, MORE = 500, 50_000


class Paths:
    """Paths of elements of one tree, which must not change meanwhile.

    Deep down a path begins with an element by its place among all of its name, as
    ``(//div)[7]/p``, so that none is much longer than others.  ``whole`` ones lead
    through all elements around, by their names.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._longest = math.inf if whole else LONGEST
        self._longest_name = math.inf if whole else LONGEST_NAME
        self._paths: dict[Any, str] = {}
        # For each parent, how many elements stand beside its children or those around.
        self._beside: dict[Any, float] = {None: 0}
        self._left: float = MORE
        # For each parent, the steps to its children.
        self._steps: dict[Any, dict[Any, str]] = {}
        # For each element where it stands among all of its name, once one is asked for.
        self._places: dict[Any, int] = {}

    def of(self, element: Any) -> str:
        """The path of an element, from the root of its document."""
        if element not in self._paths and self._is_near(element):
            path: str = element.getroottree().getpath(element)
            if len(path) <= LONGEST:
                self._paths[element] = path
                return path
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

    def _is_near(self, element: Any) -> bool:
        """Whether lxml's own path of an element is right, and found soon enough."""
        if self._name(element.tag) == "*":
            return False
        beside = self._beside
        way = []
        parent = element.getparent()
        while parent not in beside:
            way.append(parent)
            parent = parent.getparent()
        count = beside[parent]
        for parent in reversed(way):
            # lxml takes any name as it is.
            count += len(parent) if self._name(parent.tag) != "*" else math.inf
            beside[parent] = count
        if count > _FEW:
            if count > self._left:
                return False
            self._left -= count
        return True

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
        tags = [child.tag for child in children]
        total = Counter(tags)
        plain = {tag for tag in total if self._name(tag) != "*"}
        steps = {}
        seen = dict.fromkeys(total, 0)
        for place, (child, tag) in enumerate(zip(children, tags, strict=True), 1):
            seen[tag] += 1
            if tag not in plain:
                steps[child] = f"*[{place}]"
            else:
                steps[child] = tag if total[tag] == 1 else f"{tag}[{seen[tag]}]"
        return steps

    def _name(self, tag: str) -> str:
        if tag in TAG_ID:
            return tag
        plain = len(tag) <= self._longest_name and _PLAIN.fullmatch(tag)
        return tag if plain else "*"


def paths_of(walk: Walk, rows: list[int]) -> list[str]:
    """The paths of the elements of some rows, which are in rising order."""
    return list(map(Paths().of, nodes_of(walk, rows)))
