"""The facts of a page's blocks, from which the first round's features are computed.

Every fact is a whole number, so that the compiled twin has exactly the same.  Nothing
here depends on a language: characters count by their class, words in attributes by a
TokenTable, and words in texts by a WordTable (words.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.columns import (
    BLOCK_COLUMNS,
    ELEMENT_COLUMNS,
    BlockColumn,
    ElementColumn,
)
from scrapy_eatext.page.tags import HEADING, PARAGRAPH, QUOTE, TAG_ID, TAGS
from scrapy_eatext.tagger import descriptions
from scrapy_eatext.tagger.operations import NONE
from scrapy_eatext.tagger.words import (
    WordTable,
    no_words,
    places_in,
    weighed,
    word_facts,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints, Rows

# The distance to a block that does not exist.
FAR = 9999

# Groups of tags with similar meaning.  Each group is a bit of a mask.
TAG_GROUPS = tuple(
    "main, article, nav, footer, header, aside, form, section, figure, "
    "blockquote, table, td th, tr, ul ol menu, li, dl, dd, dt, h1, h2, h3 h4 h5 "
    "h6, pre, details, strong b, em i, label, time, address, fieldset, small, a, "
    "div, p, span".split(", ")
)
# The groups that count as ancestors; the last three are around nearly every block.
ANCESTORS = tuple(group.split()[0] for group in TAG_GROUPS[:-3])
# Classes of tags, numbered from 1, for the branches of containers.
TAG_CLASSES = tuple(
    "div, span a, p, li, section, article main, td th, tr, ul ol, nav, aside, "
    "header, footer, h1 h2 h3 h4 h5 h6, dd dt dl, figure, form fieldset, "
    "blockquote, pre".split(", ")
)
# How many containers of a block have facts, from the innermost one outwards.
CONTAINERS = 6
# The fewest words of a long block: for sums, and for distances.
LONG, LONGER = 15, 20
# If the weights of a block's words sum up to at most minus this, its words are evidence
# against main text; the blocks after it are then often no main text either.
AGAINST = 200
# How many elements, from the innermost one outwards, are near a block.
NEAR = 4

# The columns that are summed up over runs of blocks, and over the page.  n is 1 for
# each block, headings is 1 for each heading, long has the words of long blocks, and
# flowing those of paragraphs and quotes; w, text and told are facts; all others are the
# walk's columns.
SUMMED = tuple(
    "n w chars link_chars ends links headings images controls money long flowing "
    "text told digits".split()
)
# The facts of a group of blocks with equal paths.  first is the place of its first
# block, last the place after its last block, and reach the distance between these two
# blocks.
GROUPED = tuple(
    "n w chars link_chars copied first last reach longest text digits ends money "
    "links".split()
)
_SUMMED_IN_GROUPS = tuple(
    "chars link_chars copied text digits ends money links".split()
)
# The columns that are summed up over similar siblings.
LIKE = tuple("w chars link_chars digits ends text headings images money links".split())
# The words and the number of blocks of the group with the most words, the words of all
# groups of at least four blocks, and the number of groups.
MOST = ("top", "top_n", "many", "groups")
_LEVELS = range(1, CONTAINERS + 1)
# The name_votes() of a page for its kind: for so many kinds at most.
VOTES = tuple(f"votes{k}" for k in range(16))

# The facts of each domain.  Those of a block are the walk's columns and
#   place, w, depth     its place, its words as weights() counts them, and how deep it is
#   around              a bit for each of ANCESTORS that it stands in
#   own                 a bit for each of OWN
#   flags0, flags1      a bit for each word with a flag around it, see TokenTable
#   since_heading       how many blocks ago the last heading was, or -1
#   heading_level       that heading's level, or 0
#   from_title          how far it is after the first heading of level 1, or -FAR
#   to_heading          how far the next heading is, or FAR
#   since_long, to_long how far the nearest blocks of LONGER words are, or FAR
#   since_money, ...    how far the nearest blocks with a currency sign are, or FAR
#   since_controls, ... how far the nearest blocks with a control are, or FAR
#   names...            the weights of the words in attributes around it
#   text...             the weights of the words that it begins with
#   heading_text        the fact text of the last heading, or 0
#   since_against, ...  how far the nearest blocks with words against them are, or FAR
#   told...             the words that it shares with the page's title etc., see
#                       descriptions.py
#   words_before        the words of all blocks before it
#   of_...              the row of its group or container, in another domain
#   branch1 ...         the class of the branch of each container, see _containers()
OWN = ("div", "p", "span", "item", "row")
NAMES = tuple(
    "names_near names_far names names_near_low names_near_high names_far_low "
    "names_far_high".split()
)
TEXTS = ("text", "text_low", "text_high")
FACTS = {
    "": (
        *BLOCK_COLUMNS,
        *"place w depth around own flags0 flags1 since_heading heading_level".split(),
        *"to_heading from_title since_long to_long".split(),
        *"since_money to_money since_controls to_controls".split(),
        *NAMES,
        *TEXTS,
        *"heading_text since_against to_against".split(),
        *descriptions.FACTS,
        *"of_copies of_way of_tags of_like".split(),
        *(f"{name}{k}" for name in ("of_box", "of_like", "branch") for k in _LEVELS),
        "words_before",
    ),
    "sum": SUMMED,
    "box": (*SUMMED, "first", "last", "depth"),
    "like": ("n", *LIKE),
    "copies": ("n",),
    "way": GROUPED,
    "tags": GROUPED,
    "page": (
        *SUMMED,
        *"last elements wide longest copied articles tag_groups main article".split(),
        "titles",
        *VOTES,
        *descriptions.PAGE_FACTS,
        *(f"{of}_{name}" for of in ("way", "tags") for name in MOST),
    ),
}


def _by_tag(groups: Sequence[str], values: Iterable[int]) -> Ints:
    """For each tag the value of its group, 0 for a tag in none."""
    of_tags = np.zeros(len(TAGS), dtype=np.int64)
    for group, value in zip(groups, values, strict=True):
        of_tags[[TAG_ID[tag] for tag in group.split()]] = value
    return of_tags


TAG_BITS = _by_tag(TAG_GROUPS, (1 << i for i in range(len(TAG_GROUPS))))
TAG_CLASS = _by_tag(TAG_CLASSES, range(1, len(TAG_CLASSES) + 1))


def group_bit(name: str) -> int:
    """The number of a group's bit, by its first tag."""
    return next(i for i, group in enumerate(TAG_GROUPS) if group.split()[0] == name)


# The most words with a feature of their own: each is a bit of a block's mask.
MAX_FLAGS = 64


@dataclass(frozen=True, slots=True)
class TokenTable:
    """The weights of words in attributes, in hundredths of a logit.

    ``hashes`` is sorted.  ``near`` has the weight of a word on one of the NEAR
    innermost elements around a block, and ``far`` its weight on an outer element.
    ``flag`` has the number of the word's own feature, or -1.  ``kinds`` has the weight
    of each word, a row, for each kind of page.  ``words`` is the table of words in
    texts.
    """

    hashes: npt.NDArray[np.uint32]
    near: npt.NDArray[np.int32]
    far: npt.NDArray[np.int32]
    flag: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.int16]
    words: WordTable = field(default_factory=no_words)

    @property
    def flags(self) -> int:
        """The number of words with a feature of their own."""
        return int(self.flag.max()) + 1 if len(self.flag) else 0


@dataclass(frozen=True, slots=True)
class Groups:
    """Entries grouped by equal keys; groups are in the order of their keys.

    ``of`` has the group of each entry, and ``size`` the number of entries of each
    group.  ``order`` has the entries group by group, and ``starts`` where each group
    begins in it.
    """

    of: npt.NDArray[np.intp]
    size: Ints
    order: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]

    def sums(self, values: Ints) -> Ints:
        """The sum of the values in each group, of one row or of many."""
        sums: Ints = np.add.reduceat(values[..., self.order], self.starts, axis=-1)
        return sums


@dataclass(frozen=True, slots=True)
class Levels:
    """Elements by depth, to pass values down from parents to children.

    ``order`` has the elements level by level, ``bounds`` the beginning and the end of
    each level in it, and ``above`` the position of each entry's parent in it, or -1.
    """

    order: npt.NDArray[np.intp]
    bounds: list[tuple[int, int]]
    above: npt.NDArray[np.intp]

    def down(self, combine: np.ufunc, values: Any) -> Any:
        """Each element's value combined with those of all its ancestors.

        ``values`` has a column for each element.  The result has one more column, of
        zeros, for a missing element.
        """
        in_order = values[:, self.order]
        for start, end in watched(self.bounds[1:]):
            level = in_order[:, start:end]
            combine(level, in_order.take(self.above[start:end], axis=1), out=level)
        out = np.zeros((len(in_order), len(self.order) + 1), dtype=in_order.dtype)
        out[:, self.order] = in_order
        return out


@dataclass(frozen=True, slots=True)
class Tree:
    """The facts of elements that features need: arrays with an entry an element.

    ``up`` is the innermost ancestor with more blocks, and ``top`` the outermost element
    with the same blocks.  ``mask`` has a bit for each of TAG_GROUPS among the element
    and its ancestors; ``same_way`` is a hash of their tags and class names,
    ``same_tags`` of their tags alone.  ``alike`` are the groups of similar siblings,
    those with equal tags and names.
    """

    parent: Ints
    tag: Ints
    depth: Ints
    first: Ints
    last: Ints
    up: Ints
    top: Ints
    mask: Ints
    same_way: Ints
    same_tags: Ints
    alike: Groups
    levels: Levels


def grouped(keys: Ints) -> Groups:
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    begins = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    starts = begins.nonzero()[0]
    of = np.empty(len(keys), dtype=np.intp)
    of[order] = np.cumsum(begins) - 1
    return Groups(of, np.diff(starts, append=len(keys)), order, starts)


def _columns(names: Sequence[str], table: npt.NDArray[np.int32]) -> Rows:
    """The columns of a table of the walk, by name."""
    return dict(zip(names, np.ascontiguousarray(table.T, dtype=np.int64), strict=True))


def weights(walk: Walk) -> Ints:
    """The words of a walk's blocks, where two wide characters count as one more word."""
    words, wide = walk.blocks[:, BlockColumn.WORDS], walk.blocks[:, BlockColumn.WIDE]
    return words.astype(np.int64) + (wide >> 1)


def tree_of(walk: Walk) -> Tree:
    table = _columns(ELEMENT_COLUMNS, walk.elements)
    parent, tag = table["parent"], table["tag"]
    blocks = table["last_block"] - table["first_block"]
    tokens = np.append(walk.tokens, np.uint32(0)).astype(np.int64)
    name = np.where(table["tokens"] > 0, tokens[table["first_token"]], 0)
    levels = levels_of(parent)
    up, top, way, tags = _ways(levels, parent, tag, blocks, name)
    # An element without blocks is a group of its own.
    key = ((parent + 1) * 0x9E3779B1 ^ tag * 0x85EBCA6B ^ name) & 0xFFFFFFFF
    alike = grouped(np.where(blocks > 0, key, NONE - np.arange(len(key))))
    return Tree(
        parent=parent,
        tag=tag,
        depth=table["depth"],
        first=table["first_block"],
        last=table["last_block"],
        up=up,
        top=top,
        mask=levels.down(np.bitwise_or, TAG_BITS[tag][None])[0],
        same_way=way,
        same_tags=tags,
        alike=alike,
        levels=levels,
    )


def levels_of(parent: Ints) -> Levels:
    """The levels of elements, given the parent of each, or -1."""
    # Each pass doubles the number of ancestors counted.  The last entry is for the
    # root's parent.
    above = np.append(parent, NONE)
    level = (above >= 0).astype(np.int64)
    while (above >= 0).any():
        level += level[above]
        above = above[above]
    order = level[:-1].argsort(kind="stable")
    place = np.empty(len(above), dtype=np.intp)
    place[order] = np.arange(len(order))
    place[-1] = NONE
    ends = np.cumsum(np.bincount(level[:-1])).tolist()
    return Levels(order, list(pairwise([0, *ends])), place[parent[order]])


def _ways(
    levels: Levels, parent: Ints, tag: Ints, blocks: Ints, name: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """The columns up, top, same_way and same_tags of a Tree."""
    order, count = levels.order, len(parent)
    outer = np.append(blocks[order], NONE)
    nodes = np.full((2, count + 1), NONE, dtype=np.int64)
    own = np.stack([parent[order], order])
    # Hashes modulo 2^32, from the root down; each begins with 17.
    ways = np.full((2, count + 1), 17, dtype=np.uint32)
    tags, names = (values[order].astype(np.uint32) for values in (tag + 1, name))
    for start, end in watched(levels.bounds):
        above = levels.above[start:end]
        way = ways.take(above, axis=1)
        way *= np.uint32(31)
        way += tags[start:end]
        way *= np.uint32(0x01000193)
        way[0] ^= names[start:end]
        ways[:, start:end] = way
        wider = outer.take(above) > outer[start:end]
        nodes[:, start:end] = np.where(
            wider, own[:, start:end], nodes.take(above, axis=1)
        )
        if start == 0:
            nodes[1, :end] = order[:end]
    out = np.empty((4, count), dtype=np.int64)
    out[:2, order] = nodes[:, :-1]
    out[2:, order] = ways[:, :-1]
    return out[0], out[1], out[2], out[3]


def facts_of(walk: Walk, table: TokenTable, tree: Tree, votes: Iterable[int]) -> Rows:
    """The facts of a page with blocks, from its tree_of() and its name_votes()."""
    facts = _columns(BLOCK_COLUMNS, walk.blocks) | {"w": weights(walk)}
    # A missing vote is 0.
    facts |= of_page(dict.fromkeys(VOTES, 0) | dict(zip(VOTES, votes, strict=False)))
    facts |= _own(facts, tree)
    facts |= name_facts(walk, table, tree)
    facts |= word_facts(walk, table.words)
    facts |= _distances(facts)
    facts |= descriptions.facts_of(walk, facts["w"], FAR)
    facts |= _sums(facts)
    facts |= _containers(facts, tree)
    copies = grouped(facts["hash"])
    facts |= {
        "of_copies": copies.of,
        "copies.n": copies.size,
        "copied": (copies.size > 1).astype(np.int64)[copies.of],
    }
    for of, key in (
        ("way", tree.same_way[facts["inner"]]),
        ("tags", tree.same_tags[facts["element"]]),
    ):
        facts |= _alike(of, grouped(key), facts)
    return facts | _page(facts, tree)


def of_page(values: Mapping[str, int]) -> Rows:
    """The facts of the page, each an array of one number."""
    return {f"page.{name}": np.array([value]) for name, value in values.items()}


def _own(block: Rows, tree: Tree) -> Rows:
    element, inner = block["element"], block["inner"]
    bits = TAG_BITS[tree.tag]
    own = (
        bits[element] >> group_bit("div") & 1,
        bits[element] >> group_bit("p") & 1,
        bits[inner] >> group_bit("span") & 1,
        (block["item"] >= 0).astype(np.int64),
        (block["row"] >= 0).astype(np.int64),
    )
    return {
        "place": np.arange(len(element)),
        "depth": tree.depth[element],
        "around": (tree.mask[element] | bits[inner]) & ((1 << len(ANCESTORS)) - 1),
        "own": np.bitwise_or.reduce([row << i for i, row in enumerate(own)]),
    }


def latest(marked: npt.NDArray[np.bool_]) -> Ints:
    """For each place the last marked place up to it, or -1."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), NONE))


def distance_back(marked: npt.NDArray[np.bool_]) -> Ints:
    """The distance of each block from the last marked block up to it, or FAR."""
    last = latest(marked)
    return np.where(last >= 0, np.arange(len(marked)) - last, FAR)


def distance_on(marked: npt.NDArray[np.bool_]) -> Ints:
    """The distance of each block from the next marked one, or FAR."""
    return distance_back(marked[::-1])[::-1]


def distances(marks: Mapping[str, npt.NDArray[np.bool_]]) -> Rows:
    """The facts since_... and to_... of blocks that are marked in some way."""
    rows: Rows = {}
    for name, marked in marks.items():
        rows |= {
            f"since_{name}": distance_back(marked),
            f"to_{name}": distance_on(marked),
        }
    return rows


def _distances(block: Rows) -> Rows:
    """The facts of the blocks and headings before and after each block."""
    place, heading = block["place"], block["kind"] == HEADING
    last = latest(heading)
    titles = np.flatnonzero(heading & (block["level"] == 1))
    marks = {
        "long": block["w"] >= LONGER,
        "money": block["money"] > 0,
        "controls": block["controls"] > 0,
        "against": block["text"] <= -AGAINST,
    }
    return distances(marks) | {
        "since_heading": np.where(last >= 0, place - last, NONE),
        "heading_level": np.where(last >= 0, block["level"][last], 0),
        "heading_text": np.where(last >= 0, block["text"][last], 0),
        "to_heading": distance_on(heading),
        "from_title": place - titles[0] if len(titles) else np.full(len(place), -FAR),
        **of_page({"titles": len(titles)}),
    }


def _sums(block: Rows) -> Rows:
    w, kind = block["w"], block["kind"]
    summed = block | {
        "n": np.ones_like(w),
        "headings": kind == HEADING,
        "long": np.where(w >= LONG, w, 0),
        "flowing": np.where((kind == PARAGRAPH) | (kind == QUOTE), w, 0),
    }
    return sums_of({name: summed[name] for name in SUMMED})


def sums_of(values: Rows) -> Rows:
    """Sums over the blocks before each place, and over the page."""
    sums = {name: np.append(0, np.cumsum(row)) for name, row in values.items()}
    return {f"sum.{name}": row for name, row in sums.items()} | {
        f"page.{name}": row[-1:] for name, row in sums.items()
    }


def box_sums(facts: Rows, names: Iterable[str]) -> Rows:
    """Sums over the blocks of each container."""
    first, last = facts["box.first"], facts["box.last"]
    return {
        f"box.{name}": facts[f"sum.{name}"][last] - facts[f"sum.{name}"][first]
        for name in names
    }


def like_sums(facts: Rows, tree: Tree, names: Iterable[str]) -> Rows:
    """Sums over each group of similar siblings; a last row of 0 is for no group."""
    return {
        f"like.{name}": np.append(
            tree.alike.sums(facts[f"box.{name}"][: len(tree.parent)]), 0
        )
        for name in names
    }


def _containers(block: Rows, tree: Tree) -> Rows:
    """The facts of containers: ancestors with more and more blocks.

    A container's branch is its outermost descendant with the same blocks as the
    previous container or, for the first one, as the block's own element; the branch may
    have similar siblings.  Every element may be a container.  The last row is for the
    page, the container of elements without a parent.
    """
    count = len(block["place"])
    facts = dict(block)
    facts["box.first"] = np.append(tree.first, 0)
    facts["box.last"] = np.append(tree.last, count)
    facts["box.depth"] = np.append(tree.depth, 0)
    facts |= box_sums(facts, SUMMED)
    facts |= like_sums(facts, tree, LIKE)
    facts["like.n"] = np.append(tree.alike.size, 0)
    # The last row, for a missing branch, equals that of the first element's branch.
    none = tree.alike.of[tree.top[0]]
    for name in FACTS["like"]:
        facts[f"like.{name}"][-1] = facts[f"like.{name}"][none]
    inside = block["element"]
    facts["of_like"] = tree.alike.of[inside]
    up = np.append(tree.up, NONE)
    for k in _LEVELS:
        branch = tree.top[np.maximum(inside, 0)]
        facts[f"of_like{k}"] = np.where(inside >= 0, tree.alike.of[branch], NONE)
        facts[f"branch{k}"] = TAG_CLASS[tree.tag[branch]]
        inside = up[inside]
        facts[f"of_box{k}"] = inside
    return facts


def _alike(of: str, groups: Groups, block: Rows) -> Rows:
    """The facts of groups of blocks; ``of`` is the groups' domain, "way" or "tags"."""
    w, size = block["w"], groups.size
    # In a group, blocks are in document order.
    first = groups.order[groups.starts]
    last = groups.order[groups.starts + size - 1]
    words = groups.sums(w)
    # Of several groups with the most words, the one that begins first.
    most = words == words.max()
    top = int(np.flatnonzero(most)[np.argmin(first[most])])
    whole = {
        "top": int(words[top]),
        "top_n": int(size[top]),
        "many": int(words[size >= 4].sum()),
        "groups": len(size),
    }
    return {
        f"of_{of}": groups.of,
        f"{of}.n": size,
        f"{of}.w": words,
        **{f"{of}.{name}": groups.sums(block[name]) for name in _SUMMED_IN_GROUPS},
        f"{of}.first": first,
        f"{of}.last": last + 1,
        f"{of}.reach": last - first,
        f"{of}.longest": np.maximum.reduceat(w[groups.order], groups.starts),
        **of_page({f"{of}_{name}": value for name, value in whole.items()}),
    }


def _page(block: Rows, tree: Tree) -> Rows:
    bits = TAG_BITS[tree.tag]
    w, around = block["w"], block["around"]
    values = {
        "last": len(w) - 1,
        "elements": len(tree.tag),
        "wide": int(block["wide"].sum()),
        "longest": int(w.max()),
        "copied": int(block["copied"].sum()),
        "articles": int((bits >> group_bit("article") & 1).sum()),
        "tag_groups": int(np.bitwise_or.reduce(bits)),
        **{
            name: int((w * (around >> group_bit(name) & 1)).sum())
            for name in ("main", "article")
        },
    }
    return of_page(values) | {"words_before": block["sum.w"][:-1]}


def name_facts(walk: Walk, table: TokenTable, tree: Tree) -> Rows:
    """The weights and flags of the words in attributes around each block."""
    elements = walk.elements
    # For each occurrence of a known word: its element, and its place in the table.
    owner = np.repeat(np.arange(len(elements)), elements[:, ElementColumn.TOKENS])
    place, known = places_in(table.hashes, walk.tokens)
    owner, place = owner[known], place[known]
    # A last column of zeros is for a missing element.
    near, far = (
        weighed(owner, column[place], len(elements) + 1)
        for column in (table.near, table.far)
    )
    flag = table.flag[place]
    flagged = flag >= 0
    flags = np.zeros((1, len(elements)), dtype=np.uint64)
    bits = np.uint64(1) << flag[flagged].astype(np.uint64)
    np.bitwise_or.at(flags[0], owner[flagged], bits)
    flags = tree.levels.down(np.bitwise_or, flags)
    combined = enumerate((np.add, np.minimum, np.maximum))
    above = np.vstack([tree.levels.down(by, far[i : i + 1]) for i, by in combined])
    inner = walk.blocks[:, BlockColumn.INNER].astype(np.int64)
    masks = flags[0, inner]
    return _names_around(inner, tree.parent, near, above) | {
        "flags0": (masks & np.uint64(0xFFFFFFFF)).astype(np.int64),
        "flags1": (masks >> np.uint64(32)).astype(np.int64),
    }


def _names_around(inner: Ints, parents: Ints, near: Ints, above: Ints) -> Rows:
    """The facts of NAMES, from the weights of near elements and of outer ones."""
    # The parent of the root is the last column, of zeros.
    parents = np.append(parents, NONE)
    total, low, high = near.take(inner, axis=1)
    element = inner
    for _ in range(NEAR - 1):
        element = parents[element]
        of_element, of_low, of_high = near.take(element, axis=1)
        total, low = total + of_element, np.minimum(low, of_low)
        high = np.maximum(high, of_high)
    far, far_low, far_high = above.take(parents[element], axis=1)
    rows = total, far, total + far, low, high, far_low, far_high
    return dict(zip(NAMES, rows, strict=True))
