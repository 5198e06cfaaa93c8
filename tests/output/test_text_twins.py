"""The compiled look-ups and texts of blocks are those of the Python twins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.metadata.jsonld import python_place_of
from scrapy_eatext.metadata.visible import python_dated
from scrapy_eatext.output.chunks import python_lines_in
from scrapy_eatext.output.posts import python_with_kept
from scrapy_eatext.output.text import DEEPEST, first_numbers, python_join
from scrapy_eatext.page import Page
from scrapy_eatext.page.blocks import python_texts, python_with_bytes
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.tables import python_rows_with, python_values_of
from scrapy_eatext.page.tags import ITEM
from tests import SITE
from tests.support.pages import any_pages
from tests.support.properties import COMPILED_ONLY

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
        given = walk, kept, numbers, DEEPEST
        assert _text.join(*given) == python_join(*given)
    rows = list(range(len(walk.elements)))
    for part in parts:
        given = walk.elements, rows, part.nonzero()[0].tolist()
        assert _text.with_kept(*given) == python_with_kept(*given)
    begin, end = sorted(rng.integers(0, len(blocks) + 2, 2).tolist())
    for longest in (0, 12, 200):
        given = walk.text, walk.blocks, longest
        assert _text.dated(*given) == python_dated(*given)
    given = walk.text, walk.blocks, list(range(begin, min(end, len(blocks))))
    assert _text.texts(*given) == python_texts(*given)
    assert _text.texts(*given) == [blocks.text(i) for i in given[2]]
    for wanted in (b"", b"e", b"\xc3\xe5\xd9"):
        assert _text.with_bytes(*given, wanted) == python_with_bytes(*given, wanted)
    check_lines(blocks, parts)
    for table in (walk.elements, walk.blocks):
        numbers = list(range(len(table)))[begin:end:3]
        for column in range(table.shape[1]):
            given = (
                table,
                column,
                int(rng.choice(table[:, column], 1)[0]) if len(table) else 0,
            )
            assert _text.rows_with(*given) == python_rows_with(*given)
            given = table, numbers, (column, 0)
            assert _text.values_of(*given) == python_values_of(*given)


def check_lines(blocks, parts):
    """The passages of kept blocks are found alike, whatever stands in the text."""
    for kept in [part.nonzero()[0].tolist() for part in parts]:
        text = python_join(blocks.walk, kept, first_numbers(blocks, kept), DEEPEST)
        chars, kinds, words = python_values_of(
            blocks.walk.blocks, kept, (BlockColumn.CHARS, BlockColumn.KIND, 0)
        )
        items = [
            blocks.text(i) for i, kind in zip(kept, kinds, strict=True) if kind == ITEM
        ]
        for said, end in (text, -2), (f"A\n\n{text}", 1), (text[3:], 0):
            made = []
            for lines_in in (python_lines_in, _text.lines_in):
                changed = kinds.copy(), words.copy()
                found = lines_in(said, chars, *changed, items, end)
                made.append((found, changed))
            assert made[0] == made[1]


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


WORDS = b"a+b", b"+a+", b"+", b"ba+"


@given(
    parts=st.lists(st.sampled_from([b"a", b"b", b"+", *WORDS])), begin=st.integers(0, 9)
)
def test_words(parts, begin):
    source = b"".join(parts)
    for word in WORDS:
        given = source, word, word.index(b"+"), begin
        assert _text.place_of(*given) == python_place_of(*given)


def test_pages_of_the_example():
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 20
    for seed, path in enumerate(found):
        check(path.read_bytes(), seed)


def test_tables_that_do_not_fit():
    walk = Page.of("<ul><li>one<li>two</ul>").blocks.walk
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.join(walk, [2], [], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(replace(walk, text=b"one"), [1], [], DEEPEST)
    short = replace(walk, elements=walk.elements[:1])
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(short, [1], [], DEEPEST)
    crossed = replace(walk, elements=walk.blocks, blocks=walk.elements)
    with pytest.raises(ValueError, match="number of columns"):
        _text.join(crossed, [1], [], DEEPEST)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.dated(b"one", walk.blocks, 200)
    with pytest.raises(ValueError, match="do not fit together"):
        _text.texts(b"one", walk.blocks, [1])
    with pytest.raises(IndexError, match="there is no element 99"):
        _text.with_kept(walk.elements, [99], [0])
    for wrong in (3, 0), (-1, 0), (0, -1):
        with pytest.raises(IndexError, match="outside"):
            _text.place_of(b"a source", b"our", *wrong)
    for wrong in ([2], (0,)), ([0], (99,)), ([-1], (0,)), ([0], (-1,)):
        with pytest.raises(IndexError, match=r"there is no (row|column)"):
            _text.values_of(walk.blocks, *wrong)
    with pytest.raises(IndexError, match="there is no column 99"):
        _text.rows_with(walk.blocks, 99, 0)
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.texts(walk.text, walk.blocks, [2])
    with pytest.raises(IndexError, match="there is no block -1"):
        _text.with_bytes(walk.text, walk.blocks, [-1], b"o")
    with pytest.raises(ValueError, match="do not fit together"):
        _text.with_bytes(b"one", walk.blocks, [1], b"x")
