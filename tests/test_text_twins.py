"""The compiled text is that of the Python twin, and what is looked for is found alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.metadata.visible import (
    python_dated,
    python_headings,
    python_short,
    python_tagged,
)
from scrapy_eatext.output.posts import python_with_kept
from scrapy_eatext.output.text import DEEPEST, first_numbers, python_join
from scrapy_eatext.page import Page
from scrapy_eatext.page.blocks import python_texts
from scrapy_eatext.page.names import _BITS, _HASHES, _MAYBE, Names, python_named
from tests.pages import any_pages
from tests.properties import COMPILED_ONLY, SITE

pytestmark = COMPILED_ONLY
if scrapy_eatext.compiled:
    from scrapy_eatext.output import _text
    from scrapy_eatext.page import _walk

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
        given = walk.text, walk.elements, walk.blocks, kept, numbers, DEEPEST
        found = _text.join(*given)
        assert found == python_join(blocks, kept, {})
    some = np.unique(walk.tokens[::3])
    bits = rng.integers(1, 8, len(some)).astype(np.uint32)
    for maybe, hashes, bits_of, count in (
        (_MAYBE, _HASHES, _BITS, Names.count),
        (np.full(16, 255, dtype=np.uint8), some, bits, 3),
    ):
        given = walk.tokens, walk.elements, maybe, hashes, bits_of, count
        assert _walk.named(*given) == python_named(*given)
    rows = list(range(len(walk.elements)))
    for part in parts:
        given = walk.elements, rows, part.nonzero()[0].tolist()
        assert _text.with_kept(*given) == python_with_kept(*given)
    begin, end = sorted(rng.integers(0, len(blocks) + 2, 2).tolist())
    for tag in {0, *walk.elements[:, 1].tolist()}:
        given = walk.elements, tag, begin, end
        assert _text.tagged(*given) == python_tagged(*given)
    for most in (0, 1, 20):
        assert _text.headings(walk.blocks, most) == python_headings(walk.blocks, most)
    for longest in (0, 12, 200):
        given = walk.text, walk.blocks, longest
        assert _text.dated(*given) == python_dated(*given)
        given = walk.blocks, begin, end, longest
        assert _text.short(*given) == python_short(*given)
    given = walk.text, walk.blocks, list(range(begin, min(end, len(blocks))))
    assert _text.texts(*given) == python_texts(*given)
    assert _text.texts(*given) == [blocks.text(i) for i in given[2]]


@given(html=any_pages(), seed=st.integers(0, 2**32 - 1))
def test_pages(html, seed):
    check(html, seed)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=80))
def test_lists_and_tables(pieces):
    check(" ".join(pieces), len(pieces))


DIGITS = ["19", "20", "2024", "1", "3", "x", "é", "٣", "３", "年", " ", ". ", "/"]


@given(texts=st.lists(st.lists(st.sampled_from(DIGITS)).map("".join)))
def test_dates(texts):
    check("".join(f"<p>{text}</p>" for text in texts), len(texts))


def test_pages_of_the_example():
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 20
    for seed, path in enumerate(found):
        check(path.read_bytes(), seed)


def test_tables_that_do_not_fit():
    walk = Page.of("<ul><li>one<li>two</ul>").blocks.walk
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.join(walk.text, walk.elements, walk.blocks, [2], [], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(b"one", walk.elements, walk.blocks, [1], [], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(walk.text, walk.elements[:1], walk.blocks, [1], [], DEEPEST)
    with pytest.raises(ValueError, match="number of columns"):
        _text.join(walk.text, walk.blocks, walk.elements, [1], [], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.dated(b"one", walk.blocks, 200)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.texts(b"one", walk.blocks, [1])
    with pytest.raises(ValueError, match="no bits"):
        _walk.named(walk.tokens, walk.elements, _MAYBE, _HASHES, _BITS[1:], Names.count)
    with pytest.raises(IndexError, match="there is no element 99"):
        _text.with_kept(walk.elements, [99], [0])
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.texts(walk.text, walk.blocks, [2])
