"""What the first trees see of a block: itself, its containers, neighbours and page.

Every figure is a whole number, and shares are in thousandths, so that the
compiled twin gives the same to the last bit.  Nothing here knows a language:
characters count by their class, and names of elements by the TokenTable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.tags import HEADING, PARAGRAPH, QUOTE, TAG_ID, TAGS
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page.walk import Walk

    Ints = npt.NDArray[np.int64]
    Rows = dict[str, Ints]

# No figure is larger than this, so that all fit 32 bits.
CAP = 1_000_000
# Where there is nothing to count.
NONE = -1
FAR = 9999

# Tags that mean the same, a bit of a mask each.
TAG_GROUPS = (
    "main",
    "article",
    "nav",
    "footer",
    "header",
    "aside",
    "form",
    "section",
    "figure",
    "blockquote",
    "table",
    "td th",
    "tr",
    "ul ol menu",
    "li",
    "dl",
    "dd",
    "dt",
    "h1",
    "h2",
    "h3 h4 h5 h6",
    "pre",
    "details",
    "strong b",
    "em i",
    "label",
    "time",
    "address",
    "fieldset",
    "small",
    "a",
    "div",
    "p",
    "span",
)
# The last three stand around nearly everything.
ANCESTORS = tuple(group.split()[0] for group in TAG_GROUPS[:-3])
PAGE_HAS = ("main", "article", "table", "form", "pre", "dl", "nav", "footer")
# What a branch of a container is made of, as one number.
TAG_CLASSES = (
    "div",
    "span a",
    "p",
    "li",
    "section",
    "article main",
    "td th",
    "tr",
    "ul ol",
    "nav",
    "aside",
    "header",
    "footer",
    "h1 h2 h3 h4 h5 h6",
    "dd dt dl",
    "figure",
    "form fieldset",
    "blockquote",
    "pre",
)
CONTAINERS = 5
# Blocks on either side that a window takes in.
WINDOWS = (4, 10, 25)
# From how many words on a block is long.
LONG, LONGER = 15, 20
# How many elements, from the innermost one up, are near a block.
NEAR = 4

_WORDS, _WIDE = (BLOCK_COLUMNS.index(name) for name in ("words", "wide"))


def _bits() -> Ints:
    bits = np.zeros(len(TAGS), dtype=np.int64)
    for i, group in enumerate(TAG_GROUPS):
        for tag in group.split():
            bits[TAG_ID[tag]] |= 1 << i
    return bits


def _classes() -> Ints:
    classes = np.zeros(len(TAGS), dtype=np.int64)
    for i, group in enumerate(TAG_CLASSES):
        for tag in group.split():
            classes[TAG_ID[tag]] = i + 1
    return classes


TAG_BITS = _bits()
TAG_CLASS = _classes()


def _bit(name: str) -> int:
    return next(i for i, group in enumerate(TAG_GROUPS) if group.split()[0] == name)


@dataclass(frozen=True, slots=True)
class TokenTable:
    """What the words in attributes tell, in hundredths of a logit.

    ``hashes`` is sorted; ``near`` and ``far`` are the weights of a word on one
    of the NEAR innermost elements around a block and farther out; ``flag`` is
    the number of the word's own feature, or -1.
    """

    hashes: npt.NDArray[np.uint32]
    near: npt.NDArray[np.int32]
    far: npt.NDArray[np.int32]
    flag: npt.NDArray[np.int32]

    @property
    def flags(self) -> int:
        """How many words have a feature of their own."""
        return int(self.flag.max()) + 1 if len(self.flag) else 0


@dataclass(frozen=True, slots=True)
class Groups:
    """Entries in groups of equal keys, in the order of the keys.

    ``of`` is the number of each entry's group and ``size`` how many are in each;
    ``order`` has the entries group by group, which begin at ``starts``.
    """

    of: npt.NDArray[np.intp]
    size: Ints
    order: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]

    def sums(self, values: Ints) -> Ints:
        """The sum of the values in each group, of one row or of many."""
        if not len(self.starts):
            return values
        sums: Ints = np.add.reduceat(values[..., self.order], self.starts, axis=-1)
        return sums


@dataclass(frozen=True, slots=True)
class Levels:
    """Elements by their distance from the root, to hand figures down to all.

    ``order`` has the elements level by level, and ``bounds`` where each level
    begins and ends in it; ``above`` is where in ``order`` their parents are, -1
    for none.
    """

    order: npt.NDArray[np.intp]
    bounds: list[tuple[int, int]]
    above: npt.NDArray[np.intp]

    def down(self, combine: np.ufunc, values: Any) -> Any:
        """Rows of values, each combined with those of all elements around.

        There is one more column, of zeros, for what has no element.
        """
        found = values[:, self.order]
        for start, end in watched(self.bounds[1:]):
            here = found[:, start:end]
            combine(here, found.take(self.above[start:end], axis=1), out=here)
        out = np.zeros((len(found), len(self.order) + 1), dtype=found.dtype)
        out[:, self.order] = found
        return out


@dataclass(frozen=True, slots=True)
class Tree:
    """The element table with what the features need of it, an entry an element.

    ``up`` is the innermost element around with more blocks, ``top`` the
    outermost with the same blocks; ``mask`` has a bit for each of TAG_GROUPS on
    the way up; ``same_way`` and ``same_tags`` are hashes of that way.
    ``likes`` counts the siblings that look alike, which are ``alike``.
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
    likes: Ints
    alike: Groups
    levels: Levels


def ratio(part: Ints, whole: Ints | int) -> Ints:
    """Thousandths of the whole; both are not negative."""
    return part * 1000 // np.maximum(whole, 1)


def share(part: int, whole: int) -> int:
    """Thousandths of the whole, of two numbers."""
    return part * 1000 // max(whole, 1)


def prefix(values: Ints) -> Ints:
    """Sums of all values before each place, and of all; of one row or of many."""
    sums = np.zeros((*values.shape[:-1], values.shape[-1] + 1), dtype=np.int64)
    np.cumsum(values, axis=-1, out=sums[..., 1:])
    return sums


def grouped(keys: Ints) -> Groups:
    """The groups of equal keys."""
    order = keys.argsort(kind="stable")
    ordered = keys[order]
    begins = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    starts = begins.nonzero()[0]
    of = np.empty(len(keys), dtype=np.intp)
    of[order] = np.cumsum(begins) - 1
    return Groups(of, np.diff(starts, append=len(keys)), order, starts)


def columns(walk: Walk) -> Rows:
    """The columns of the block table."""
    return dict(zip(BLOCK_COLUMNS, _transposed(walk.blocks), strict=True))


def _transposed(table: npt.NDArray[np.int32]) -> Ints:
    return np.ascontiguousarray(table.T, dtype=np.int64)


def weights(walk: Walk) -> Ints:
    """The blocks' words, as weigh() counts them."""
    blocks = walk.blocks
    return blocks[:, _WORDS].astype(np.int64) + blocks[:, _WIDE] // 2


def weigh(block: Rows) -> Ints:
    """The blocks' words; two wide characters count as one more."""
    return block["words"] + block["wide"] // 2


def tree_of(walk: Walk) -> Tree:
    """What the features need of the element table."""
    table = dict(zip(ELEMENT_COLUMNS, _transposed(walk.elements), strict=True))
    parent, tag = table["parent"], table["tag"]
    blocks = table["last_block"] - table["first_block"]
    tokens = np.append(walk.tokens, np.uint32(0)).astype(np.int64)
    name = np.where(table["tokens"] > 0, tokens[table["first_token"]], 0)
    levels = levels_of(parent)
    up, top, way, tags = _ways(levels, parent, tag, blocks, name)
    # Elements without blocks are like none.
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
        likes=alike.size[alike.of],
        alike=alike,
        levels=levels,
    )


def levels_of(parent: Ints) -> Levels:
    """The levels of elements, given the parent of each or -1."""
    # Each round doubles how far up the elements have counted; the last place is
    # what stands above all.
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
    """What is called up, top, same_way and same_tags in a Tree."""
    order, count = levels.order, len(parent)
    outer = np.append(blocks[order], NONE)
    nodes = np.full((2, count + 1), NONE, dtype=np.int64)
    own = np.stack([parent[order], order])
    # Hashes of 32 bits, by numbers that drop what is above; 17 begins them.
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


def block_features(walk: Walk, table: TokenTable, tree: Tree | None = None) -> Rows:
    """The first features of a page's blocks: an array of a figure a block each.

    ``tree`` is tree_of() the walk, where that is known already.
    """
    block, tree = columns(walk), tree or tree_of(walk)
    w = weigh(block)
    before = _summed(block, w)
    rows = _own(block, w)
    rows |= _ancestry(block, tree)
    rows |= _containers(block, tree, before)
    rows |= _neighbours(block, rows, w)
    rows |= _windows(before, len(w))
    rows |= _distances(block, w)
    rows |= _alike(block, tree, w)
    rows |= _page(block, tree, rows, before)
    rows |= token_features(walk, table, tree)
    return clipped(rows)


def clipped(rows: Rows) -> Rows:
    """The rows, with no figure above CAP."""
    # All at once, as a call for each row would take longer than all else.
    table = np.concatenate(list(rows.values())).reshape(len(rows), -1)
    return dict(zip(rows, np.clip(table, -CAP, CAP, out=table), strict=True))


# What is summed up over runs of blocks, a row each.
_SUMMED = (
    "n",
    "w",
    "chars",
    "link",
    "ends",
    "links",
    "heads",
    "images",
    "controls",
    "money",
    "long",
    "flowing",
)


def _sums_of(*names: str) -> npt.NDArray[np.intp]:
    """The rows of _SUMMED that have these names."""
    return np.array([_SUMMED.index(name) for name in names], dtype=np.intp)


def _summed(block: Rows, w: Ints) -> Ints:
    """The sums over all blocks before each, and over all."""
    flowing = (block["kind"] == PARAGRAPH) | (block["kind"] == QUOTE)
    counted = (
        np.ones(len(w), dtype=np.int64),
        w,
        block["chars"],
        block["link_chars"],
        block["ends"],
        block["links"],
        block["kind"] == HEADING,
        block["images"],
        block["controls"],
        block["money"],
        np.where(w >= LONG, w, 0),
        np.where(flowing, w, 0),
    )
    return prefix(np.concatenate(counted).reshape(len(counted), -1))


def _own(block: Rows, w: Ints) -> Rows:
    chars = block["chars"]
    rows = {
        name: block[name]
        for name in (
            "kind",
            "level",
            "chars",
            "width",
            "lines",
            "links",
            "first",
            "last",
            "images",
            "controls",
            "elements",
            "ends",
            "commas",
            "digits",
        )
    }
    rows["w"] = w
    shares = (
        "link_chars",
        "strong_chars",
        "upper",
        "digits",
        "ends",
        "commas",
        "marks",
        "money",
        "rights",
        "wide",
        "other",
    )
    parts = np.concatenate([block[name] for name in shares]).reshape(len(shares), -1)
    rows |= zip((f"{name}_share" for name in shares), ratio(parts, chars), strict=True)
    rows["word_length"] = ratio(chars, block["words"])
    rows["plain_chars"] = chars - block["link_chars"]
    rows["in_item"] = (block["item"] >= 0).astype(np.int64)
    rows["in_row"] = (block["row"] >= 0).astype(np.int64)
    return rows


def _ancestry(block: Rows, tree: Tree) -> Rows:
    element, inner = block["element"], block["inner"]
    mask = tree.mask[element] | TAG_BITS[tree.tag[inner]]
    inside = mask >> np.arange(len(ANCESTORS))[:, None] & 1
    rows: Rows = {
        f"in_{name}": row for name, row in zip(ANCESTORS, inside, strict=True)
    }
    own = TAG_BITS[tree.tag[element]]
    rows["is_div"] = own >> _bit("div") & 1
    rows["is_p"] = own >> _bit("p") & 1
    rows["is_span"] = TAG_BITS[tree.tag[inner]] >> _bit("span") & 1
    rows["depth"] = tree.depth[element]
    return rows


# Of a container what is taken per so much of it, by the names of _SUMMED.
_SHARES = {
    "density": ("link", "chars"),
    "mean": ("w", "n"),
    "ends": ("ends", "w"),
    "long": ("long", "w"),
    "links": ("links", "n"),
    "heads": ("heads", "n"),
    "flowing": ("flowing", "w"),
    "images": ("images", "n"),
}
_PARTS, _WHOLES = (_sums_of(*names) for names in zip(*_SHARES.values(), strict=True))
_PLAIN_SUMS = ("n", "w", "money", "controls")
_LIKE_SUMS = _sums_of("w", "chars", "link")


def _containers(block: Rows, tree: Tree, before: Ints) -> Rows:
    """The elements around a block, each with more blocks than the one before.

    The branch is the outermost element inside the container with the block and
    nothing more than the container before; it may be one of many alike.
    """
    count = len(block["chars"])
    place = np.arange(count)
    of_element = before[_LIKE_SUMS]
    of_element = of_element.take(tree.last, axis=1) - of_element.take(
        tree.first, axis=1
    )
    like_words, like_chars, like_links = tree.alike.sums(of_element)[:, tree.alike.of]
    like = np.stack(
        [tree.likes, like_words // tree.likes, ratio(like_links, like_chars)]
    )
    inside = block["element"]
    rows: Rows = {"likes": tree.likes[inside]}
    # The page is what is around elements that have nothing around.
    up, first, last, depth = (
        np.append(values, outside)
        for values, outside in (
            (tree.up, NONE),
            (tree.first, 0),
            (tree.last, count),
            (tree.depth, 0),
        )
    )
    branches, containers = [], []
    for _ in range(CONTAINERS):
        branches.append(tree.top[np.maximum(inside, 0)])
        inside = up[inside]
        containers.append(inside)
    # The figures of each container are the same for all blocks in it.
    there = np.zeros(len(up), dtype=np.bool_)
    there[np.concatenate(containers)] = True
    boxes = there.nonzero()[0]
    number = np.cumsum(there) - 1
    first, last, depth = first[boxes], last[boxes], depth[boxes]
    total = before.take(last, axis=1) - before.take(first, axis=1)
    names = ["depth", "start", "share", *_PLAIN_SUMS, *_SHARES]
    figures = np.concatenate(
        [
            [
                depth,
                ratio(first, count),
                ratio(total[1], int(before[1, -1])),
                *total[_sums_of(*_PLAIN_SUMS)],
            ],
            ratio(total[_PARTS], total[_WHOLES]),
        ]
    )
    for k, (branch, container) in enumerate(zip(branches, containers, strict=True)):
        box = number[container]
        of = f"c{k + 1}_"
        rows |= zip(
            [of + name for name in names], figures.take(box, axis=1), strict=True
        )
        rows |= zip(
            (of + "likes", of + "like_mean", of + "like_density"),
            like.take(branch, axis=1),
            strict=True,
        )
        rows[of + "place"] = ratio(place - first[box], rows[of + "n"])
        rows[of + "branch"] = TAG_CLASS[tree.tag[branch]]
    return rows


def shifted(values: Ints, by: int, fill: int = NONE) -> Ints:
    """The values of the blocks so many places before (or, below 0, behind)."""
    out = np.full(len(values), fill, dtype=np.int64)
    if abs(by) >= len(values):
        return out
    if by > 0:
        out[by:] = values[:-by]
    else:
        out[:by] = values[-by:]
    return out


def _neighbours(block: Rows, own: Rows, w: Ints) -> Rows:
    rows: Rows = {}
    for by in (1, 2, 3, -1, -2, -3):
        of = f"{'before' if by > 0 else 'behind'}{abs(by)}_"
        rows[of + "w"] = shifted(w, by)
        rows[of + "density"] = shifted(own["link_chars_share"], by)
        if abs(by) <= 2:
            for name in ("kind", "ends", "last"):
                rows[of + name] = shifted(block[name], by)
            rows[of + "depth"] = shifted(own["depth"], by) - own["depth"]
        if abs(by) == 1:
            for name in ("elements", "level"):
                rows[of + name] = shifted(block[name], by)
    return rows


def window(count: int, radius: int) -> tuple[Ints, Ints]:
    """Where the windows around each of the blocks begin and end."""
    place = np.arange(count)
    return np.maximum(place - radius, 0), np.minimum(place + radius + 1, count)


_WINDOW_SHARES = {
    "mean": ("w", "n"),
    "density": ("link", "chars"),
    "ends": ("ends", "w"),
    "long": ("long", "w"),
}
_WINDOW_PARTS, _WINDOW_WHOLES = (
    _sums_of(*names) for names in zip(*_WINDOW_SHARES.values(), strict=True)
)


def _windows(before: Ints, count: int) -> Rows:
    rows: Rows = {}
    for radius in WINDOWS:
        first, last = window(count, radius)
        total = before.take(last, axis=1) - before.take(first, axis=1)
        rows |= zip(
            [f"window{radius}_{name}" for name in _WINDOW_SHARES],
            ratio(total[_WINDOW_PARTS], total[_WINDOW_WHOLES]),
            strict=True,
        )
    return rows


def latest(marked: npt.NDArray[np.bool_]) -> Ints:
    """The last marked place up to each place, or -1."""
    return np.maximum.accumulate(np.where(marked, np.arange(len(marked)), NONE))


def next_one(marked: npt.NDArray[np.bool_]) -> Ints:
    """The first marked place from each place on, or the number of places."""
    count = len(marked)
    return count - 1 - latest(marked[::-1])[::-1]


def distance_back(marked: npt.NDArray[np.bool_]) -> Ints:
    """How many blocks it is back to a marked one, or FAR."""
    last = latest(marked)
    return np.where(last >= 0, np.arange(len(marked)) - last, FAR)


def distance_on(marked: npt.NDArray[np.bool_]) -> Ints:
    """How many blocks it is to the next marked one, or FAR."""
    following = next_one(marked)
    there = following < len(marked)
    return np.where(there, following - np.arange(len(marked)), FAR)


def _distances(block: Rows, w: Ints) -> Rows:
    place = np.arange(len(w))
    heading = block["kind"] == HEADING
    last = latest(heading)
    titles = np.flatnonzero(heading & (block["level"] == 1))
    return {
        "since_heading": np.where(last >= 0, place - last, NONE),
        "heading_level": np.where(last >= 0, block["level"][last], 0),
        "from_title": place - titles[0] if len(titles) else np.full(len(w), -FAR),
        "titles": np.full(len(w), len(titles)),
        "since_long": distance_back(w >= LONGER),
        "to_long": distance_on(w >= LONGER),
    }


def _alike(block: Rows, tree: Tree, w: Ints) -> Rows:
    """Blocks with the same text, and blocks that stand alike on the page."""
    same_text = grouped(block["hash"])
    copies = same_text.size[same_text.of]
    rows = {"copies": copies}
    for of, key in (
        ("way_", tree.same_way[block["inner"]]),
        ("tags_", tree.same_tags[block["element"]]),
    ):
        rows |= _group(of, grouped(key), block, w, copies)
    return rows


def _group(of: str, groups: Groups, block: Rows, w: Ints, copies: Ints) -> Rows:
    count = len(w)
    place = np.arange(count)
    group, size = groups.of, groups.size
    # Inside a group the blocks are in the order of the page.
    first = groups.order[groups.starts]
    last = groups.order[groups.starts + size - 1]
    added = np.stack([w, block["link_chars"], block["chars"], copies > 1])
    words, links, chars, copied = groups.sums(added)
    per_group = {
        "n": size,
        "mean": words // size,
        "share": ratio(words, int(w.sum())),
        "density": ratio(links, chars),
        "copied": ratio(copied, size),
        "spread": ratio(last - first, count),
        "start": ratio(first, count),
        "longest": np.maximum.reduceat(w[groups.order], groups.starts),
    }
    table = np.stack(list(per_group.values()))[:, group]
    rows: Rows = dict(zip([of + name for name in per_group], table, strict=True))
    rows[of + "place"] = ratio(place - first[group], last[group] - first[group] + 1)
    # The first of the groups with the most words tells what the page is made of.
    most = words == words.max()
    top = int(np.flatnonzero(most)[np.argmin(first[most])])
    whole = {
        "top": share(int(words[top]), int(w.sum())),
        "top_n": int(size[top]),
        "top_mean": int(words[top] // size[top]),
        "many": share(int(words[size >= 4].sum()), int(w.sum())),
        "groups": share(len(size), count),
    }
    return rows | _on_page({f"{of}{name}": v for name, v in whole.items()}, count)


def _on_page(figures: Mapping[str, int], count: int) -> Rows:
    """Rows of figures that are the same for all of so many blocks."""
    values = np.array([list(figures.values())], dtype=np.int64)
    rows = np.broadcast_to(values.T, (len(figures), count))
    return dict(zip([f"page_{name}" for name in figures], rows, strict=True))


def _page(block: Rows, tree: Tree, rows: Rows, before: Ints) -> Rows:
    count = len(block["chars"])
    place = np.arange(count)
    total = dict(zip(_SUMMED, before[:, -1].tolist(), strict=True))
    w = total["w"]
    bits = TAG_BITS[tree.tag]
    has = int(np.bitwise_or.reduce(bits))
    whole = {
        "n": count,
        "w": w,
        "density": share(total["link"], total["chars"]),
        "mean": share(w, count),
        "long": share(total["long"], w),
        "ends": share(total["ends"], w),
        "heads": share(total["heads"], count),
        "images": share(total["images"], count),
        "money": total["money"],
        "controls": total["controls"],
        "flowing": share(total["flowing"], w),
        "elements": share(len(tree.tag), count),
        "wide": share(int(block["wide"].sum()), total["chars"]),
        "longest": int(rows["w"].max()),
        "copied": int((rows["copies"] > 1).sum()),
        "articles": int((bits >> _bit("article") & 1).sum()),
    }
    whole |= {f"has_{name}": has >> _bit(name) & 1 for name in PAGE_HAS}
    for name in ("main", "article"):
        inside = int((rows["w"] * rows[f"in_{name}"]).sum())
        whole[f"share_{name}"] = share(inside, w)
    out = _on_page(whole, count)
    out["place"] = place
    out["places_left"] = count - 1 - place
    out["place_share"] = ratio(place, count)
    out["words_before"] = ratio(before[1, :-1], w)
    return out


def token_features(walk: Walk, table: TokenTable, tree: Tree) -> Rows:
    """What the names of the elements around the blocks tell."""
    elements = walk.elements
    first, tokens = (
        elements[:, ELEMENT_COLUMNS.index(name)].astype(np.int64)
        for name in ("first_token", "tokens")
    )
    # Of each use of a known word the word's place in the table, and the element.
    owner = np.repeat(np.arange(len(elements)), tokens)
    used = np.arange(len(owner)) - np.repeat(np.cumsum(tokens) - tokens, tokens)
    values = walk.tokens[first[owner] + used]
    place = table.hashes.searchsorted(values)
    place = np.minimum(place, max(len(table.hashes) - 1, 0))
    known = (
        table.hashes[place] == values
        if len(table.hashes)
        else np.zeros(len(values), dtype=np.bool_)
    )
    owner, place = owner[known], place[known]
    near = _own_names(owner, table.near[place], len(elements))
    far = _own_names(owner, table.far[place], len(elements))
    flag = table.flag[place]
    flagged = flag >= 0
    flags = np.zeros((1, len(elements)), dtype=np.uint64)
    bits = np.uint64(1) << flag[flagged].astype(np.uint64)
    np.bitwise_or.at(flags[0], owner[flagged], bits)
    flags = tree.levels.down(np.bitwise_or, flags)
    above = np.concatenate(
        [
            tree.levels.down(np.add, far[:1]),
            tree.levels.down(np.minimum, far[1:2]),
            tree.levels.down(np.maximum, far[2:]),
        ]
    )
    inner = walk.blocks[:, BLOCK_COLUMNS.index("inner")].astype(np.int64)
    rows = _names_around(inner, tree.parent, near, above)
    numbers = np.arange(table.flags, dtype=np.uint64)[:, None]
    masks = (flags[0, inner] >> numbers & np.uint64(1)).astype(np.int64)
    return rows | {f"name{k}": row for k, row in enumerate(masks)}


def _own_names(
    owner: npt.NDArray[np.intp], weights: npt.NDArray[np.int32], count: int
) -> Ints:
    """The sum of the weights of each element's words, the lowest and the highest.

    The last two are 0 where all weights are on the other side.  The words are in
    the order of their elements.  There is one more column, of zeros.
    """
    out = np.zeros((3, count + 1), dtype=np.int64)
    if len(owner):
        starts = np.diff(owner, prepend=NONE).nonzero()[0]
        of = owner[starts]
        out[0, of] = np.add.reduceat(weights, starts, dtype=np.int64)
        out[1, of] = np.minimum(np.minimum.reduceat(weights, starts), 0)
        out[2, of] = np.maximum(np.maximum.reduceat(weights, starts), 0)
    return out


def _names_around(inner: Ints, parents: Ints, near: Ints, above: Ints) -> Rows:
    """What the names near the blocks tell, and those farther out."""
    # Around what has nothing around is the last column, of zeros.
    parents = np.append(parents, NONE)
    total, low, high = near.take(inner, axis=1)
    element = inner
    for _ in range(NEAR - 1):
        element = parents[element]
        of_element, of_low, of_high = near.take(element, axis=1)
        total, low = total + of_element, np.minimum(low, of_low)
        high = np.maximum(high, of_high)
    far, far_low, far_high = above.take(parents[element], axis=1)
    return {
        "names_near": total,
        "names_far": far,
        "names": total + far,
        "names_near_low": low,
        "names_near_high": high,
        "names_far_low": far_low,
        "names_far_high": far_high,
    }
