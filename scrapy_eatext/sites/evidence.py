"""Evidence for and against main text, learned of a site and applied to its pages.

A place is a path of steps that leads to an element.  A step is a tag with the words of
the element's names, which the walk reads from classes, IDs and roles: without digits, so
that ``post-17`` and ``post-18`` are one place.  ``html`` and ``body`` have no names, as
these differ from page to page.  A site file has paths in words; on pages they are
compared by hashes, which are computed fast from the walk's tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.walk import fnv1a
from scrapy_eatext.tagger.context import HIGHEST

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints

    Hashes = npt.NDArray[np.uint64]

# A page belongs to a template if the Jaccard index of their places is at least this.
# Pages that are less alike give wrong evidence about each other.
ALIKE = 0.5
# Pseudo-counts of words, so that few words give little evidence.
_PRIOR = 50
# The evidence of a text that was on labelled pages, but never main text, in hundredths
# of a logit, as likelihoods are.
DROPPED = -200
_STEP = "/"
# The largest hash, which is the sentinel of each sorted array of hashes: no text has it,
# and a place has it with a probability of 2^-64.
_END = (1 << 64) - 1
# The columns of Table.facts.
_EVIDENCE, _IN_COMMENTS, _FREQUENT = range(3)
# Odd, as multiplication by an odd number is invertible modulo 2^64.
SPREAD, DOWN = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
SHIFT = 29
NAMELESS = TAG_ID["html"], TAG_ID["body"]
_COLUMNS = [
    ElementColumn.PARENT,
    ElementColumn.TAG,
    ElementColumn.FIRST_TOKEN,
    ElementColumn.TOKENS,
    ElementColumn.DEPTH,
]


@dataclass(frozen=True, slots=True)
class Place:
    """The numbers of words of each kind at a place, and of the pages that have it."""

    main: int
    comments: int
    boilerplate: int
    pages: int

    @property
    def evidence(self) -> int:
        """The evidence for main text, or if negative against it, in 0.01 logits."""
        yes, no = self.main, self.comments + self.boilerplate
        return round(100 * math.log((yes + _PRIOR) / (no + _PRIOR)))


@dataclass(frozen=True, slots=True)
class Template:
    """Pages of a site that are alike: their number, and their places by path."""

    pages: int
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Site:
    """The templates of a site, and texts that never were main text.

    ``dropped`` has the hashes of these texts, as in the walk.  The evidence of places
    is multiplied by ``strength``.
    """

    templates: tuple[Template, ...]
    dropped: tuple[int, ...]
    strength: int = 1


class Table:
    """A template with sorted hashes of its places in ``keys``.

    ``facts`` has for each place its evidence, whether it is one of comments, and whether
    it is frequent, which means on half of the template's pages.  The last row is for
    unknown places.  ``frequent`` is the number of frequent places.
    """

    def __init__(self, template: Template, strength: int) -> None:
        hashed = {
            place_of(path.split(_STEP)): (
                strength * place.evidence,
                place.comments > place.main + place.boilerplate,
                2 * place.pages >= template.pages,
            )
            for path, place in template.places.items()
        }
        keys = sorted(hashed)
        facts = [*(hashed[key] for key in keys), (0, False, False)]
        self.keys: Hashes = np.array([*keys, _END], dtype=np.uint64)
        self.facts = np.array(facts, dtype=np.int64)
        self.frequent = int(self.facts[:, _FREQUENT].sum())

    def of_places(self, wanted: Hashes) -> npt.NDArray[np.int64]:
        at = self.keys.searchsorted(wanted)
        at[self.keys[at] != wanted] = len(self.keys) - 1
        return self.facts[at]


class Lesson:
    """A Site in tables that are applied to pages.

    Each template has one of ``tables``.  ``dropped`` has the sorted hashes of texts that
    were never main text, and a sentinel.
    """

    def __init__(self, site: Site) -> None:
        self.tables = [Table(template, site.strength) for template in site.templates]
        # In the walk and in sites hashes of texts are signed.
        dropped = sorted(number % (1 << 32) for number in site.dropped)
        self.dropped = np.array([*dropped, _END], dtype=np.uint64)

    def evidence(self, walk: Walk) -> tuple[Ints, npt.NDArray[np.bool_], bool]:
        """The evidence on a page.

        Returns for each block the number to add to its likelihood, and whether it is at
        a place of comments; and whether the site's file fits the page: it has a template
        that does, or no template and a text of the page in ``dropped``.
        """
        added = np.zeros(len(walk.blocks), dtype=np.int64)
        in_comments = np.zeros(len(walk.blocks), dtype=np.bool_)
        template = None
        if self.tables:
            here = places(walk)
            template = self._most_alike(np.sort(here))
            if template is not None:
                facts = template.of_places(here)
                added += facts[:, _EVIDENCE]
                in_comments |= facts[:, _IN_COMMENTS] > 0
        texts = walk.blocks[:, BlockColumn.HASH].astype(np.uint32)
        dropped = self.dropped
        is_dropped = dropped[dropped.searchsorted(texts)] == texts
        added[is_dropped] += DROPPED
        fits = template is not None if self.tables else bool(is_dropped.any())
        return added, in_comments, fits

    def _most_alike(self, here: Hashes) -> Table | None:
        """The template that fits a page best, None for none; ``here`` is sorted."""
        unique = here[np.diff(here, prepend=~here[:1]) != 0]
        best_index, best = ALIKE, None
        for table in self.tables:
            both = int(table.of_places(unique)[:, _FREQUENT].sum())
            jaccard_index = both / max(table.frequent + len(unique) - both, 1)
            if jaccard_index >= best_index:
                best_index, best = jaccard_index, table
        return best


def places(walk: Walk) -> Hashes:
    """For each block the hash of its place."""
    parents, tags, first, count, depths = walk.elements[:, _COLUMNS].T
    sums = np.zeros(len(walk.tokens) + 1, dtype=np.uint64)
    # numpy's integers wrap at 64 bits, like the masks in the functions below.
    _mixed(walk.tokens.astype(np.uint64)).cumsum(out=sums[1:])
    names = sums[first + count] - sums[first]
    for tag in NAMELESS:
        names[tags == tag] = 0
    steps = _mixed(names + tags.astype(np.uint64))
    # Index -1 is the parent of the root.
    hashes = np.zeros(len(steps) + 1, dtype=np.uint64)
    order = depths.argsort(kind="stable")
    levels = np.diff(depths[order]).nonzero()[0] + 1
    for rows in np.split(order, levels):
        hashes[rows] = _below(hashes[parents[rows]], steps[rows])
    block_hashes: Hashes = hashes[walk.blocks[:, BlockColumn.INNER]]
    return block_hashes


def place_of(steps: Iterable[str]) -> int:
    """The hash of a path given in words, as in places()."""
    place = 0
    for step in steps:
        place = _below(place, _hash_of_words(step))
    return place


@lru_cache(maxsize=16384)  # the steps of a site's paths repeat
def _hash_of_words(step: str) -> int:
    """The hash of a step, in which the order of names is ignored."""
    name, *words = step.split(".")
    tag = TAG_ID.get(name, 0)
    names = (
        0 if tag in NAMELESS else sum(_mixed(fnv1a(word.encode())) for word in words)
    )
    mixed: int = _mixed(names + tag)
    return mixed


# The next two functions take integers or arrays.


def _below(place: Any, step: Any) -> Any:
    """The hash of the place that is a step below another one."""
    return (step + DOWN * place) & _END


def _mixed(value: Any) -> Any:
    value = value * SPREAD & _END
    return (value ^ (value >> SHIFT)) * SPREAD & _END


def taught(likelihood: Ints, evidence: Ints | int) -> Ints:
    """Likelihoods with a site's evidence added."""
    # Much faster than clip() on short arrays.
    changed: Ints = np.minimum(np.maximum(likelihood + evidence, 0), HIGHEST)
    return changed


class Lessons:
    """The lessons of sites, by host."""

    def __init__(self, sites: Mapping[str, Site]) -> None:
        self._lessons = {ascii_host(host): Lesson(site) for host, site in sites.items()}

    def of(self, url: str | None) -> Lesson | None:
        """The lesson of a URL's host, or of the nearest parent domain that has one."""
        return next(
            (self._lessons[host] for host in hosts_of(url) if host in self._lessons),
            None,
        )


def hosts_of(url: str | None) -> Iterable[str]:
    """The host of a URL and its parent domains: ``a.b.org``, ``b.org``, ``org``."""
    host = ascii_host(host_of(url or ""))
    while host:
        yield host
        host = host.partition(".")[2]


def ascii_host(host: str) -> str:
    """A host as crawls have it, with non-ASCII letters in IDNA."""
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:  # an invalid host
        return host


def bare_host(url: str) -> str:
    """The host of a URL without "www.", as many sites use both."""
    return next(iter(hosts_of(url)), "").removeprefix("www.")
