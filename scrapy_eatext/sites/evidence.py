"""The evidence that a site teaches, as it is applied to a page."""

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

# A page belongs to a template if the places on both are at least this share of the
# places on either.  Pages that are less alike teach the wrong thing about each other.
ALIKE = 0.5
# Words added to either side, so that few words tell little.
_PRIOR = 50
# The evidence of a text that was on labelled pages, but never in the main text: like
# likelihoods, in hundredths of a logit.
DROPPED = -200
_STEP = "/"
# What each search among hashes ends at: no text has it, nor, but for one in 2^64, a place.
_END = (1 << 64) - 1
# The columns of Table.facts.
_EVIDENCE, _IN_COMMENTS, _FREQUENT = range(3)


@dataclass(frozen=True, slots=True)
class Place:
    """The words that stood at a place: of the main text, of comments, of the rest.

    ``pages`` counts the template's pages that have such a place.
    """

    main: int
    comments: int
    rest: int
    pages: int

    @property
    def evidence(self) -> int:
        """The evidence for main text, in hundredths of a logit; negative against it."""
        yes, no = self.main, self.comments + self.rest
        return round(100 * math.log((yes + _PRIOR) / (no + _PRIOR)))


@dataclass(frozen=True, slots=True)
class Template:
    """Pages of a site that are alike: how many were seen, and their places by path."""

    pages: int
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Site:
    """What a site teaches: its templates, and texts that never were main text.

    ``dropped`` has the hashes of these texts, as in the walk.  ``strength`` is a factor
    on the evidence of places.
    """

    templates: tuple[Template, ...]
    dropped: tuple[int, ...]
    strength: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A template with its places as hashes, in their order.

    ``facts`` has for each place its evidence, whether it is one of comments, and whether
    it is frequent: on half of the template's pages.  The last entry stands for all places
    that are not known.
    """

    keys: Hashes
    facts: npt.NDArray[np.int64]
    frequent: int

    @classmethod
    def of(cls, template: Template, strength: int) -> Table:
        hashed = {
            place_of(path.split(_STEP)): (
                strength * place.evidence,
                place.comments > place.main + place.rest,
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
        """The facts of some places."""
        at = self.keys.searchsorted(wanted)
        at[self.keys[at] != wanted] = len(self.keys) - 1
        return self.facts[at]


class Lesson:
    """A site's evidence on pages.

    ``tables`` are those of its templates.  ``dropped`` are the hashes of texts that were
    never main text, in their order, and an end.
    """

    def __init__(self, site: Site) -> None:
        self.tables = [Table.of(one, site.strength) for one in site.templates]
        # The walk has hashes of texts as signed numbers.
        dropped = sorted(number % (1 << 32) for number in site.dropped)
        self.dropped = np.array([*dropped, _END], dtype=np.uint64)

    def evidence(self, walk: Walk) -> tuple[Ints, npt.NDArray[np.bool_], bool]:
        """What the site says of a page.

        For each block that is the number to add to its likelihood, and whether it stands
        at a place of comments; of the page, whether one of the templates fits it.
        Without templates, a text of ``dropped`` does.
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
        met = dropped[dropped.searchsorted(texts)] == texts
        added[met] += DROPPED
        fits = template is not None if self.tables else bool(met.any())
        return added, in_comments, fits

    def _most_alike(self, here: Hashes) -> Table | None:
        """The template that a page is most like, given its places in their order."""
        met = here[np.diff(here, prepend=~here[:1]) != 0]
        best, found = ALIKE, None
        for table in self.tables:
            both = int(table.of_places(met)[:, _FREQUENT].sum())
            alike = both / max(table.frequent + len(met) - both, 1)
            if alike >= best:
                best, found = alike, table
        return found


def taught(likelihood: Ints, evidence: Ints) -> Ints:
    """Likelihoods with a site's evidence."""
    # Faster by far on short rows than clip().
    changed: Ints = np.minimum(np.maximum(likelihood + evidence, 0), HIGHEST)
    return changed


class Lessons:
    """The lessons of sites, by host."""

    def __init__(self, sites: Mapping[str, Site]) -> None:
        self._lessons = {ascii_host(host): Lesson(site) for host, site in sites.items()}

    def of(self, url: str | None) -> Lesson | None:
        """The lesson for the page at an address: of its host, or of one above it."""
        return next(
            (self._lessons[host] for host in hosts_of(url) if host in self._lessons),
            None,
        )


def hosts_of(url: str | None) -> Iterable[str]:
    """The host of an address, and those above it: ``a.b.org``, ``b.org``, ``org``."""
    host = ascii_host(host_of(url or ""))
    while host:
        yield host
        host = host.partition(".")[2]


def ascii_host(host: str) -> str:
    """A host as crawls have it: letters beyond ASCII as IDNA writes them."""
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:  # no host that there can be
        return host


def bare_host(url: str) -> str:
    """The host of an address without "www.", as many sites are at both hosts."""
    return next(iter(hosts_of(url)), "").removeprefix("www.")
