"""What would take minutes in quadratic time takes at most some seconds."""

from __future__ import annotations

import time

import pytest

from scrapy_eatext.algorithms.eatiht import count_sentences, split_sentences
from scrapy_eatext.algorithms.justext import NEAR_GOOD, SHORT, revise
from scrapy_eatext.algorithms.justext.reference import _declared_charset
from scrapy_eatext.algorithms.language import pick_language
from scrapy_eatext.algorithms.scripts import letters, script_language, sign_density
from tests.support.passages import PROSE

STOPS = [
    "." * 300_000 + "x",
    ".'" * 150_000,
    ". " * 150_000,
    ".”" + "”" * 300_000 + "x",
]
SIGNS = ["的" * 200_000, "ที่" * 100_000, "ก" * 300_000]
META = [b"<meta" * 300_000, b"<meta " + b"charset=>" * 200_000]


def revised(kind: str, *, headings_first: bool) -> None:
    n = 50_000
    revise([kind] * n, [True] * n, [1] * n, 10**6, headings_first=headings_first)


WORK = {
    "short": lambda: revised(SHORT, headings_first=True),
    "near-good": lambda: revised(NEAR_GOOD, headings_first=False),
    "charset": lambda: list(map(_declared_charset, META)),
    "sentences": lambda: list(map(count_sentences, STOPS)),
    "split": lambda: list(map(split_sentences, STOPS)),
    "scripts": lambda: list(map(script_language, SIGNS)),
    "letters": lambda: list(map(letters, SIGNS)),
    "signs": lambda: [
        sign_density(text, code) for text in SIGNS for code in ("zh", "th")
    ],
    # It takes about a millisecond.
    "language": lambda: [
        pick_language(" ".join(PROSE.values()) * 3) for _ in range(60)
    ],
}


@pytest.mark.parametrize("name", WORK)
def test_time_is_linear(name):
    start = time.process_time()
    WORK[name]()
    assert time.process_time() - start < 3
