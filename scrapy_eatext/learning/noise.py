"""Label noise: blocks that may be content although the true text lacks them.

Some true texts leave out all code, and some end in the midst of the page's text.
Blocks that are missing for such a reason are not learned from, neither as content nor
as boilerplate.
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
# A true text counts as cut off if at least so many blocks and words follow that stand
# on the page in the same ways as its own blocks.  Such a way has at least _OFTEN of the
# text's blocks, and at most _SELDOM times as many others before the text's end.
_MORE_BLOCKS, _MORE_WORDS = 5, 100
_OFTEN, _SELDOM = 3, 0.2


def noisy(share: NDArray[np.float32], walk: Walk) -> NDArray[np.bool_]:
    """The blocks not to learn from, given the share of content of each."""
    is_code = walk.blocks[:, _KIND] == CODE
    way = tree_of(walk).same_way[walk.blocks[:, _INNER]]
    return omitted_code(share, is_code) | behind_cut(share, way, weights(walk))


def omitted_code(
    share: NDArray[np.float32], is_code: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The code that is labelled as boilerplate although the block before it is content.

    Some true texts leave out all code, which readers would not.
    """
    # For each block the last one, up to itself, that is no code.
    place = np.maximum.accumulate(np.where(is_code, -1, np.arange(len(share))))
    follows = (place >= 0) & (share[place] > 0)
    found: NDArray[np.bool_] = is_code & follows & (share == 0)
    return found


def behind_cut(
    share: NDArray[np.float32], way: NDArray[np.intp], w: Ints
) -> NDArray[np.bool_]:
    """The blocks behind a true text that ends in the midst of the page's text.

    Many of them stand in the same ways on the page as the text's own blocks, and as
    hardly any other block before the text's end.
    """
    found = np.zeros(len(share), dtype=np.bool_)
    content = np.flatnonzero(share > 0)
    if not len(content):
        return found
    end = int(content[-1]) + 1
    inside = Counter(way[content].tolist())
    beside = Counter(way[:end][share[:end] == 0].tolist())
    ways = [
        one
        for one, count in inside.items()
        if count >= _OFTEN and beside[one] <= _SELDOM * count
    ]
    behind = end + np.flatnonzero(np.isin(way[end:], ways))
    if len(behind) >= _MORE_BLOCKS and int(w[behind].sum()) >= _MORE_WORDS:
        found[end : behind[-1] + 1] = True
    return found
