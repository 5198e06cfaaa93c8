"""Label noise: blocks that may be content although the true text lacks them.

Some true texts leave out all code, and some end in the middle of the page's text.
Blocks that are missing for such a reason are not learned from at all.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tags import CODE
from scrapy_eatext.tagger.facts import tree_of, weights

if TYPE_CHECKING:
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints

_KIND, _INNER = (BlockColumn.KIND, BlockColumn.INNER)
# A true text counts as cut off if at least _MORE_BLOCKS with _MORE_WORDS follow that
# have paths typical of the text.  A typical path is that of at least _OFTEN blocks of
# the text, and of at most _SELDOM times as many other blocks before the text's end.
_MORE_BLOCKS, _MORE_WORDS = 5, 100
_OFTEN, _SELDOM = 3, 0.2


def noisy(share: NDArray[np.float32], walk: Walk) -> NDArray[np.bool_]:
    """The blocks not to learn from; ``share`` is the share of content of each block."""
    is_code = walk.blocks[:, _KIND] == CODE
    way = tree_of(walk).same_way[walk.blocks[:, _INNER]]
    return omitted_code(share, is_code) | behind_cut(share, way, weights(walk))


def omitted_code(
    share: NDArray[np.float32], is_code: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The code that is labelled as boilerplate after a block of content."""
    # For each block the last one up to it that is no code.
    place = np.maximum.accumulate(np.where(is_code, -1, np.arange(len(share))))
    follows = (place >= 0) & (share[place] > 0)
    omitted: NDArray[np.bool_] = is_code & follows & (share == 0)
    return omitted


def behind_cut(
    share: NDArray[np.float32], way: NDArray[np.intp], w: Ints
) -> NDArray[np.bool_]:
    """The blocks after a true text that ends in the middle of the page's text.

    ``way`` is a hash of each block's path, ``w`` are its words.
    """
    is_cut = np.zeros(len(share), dtype=np.bool_)
    content = np.flatnonzero(share > 0)
    if not len(content):
        return is_cut
    end = int(content[-1]) + 1
    inside = Counter(way[content].tolist())
    beside = Counter(way[:end][share[:end] == 0].tolist())
    typical = [
        path
        for path, count in inside.items()
        if count >= _OFTEN and beside[path] <= _SELDOM * count
    ]
    behind = end + np.flatnonzero(np.isin(way[end:], typical))
    if len(behind) >= _MORE_BLOCKS and int(w[behind].sum()) >= _MORE_WORDS:
        is_cut[end : behind[-1] + 1] = True
    return is_cut
