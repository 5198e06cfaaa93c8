"""Features of the first round: of a block, its containers, neighbours and page.

Each feature is a line of a table.  It reads facts (facts.py) and figures: lines that
are computed once for each container, group or page.  Shares are in thousandths.  A
model refers to features by name: if a line is removed or its meaning changes, the
models that use it have to be trained again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from scrapy_eatext.tagger.descriptions import MEASURED, OF_SOURCES
from scrapy_eatext.tagger.facts import (
    ANCESTORS,
    NAMES,
    OWN,
    TEXTS,
    VOTES,
    group_bit,
)
from scrapy_eatext.tagger.operations import (
    Table,
    bit,
    copy,
    left,
    pick,
    place,
    quotient,
    ratio,
    shift,
    span_quotient,
    span_ratio,
    step,
    table,
)

# How many of a block's containers have features.
CONTAINERS = 5
# The radii of windows around a block, in blocks.
WINDOWS = (4, 10, 25)
PAGE_HAS = ("main", "article", "table", "form", "pre", "dl", "nav", "footer")

# Figures of containers.  For c_n, the feature of a block's first container is c1_n,
# that of the second c2_n, and so on.
_BOX = table(
    ("c_depth", copy, "depth"),
    ("c_start", ratio, "first", "page.n"),
    ("c_share", ratio, "w", "page.w"),
    ("c_n", copy, "n"),
    ("c_w", copy, "w"),
    ("c_money", copy, "money"),
    ("c_controls", copy, "controls"),
    ("c_density", ratio, "link_chars", "chars"),
    ("c_mean", ratio, "w", "n"),
    ("c_ends", ratio, "ends", "w"),
    ("c_long", ratio, "long", "w"),
    ("c_links", ratio, "links", "n"),
    ("c_heads", ratio, "headings", "n"),
    ("c_flowing", ratio, "flowing", "w"),
    ("c_images", ratio, "images", "n"),
    ("c_text", quotient, "text", "n"),
    ("c_told", ratio, "told", "w"),
    of="box",
)
# Figures of groups of similar siblings.  A block's c1_likes is for the group of its
# first container's branch, see facts.py.
_LIKE = table(
    ("c_likes", copy, "n"),
    ("c_like_mean", quotient, "w", "n"),
    ("c_like_density", ratio, "link_chars", "chars"),
    ("c_like_digits", ratio, "digits", "chars"),
    ("c_like_ends", ratio, "ends", "w"),
    ("c_like_text", quotient, "text", "n"),
    ("c_like_share", ratio, "w", "page.w"),
    ("c_like_heads", ratio, "headings", "n"),
    ("c_like_images", ratio, "images", "n"),
    ("c_like_money", ratio, "money", "n"),
    ("c_like_links", ratio, "links", "n"),
    of="like",
)


def _group(of: str) -> Table:
    """Figures of groups of blocks with equal paths; ``of`` is "way" or "tags"."""
    return table(
        (f"{of}_n", copy, "n"),
        (f"{of}_mean", quotient, "w", "n"),
        (f"{of}_share", ratio, "w", "page.w"),
        (f"{of}_density", ratio, "link_chars", "chars"),
        (f"{of}_copied", ratio, "copied", "n"),
        (f"{of}_spread", ratio, "reach", "page.n"),
        (f"{of}_start", ratio, "first", "page.n"),
        (f"{of}_longest", copy, "longest"),
        (f"{of}_text", quotient, "text", "n"),
        (f"{of}_digits", ratio, "digits", "chars"),
        (f"{of}_ends", ratio, "ends", "w"),
        (f"{of}_money", ratio, "money", "n"),
        (f"{of}_links", ratio, "links", "n"),
        of=of,
    )


def _most(of: str) -> Table:
    """Figures of the page's largest groups."""
    return table(
        (f"page_{of}_top", ratio, f"{of}_top", "w"),
        (f"page_{of}_top_n", copy, f"{of}_top_n"),
        (f"page_{of}_top_mean", quotient, f"{of}_top", f"{of}_top_n"),
        (f"page_{of}_many", ratio, f"{of}_many", "w"),
        (f"page_{of}_groups", ratio, f"{of}_groups", "n"),
        of="page",
    )


_PAGE = table(
    ("page_n", copy, "n"),
    ("page_w", copy, "w"),
    ("page_density", ratio, "link_chars", "chars"),
    ("page_mean", ratio, "w", "n"),
    ("page_long", ratio, "long", "w"),
    ("page_ends", ratio, "ends", "w"),
    ("page_heads", ratio, "headings", "n"),
    ("page_images", ratio, "images", "n"),
    ("page_money", copy, "money"),
    ("page_controls", copy, "controls"),
    ("page_flowing", ratio, "flowing", "w"),
    ("page_elements", ratio, "elements", "n"),
    ("page_wide", ratio, "wide", "chars"),
    ("page_longest", copy, "longest"),
    ("page_copied", copy, "copied"),
    ("page_text", quotient, "text", "n"),
    ("page_articles", copy, "articles"),
    *((f"page_has_{name}", bit, "tag_groups", group_bit(name)) for name in PAGE_HAS),
    ("page_share_main", ratio, "main", "w"),
    ("page_share_article", ratio, "article", "w"),
    of="page",
)
_WAY, _TAGS, _WAY_MOST, _TAGS_MOST = (
    make(of) for make in (_group, _most) for of in ("way", "tags")
)

FIGURES: Table = {
    **table(("density", ratio, "link_chars", "chars")),
    **_BOX,
    **_LIKE,
    **_WAY,
    **_TAGS,
    **_WAY_MOST,
    **_TAGS_MOST,
    **_PAGE,
}


def copied(facts: Iterable[str], of: str = "") -> Iterator[tuple[Any, ...]]:
    """Features that are facts of a block, or of another domain with one row."""
    for name in facts:
        yield (f"{of}_{name}", copy, f"{of}.{name}") if of else (name, copy, name)


def picked(figures: Table, of: str, k: int | str = "") -> Iterator[tuple[Any, ...]]:
    """Features that copy the figures of a block's group or its ``k``-th container."""
    for name in figures:
        feature = name.rpartition(".")[2]
        yield (f"c{k}{feature[1:]}" if k else feature, pick, name, f"of_{of}{k}")


def of_all(figures: Table) -> Iterator[tuple[Any, ...]]:
    """Features that copy the figures of the page to each block."""
    for name in figures:
        yield name.rpartition(".")[2], copy, name


def _containers() -> Iterator[tuple[Any, ...]]:
    for k in range(1, CONTAINERS + 1):
        yield from picked(_BOX, "box", k)
        yield from picked(_LIKE, "like", k)
        yield f"c{k}_place", place, f"of_box{k}", "box.first", "box.last"
        yield f"c{k}_branch", copy, f"branch{k}"


def _neighbours() -> Iterator[tuple[Any, ...]]:
    near = ("w", "density"), ("kind", "ends", "last", "text"), ("elements", "level")
    for by in (1, 2, 3, -1, -2, -3):
        of = f"{'before' if by > 0 else 'behind'}{abs(by)}"
        for name in near[0]:
            yield f"{of}_{name}", shift, name, by
        if abs(by) <= 2:
            for name in near[1]:
                yield f"{of}_{name}", shift, name, by
            yield f"{of}_depth", step, "depth", by
        if abs(by) == 1:
            for name in near[2]:
                yield f"{of}_{name}", shift, name, by


def _windows() -> Iterator[tuple[Any, ...]]:
    for radius in WINDOWS:
        of = f"window{radius}"
        yield f"{of}_mean", span_ratio, "sum.w", "sum.n", radius
        yield f"{of}_density", span_ratio, "sum.link_chars", "sum.chars", radius
        yield f"{of}_ends", span_ratio, "sum.ends", "sum.w", radius
        yield f"{of}_long", span_ratio, "sum.long", "sum.w", radius
        yield f"{of}_text", span_quotient, "sum.text", "sum.n", radius
        yield f"{of}_told", span_ratio, "sum.told", "sum.w", radius


def _of_descriptions() -> Iterator[tuple[Any, ...]]:
    """Features of the words that a block shares with the page's title, summary etc."""
    yield from copied(OF_SOURCES)
    for name in MEASURED:
        yield f"page_{name}", copy, f"page.{name}"
        yield f"{name}_cover", ratio, name, f"page.{name}"
        yield f"{name}_share", ratio, name, "told_words"
    yield from copied(("headline", "from_headline", "from_summary"))
    yield from copied(("best_headline", "best_summary"), of="page")


FEATURES: Table = table(
    *copied("kind level chars width lines links first last images controls".split()),
    *copied("elements ends commas digits w".split()),
    ("link_chars_share", ratio, "link_chars", "chars"),
    ("strong_chars_share", ratio, "strong_chars", "chars"),
    *(
        (f"{name}_share", ratio, name, "chars")
        for name in "upper digits ends commas marks money rights wide other".split()
    ),
    ("word_length", ratio, "chars", "words"),
    ("plain_chars", left, "chars", "link_chars"),
    ("in_item", bit, "own", OWN.index("item")),
    ("in_row", bit, "own", OWN.index("row")),
    *((f"in_{name}", bit, "around", i) for i, name in enumerate(ANCESTORS)),
    ("is_div", bit, "own", OWN.index("div")),
    ("is_p", bit, "own", OWN.index("p")),
    ("is_span", bit, "own", OWN.index("span")),
    ("depth", copy, "depth"),
    ("likes", pick, "like.n", "of_like"),
    *_containers(),
    *_neighbours(),
    *_windows(),
    *copied(("since_heading", "heading_level", "from_title")),
    ("titles", copy, "page.titles"),
    *copied("to_heading since_long to_long since_money to_money".split()),
    *copied(("since_controls", "to_controls")),
    ("copies", pick, "copies.n", "of_copies"),
    *picked(_WAY, "way"),
    ("way_place", place, "of_way", "way.first", "way.last"),
    *of_all(_WAY_MOST),
    *picked(_TAGS, "tags"),
    ("tags_place", place, "of_tags", "tags.first", "tags.last"),
    *of_all(_TAGS_MOST),
    *of_all(_PAGE),
    ("place", copy, "place"),
    ("places_left", left, "page.last", "place"),
    ("place_share", ratio, "place", "page.n"),
    ("words_before", ratio, "words_before", "page.w"),
    *copied((*NAMES, *TEXTS, "heading_text", "since_against", "to_against")),
    *_of_descriptions(),
    *copied(VOTES, of="page"),
)


@cache
def features_with(flags: int) -> Table:
    """All features, with one for each of ``flags`` words; see TokenTable."""
    named = ((f"name{k}", bit, f"flags{k // 32}", k % 32) for k in range(flags))
    return {**FEATURES, **table(*named)}
