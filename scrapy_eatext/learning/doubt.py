"""Blocks of a page that are no content by its true text, and yet may be.

Some true texts leave out all code, and some end in the midst of the page's.  Of what
they lack so, nothing is learned, neither that it is content nor that it is none.
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
# A true text is cut off if so many blocks and words follow that stand on the page as
# its own do: in a way in which so many of its blocks stand, and by what share as many
# others before its end.
_MORE_BLOCKS, _MORE_WORDS = 5, 100
_OFTEN, _SELDOM = 3, 0.2


def doubtful(share: NDArray[np.float32], walk: Walk) -> NDArray[np.bool_]:
    """Which blocks nothing is known of, given how much of each is content."""
    is_code = walk.blocks[:, _KIND] == CODE
    way = tree_of(walk).same_way[walk.blocks[:, _INNER]]
    return left_out(share, is_code) | cut_off(share, way, weights(walk))


def left_out(
    share: NDArray[np.float32], is_code: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which code is no content though what stands before it is.

    That says of a true text that it leaves out code, as some do, and nothing of
    the page: those who read it would not.
    """
    # The last block before each that is no code.
    place = np.maximum.accumulate(np.where(is_code, -1, np.arange(len(share))))
    follows = (place >= 0) & (share[place] > 0)
    found: NDArray[np.bool_] = is_code & follows & (share == 0)
    return found


def cut_off(
    share: NDArray[np.float32], way: NDArray[np.intp], w: Ints
) -> NDArray[np.bool_]:
    """What comes behind a true text that ends in the midst of the page's.

    Much of it then stands in the same ways on the page as most of the text does,
    and as hardly anything does that is no content before the text's end.
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
