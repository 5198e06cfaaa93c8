"""Features of the second round, from the first round's likelihoods of other blocks.

A likelihood is a whole number from 0 to 1200: the logit in hundredths, plus 600.  A
chance is a probability in thousandths.  A block's expected words are its words times
its chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.tagger import features
from scrapy_eatext.tagger.facts import (
    CONTAINERS,
    box_sums,
    distances,
    grouped,
    like_sums,
    of_page,
    sums_of,
)
from scrapy_eatext.tagger.facts import FACTS as FIRST_FACTS
from scrapy_eatext.tagger.features import copied, features_with, of_all, picked
from scrapy_eatext.tagger.operations import (
    CAP,
    NONE,
    Line,
    Table,
    copy,
    left,
    names_of,
    quotient,
    ratio,
    shift,
    span_quotient,
    table,
    wanted,
)

if TYPE_CHECKING:
    from scrapy_eatext.tagger.facts import Tree
    from scrapy_eatext.tagger.operations import Ints, Rows

ZERO = 600
HIGHEST = 2 * ZERO
# The chance for each likelihood.
CHANCE = np.array(
    [round(1000 / (1 + math.exp((ZERO - i) / 100))) for i in range(HIGHEST + 1)],
    dtype=np.int64,
)
SURE, LIKELY = 800, 500
AROUND = (1, 2, 3, 4, -1, -2, -3, -4)
RADII = (3, 8, 20)
# Blocks of one kind are grouped by their depth, up to this one.
DEEPEST = 65535

# The facts of each domain.  Those of a block are
#   likelihood          its likelihood by the first round
#   rank                its rank by likelihood, 0 for the likeliest block
#   words_to_rank       the words of all blocks up to its rank
#   expected_to_rank    the expected words of these blocks
#   since_..., to_...   how far the nearest likely and sure blocks are, or FAR
#   expected_before     the expected words of all blocks before it
#   expected_behind     the expected words of all blocks after it
#   of_kind             the group of the blocks of its kind and depth
# The page's first_... and last_... are the places of the first and last such block.
WEIGHED = ("likelihood", "weight", "expected")
FACTS = {
    "": (
        *"likelihood rank since_likely to_likely since_sure to_sure of_kind".split(),
        *"words_to_rank expected_to_rank expected_behind expected_before".split(),
    ),
    "sum": WEIGHED,
    "box": WEIGHED,
    "like": ("weight", "expected"),
    "copies": ("likelihood",),
    "way": ("likelihood",),
    "tags": ("likelihood",),
    "kind": ("likelihood", "n"),
    "page": (
        *WEIGHED,
        *"likely_words likely best unsure first_likely last_likely first_sure".split(),
        *"last_sure thousand".split(),
    ),
}

_BOX = table(
    ("c_likelihood", quotient, "likelihood", "n"),
    ("c_chance", quotient, "expected", "weight"),
    ("c_expected_share", ratio, "expected", "page.expected"),
    of="box",
)
_LIKE = table(("c_like_chance", quotient, "expected", "weight"), of="like")
_MEANS = {
    of: table((f"{of}_likelihood", quotient, "likelihood", "n"), of=of)
    for of in ("copies", "way", "tags", "kind")
}
_PAGE = table(
    ("page_expected", quotient, "expected", "thousand"),
    ("page_expected_share", quotient, "expected", "weight"),
    ("page_likely_words", copy, "likely_words"),
    ("page_likely", copy, "likely"),
    ("page_best", copy, "best"),
    ("page_unsure", quotient, "unsure", "weight"),
    of="page",
)
FIGURES: Table = {
    **_BOX,
    **_LIKE,
    **{name: line for lines in _MEANS.values() for name, line in lines.items()},
    **_PAGE,
}


def _around() -> Iterator[tuple[Any, ...]]:
    for by in AROUND:
        of = f"{'before' if by > 0 else 'behind'}{abs(by)}"
        yield f"{of}_likelihood", shift, "likelihood", by
    for radius in RADII:
        of = f"within{radius}"
        yield f"{of}_chance", span_quotient, "sum.expected", "sum.weight", radius
        yield f"{of}_likelihood", span_quotient, "sum.likelihood", "sum.n", radius


def _runs() -> Iterator[tuple[Any, ...]]:
    for name in ("likely", "sure"):
        yield from copied((f"since_{name}", f"to_{name}"))
        yield f"from_first_{name}", left, "place", f"page.first_{name}"
        yield f"to_last_{name}", left, f"page.last_{name}", "place"


def _containers() -> Iterator[tuple[Any, ...]]:
    for k in range(1, CONTAINERS + 1):
        yield from picked(_LIKE, "like", k)
        yield from picked(_BOX, "box", k)


FEATURES: Table = table(
    ("likelihood", copy, "likelihood"),
    *_around(),
    ("expected_before", quotient, "expected_before", "page.thousand"),
    ("expected_behind", quotient, "expected_behind", "page.thousand"),
    ("expected_share_before", ratio, "expected_before", "page.expected"),
    *copied(("rank", "words_to_rank")),
    ("words_share_to_rank", ratio, "words_to_rank", "page.weight"),
    ("expected_share_to_rank", ratio, "expected_to_rank", "page.expected"),
    *_runs(),
    *_containers(),
    *(line for of, lines in _MEANS.items() for line in picked(lines, of)),
    *of_all(_PAGE),
)

# The figures that features of the second round may read.
READABLE: Table = {**features.FIGURES, **FIGURES}
# The columns that features of the first and of the second round may read.  A column's
# position here is its number in the compiled twin.
FIRST_COLUMNS = [*names_of(FIRST_FACTS), *features.FIGURES]
COLUMNS = [*FIRST_COLUMNS, *names_of(FACTS), *FIGURES]


def asked_features(
    first: Sequence[str], second: Sequence[str], flags: int
) -> tuple[list[str], list[str]]:
    """The features that trees test: those of features.py, and those of this module.

    ``first`` and ``second`` are the names that the trees of each round test.
    """
    known = features_with(flags)
    own = dict.fromkeys([*first, *filter(known.__contains__, second)])
    return list(own), [name for name in second if name not in known]


def lines_of(names: Iterable[str], flags: int, later: bool) -> list[list[Line]]:
    """The lines of some features of one round, see wanted().

    ``later`` is true for the second round; ``flags`` is the number of words with a
    feature of their own.  Raises ValueError for a name that no feature of the round
    has.
    """
    if later:
        return wanted(names, FEATURES, READABLE)
    return wanted(names, features_with(flags), features.FIGURES)


def context_facts(first: Rows, tree: Tree, likelihood: Ints) -> Rows:
    """The facts of both rounds, from those of the first round and its likelihoods."""
    chance = CHANCE[likelihood]
    w = np.minimum(first["w"], CAP)
    expected = chance * w
    facts = first | {"likelihood": likelihood}
    facts |= sums_of({"likelihood": likelihood, "weight": w, "expected": expected})
    facts["expected_before"] = facts["sum.expected"][:-1]
    facts["expected_behind"] = facts["page.expected"] - facts["sum.expected"][1:]
    facts |= box_sums(facts, WEIGHED)
    facts |= like_sums(facts, tree, ("weight", "expected"))
    # The last row is for a missing branch: its c_like_chance is -1.
    facts["like.weight"][-1], facts["like.expected"][-1] = 1, NONE
    kinds = grouped(first["kind"] * (DEEPEST + 1) + np.minimum(first["depth"], DEEPEST))
    facts |= {"of_kind": kinds.of, "kind.n": kinds.size}
    for of in _MEANS:
        group, n = facts[f"of_{of}"], len(facts[f"{of}.n"])
        facts[f"{of}.likelihood"] = np.zeros(n, dtype=np.int64)
        np.add.at(facts[f"{of}.likelihood"], group, likelihood)
    facts |= _ranks(likelihood, w, expected) | _runs_of(chance)
    return facts | of_page(
        {
            "likely_words": int(w[chance >= LIKELY].sum()),
            "likely": int((chance >= LIKELY).sum()),
            "best": int(likelihood.max()),
            "unsure": int((np.minimum(chance, 1000 - chance) * w).sum()),
            "thousand": 1000,
        }
    )


def best_first(likelihood: Ints) -> Ints:
    """The blocks in descending order of likelihood; ties keep their order."""
    return np.argsort(-likelihood, kind="stable")


def _ranks(likelihood: Ints, w: Ints, expected: Ints) -> Rows:
    """The facts rank, words_to_rank and expected_to_rank."""
    order = best_first(likelihood)
    rank, words, to_rank = (np.empty_like(w) for _ in range(3))
    rank[order] = np.arange(len(w))
    words[order] = np.cumsum(w[order])
    to_rank[order] = np.cumsum(expected[order])
    return {"rank": rank, "words_to_rank": words, "expected_to_rank": to_rank}


def _runs_of(chance: Ints) -> Rows:
    """The distances to likely and sure blocks, and the places of the outermost ones."""
    marks = {"likely": chance >= LIKELY, "sure": chance >= SURE}
    rows = distances(marks)
    for name, marked in marks.items():
        places = np.flatnonzero(marked)
        first, last = places[[0, -1]].tolist() if len(places) else (NONE, NONE)
        rows |= of_page({f"first_{name}": first, f"last_{name}": last})
    return rows
