"""CSS selectors, matched in time that is linear in the size of a page.

lxml translates selectors to XPath, which cannot be interrupted and takes quadratic time
for ``p ~ p``.  Here each part of a selector is evaluated to a flag for each element of
the page, in one pass over the elements.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Any

from cssselect.parser import SelectorError, parse, parse_series
from lxml import etree

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.events import events

_Flags = list[bool]
# For each operator whether an attribute's value, None without the attribute, matches.
_OPERATORS: dict[str, Callable[[str | None, str], bool]] = {
    "=": lambda has, value: has == value,
    "!=": lambda has, value: has != value and (has is not None or bool(value)),
    "|=": lambda has, value: has is not None and f"{has}-".startswith(f"{value}-"),
    "^=": lambda has, value: bool(value) and (has or "").startswith(value),
    "$=": lambda has, value: bool(value) and (has or "").endswith(value),
    "*=": lambda has, value: bool(value) and value in (has or ""),
    "~=": lambda has, value: bool(value) and value in (has or "").split(),
}
# Pseudo-classes that count siblings: whether only those of the same tag, and whether
# from the end.
_COUNTED = {
    "nth-child": (False, False),
    "nth-last-child": (False, True),
    "nth-of-type": (True, False),
    "nth-last-of-type": (True, True),
}
# Pseudo-classes that are abbreviations of selectors.
_SHORT = {
    "first-child": ":nth-child(1)",
    "last-child": ":nth-last-child(1)",
    "only-child": ":nth-child(1):nth-last-child(1)",
    "first-of-type": ":nth-of-type(1)",
    "last-of-type": ":nth-last-of-type(1)",
    "only-of-type": ":nth-of-type(1):nth-last-of-type(1)",
    "link": ":is(a, link, area)[href]",
    "checked": "option[selected], "
    ":is(input, command)[checked]:is([type=checkbox], [type=radio])",
}
# Pseudo-classes that depend on the user, and match nothing here.
_NEVER = frozenset("visited hover active focus target".split())


def check_selector(css: str) -> None:
    """Raise SelectorError for a selector that is invalid or not supported."""
    Matcher(etree.Element("html")).find(css)


@lru_cache(maxsize=256)  # bounded: selectors can come with every request
def _parsed(css: str) -> list[Any]:
    selectors = parse(css)
    for selector in selectors:
        if selector.pseudo_element:
            raise SelectorError("::text, ::attr() and ::before are not elements")
    return [selector.parsed_tree for selector in selectors]


class Matcher:
    """The elements of a page in document order, and their relations."""

    def __init__(self, root: Any) -> None:
        self.elements: list[Any] = []
        self.tags: list[str] = []
        self.parents: list[int] = []
        self.before: list[int] = []  # the previous sibling, -1 for none
        numbers: dict[Any, int] = {}
        last: dict[int, int] = {}
        for number, element in enumerate(watched(root.iter(etree.Element))):
            parent = numbers.get(element.getparent(), -1) if number else -1
            numbers[element] = number
            self.elements.append(element)
            self.tags.append(element.tag)
            self.parents.append(parent)
            self.before.append(last.get(parent, -1))
            last[parent] = number
        self._size = len(self.elements)
        self._matches: dict[str, list[Any]] = {}

    def find(self, css: str) -> list[Any]:
        """The elements that selectors match, in order; the result is cached.

        Raises SelectorError, and TimeLimitError when the thread's time is up.
        """
        if css not in self._matches:
            flags = self._match_all(css)
            pairs = zip(self.elements, flags, strict=True)
            self._matches[css] = [element for element, matches in pairs if matches]
        return self._matches[css]

    # -- flags of the parts of a selector

    def _match_all(self, css: str) -> _Flags:
        return self._any(map(self._match, _parsed(css)))

    def _match(self, part: Any) -> _Flags:
        kind = type(part).__name__
        if kind == "Element":
            return self._named(part)
        flags = self._match(part.selector)
        if kind == "CombinedSelector":
            return _both(
                self._along(part.combinator, flags), self._match(part.subselector)
            )
        return _both(flags, getattr(self, f"_{kind.lower()}", self._unknown)(part))

    def _unknown(self, part: Any) -> _Flags:
        raise SelectorError(f"{part!r} is not supported")

    def _named(self, part: Any) -> _Flags:
        if part.namespace not in (None, "*"):
            raise SelectorError(f"the namespace {part.namespace} is not supported")
        name = part.element and part.element.lower()
        if not name:
            return [True] * self._size
        if part.namespace:
            return [tag.rpartition("}")[2] == name for tag in self.tags]
        return [tag == name for tag in self.tags]

    def _hash(self, part: Any) -> _Flags:
        return [value == part.id for value in self._values("id")]

    def _class(self, part: Any) -> _Flags:
        name = part.class_name
        return [
            value is not None and name in value and name in value.split()
            for value in self._values("class")
        ]

    def _attrib(self, part: Any) -> _Flags:
        if part.namespace not in (None, "*"):
            return self._unknown(part)
        values = self._values(part.attrib.lower())
        if part.operator == "exists":
            return [value is not None for value in values]
        wanted = part.value.value
        if getattr(part, "flag", None) == "i":
            wanted = wanted.lower()
            values = [value and value.lower() for value in values]
        holds = _OPERATORS[part.operator]
        return [holds(value, wanted) for value in values]

    def _negation(self, part: Any) -> _Flags:
        return [not flag for flag in self._match(part.subselector)]

    def _matching(self, part: Any) -> _Flags:
        return self._any(map(self._match, part.selector_list))

    _specificityadjustment = _matching

    def _relation(self, part: Any) -> _Flags:
        # cssselect before 1.6 has a single argument.
        arguments: Any = getattr(part, "arguments", None)
        if arguments is None:
            arguments = ((part.combinator, part.subselector),)
        return self._any(
            self._back(combinator.value, self._begins(selector.parsed_tree, None))
            for combinator, selector in arguments
        )

    def _begins(self, part: Any, end: _Flags | None) -> _Flags:
        """The elements that match the first compound selector of a complex selector.

        The last one has to match an element with a flag in ``end``, if that is given.
        """
        if type(part).__name__ != "CombinedSelector":
            flags = self._match(part)
            return flags if end is None else _both(flags, end)
        last = self._begins(part.subselector, end)
        return self._begins(part.selector, self._back(part.combinator, last))

    def _pseudo(self, part: Any) -> _Flags:
        name = part.ident.lower()
        if name in _NEVER:
            return [False] * self._size
        if name in _SHORT:
            return self._match_all(_SHORT[name])
        # No name has an underscore; the space keeps such a one from matching a method.
        name = name.replace("_", " ").replace("-", "_")
        return getattr(self, f"_is_{name}", lambda: self._unknown(part))()

    def _function(self, part: Any) -> _Flags:
        name, arguments = part.name.lower(), part.arguments
        if name in ("contains", "lang"):
            if part.argument_types() not in (["STRING"], ["IDENT"]):
                return self._unknown(part)
            find = self._containing if name == "contains" else self._in_language
            return find(arguments[0].value)
        counted = _COUNTED.get(name)
        if counted is None:
            return self._unknown(part)
        try:
            step, first = parse_series(arguments)
        except ValueError as error:
            raise SelectorError(f"{part!r} needs an+b as its argument") from error
        return [_is_in(n, step, first) for n in self._places(*counted)]

    # -- passes over the page

    def _along(self, combinator: str, flags: _Flags) -> _Flags:
        """The elements right of a combinator that has flagged ones on its left."""
        left = self.parents if combinator in " >" else self.before
        if combinator in ">+":
            return [n >= 0 and flags[n] for n in watched(left)]
        result: _Flags = []
        for n in watched(left):
            result.append(n >= 0 and (flags[n] or result[n]))
        return result

    def _back(self, combinator: str, flags: _Flags) -> _Flags:
        """The elements left of a combinator that has flagged ones on its right."""
        left = self.parents if combinator in " >" else self.before
        result = [False] * self._size
        for number in watched(range(self._size - 1, -1, -1)):
            is_left = flags[number] or (combinator in " ~" and result[number])
            if is_left and left[number] >= 0:
                result[left[number]] = True
        return result

    def _any(self, alternatives: Iterable[_Flags]) -> _Flags:
        result = [False] * self._size
        for flags in alternatives:
            result = [a or b for a, b in zip(result, flags, strict=True)]
        return result

    def _values(self, name: str) -> list[str | None]:
        return [element.get(name) for element in watched(self.elements)]

    def _places(self, of_type: bool, from_end: bool) -> list[int]:
        """Each element's position among its siblings, or those of its tag, from 1."""
        counts: Counter[Any] = Counter()
        places = [0] * self._size
        order = range(self._size)
        for number in watched(reversed(order) if from_end else order):
            key = self.parents[number], of_type and self.tags[number]
            counts[key] += 1
            places[number] = counts[key]
        return places

    @cached_property
    def _texts(self) -> tuple[str, list[int], list[int]]:
        """The page's text, and the start and end of each element's text in it."""
        parts: list[str] = []
        begins, ends = [0] * self._size, [0] * self._size
        at, number, opened = 0, 0, []
        root = self.elements[0]
        for event, element in events(root):
            if event == "start":
                begins[number] = at
                opened.append(number)
                number += 1
                text = element.text
            else:
                if event == "end":
                    ends[opened.pop()] = at
                text = element.tail if element is not root else None
            if text:
                parts.append(text)
                at += len(text)
        return "".join(parts), begins, ends

    def _containing(self, wanted: str) -> _Flags:
        text, begins, ends = self._texts
        matches, at = [], text.find(wanted)
        while at >= 0:
            matches.append(at)
            at = text.find(wanted, at + 1)
        matches.append(len(text) + 1)
        firsts = (matches[bisect_left(matches, begin)] for begin in watched(begins))
        return [at + len(wanted) <= end for at, end in zip(firsts, ends, strict=True)]

    def _in_language(self, wanted: str) -> _Flags:
        languages: list[str] = []
        for parent, value in zip(self.parents, self._values("lang"), strict=True):
            inherited = languages[parent] if parent >= 0 else ""
            languages.append(inherited if value is None else f"{value.lower()}-")
        return [tag.startswith(f"{wanted.lower()}-") for tag in languages]

    # -- pseudo-classes without arguments

    def _is_root(self) -> _Flags:
        return [element.getparent() is None for element in self.elements]

    def _is_scope(self) -> _Flags:
        return [number == 0 for number in range(self._size)]

    def _is_empty(self) -> _Flags:
        return [
            not element.text
            and not any(child.tail or isinstance(child.tag, str) for child in element)
            for element in watched(self.elements)
        ]


def _both(flags: _Flags, others: _Flags) -> _Flags:
    return [a and b for a, b in zip(flags, others, strict=True)]


def _is_in(place: int, step: int, first: int) -> bool:
    """Whether a position is in the series first, first + step, and so on."""
    if not step:
        return place == first
    return (place - first) % step == 0 and (place - first) // step >= 0
