"""What is known of a page as a whole once its blocks are chosen.

Trees tell from these figures what kind of page it is, and how good the choice
can be expected to be.  All are whole numbers, shares in thousandths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scrapy_eatext.page.tags import CODE, HEADING, ITEM, KINDS, TAG_ID, TAGS
from scrapy_eatext.page.twins import load
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS
from scrapy_eatext.tagger.context import CHANCE

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.choice import Choice
    from scrapy_eatext.tagger.features import Ints

# Columns of blocks that add up, taken per thousand words, and per block.
_PER_WORD = (
    "chars",
    "lines",
    "link_chars",
    "strong_chars",
    "upper",
    "digits",
    "ends",
    "commas",
    "marks",
    "money",
    "rights",
    "other",
)
_PER_BLOCK = ("links", "images", "controls", "elements")
# Tags that tell kinds of page apart, counted per thousand blocks.
_TAGS = tuple(
    "a article aside blockquote button code dd figure footer form h1 h2 h3 h4 header "
    "img input label li main nav p pre section select small strong svg table td "
    "textarea time tr video".split()
)
_KINDS = (HEADING, ITEM, CODE)

_COLUMN = {name: i for i, name in enumerate(BLOCK_COLUMNS)}
_WORD_COLUMNS = [_COLUMN[name] for name in _PER_WORD]
_BLOCK_SUMS = [_COLUMN[name] for name in _PER_BLOCK]
_TAG_IDS = [TAG_ID[tag] for tag in _TAGS]
_TAG = ELEMENT_COLUMNS.index("tag")

_compiled = load("tagger._tagger")
_twin = _compiled and _compiled.Whole(_WORD_COLUMNS, _BLOCK_SUMS, _KINDS, _TAG_IDS)

NAMES = (
    "expected",
    "words",
    "words_kept",
    "words_expected",
    "blocks",
    "blocks_kept",
    "elements",
    "mean_kept",
    "longest_kept",
    "longest",
    "first_kept",
    "last_kept",
    "chance_kept",
    "best",
    "unsure",
    "undecided",
    *(
        f"{part}_{name}"
        for part in ("kept", "page")
        for name in (
            *_PER_WORD,
            *_PER_BLOCK,
            *(KINDS[kind].replace(" ", "_") for kind in _KINDS),
        )
    ),
    *(f"tag_{tag}" for tag in _TAGS),
)


def page_figures(walk: Walk, likelihood: Ints, w: Ints, choice: Choice) -> Ints:
    """The figures of NAMES for a page with blocks."""
    if _twin is not None:
        figures: Ints = _twin.figures(
            walk.elements, walk.blocks, likelihood, w, choice.kept, choice.expected
        )
        return figures
    return python_figures(walk, likelihood, w, choice)


def python_figures(walk: Walk, likelihood: Ints, w: Ints, choice: Choice) -> Ints:
    """What page_figures() gives."""
    chance = CHANCE[likelihood]
    kept = choice.kept
    places = np.flatnonzero(kept)
    count, count_kept = len(w), len(places)
    words, words_kept = int(w.sum()), int(w[places].sum())
    heavy = chance * w
    tags = np.bincount(walk.elements[:, _TAG], minlength=len(TAGS))[_TAG_IDS]
    figures = [
        choice.expected,
        words,
        words_kept * 1000 // max(words, 1),
        int(heavy.sum()) // max(words, 1),
        count,
        count_kept * 1000 // count,
        len(walk.elements) * 1000 // count,
        words_kept * 1000 // max(count_kept, 1),
        int(w[places].max(initial=0)),
        int(w.max()),
        int(places[0]) * 1000 // count if count_kept else -1,
        int(places[-1]) * 1000 // count if count_kept else -1,
        int(heavy[places].sum()) // max(words_kept, 1),
        int(likelihood.max()),
        int((np.minimum(chance, 1000 - chance) * w).sum()) // max(words, 1),
        int(((chance > 300) & (chance < 700)).sum()) * 1000 // count,
    ]
    parts = [
        _part(walk.blocks[places], words_kept),
        _part(walk.blocks, words),
        tags * 1000 // count,
    ]
    return np.concatenate([np.array(figures, dtype=np.int64), *parts])


def _part(blocks: npt.NDArray[np.int32], words: int) -> Ints:
    """The figures of some of the blocks."""
    total = blocks.sum(axis=0, dtype=np.int64)
    kinds = np.bincount(blocks[:, _COLUMN["kind"]], minlength=len(KINDS))
    count = max(len(blocks), 1)
    return np.concatenate(
        [
            total[_WORD_COLUMNS] * 1000 // max(words, 1),
            total[_BLOCK_SUMS] * 1000 // count,
            kinds[list(_KINDS)] * 1000 // count,
        ]
    )
