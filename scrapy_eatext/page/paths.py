"""XPath expressions of many elements of one page.

lxml's getpath() counts the siblings of each element again, which is quadratic on a flat
page, and writes names that are invalid in XPath (``o:p``, ``a"b``).  On a deep page its
paths are as long as the page is deep.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from lxml import etree

from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.walk import free_backwards

# Names that are valid in an expression; for others it has * with an index.
_VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
# Below a path of this length a path starts again as (//name)[index], and longer names
# are replaced by *.  Few pages reach either limit.
LONGEST, LONGEST_NAME = 500, 64
# getpath() is used if it counts few siblings: up to _FEW for one path, or up to MORE
# for all paths of a page.
_FEW, MORE = 500, 50_000


class Paths:
    """Paths of elements of one tree, which must not change meanwhile.

    A path deep in the tree starts with an element's index among all of its name, like
    ``(//div)[7]/p``, so that no path is long.  ``whole`` ones name all ancestors.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._longest = math.inf if whole else LONGEST
        self._longest_name = math.inf if whole else LONGEST_NAME
        self._paths: dict[Any, str] = {}
        # For each parent how many siblings getpath() counts for a path to its children.
        self._beside: dict[Any, float] = {None: 0}
        self._left: float = MORE
        # For each parent the steps to its children.
        self._steps: dict[Any, dict[Any, str]] = {}
        # The index of each element among all of its name, filled when first needed.
        self._places: dict[Any, int] = {}

    def __del__(self) -> None:
        for held in (self._paths, self._beside, self._steps, self._places):
            free_backwards(held)

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
                path = self._indexed(child)
            else:
                path = f"{path}/{self._step(child)}"
            self._paths[child] = path
        return path

    def _is_near(self, element: Any) -> bool:
        """Whether getpath() gives a valid path of an element, and is fast enough."""
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
            # getpath() writes invalid names.
            count += len(parent) if self._name(parent.tag) != "*" else math.inf
            beside[parent] = count
        if count > _FEW:
            if count > self._left:
                return False
            self._left -= count
        return True

    def _indexed(self, element: Any) -> str:
        """A path by an element's index among all of its name."""
        if not self._places:
            self._places = self._places_in(element.getroottree().getroot())
        return f"(//{self._name(element.tag)})[{self._places[element]}]"

    def _places_in(self, root: Any) -> dict[Any, int]:
        """The index of each element of a document among all that have its name."""
        places = {}
        counts: Counter[str] = Counter()
        # A document may have several roots (page/parsing.py).
        for top in (root, *root.itersiblings(etree.Element)):
            for element in top.iter(etree.Element):
                counts["*"] += 1
                name = self._name(element.tag)
                if name != "*":
                    counts[name] += 1
                places[element] = counts[name]
        return places

    def _step(self, element: Any) -> str:
        parent = element.getparent()
        if parent not in self._steps:
            self._steps[parent] = self._steps_below(parent, element)
        return self._steps[parent][element]

    def _steps_below(self, parent: Any, element: Any) -> dict[Any, str]:
        """The step to each child: its name, with an index if several have that name."""
        if parent is not None:
            children = list(parent.iterchildren(etree.Element))
        else:  # a document may have several roots
            before = element.itersiblings(etree.Element, preceding=True)
            after = element.itersiblings(etree.Element)
            children = [*reversed(list(before)), element, *after]
        tags = [child.tag for child in children]
        total = Counter(tags)
        valid = {tag for tag in total if self._name(tag) != "*"}
        steps = {}
        counts: Counter[str] = Counter()
        for place, (child, tag) in enumerate(zip(children, tags, strict=True), 1):
            counts[tag] += 1
            if tag not in valid:
                steps[child] = f"*[{place}]"
            else:
                steps[child] = tag if total[tag] == 1 else f"{tag}[{counts[tag]}]"
        return steps

    def _name(self, tag: str) -> str:
        """The name of a tag in an expression."""
        if tag in TAG_ID:
            return tag
        is_valid = len(tag) <= self._longest_name and _VALID.fullmatch(tag)
        return tag if is_valid else "*"
