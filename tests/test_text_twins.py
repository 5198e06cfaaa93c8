"""The compiled text is that of the Python twin, and its names are found alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.output.names import _MAYBE, python_candidates
from scrapy_eatext.output.text import first_numbers, python_join
from scrapy_eatext.page import Page
from tests.pages import any_pages

# Without it there is nothing to compare; the build is tested by the wheel's tests.
pytestmark = pytest.mark.skipif(
    not scrapy_eatext.compiled, reason="the compiled text has not been built"
)
if scrapy_eatext.compiled:
    from scrapy_eatext.output import _text

SITE = Path(__file__).parent.parent / "example_project" / "site"
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
        found = _text.join(walk.text, walk.elements, walk.blocks, kept, numbers)
        assert found == python_join(blocks, kept, {})
    for maybe in (_MAYBE, rng.integers(0, 2, 0x10000).astype(np.uint8)):
        given = walk.tokens, walk.elements, maybe
        for ours, theirs in zip(
            _text.candidates(*given), python_candidates(*given), strict=True
        ):
            assert ours.tolist() == theirs.tolist()


@given(html=any_pages(), seed=st.integers(0, 2**32 - 1))
def test_pages(html, seed):
    check(html, seed)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=80))
def test_lists_and_tables(pieces):
    check(" ".join(pieces), len(pieces))


def test_pages_of_the_example():
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 20
    for seed, path in enumerate(found):
        check(path.read_bytes(), seed)


def test_tables_that_do_not_fit():
    walk = Page.of("<ul><li>one<li>two</ul>").blocks.walk
    with pytest.raises(IndexError, match="there is no block 2"):
        _text.join(walk.text, walk.elements, walk.blocks, [2], [])
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(b"one", walk.elements, walk.blocks, [1], [])
    with pytest.raises(ValueError, match="do not fit together"):
        _text.join(walk.text, walk.elements[:1], walk.blocks, [1], [])
    with pytest.raises(ValueError, match="number of columns"):
        _text.join(walk.text, walk.blocks, walk.elements, [1], [])
