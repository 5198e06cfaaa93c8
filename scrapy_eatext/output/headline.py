"""The headline of a page, which is written once, before the kept text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.metadata.visible import key
from scrapy_eatext.page.values import bounded

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units


class Headline(NamedTuple):
    """The text of a headline, "" for none, and the kept units that are the headline."""

    text: str = ""
    own: frozenset[int] = frozenset()


def headline_of(units: Units, shown: Sequence[int], title: str) -> Headline:
    """The headline of a page, given its units, those shown, and the metadata's title.

    It is the shown heading with the words of the title; else the first heading, if it
    is the only one of level 1; else the title.
    """
    headings = [i for i in shown if units.kind(i) == "heading"]
    wanted = key(title)
    own = _equal_to(wanted, units, headings) if wanted else []
    if not own:
        first = [i for i in headings if units.level(i) == 1]
        if len(first) == 1 and first == headings[:1]:
            # A longer heading is no headline: a whole page may stand in a heading.
            text = _line(units.text(first[0]))
            own = first if text == bounded("title", text) else []
    if not own and wanted and shown and key(units.text(shown[0])) == wanted:
        # The first unit may be a headline that is not marked as a heading.  But if a
        # dropped heading has the title, the unit is text, as the first line of a poem.
        all_headings = (i for i in range(len(units)) if units.kind(i) == "heading")
        own = [] if _equal_to(wanted, units, all_headings) else [shown[0]]
    text = _line(units.text(own[0]) if own else title)
    return Headline(bounded("title", text), frozenset(own))


def _equal_to(wanted: str, units: Units, headings: Iterable[int]) -> list[int]:
    """The headings with the words of a title; ``wanted`` is the title's key().

    A heading below level 1 counts only if all headings before it have these words too;
    otherwise it may be the heading of a section.
    """
    own: list[int] = []
    has_others = False
    for i in headings:
        heading = key(units.text(i))
        if heading == wanted:
            if not has_others or units.level(i) == 1:
                own.append(i)
        else:
            has_others = True
    return own


def without_headline(text: str, headline: str) -> str:
    """A text without its first line, if that is the headline."""
    first, _, below = text.partition("\n")
    return below.lstrip("\n") if key(first) == key(headline) else text


def _line(text: str) -> str:
    return " ".join(text.split())
