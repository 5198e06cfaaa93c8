"""A site's own CSS rules, which override an algorithm's verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_eatext.algorithms.base import Removed
from scrapy_eatext.deadline import watched
from scrapy_eatext.page.columns import MarkColumn
from scrapy_eatext.page.paths import Paths
from scrapy_eatext.page.walk import free_backwards, nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Verdict
    from scrapy_eatext.page import Page

_REASONS = {True: "pinned by a rule", False: "removed by a rule"}


def apply_rules(page: Page, verdict: Verdict, keep: str, remove: str) -> Verdict:
    """A verdict, overridden by the CSS selectors keep and remove.

    Of the elements found, the nearest one around a block decides; an element found by
    both removes its blocks.  The images and embeds in elements that ``remove`` finds are
    removed.  Units without an XPath (lines of source) have no rules.
    """
    rules: dict[Any, bool] = {}
    if keep:
        rules.update((element, True) for element in page.selectors.find(keep))
    if remove:
        rules.update((element, False) for element in page.selectors.find(remove))
    if not rules:
        return verdict
    images: list[tuple[int, int]] = []
    if verdict.units is page.blocks:
        blocks = page.blocks
        ruled = _by_element([*map(blocks.element, range(len(blocks)))], rules)
        if remove:
            images = _removed_images(page, rules)
    else:
        ruled = _by_xpath(verdict, rules)
    kept = list(verdict.kept)
    scores = list(verdict.scores)
    reasons = list(verdict.reasons)
    for i, rule in enumerate(ruled):
        if rule is not None:
            kept[i] = rule
            scores[i] = float(rule)
            reasons[i] = _REASONS[rule]
    comments = verdict.comments

    def without_ruled() -> list[bool]:
        """The comments that no rule decides on."""
        known = comments() if comments else ()
        return [one and rule is None for one, rule in zip(known, ruled, strict=True)]

    units = frozenset(i for i, rule in enumerate(ruled) if rule is False)
    # A text that the algorithm itself joined does not follow the rules.
    return replace(
        verdict,
        kept=kept,
        scores=scores,
        reasons=reasons,
        text=None,
        comments=comments and without_ruled,
        removed=Removed(units, frozenset(images)),
    )


def _removed_images(page: Page, rules: dict[Any, bool]) -> list[tuple[int, int]]:
    """The images, embeds and thematic breaks in removed elements, as in Removed."""
    marks = page.blocks.walk.marks
    marks = marks[marks[:, MarkColumn.STYLE] < 0]
    rows = marks[:, MarkColumn.AROUND_STYLE].tolist()
    places = marks[:, MarkColumn.AROUND_LINK].tolist()
    ruled = _by_element(nodes_of(page.blocks.walk, rows, places), rules)
    at = zip(rows, places, strict=True)
    return [one for one, rule in zip(at, ruled, strict=True) if rule is False]


def _by_element(elements: list[Any], rules: dict[Any, bool]) -> list[bool | None]:
    """The rule for each of some elements, None without one; empties the list."""
    # Each element is visited once, however deep the page: the rule of its nearest ancestor
    # is stored for all elements on the way.
    known: dict[Any, bool | None] = dict(rules)
    ruled = []
    for inner in watched(elements):
        element = inner
        way = []
        while element is not None and element not in known:
            way.append(element)
            element = element.getparent()
        rule = None if element is None else known[element]
        known.update((passed, rule) for passed in reversed(way))
        ruled.append(rule)
    elements.clear()
    free_backwards(known)
    return ruled


def _by_xpath(verdict: Verdict, rules: dict[Any, bool]) -> list[bool | None]:
    """The rule for each unit of a verdict whose units have only XPaths."""
    # Algorithms may write or omit [1] for an element without siblings of its name.
    places = Paths(whole=True)  # like the units' paths
    paths = {
        places.of(element).replace("[1]", ""): rule for element, rule in rules.items()
    }
    # The longest path that a unit's path begins with is that of the nearest element.
    lengths = sorted({len(path) for path in paths}, reverse=True)
    ruled = []
    for i in watched(range(len(verdict.units))):
        xpath = verdict.units.xpath(i).replace("[1]", "")
        around = (xpath[:n] for n in lengths if xpath[n : n + 1] in ("", "/"))
        ruled.append(next((paths[path] for path in around if path in paths), None))
    return ruled
