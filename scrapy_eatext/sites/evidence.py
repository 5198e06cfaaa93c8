"""Evidence for and against main text, learned of a site and applied to its pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.sites.places import place_of, places
from scrapy_eatext.tagger.context import HIGHEST

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.sites.places import Hashes
    from scrapy_eatext.tagger.operations import Ints

# A page belongs to a template if the Jaccard index of their places is at least this.
# Pages that are less alike give wrong evidence about each other.
ALIKE = 0.5
# Pseudo-counts of words, so that few words give little evidence.
_PRIOR = 50
# The evidence of a text that was on labelled pages, but never main text, in hundredths
# of a logit, as likelihoods are.
DROPPED = -200
_STEP = "/"
# The sentinel of each sorted array of hashes.  No text has this hash, and a place has
# it with a probability of 2^-64.
_END = (1 << 64) - 1
# The columns of Table.facts.
_EVIDENCE, _IN_COMMENTS, _FREQUENT = range(3)


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


@dataclass(frozen=True, slots=True)
class Table:
    """A template with sorted hashes of its places in ``keys``.

    ``facts`` has for each place its evidence, whether it is one of comments, and whether
    it is frequent, which means on half of the template's pages.  The last row is for
    unknown places.  ``frequent`` is the number of frequent places.
    """

    keys: Hashes
    facts: npt.NDArray[np.int64]
    frequent: int

    @classmethod
    def of(cls, template: Template, strength: int) -> Table:
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
        return cls(
            np.array([*keys, _END], dtype=np.uint64),
            np.array(facts, dtype=np.int64),
            sum(frequent for _, _, frequent in facts),
        )

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
        self.tables = [Table.of(template, site.strength) for template in site.templates]
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


def taught(likelihood: Ints, evidence: Ints) -> Ints:
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
