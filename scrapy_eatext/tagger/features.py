"""What the first trees see of a block: itself, its containers, neighbours and page.

Every figure is a whole number, and shares are in thousandths, so that the
compiled twin gives the same to the last bit.  Nothing here knows a language:
characters count by their class, and names of elements by the TokenTable.
"""

from __future__ import annotations

from dataclasses import dataclass
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
class Tree:
    """The element table with what the features need of it, an entry an element.

    ``up`` is the innermost element around with more blocks, ``top`` the
    outermost with the same blocks; ``mask`` has a bit for each of TAG_GROUPS on
    the way up; ``same_way`` and ``same_tags`` are hashes of that way.
    ``likes`` counts the siblings that look alike, ``likes_group`` numbers them.
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
    likes_group: npt.NDArray[np.intp]


def ratio(part: Ints | int, whole: Ints | int) -> Ints:
    """Thousandths of the whole; both are not negative."""
    return np.asarray(part, dtype=np.int64) * 1000 // np.maximum(whole, 1)


def prefix(values: Ints) -> Ints:
    """Sums of all values before each place, and of all."""
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def grouped(keys: Ints) -> tuple[npt.NDArray[np.intp], Ints]:
    """The number of each entry's group of equal keys, and the groups' sizes."""
    _, group, size = np.unique(keys, return_inverse=True, return_counts=True)
    return group.reshape(-1), size.astype(np.int64)


def sums(group: npt.NDArray[np.intp], values: Ints, count: int) -> Ints:
    """The sum of the values in each of the groups."""
    out = np.zeros(count, dtype=np.int64)
    np.add.at(out, group, values)
    return out


def columns(walk: Walk) -> Rows:
    """The columns of the block table."""
    return {
        name: walk.blocks[:, i].astype(np.int64) for i, name in enumerate(BLOCK_COLUMNS)
    }


def weights(walk: Walk) -> Ints:
    """The blocks' words, as weigh() counts them."""
    blocks = walk.blocks
    return blocks[:, _WORDS].astype(np.int64) + blocks[:, _WIDE] // 2


def weigh(block: Rows) -> Ints:
    """The blocks' words; two wide characters count as one more."""
    return block["words"] + block["wide"] // 2


def tree_of(walk: Walk) -> Tree:
    """What the features need of the element table."""
    table = {
        name: walk.elements[:, i].astype(np.int64)
        for i, name in enumerate(ELEMENT_COLUMNS)
    }
    parent, tag = table["parent"], table["tag"]
    blocks = table["last_block"] - table["first_block"]
    tokens = np.append(walk.tokens, np.uint32(0)).astype(np.int64)
    name = np.where(table["tokens"] > 0, tokens[table["first_token"]], 0)
    ways = _ways(parent, tag, blocks, name)
    # Elements without blocks are like none.
    key = ((parent + 1) * 0x9E3779B1 ^ tag * 0x85EBCA6B ^ name) & 0xFFFFFFFF
    key = np.where(blocks > 0, key, NONE - np.arange(len(key)))
    group, size = grouped(key)
    return Tree(
        parent=parent,
        tag=tag,
        depth=table["depth"],
        first=table["first_block"],
        last=table["last_block"],
        likes=size[group],
        likes_group=group,
        **ways,
    )


def _ways(parent: Ints, tag: Ints, blocks: Ints, name: Ints) -> Rows:
    """What comes down from ancestors; parents stand before their children."""
    count = len(parent)
    mask = TAG_BITS[tag].tolist()
    up, top = [NONE] * count, list(range(count))
    way, tags = [0] * count, [0] * count
    n, t, of_name = blocks.tolist(), tag.tolist(), name.tolist()
    for e, p in enumerate(watched(parent.tolist())):
        if p >= 0:
            mask[e] |= mask[p]
            if n[p] > n[e]:
                up[e] = p
            else:
                up[e], top[e] = up[p], top[p]
        before, before_tags = (way[p], tags[p]) if p >= 0 else (17, 17)
        way[e] = ((before * 31 + t[e] + 1) * 0x01000193 ^ of_name[e]) & 0xFFFFFFFF
        tags[e] = (before_tags * 31 + t[e] + 1) * 0x01000193 & 0xFFFFFFFF
    lists = {"mask": mask, "up": up, "top": top, "same_way": way, "same_tags": tags}
    return {key: np.array(values, dtype=np.int64) for key, values in lists.items()}


def block_features(walk: Walk, table: TokenTable, tree: Tree | None = None) -> Rows:
    """The first features of a page's blocks: an array of a figure a block each.

    ``tree`` is tree_of() the walk, where that is known already.
    """
    block, tree = columns(walk), tree or tree_of(walk)
    w = weigh(block)
    counted = _counted(block, w)
    before = {name: prefix(values) for name, values in counted.items()}
    rows = _own(block, w)
    rows |= _ancestry(block, tree)
    rows |= _containers(block, tree, before)
    rows |= _neighbours(block, rows, w)
    rows |= _windows(before, len(w))
    rows |= _distances(block, w)
    rows |= _alike(block, tree, w)
    rows |= _page(block, tree, rows, before)
    rows |= token_features(walk, table)
    return clipped(rows)


def clipped(rows: Rows) -> Rows:
    """The rows, with no figure above CAP."""
    # All at once, as a call for each row would take longer than all else.
    table = np.stack(list(rows.values()))
    return dict(zip(rows, np.clip(table, -CAP, CAP, out=table), strict=True))


def _counted(block: Rows, w: Ints) -> Rows:
    """What is summed up over runs of blocks."""
    flowing = (block["kind"] == PARAGRAPH) | (block["kind"] == QUOTE)
    return {
        "n": np.ones(len(w), dtype=np.int64),
        "w": w,
        "chars": block["chars"],
        "link": block["link_chars"],
        "ends": block["ends"],
        "links": block["links"],
        "heads": (block["kind"] == HEADING).astype(np.int64),
        "images": block["images"],
        "controls": block["controls"],
        "money": block["money"],
        "long": np.where(w >= LONG, w, 0),
        "flowing": np.where(flowing, w, 0),
    }


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
    rows = {name: values.copy() for name, values in rows.items()}
    rows["w"] = w.copy()
    for name in (
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
    ):
        rows[f"{name}_share"] = ratio(block[name], chars)
    rows["word_length"] = ratio(chars, block["words"])
    rows["plain_chars"] = chars - block["link_chars"]
    rows["in_item"] = (block["item"] >= 0).astype(np.int64)
    rows["in_row"] = (block["row"] >= 0).astype(np.int64)
    return rows


def _ancestry(block: Rows, tree: Tree) -> Rows:
    element, inner = block["element"], block["inner"]
    mask = tree.mask[element] | TAG_BITS[tree.tag[inner]]
    rows = {f"in_{name}": mask >> i & 1 for i, name in enumerate(ANCESTORS)}
    own = TAG_BITS[tree.tag[element]]
    rows["is_div"] = own >> _bit("div") & 1
    rows["is_p"] = own >> _bit("p") & 1
    rows["is_span"] = TAG_BITS[tree.tag[inner]] >> _bit("span") & 1
    rows["depth"] = tree.depth[element]
    return rows


def _containers(block: Rows, tree: Tree, before: Rows) -> Rows:
    """The elements around a block, each with more blocks than the one before.

    The branch is the outermost element inside the container with the block and
    nothing more than the container before; it may be one of many alike.
    """
    count = len(block["chars"])
    place = np.arange(count)
    like_words, like_chars, like_links = (
        sums(
            tree.likes_group,
            before[name][tree.last] - before[name][tree.first],
            len(tree.likes),
        )[tree.likes_group]
        for name in ("w", "chars", "link")
    )
    like_mean = like_words // tree.likes
    like_density = ratio(like_links, like_chars)
    inside = block["element"]
    rows: Rows = {"likes": tree.likes[inside]}
    for k in range(1, CONTAINERS + 1):
        branch = tree.top[np.maximum(inside, 0)]
        inside = np.where(inside >= 0, tree.up[inside], NONE)
        there = inside >= 0
        first = np.where(there, tree.first[inside], 0)
        last = np.where(there, tree.last[inside], count)
        total = {name: sum_[last] - sum_[first] for name, sum_ in before.items()}
        of = f"c{k}_"
        rows[of + "n"] = total["n"]
        rows[of + "w"] = total["w"]
        rows[of + "density"] = ratio(total["link"], total["chars"])
        rows[of + "mean"] = ratio(total["w"], total["n"])
        rows[of + "share"] = ratio(total["w"], int(before["w"][-1]))
        rows[of + "ends"] = ratio(total["ends"], total["w"])
        rows[of + "long"] = ratio(total["long"], total["w"])
        rows[of + "links"] = ratio(total["links"], total["n"])
        rows[of + "heads"] = ratio(total["heads"], total["n"])
        rows[of + "flowing"] = ratio(total["flowing"], total["w"])
        rows[of + "place"] = ratio(place - first, total["n"])
        rows[of + "images"] = ratio(total["images"], total["n"])
        rows[of + "money"] = total["money"]
        rows[of + "controls"] = total["controls"]
        rows[of + "depth"] = np.where(there, tree.depth[inside], 0)
        rows[of + "start"] = ratio(first, count)
        rows[of + "likes"] = tree.likes[branch]
        rows[of + "like_mean"] = like_mean[branch]
        rows[of + "like_density"] = like_density[branch]
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


def _windows(before: Rows, count: int) -> Rows:
    rows: Rows = {}
    for radius in WINDOWS:
        first, last = window(count, radius)
        total = {
            name: before[name][last] - before[name][first]
            for name in ("n", "w", "chars", "link", "ends", "long")
        }
        of = f"window{radius}_"
        rows[of + "mean"] = ratio(total["w"], total["n"])
        rows[of + "density"] = ratio(total["link"], total["chars"])
        rows[of + "ends"] = ratio(total["ends"], total["w"])
        rows[of + "long"] = ratio(total["long"], total["w"])
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
    same_text, texts = grouped(block["hash"])
    copies = texts[same_text]
    rows = {"copies": copies}
    for of, key in (
        ("way_", tree.same_way[block["inner"]]),
        ("tags_", tree.same_tags[block["element"]]),
    ):
        rows |= _group(of, key, block, w, copies)
    return rows


def _group(of: str, key: Ints, block: Rows, w: Ints, copies: Ints) -> Rows:
    count = len(w)
    place = np.arange(count)
    group, size = grouped(key)
    groups = len(size)
    words = sums(group, w, groups)
    first = np.full(groups, count)
    np.minimum.at(first, group, place)
    last = np.zeros(groups, dtype=np.int64)
    np.maximum.at(last, group, place)
    longest = np.zeros(groups, dtype=np.int64)
    np.maximum.at(longest, group, w)
    links = sums(group, block["link_chars"], groups)
    copied = sums(group, (copies > 1).astype(np.int64), groups)
    per_group = {
        "n": size,
        "mean": words // size,
        "share": ratio(words, int(w.sum())),
        "density": ratio(links, sums(group, block["chars"], groups)),
        "copied": ratio(copied, size),
        "spread": ratio(last - first, count),
        "start": ratio(first, count),
        "longest": longest,
    }
    rows = {of + name: values[group] for name, values in per_group.items()}
    rows[of + "place"] = ratio(place - first[group], last[group] - first[group] + 1)
    # The first of the groups with the most words tells what the page is made of.
    most = words == words.max(initial=0)
    top = int(np.flatnonzero(most)[np.argmin(first[most])]) if groups else 0
    many = int(words[size >= 4].sum())
    whole = {
        "top": int(ratio(int(words[top]), int(w.sum()))),
        "top_n": int(size[top]),
        "top_mean": int(words[top] // size[top]),
        "many": int(ratio(many, int(w.sum()))),
        "groups": int(ratio(groups, count)),
    }
    return rows | {f"page_{of}{name}": np.full(count, v) for name, v in whole.items()}


def _page(block: Rows, tree: Tree, rows: Rows, before: Rows) -> Rows:
    count = len(block["chars"])
    place = np.arange(count)
    total = {name: int(values[-1]) for name, values in before.items()}
    w = total["w"]
    has = int(np.bitwise_or.reduce(TAG_BITS[tree.tag]))
    articles = int((TAG_BITS[tree.tag] >> _bit("article") & 1).sum())
    whole: dict[str, Any] = {
        "n": count,
        "w": w,
        "density": ratio(total["link"], total["chars"]),
        "mean": ratio(w, count),
        "long": ratio(total["long"], w),
        "ends": ratio(total["ends"], w),
        "heads": ratio(total["heads"], count),
        "images": ratio(total["images"], count),
        "money": total["money"],
        "controls": total["controls"],
        "flowing": ratio(total["flowing"], w),
        "elements": ratio(len(tree.tag), count),
        "wide": ratio(int(block["wide"].sum()), total["chars"]),
        "longest": int(rows["w"].max()),
        "copied": int((rows["copies"] > 1).sum()),
        "articles": articles,
    }
    whole |= {f"has_{name}": has >> _bit(name) & 1 for name in PAGE_HAS}
    for name in ("main", "article"):
        inside = int((rows["w"] * rows[f"in_{name}"]).sum())
        whole[f"share_{name}"] = ratio(inside, w)
    out = {f"page_{name}": np.full(count, int(v)) for name, v in whole.items()}
    out["place"] = place
    out["places_left"] = count - 1 - place
    out["place_share"] = ratio(place, count)
    out["words_before"] = ratio(before["w"][:-1], w)
    return out


def token_features(walk: Walk, table: TokenTable) -> Rows:
    """What the names of the elements around the blocks tell."""
    elements = walk.elements
    count = len(elements)
    parents, first, tokens = (
        elements[:, ELEMENT_COLUMNS.index(name)].astype(np.int64)
        for name in ("parent", "first_token", "tokens")
    )
    # Of each use of a known word the word's place in the table, and the element.
    owner = np.repeat(np.arange(count), tokens)
    used = np.arange(len(owner)) - np.repeat(np.cumsum(tokens) - tokens, tokens)
    values = walk.tokens[first[owner] + used]
    place = np.searchsorted(table.hashes, values)
    place = np.minimum(place, max(len(table.hashes) - 1, 0))
    known = (
        table.hashes[place] == values
        if len(table.hashes)
        else np.zeros(len(values), dtype=np.bool_)
    )
    owner, place = owner[known], place[known]
    near = _own_names(owner, table.near[place].astype(np.int64), count)
    far = _own_names(owner, table.far[place].astype(np.int64), count)
    flags = [0] * count
    flag = table.flag[place]
    for element, number in zip(owner.tolist(), flag.tolist(), strict=True):
        if number >= 0:
            flags[element] |= 1 << number
    above = _names_above(parents, far, flags)
    inner = walk.blocks[:, BLOCK_COLUMNS.index("inner")].astype(np.int64)
    rows = _names_around(inner, parents, near, above)
    masks = np.array([flags[i] for i in inner.tolist()], dtype=np.uint64)
    for k in range(table.flags):
        rows[f"name{k}"] = (masks >> np.uint64(k) & np.uint64(1)).astype(np.int64)
    return rows


def _own_names(
    owner: npt.NDArray[np.intp], weights: Ints, count: int
) -> tuple[Ints, Ints, Ints]:
    """The sum of the weights of each element's words, the lowest and the highest.

    The last two are 0 where all weights are on the other side.
    """
    low, high = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    np.minimum.at(low, owner, weights)
    np.maximum.at(high, owner, weights)
    return sums(owner, weights, count), low, high


def _names_above(
    parents: Ints, own: tuple[Ints, Ints, Ints], flags: list[int]
) -> tuple[Ints, Ints, Ints]:
    """The same over all elements from the root down to each; also of the flags."""
    total, low, high = (values.tolist() for values in own)
    for element, parent in enumerate(watched(parents.tolist())):
        if parent >= 0:
            total[element] += total[parent]
            low[element] = min(low[element], low[parent])
            high[element] = max(high[element], high[parent])
            flags[element] |= flags[parent]
    return (
        np.array(total, dtype=np.int64),
        np.array(low, dtype=np.int64),
        np.array(high, dtype=np.int64),
    )


def _names_around(
    inner: Ints,
    parents: Ints,
    near: tuple[Ints, Ints, Ints],
    above: tuple[Ints, Ints, Ints],
) -> Rows:
    """What the names near the blocks tell, and those farther out."""
    total, low, high = (np.zeros(len(inner), dtype=np.int64) for _ in range(3))
    element = inner
    for _ in range(NEAR):
        there = element >= 0
        of_element, of_low, of_high = (np.where(there, of[element], 0) for of in near)
        total += of_element
        low, high = np.minimum(low, of_low), np.maximum(high, of_high)
        element = np.where(there, parents[element], NONE)
    far, far_low, far_high = (np.where(element >= 0, of[element], 0) for of in above)
    return {
        "names_near": total,
        "names_far": far,
        "names": total + far,
        "names_near_low": low,
        "names_near_high": high,
        "names_far_low": far_low,
        "names_far_high": far_high,
    }
