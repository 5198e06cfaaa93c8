"""The figures of a page as a whole, computed after its blocks are chosen.

From them, trees predict the kind of the page and the quality of the choice.  All
figures are whole numbers, shares in thousandths.

Most pages are extracted almost perfectly.  To rank these as well, the trees estimate
the logarithm of the lack: what the F1 of a page lacks.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.page.columns import BLOCK_COLUMNS, BlockColumn, ElementColumn
from scrapy_eatext.page.tags import CODE, HEADING, ITEM, KINDS, TAG_ID
from scrapy_eatext.tagger.context import CHANCE
from scrapy_eatext.tagger.operations import (
    NONE,
    Table,
    copy,
    encoded,
    evaluate,
    quotient,
    ratio,
    table,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints, Rows
    from scrapy_eatext.tagger.selection import Selection

_KINDS = (HEADING, ITEM, CODE)
# Tags that tell kinds of page apart.
_TAGS = tuple(
    "a article aside blockquote button code dd figure footer form h1 h2 h3 h4 header "
    "img input label li main nav p pre section select small strong svg table td "
    "textarea time tr video".split()
)
# Blocks with a chance between these two, in thousandths, are undecided.
UNDECIDED = 300, 700
# The lack is this minus the F1, as the logarithm of 0 would outweigh all others.
_TOP = 1.02
# The mean lack is above the geometric mean, which the trees estimate: by this factor,
# as measured by benchmarks/trials.py.
_RISE = 1.62

# The facts of all blocks (page) and of the kept ones (kept): n is their number, w their
# words, hits their expected words, longest the words of the longest one; then there are
# sums of the walk's columns, and the number of blocks of each of _KINDS.  first_place
# and last_place are in thousandths of the number of blocks, or -1.
_COUNTED = BLOCK_COLUMNS[BlockColumn.KIND : BlockColumn.HASH]
_OF_KINDS = tuple(f"of_kind_{kind}" for kind in _KINDS)
_PART = ("n", "w", "hits", "longest", *_COUNTED, *_OF_KINDS)
FACTS = (
    "page.all_elements",
    "page.best",
    "page.unsure",
    "page.undecided",
    "kept.expected",
    "kept.first_place",
    "kept.last_place",
    *(f"page.{name}" for name in _PART),
    *(f"kept.{name}" for name in _PART),
    *(f"page.tag_{tag}" for tag in _TAGS),
)


_PER_WORD = (
    "chars lines link_chars strong_chars upper digits ends commas marks money rights "
    "other"
).split()
_PER_BLOCK = "links images controls elements".split()


def _part(of: str) -> Table:
    """Figures of all blocks, or of the kept ones: per word, and per block."""
    of_kinds = [KINDS[kind].replace(" ", "_") for kind in _KINDS]
    shares = [
        *((name, name, "w") for name in _PER_WORD),
        *((name, name, "n") for name in _PER_BLOCK),
        *((name, fact, "n") for name, fact in zip(of_kinds, _OF_KINDS, strict=True)),
    ]
    return table(
        *(
            (f"{of}_{name}", ratio, f"{of}.{fact}", f"{of}.{whole}")
            for name, fact, whole in shares
        )
    )


FIGURES: Table = {
    **table(
        ("expected", copy, "kept.expected"),
        ("words", copy, "page.w"),
        ("words_kept", ratio, "kept.w", "page.w"),
        ("words_expected", quotient, "page.hits", "page.w"),
        ("blocks", copy, "page.n"),
        ("blocks_kept", ratio, "kept.n", "page.n"),
        ("elements", ratio, "page.all_elements", "page.n"),
        ("mean_kept", ratio, "kept.w", "kept.n"),
        ("longest_kept", copy, "kept.longest"),
        ("longest", copy, "page.longest"),
        ("first_kept", copy, "kept.first_place"),
        ("last_kept", copy, "kept.last_place"),
        ("chance_kept", quotient, "kept.hits", "kept.w"),
        ("best", copy, "page.best"),
        ("unsure", quotient, "page.unsure", "page.w"),
        ("undecided", ratio, "page.undecided", "page.n"),
    ),
    **_part("kept"),
    **_part("page"),
    **table(*((f"tag_{tag}", ratio, f"page.tag_{tag}", "page.n") for tag in _TAGS)),
}
NAMES = tuple(FIGURES)


def python_page_figures(
    walk: Walk, likelihood: Ints, w: Ints, choice: Selection
) -> Ints:
    """The figures of NAMES for a page with blocks.

    ``likelihood`` and ``w``, the words, have a number for each block.
    """
    figures = evaluate(FIGURES.values(), facts_of(walk, likelihood, w, choice))
    return np.concatenate(list(figures.values()))


def facts_of(walk: Walk, likelihood: Ints, w: Ints, choice: Selection) -> Rows:
    """The facts of FACTS for a page with blocks."""
    chance, count = CHANCE[likelihood], len(w)
    every, kept = np.arange(count), np.flatnonzero(choice.kept)
    first, last = (
        (kept[[0, -1]] * 1000 // count).tolist() if len(kept) else (NONE, NONE)
    )
    tags = walk.elements[:, ElementColumn.TAG]
    facts = {
        **_part_facts("page", walk, chance, w, every),
        **_part_facts("kept", walk, chance, w, kept),
        **{f"page.tag_{tag}": int((tags == TAG_ID[tag]).sum()) for tag in _TAGS},
        "page.all_elements": len(walk.elements),
        "page.best": int(likelihood.max()),
        "page.unsure": int((np.minimum(chance, 1000 - chance) * w).sum()),
        "page.undecided": int(
            ((chance > UNDECIDED[0]) & (chance < UNDECIDED[1])).sum()
        ),
        "kept.expected": choice.expected,
        "kept.first_place": first,
        "kept.last_place": last,
    }
    return {name: np.array([value]) for name, value in facts.items()}


def _part_facts(
    of: str, walk: Walk, chance: Ints, w: Ints, places: npt.NDArray[np.intp]
) -> dict[str, int]:
    """The facts of the blocks at ``places``."""
    blocks, w = walk.blocks[places], w[places]
    total = dict(zip(BLOCK_COLUMNS, blocks.sum(axis=0, dtype=np.int64), strict=True))
    kind = blocks[:, BlockColumn.KIND]
    return {
        **{f"{of}.{name}": int(total[name]) for name in _COUNTED},
        **{f"{of}.of_kind_{k}": int((kind == k).sum()) for k in _KINDS},
        f"{of}.n": len(w),
        f"{of}.w": int(w.sum()),
        f"{of}.hits": int((chance[places] * w).sum()),
        f"{of}.longest": int(w.max(initial=0)),
    }


page_figures = twin(
    python_page_figures,
    "_tagger",
    encoded(list(FIGURES.values()), FACTS),
    FACTS,
    _KINDS,
    [TAG_ID[tag] for tag in _TAGS],
    UNDECIDED,
)


def lack_of(f1: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The logarithm of the lack of each page, from its F1."""
    lack: npt.NDArray[np.float64] = np.log(_TOP - f1)
    return lack


def score_of(lack: float) -> float:
    """The expected F1 of a page, from the estimated logarithm of its lack."""
    return min(max(_TOP - _RISE * math.exp(min(lack, 0.0)), 0.0), 1.0)
