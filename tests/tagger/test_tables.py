"""Tables of data are kept whole, and figures with their captions."""

from __future__ import annotations

import numpy as np
import pytest

from scrapy_eatext.page import Page
from scrapy_eatext.page.datatables import data_tables
from scrapy_eatext.tagger.facts import weights
from scrapy_eatext.tagger.tables import whole_tables, with_captions
from tests.support.properties import check_linear

HEAD = "<tr><th>lost<th>lost"
ROWS = "<tr><td>fish and chips<td>lost<tr><td>chips and fish<td>5"


def kept(html: str) -> list[str]:
    """The texts that are kept if all but "lost" ones were chosen."""
    blocks = Page.of(html).blocks
    texts = blocks.texts(list(range(len(blocks))))
    chosen = np.array(["lost" not in text for text in texts])
    found = whole_tables(blocks.walk, chosen, weights(blocks.walk))
    found = with_captions(blocks.walk, found)
    return [text for text, stays in zip(texts, found, strict=True) if stays]


@pytest.mark.parametrize(
    ("html", "count"),
    [
        (f"<table>{ROWS}</table>", 4),
        (f"<table>{HEAD}{ROWS}</table>", 6),
        (f"<table><caption>lost: Table 1</caption>{ROWS}</table>", 5),
        (
            f"<figure><table>{ROWS}</table><figcaption>lost: Table 1</figcaption></figure>",
            5,
        ),
        (
            f"<figure><p>x<table>{ROWS}</table><figcaption>lost</figcaption></figure>",
            6,
        ),
        ("<figure><pre>a = 1</pre><figcaption>lost</figcaption></figure>", 2),
        ("<figure><figcaption>lost</figcaption><pre>a = 1</pre></figure>", 2),
        # The caption of an image alone is left as it was chosen, and so is one of which
        # nothing else is kept.
        ("<p>x<figure><img src=x><figcaption>lost</figcaption></figure>", 1),
        ("<p>x<figure><pre>lost</pre><figcaption>lost</figcaption></figure>", 1),
        ("<p>x<div><pre>a = 1</pre><figcaption>lost</figcaption></div>", 2),
        # The caption of a table of which nothing is kept goes with it.
        (f"<p>x<table><caption>lost</caption>{HEAD}<tr><td>lost<td>lost</table>", 1),
        # A row of which less than a third was chosen goes.
        ("<table><tr><td>a<td>lost lost lost<tr><td>c d e<td>f</table>", 2),
        # Rows that lay out the page stay as they were chosen.
        (f"<table role=presentation><caption>lost</caption>{ROWS}</table>", 3),
        ("<table><tr><td>fish and chips<td>lost</table>", 1),
        ("<table><tr><td><ul><li>fish<li>lost</ul><td>b<tr><td>c<td>d</table>", 5),
    ],
)
def test_what_is_kept(html: str, count: int) -> None:
    assert len(kept(html)) == count


def test_captions_of_many_tables_take_linear_time() -> None:
    unit = f"<figure><table><caption>1</caption>{ROWS}</table><figcaption>2</figure>"

    def captions_of(page: Page) -> int:
        walk = page.blocks.walk
        data = data_tables(walk)
        assert data is not None
        with_captions(walk, np.ones(len(walk.blocks), dtype=np.bool_))
        return len(data.captions)

    check_linear(captions_of, lambda count: Page.of(unit * count), 500)
