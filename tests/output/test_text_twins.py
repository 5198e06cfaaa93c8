"""The compiled text of blocks is that of the Python twin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.output.code import Content
from scrapy_eatext.output.text import (
    DEEPEST,
    first_numbers,
    places_in_tables,
    python_join,
)
from scrapy_eatext.page import Page
from tests.support.pages import any_pages
from tests.support.properties import COMPILED_ONLY
from tests.support.suites import EXAMPLE

pytestmark = COMPILED_ONLY
if scrapy_eatext.compiled:
    from scrapy_eatext.native import _text

PIECES = [
    "<ol start=7>",
    "<li value=3>",
    *"<ul> <ol> <li> </li> </ul> </ol> <table> <tr> <td> </td> </tr> </table>".split(),
    *"<p> <h2> <pre> <blockquote> one 2 ä <br> <dl> <dt> <dd> <th>".split(),
]


def check(html: str | bytes, seed: int) -> None:
    """The twins agree on all of a page, and on parts of it."""
    rng = np.random.default_rng(seed)
    blocks = Page.of(html).blocks
    walk = blocks.walk
    parts = [rng.random(len(blocks)) < share for share in (1.1, 0.7, 0.3, 0)]
    for kept in [part.nonzero()[0].tolist() for part in parts]:
        numbers = first_numbers(blocks, kept)
        places = places_in_tables(blocks, Content(kept, {}))
        given = walk, kept, numbers, places.gaps() if places else [], DEEPEST
        assert _text.join(*given) == python_join(*given)


@given(html=any_pages(), seed=st.integers(0, 2**32 - 1))
def test_pages(html, seed):
    check(html, seed)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=80))
def test_lists_and_tables(pieces):
    check(" ".join(pieces), len(pieces))


def test_pages_of_the_example():
    for seed, page in enumerate(EXAMPLE):
        check(page, seed)


def test_tables_that_do_not_fit():
    walk = Page.of("<ul><li>one<li>two</ul>").blocks.walk
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.join(walk, [2], [], [], DEEPEST)
    with pytest.raises(ValueError, match="a gap for each block"):
        _text.join(walk, [0, 1], [], ["\n"], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(replace(walk, text=b"one"), [1], [], [], DEEPEST)
    short = replace(walk, elements=walk.elements[:1])
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(short, [1], [], [], DEEPEST)
    crossed = replace(walk, elements=walk.blocks, blocks=walk.elements)
    with pytest.raises(ValueError, match="number of columns"):
        _text.join(crossed, [1], [], [], DEEPEST)
