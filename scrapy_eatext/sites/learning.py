"""Learning what a site teaches, and whether it helps there.

Each labelled page is judged by the evidence of the other pages, and the site's evidence
helps if that improves the result.  With a single labelled page, each block is judged by
the page's other blocks; as that proves less, a larger gain is required.  The order of the
pages makes no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.sites.evidence import ALIKE, Lesson, Place, Site, Template, taught
from scrapy_eatext.sites.files import SiteFile
from scrapy_eatext.sites.places import step_of
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.selection import select

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.blocks import Blocks
    from scrapy_eatext.tagger.operations import Ints

MAIN, COMMENT, REST, UNKNOWN = "m", "c", "-", "?"
# A block counts for so many words at most, so that one long block is not everything.
_MOST_WORDS = 40
# The least mean gain in word F1, with one labelled page and with more, and the most that
# any page may lose.
_LEAST_OF_ONE, _LEAST, _MOST_LOST = 0.05, 0.005, 0.05
# The factors to try on the evidence of places: on an odd template the algorithm may be
# sure of the opposite, which a single page cannot show.  Of the factors about as good as
# the best, the least is taken.
STRENGTHS, _STRENGTHS_OF_ONE = (1, 3, 9), (1,)
_ABOUT = 0.02
# The most pages to learn from, texts to keep, and characters of a text and a path.
MOST_PAGES = 200
_MOST_TEXTS, _LONGEST_TEXT, _LONGEST_PATH = 2000, 80, 600


class Studied:
    """A page to learn from.

    ``labels`` has a sign for each block: main text, comment, the rest, or not known.
    ``likelihood`` is the algorithm's own, before anything was taught.
    """

    def __init__(self, blocks: Blocks, labels: str, likelihood: Ints) -> None:
        walk = blocks.walk
        self.labels = labels
        self.likelihood = likelihood
        self.texts = blocks.texts(list(range(len(blocks))))
        self.hashes = walk.blocks[:, BlockColumn.HASH].tolist()
        self.words = weights(walk)
        self.walk = walk
        self.paths = _paths(blocks)

    @cached_property
    def here(self) -> frozenset[str]:
        """The places on the page that have text."""
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

    def kept_blocks(self, evidence: Ints | None = None) -> npt.NDArray[np.bool_]:
        """The blocks that are kept, with some evidence or without."""
        likelihood = self.likelihood
        if evidence is not None:
            likelihood = taught(likelihood, evidence)
        return select(likelihood, self.words).kept

    def f1(self, kept: npt.NDArray[np.bool_]) -> float:
        """The word F1 of the kept blocks against the labels."""
        words = self.words * self.known
        given, wanted = int(words[kept].sum()), int(words[self.main].sum())
        if not wanted:
            return float(not given)
        return 2 * int(words[kept & self.main].sum()) / (given + wanted)


@dataclass(frozen=True, slots=True)
class Learned:
    """What was learned of a site, and how much it helps there: word F1."""

    file: SiteFile
    helps: bool

    @property
    def summary(self) -> str:
        """A line for people."""
        of = self.file
        pages = f"{of.pages} page{'s' * (of.pages != 1)}"
        verdict = "helps" if self.helps else "does not help enough"
        return f"{of.host}: {pages}, F1 {of.before:.3f} -> {of.after:.3f}, {verdict}"


def learn(host: str, pages: Sequence[Studied]) -> Learned:
    """Learn from the labelled pages of a host, of which there is one at least."""
    pages = sorted(pages, key=lambda page: page.order)[:MOST_PAGES]
    before = [page.f1(page.kept_blocks()) for page in pages]
    tries = [(_mean(scores), -n, scores) for n, scores in _tried(pages).items()]
    # The weakest of those that are about as good as the best.
    best = max(tries)[0]
    _, weak, after = max(
        (one for one in tries if one[0] > best - _ABOUT), key=lambda one: one[1]
    )
    gains = [b - a for a, b in zip(before, after, strict=True)]
    least = _LEAST_OF_ONE if len(pages) == 1 else _LEAST
    site = site_of(pages, -weak)
    file = SiteFile(
        host=host,
        site=site,
        texts=_beginnings(site, pages),
        pages=len(pages),
        before=_mean(before),
        after=_mean(after),
    )
    return Learned(file, _mean(gains) >= least and min(gains) >= -_MOST_LOST)


def _tried(pages: Sequence[Studied]) -> dict[int, list[float]]:
    """For each strength the word F1 of each page, with what the others teach."""
    if len(pages) == 1:
        (page,) = pages
        own = _own_left_out(page)
        return {n: [page.f1(page.kept_blocks(n * own))] for n in _STRENGTHS_OF_ONE}
    found: dict[int, list[float]] = {n: [] for n in STRENGTHS}
    for i, page in enumerate(pages):
        site = site_of([*pages[:i], *pages[i + 1 :]])
        for n in STRENGTHS:
            evidence, _, _ = Lesson(replace(site, strength=n)).evidence(page.walk)
            found[n].append(page.f1(page.kept_blocks(evidence)))
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def site_of(pages: Sequence[Studied], strength: int = 1) -> Site:
    """What labelled pages teach, whether it helps or not."""
    main: set[int] = set()
    rest: Counter[int] = Counter()
    for page in pages:
        for sign, number in zip(page.labels, page.hashes, strict=True):
            if sign == MAIN:
                main.add(number)
            elif sign != UNKNOWN:
                rest[number] += 1
    dropped = [number for number in rest if number not in main]
    templates = tuple(_template(group) for group in _alike(pages))
    return Site(templates, _bounded(dropped, rest), strength)


def _alike(pages: Sequence[Studied]) -> list[list[Studied]]:
    """The groups of pages, such that pages that are alike are always in one group."""
    groups: list[list[Studied]] = []
    for page in pages:
        near = [g for g in groups if any(_are_alike(page, other) for other in g)]
        groups = [g for g in groups if g not in near]
        groups.append([*(other for g in near for other in g), page])
    return sorted(groups, key=lambda group: min(page.order for page in group))


def _are_alike(one: Studied, other: Studied) -> bool:
    both = len(one.here & other.here)
    return both >= ALIKE * (len(one.here) + len(other.here) - both)


def _template(pages: Sequence[Studied]) -> Template:
    words: dict[str, list[int]] = {}
    for page in pages:
        counted = np.minimum(page.words, _MOST_WORDS).tolist()
        for path in page.here:
            words.setdefault(path, [0, 0, 0, 0])[3] += 1
        for path, sign, count in zip(page.paths, page.labels, counted, strict=True):
            if sign != UNKNOWN:
                words[path][(MAIN, COMMENT, REST).index(sign)] += count
    return Template(len(pages), {path: Place(*words[path]) for path in sorted(words)})


def _own_left_out(page: Studied) -> Ints:
    """The evidence on each block of a page by the page's other blocks."""
    (template,) = site_of([page]).templates
    counted = np.minimum(page.words, _MOST_WORDS).tolist()
    texts = Counter(page.hashes)
    found = []
    for path, sign, count, number in zip(
        page.paths, page.labels, counted, page.hashes, strict=True
    ):
        place = template.places[path]
        left = Place(
            place.main - count * (sign == MAIN),
            place.comments - count * (sign == COMMENT),
            place.rest - count * (sign == REST),
            1,
        )
        # A text that repeats on the page would be judged by its own label.
        found.append(left.evidence if texts[number] == 1 else 0)
    return np.array(found, dtype=np.int64)


def _bounded(found: Sequence[int], often: Counter[int]) -> tuple[int, ...]:
    """Hashes of texts in rising order; of too many, the most frequent."""
    some = sorted(found, key=lambda number: (-often[number], number))
    return tuple(sorted(some[:_MOST_TEXTS]))


def _beginnings(site: Site, pages: Sequence[Studied]) -> tuple[str, ...]:
    texts = {
        number: " ".join(text.split())[:_LONGEST_TEXT]
        for page in reversed(pages)
        for number, text in zip(page.hashes, page.texts, strict=True)
    }
    return tuple(texts[number] for number in site.dropped)


def _paths(blocks: Blocks) -> list[str]:
    """For each block the path of its innermost element, in words.

    A path that is too long to be kept stands as one that no page has.
    """
    walk = blocks.walk
    parents = walk.elements[:, ElementColumn.PARENT].tolist()
    tags = walk.elements[:, ElementColumn.TAG].tolist()
    known: dict[int, str] = {}
    found = []
    for row in walk.blocks[:, BlockColumn.INNER].tolist():
        way = []
        at = row
        while at >= 0 and at not in known:
            way.append(at)
            at = parents[at]
        path = known[at] if at >= 0 else ""
        for one in reversed(way):
            step = step_of(walk.node(one), tags[one])
            path = f"{path}/{step}" if path else step
            if len(path) > _LONGEST_PATH:
                path = path[:_LONGEST_PATH]
            known[one] = path
        found.append(path)
    return found
