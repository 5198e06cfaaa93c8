"""Learns the evidence of a site from labelled pages, and tests whether it helps.

The test is leave-one-out cross-validation: each page is judged by the evidence of the
others.  With a single labelled page, each block is judged by the page's other blocks;
as that proves less, a larger gain is required.  The order of the pages makes no
difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, replace
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tags import TAGS
from scrapy_eatext.page.walk import (
    MAX_TOKEN,
    MAX_TOKENS,
    MAX_VALUE,
    MIN_TOKEN,
    NAME_WORD,
    TOKEN_ATTRIBUTES,
)
from scrapy_eatext.sites.evidence import (
    ALIKE,
    NAMELESS,
    Lesson,
    Place,
    Site,
    Template,
    taught,
)
from scrapy_eatext.sites.files import SiteFile
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.selection import select

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.tagger.operations import Ints

# The labels of blocks; the first three are also in the order of a Place's numbers.
_KINDS = MAIN, COMMENT, BOILERPLATE = "m", "c", "-"
UNKNOWN = "?"
# The words of a block count up to this number, so that one long block does not
# dominate.
_MAX_WORDS = 40
# The minimum mean gain in word F1 with one labelled page and with several, and the
# maximum loss of a page.
_MIN_GAIN_OF_ONE, _MIN_GAIN, _MAX_LOSS = 0.05, 0.005, 0.05
# The factors to try on the evidence of places.  Large ones overrule the algorithm where
# it is wrong with high likelihood, which a single page cannot show.  The smallest factor
# within _TOLERANCE of the best mean F1 is used.
STRENGTHS = (1, 3, 9)
_TOLERANCE = 0.02
# The maximum numbers of pages to learn from and of texts, and the maximum lengths of a
# text and of a path.
MOST_PAGES = 200
_MAX_TEXTS, _LONGEST_TEXT, _LONGEST_PATH = 2000, 80, 600


class Studied:
    """A page to learn from.

    ``labels`` has MAIN, COMMENT, BOILERPLATE or UNKNOWN for each block, and
    ``likelihood`` the algorithm's likelihoods without a site's evidence.
    """

    def __init__(self, blocks: Blocks, labels: str, likelihood: Ints) -> None:
        walk = blocks.walk
        self.labels = labels
        self.likelihood = likelihood
        self.texts = blocks.texts()
        self.hashes = walk.blocks[:, BlockColumn.HASH].tolist()
        self.words = weights(walk)
        self.walk = walk
        self.paths = _paths(blocks)

    @cached_property
    def path_set(self) -> frozenset[str]:
        return frozenset(self.paths)

    @property
    def order(self) -> tuple[bytes, str]:
        """The key by which pages are sorted."""
        return self.walk.text, self.labels

    @cached_property
    def main(self) -> npt.NDArray[np.bool_]:
        return np.array([sign == MAIN for sign in self.labels], dtype=np.bool_)

    @cached_property
    def known(self) -> npt.NDArray[np.bool_]:
        return np.array([sign != UNKNOWN for sign in self.labels], dtype=np.bool_)

    def kept_blocks(self, evidence: Ints | int = 0) -> npt.NDArray[np.bool_]:
        """For each block whether it is kept with some evidence."""
        return select(taught(self.likelihood, evidence), self.words).kept

    def f1(self, evidence: Ints | int = 0) -> float:
        """The word F1 against the labels of the blocks that are kept with some evidence."""
        kept = self.kept_blocks(evidence)
        words = self.words * self.known
        extracted, relevant = int(words[kept].sum()), int(words[self.main].sum())
        if not relevant:
            return float(not extracted)
        return 2 * int(words[kept & self.main].sum()) / (extracted + relevant)


def learn(host: str, pages: Sequence[Studied]) -> SiteFile:
    """Learn from labelled pages of a host, of which there is at least one."""
    pages = sorted(pages, key=lambda page: page.order)[:MOST_PAGES]
    before = [page.f1() for page in pages]
    scores = _cross_validated(pages)
    best = max(map(fmean, scores.values()))
    strength = min(n for n in scores if fmean(scores[n]) > best - _TOLERANCE)
    after = scores[strength]
    gains = [b - a for a, b in zip(before, after, strict=True)]
    min_gain = _MIN_GAIN_OF_ONE if len(pages) == 1 else _MIN_GAIN
    site = site_of(pages, strength)
    return SiteFile(
        host=host,
        site=site,
        texts=_beginnings(site, pages),
        pages=len(pages),
        before=fmean(before),
        after=fmean(after),
        helps=fmean(gains) >= min_gain and min(gains) >= -_MAX_LOSS,
    )


def _cross_validated(pages: Sequence[Studied]) -> dict[int, list[float]]:
    """For each strength the word F1 of each page, by the evidence of the other pages."""
    if len(pages) == 1:
        (page,) = pages
        return {1: [page.f1(_leave_one_block_out(page))]}
    scores: dict[int, list[float]] = {n: [] for n in STRENGTHS}
    for i, page in enumerate(pages):
        site = site_of([*pages[:i], *pages[i + 1 :]])
        for n in STRENGTHS:
            evidence, _, _ = Lesson(replace(site, strength=n)).evidence(page.walk)
            scores[n].append(page.f1(evidence))
    return scores


def site_of(pages: Sequence[Studied], strength: int = 1) -> Site:
    """The templates and dropped texts of labelled pages."""
    main: set[int] = set()
    others: Counter[int] = Counter()
    for page in pages:
        for sign, number in zip(page.labels, page.hashes, strict=True):
            if sign == MAIN:
                main.add(number)
            elif sign != UNKNOWN:
                others[number] += 1
    # If there are too many texts, the most frequent ones are kept.
    dropped = sorted(others.keys() - main, key=lambda n: (-others[n], n))
    templates = tuple(_template(group) for group in _alike(pages))
    return Site(templates, tuple(sorted(dropped[:_MAX_TEXTS])), strength)


def _alike(pages: Sequence[Studied]) -> list[list[Studied]]:
    """The pages in groups (single linkage): pages that are alike are in one group."""

    def are_alike(page: Studied, other: Studied) -> bool:
        both = len(page.path_set & other.path_set)
        return both >= ALIKE * (len(page.path_set) + len(other.path_set) - both)

    groups: list[list[Studied]] = []
    for page in pages:
        near = [g for g in groups if any(are_alike(page, other) for other in g)]
        groups = [g for g in groups if g not in near]
        groups.append([*(other for g in near for other in g), page])
    return sorted(groups, key=lambda group: min(page.order for page in group))


def _template(pages: Sequence[Studied]) -> Template:
    words: dict[str, list[int]] = {}
    for page in pages:
        counted = np.minimum(page.words, _MAX_WORDS).tolist()
        for path in page.path_set:
            words.setdefault(path, [0, 0, 0, 0])[3] += 1
        for path, sign, count in zip(page.paths, page.labels, counted, strict=True):
            if sign != UNKNOWN:
                words[path][_KINDS.index(sign)] += count
    return Template(len(pages), {path: Place(*words[path]) for path in sorted(words)})


def _leave_one_block_out(page: Studied) -> Ints:
    """The evidence on each block of a page, from the page's other blocks."""
    (template,) = site_of([page]).templates
    counted = np.minimum(page.words, _MAX_WORDS).tolist()
    texts = Counter(page.hashes)
    evidence = []
    for path, sign, count, number in zip(
        page.paths, page.labels, counted, page.hashes, strict=True
    ):
        words = list(astuple(template.places[path]))
        if sign != UNKNOWN:
            words[_KINDS.index(sign)] -= count
        # Of a repeated text the other blocks have the same label.
        evidence.append(Place(*words).evidence if texts[number] == 1 else 0)
    return np.array(evidence, dtype=np.int64)


def _beginnings(site: Site, pages: Sequence[Studied]) -> tuple[str, ...]:
    """The beginnings of the texts of ``site.dropped``."""
    texts = {
        number: " ".join(text.split())[:_LONGEST_TEXT]
        for page in reversed(pages)
        for number, text in zip(page.hashes, page.texts, strict=True)
    }
    return tuple(texts[number] for number in site.dropped)


def _paths(blocks: Blocks) -> list[str]:
    """For each block the path of its innermost element, in words.

    A path that is too long is cut, so that it matches no page.
    """
    walk = blocks.walk
    parents = walk.elements[:, ElementColumn.PARENT].tolist()
    tags = walk.elements[:, ElementColumn.TAG].tolist()
    path_of = {-1: ""}
    innermost = walk.blocks[:, BlockColumn.INNER].tolist()
    for block_row in innermost:
        unknown, row = [], block_row
        while row not in path_of:
            unknown.append(row)
            row = parents[row]
        for below in reversed(unknown):
            step = _step(walk.node(below), tags[below])
            path = f"{path_of[parents[below]]}/{step}".removeprefix("/")
            path_of[below] = path[:_LONGEST_PATH]
    return [path_of[row] for row in innermost]


def _step(element: Any, tag: int) -> str:
    """An element's step in words, like ``div.post.body``; "*" is an unknown tag."""
    name = TAGS[tag] or "*"
    if tag in NAMELESS:
        return name
    words = [
        prefix + word.lower()
        for attribute, value in element.attrib.items()
        if (prefix := TOKEN_ATTRIBUTES.get(attribute)) is not None
        for word in NAME_WORD.findall(value[:MAX_VALUE])
        if MIN_TOKEN <= len(word) <= MAX_TOKEN
    ]
    return ".".join([name, *sorted(words[:MAX_TOKENS])])
