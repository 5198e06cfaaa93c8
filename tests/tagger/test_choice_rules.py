"""What the default algorithm leaves out of the blocks that it has chosen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.page import Page
from scrapy_eatext.tagger.copies import _runs, without_copies
from scrapy_eatext.tagger.facts import weights
from tests.support.passages import PROSE


def left_by(rule, html: str, *given: object) -> list[str]:
    """The first words of the blocks that a rule leaves of those without "gone"."""
    blocks = Page.of(html).blocks
    texts = blocks.texts(list(range(len(blocks))))
    kept = np.array(["gone" not in text for text in texts])
    found = rule(blocks.walk, kept, weights(blocks.walk), *given)
    assert not (found & ~kept).any()
    return [text.split()[0] for text, stays in zip(texts, found, strict=True) if stays]


def paragraphs(*words: str) -> str:
    return "".join(f"<p>{word} {'of them ' * 12}</p>" for word in words)


ONE = paragraphs("One", "Two", "Three")


@pytest.mark.parametrize(
    ("html", "rest"),
    [
        (f"<div>{ONE}</div><div>{ONE}</div>", ["One", "Two", "Three"]),
        (f"<div>{ONE}</div><p>gone<div>{ONE}</div>", ["One", "Two", "Three"]),
        (f"<div>{ONE}</div><p>new<div>{ONE}</div>" * 2, ["One", "Two", "Three", "new"]),
        # A part of it can come again.
        (
            f"<div>{ONE}{paragraphs('Four')}</div><div>{ONE}</div>",
            ["One", "Two", "Three", "Four"],
        ),
        # A refrain stands among the other verses, ...
        (f"<div>{ONE}{ONE}</div>", ["One", "Two", "Three"] * 2),
        # who answers quotes, ...
        (f"<div>{ONE}</div><blockquote>{ONE}</blockquote>", ["One", "Two", "Three"] * 2),
        # a single block may be a note, ...
        (
            f"<div>{paragraphs('One')}</div><div>{paragraphs('One')}</div>",
            ["One", "One"],
        ),
        # short ones may be labels, ...
        ("<div><p>A<p>B</div><div><p>A<p>B</div>", ["A", "B", "A", "B"]),
        # and a manual says a little again and again.
        (
            "".join(
                f"<div>{paragraphs('One', 'Two')}</div>{paragraphs(*'ABCDEFGH'[n:n + 7])}"
                for n in range(2)
            ),
            ["One", "Two", *"ABCDEFG", "One", "Two", *"BCDEFGH"],
        ),
    ],
)  # fmt: skip
def test_copies_of_the_text_go(html, rest) -> None:
    assert left_by(without_copies, html, np.zeros(0)) == rest


@given(st.lists(st.integers(0, 3), max_size=40))
def test_runs_are_of_what_stands_further_up(texts) -> None:
    done = 0
    for first, begin, count in _runs(texts):
        assert count >= 2
        assert begin >= done
        assert first + count <= begin
        assert texts[first : first + count] == texts[begin : begin + count]
        done = begin + count


def test_runs_grow_with_what_repeats() -> None:
    # No text is in two runs, so that many copies take linear time.
    for texts in ([0] * 200_000, list(range(1000)) * 200):
        found = list(_runs(texts))
        assert len(found) < 20
        assert sum(count for _, _, count in found) < len(texts)


def test_the_reason_is_told() -> None:
    text = "".join(f"<p>{passage}</p>" for passage in list(PROSE.values())[:6])
    page = Page.of(
        f"<title>Bridge</title><h1>Bridge</h1><div>{text}</div><div>{text}</div>"
    )
    verdict = get_algorithm("eatext").judge(page)
    told = [reason.partition("left out: ")[2] for reason in verdict.reasons]
    assert told[-6:] == ["a copy of text above"] * 6
    assert set(told[:-6]) == {""}
    assert list(verdict.kept[-12:]) == [True] * 6 + [False] * 6


@pytest.mark.parametrize("heading", ["Harbour news", "About us"])
def test_a_short_page_is_not_empty(heading: str) -> None:
    """Whatever kind of page it looks like, and however unlikely its sentence is."""
    for passage in PROSE.values():
        sentence = passage.partition(". ")[0] + "."
        html = f"<html><body><h1>{heading}</h1><p>{sentence}</p></body></html>"
        verdict = get_algorithm("eatext").judge(Page.of(html))
        assert verdict.kept[-1], sentence
