"""The entries that a page lists, each with title, address and details.

A title is a link that fills or begins a line, or the heading above a "Read more".
Links form one list if they stand under the same tags, in elements with the same class
names.  An entry is the largest element around its title that holds no two links of one
list.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise, starmap
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_eatext.deadline import watched
from scrapy_eatext.output.details import LINE, TITLE, Details, Link
from scrapy_eatext.output.inline import Inlines
from scrapy_eatext.output.passages import words_of
from scrapy_eatext.page import dates
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.tables import covered, values_of
from scrapy_eatext.page.tags import HEADING, TAG_ID
from scrapy_eatext.page.values import shortened
from scrapy_eatext.page.walk import attribute_values, tokens_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.result import Entry

# How many links are read, how many elements outwards from its link an entry may begin,
# and the most characters of an address.
_LINKS, _LEVELS, _LONGEST = 5000, 15, 2000
# The fewest entries of a list, and the least share of the kept text that they have:
# less on pages whose page type is that of lists.
_LEAST, _SHARE, _SHARE_OF_LISTS = 3, 0.5, 0.3
_LISTS = frozenset(("collection", "forum", "listing"))
# The posts of a thread have at least this many words in the mean, and half of them an
# author.  What a board lists has fewer words.
_POST_WORDS = 40
# The least share of its line that a link has, unless it is a heading or begins an item;
# and how many bytes of the line are read on both sides of it.
_OF_LINE, _WINDOW = 0.6, 1000
# The most words in the mean between a heading and the "Read more" below it.
_TEASER = 100
# Links of at least this mean length are titles, whatever other links there are.
_SURE = 18
# The least words between an entry's title and a longer link.
_BETWEEN_LINKS = 6
# The least mean number of links below the heading of a section.
_IN_SECTION = 1.5
# What may stand between a title and the text behind it in its line.
_DASHES = "–—-:|"
# A link's text with a name in it, not only the number of a page.
_NAME = re.compile(r"[^\W\d_].{0,9}?[^\W\d_]|\d(?:\W?\d){4}", re.DOTALL)
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_CELLS = (TAG_ID["td"], TAG_ID["th"])


class _List(NamedTuple):
    """Links that stand alike, and the mean length of their texts."""

    links: list[Link]
    length: float

    @property
    def is_sure(self) -> bool:
        headings = sum(link.is_heading for link in self.links)
        is_headed = len(self.links) >= _LEAST and headings * 2 >= len(self.links)
        return self.is_long or is_headed

    @property
    def is_long(self) -> bool:
        return self.length >= _SURE


def _list_of(links: list[Link]) -> _List:
    """Links as a list; repeated texts such as "Read more" are left out."""
    texts, urls = {link.text for link in links}, {link.url for link in links}
    if len(urls) > 1 and len(texts) * 2 <= len(urls):
        links = [link._replace(text="") for link in links]
    return _List(links, sum(len(link.text) for link in links) / len(links))


def write_entries(judged: JudgedPage) -> tuple[Entry, ...]:
    """The entries of a page, none unless most of the kept text is a list."""
    units = judged.units
    if not isinstance(units, Blocks) or not judged.shown.units or _is_thread(judged):
        return ()
    entries = tuple(_Reader(judged, units).entries())
    posts = judged.output("posts") if judged.thread is not None else ()
    authors = {post.author for post in posts}
    people = sum(entry.title in authors for entry in entries)
    return entries if 2 * people <= len(entries) else ()


def _is_thread(judged: JudgedPage) -> bool:
    """Whether a page has posts of people, whose links are no list."""
    if judged.thread is None:
        return False
    posts = judged.output("posts")
    authors = sum(bool(post.author) for post in posts)
    words = sum(words_of(post.text) for post in posts)
    return 2 * authors >= len(posts) and words >= _POST_WORDS * max(len(posts), 1)


class _Reader:
    def __init__(self, judged: JudgedPage, blocks: Blocks) -> None:
        self._judged = judged
        self._blocks = blocks
        self._walk = walk = blocks.walk
        self._inlines = Inlines(judged.text_page)
        self._left = self._inlines.most
        self._own = (judged.text_page.url or "").partition("#")[0]
        self._parents: list[int] = walk.elements[:, _PARENT].tolist()
        self._kept = np.zeros(len(blocks), dtype=bool)
        self._kept[list(judged.shown.units)] = True

    def entries(self) -> Iterator[Entry]:
        titles = self._titles()
        first: dict[str, int] = {}
        for row, title in titles.items():
            first.setdefault(title.url, row)
        if len(first) < _LEAST:
            return
        regions = self._regions(titles)
        if not self._is_list(regions.values()):
            return
        details = Details(self._judged, self._blocks, self._inlines, titles.values())
        for row in first.values():
            yield details.entry(titles[row], row, *regions[row])

    def _is_list(self, regions: Iterable[tuple[int, int]]) -> bool:
        """Whether the entries have enough of the kept text."""
        firsts, lasts = zip(*regions, strict=True)
        chars = self._walk.blocks[:, BlockColumn.CHARS]
        inside = chars[self._kept & covered(firsts, lasts, len(chars))].sum()
        is_list = self._judged.verdict.page_type in _LISTS
        least = _SHARE_OF_LISTS if is_list else _SHARE
        return bool(inside >= least * chars[self._kept].sum())

    # -- titles

    def _titles(self) -> dict[int, Link]:
        """The title of each entry, by the entry's element, in the order of the page."""
        lists = self._lists()
        sure = [links for links in lists if links.is_sure]
        sections = _sections(sure)
        sure = [links for links in sure if links not in sections]
        if self._judged.verdict.page_type != "forum":
            # Short links are titles too if most stand in no such entry, and if they
            # outnumber the sure titles.
            frames = sorted(self._frames(sure))
            count = sum(len(found.links) for found in sure)
            sure += [
                found
                for found in lists
                if len(found.links) > count
                and not found.is_sure
                and self._inside(found, frames) * 2 < len(found.links)
            ]
        titles = {
            frame: _title_of(links)
            for frame, links in sorted(self._frames(sure).items())
        }
        for found in lists if titles else ():
            titles.update(self._leading(found, titles))
        return titles

    def _leading(self, found: _List, titles: Mapping[int, Link]) -> dict[int, Link]:
        """Links of a list that are the titles of entries, if those of most are.

        They stand far before what was taken for the title, such as a board's last post.
        """
        frames = list(titles)
        leading: dict[int, Link] = {}
        for link in found.links:
            frame = frames[max(bisect_right(frames, link.row) - 1, 0)]
            title = titles[frame]
            end = min(title.begin, link.end + _WINDOW)
            between = self._walk.text[link.end : end].split()
            if frame <= link.row < title.row and len(between) >= _BETWEEN_LINKS:
                leading.setdefault(frame, link)
        # Labels, such as those of sections, come again.
        are_labels = len({link.url for link in found.links}) < len(found.links)
        return leading if 2 * len(leading) >= len(frames) and not are_labels else {}

    def _inside(self, found: _List, frames: Sequence[int]) -> int:
        """How many links of a list stand in some elements."""
        count = 0
        for link in found.links:
            at = bisect_right(frames, link.row) - 1
            count += at >= 0 and link.row < self._walk.ends[frames[at]]
        return count

    def _frames(self, lists: Sequence[_List]) -> dict[int, list[tuple[float, Link]]]:
        """The elements that are entries; for each its links, with their lists' lengths.

        An entry is the outermost element around a link in which no list has two
        addresses.
        """
        pairs = sorted(
            (one.row, other.row)
            for found in lists
            for one, other in pairwise(found.links)
            if one.url != other.url
        )
        firsts, behind = [row for row, _ in pairs], self._walk.ends
        # For each pair the smallest end of it and all later pairs.
        ends = [row for _, row in pairs]
        for at in range(len(ends) - 2, -1, -1):
            ends[at] = min(ends[at], ends[at + 1])
        frames: dict[int, list[tuple[float, Link]]] = defaultdict(list)
        for found in lists:
            for link in found.links:
                frame = link.row
                for _ in range(_LEVELS):
                    around = self._parents[frame]
                    at = bisect_left(firsts, around)
                    if around < 0 or (at < len(ends) and ends[at] < behind[around]):
                        break
                    frame = around
                frames[frame].append((found.length, link))
        return frames

    # -- links

    def _lists(self) -> list[_List]:
        """The lists most of whose links are kept, or say "Read more" below kept text."""
        places = _places_of_links(self._walk)
        by_list: dict[tuple[object, ...], list[tuple[int, int]]] = defaultdict(list)
        alike = self._alike()
        numbers = sorted(places)[:_LINKS]
        classes = self._classes(numbers)
        for row in watched(numbers):
            block = self._block_of(places[row])
            if block < 0:
                continue
            share, begins, leads = self._line(block, *places[row][block])
            if share < _OF_LINE and not (leads or self._is_heading(block)):
                continue
            names = classes[row], classes[self._parents[row]]
            by_list[(alike[row], begins, *names)].append((row, block))
        chosen = [
            (candidates, is_kept)
            for candidates in by_list.values()
            if (is_kept := self._are_kept(candidates)) or self._have_teasers(candidates)
        ]
        rows = sorted(row for candidates, _ in chosen for row, _ in candidates)
        self._inlines.read(rows, [], [])
        read = partial(self._link, places)
        lists = []
        for candidates, is_kept in chosen:
            links = list(filter(None, starmap(read, candidates)))
            # Links that are not kept must say the same, such as "Read more".
            if links and (is_kept or not _list_of(links).length):
                lists.append(_list_of(links))
        return lists

    def _classes(self, links: Sequence[int]) -> dict[int, tuple[int, ...]]:
        """The words in the class names of links and their parents.

        Those of ids do not count, as an id may have the words of the entry.
        """
        rows = sorted({*links, *map(self._parents.__getitem__, links)})
        values = attribute_values(self._walk, rows, "class")
        return {
            row: tuple(tokens_of({"class": value or ""}))
            for row, value in zip(rows, values, strict=True)
        }

    def _are_kept(self, candidates: Sequence[tuple[int, int]]) -> bool:
        return bool(self._kept[[block for _, block in candidates]].mean() >= 0.5)

    def _have_teasers(self, candidates: Sequence[tuple[int, int]]) -> bool:
        """Whether most links stand below a kept heading and a short text.

        If they have more text below them, they do not stand at the ends of entries.
        """
        blocks = np.array([block for _, block in candidates])
        headings, words = self._headings, self._kept_words
        at = headings.searchsorted(blocks)
        blocks, at = blocks[at > 0], at[at > 0]
        above, behind = headings[at - 1], headings[at]
        before = int((words[blocks] - words[above + 1]).sum())
        after = int((words[behind] - words[blocks + 1]).sum())
        headed = int(self._kept[np.unique(above)].sum())
        most = _TEASER * len(blocks)
        return 2 * headed >= len(candidates) and after < before <= most

    @cached_property
    def _headings(self) -> npt.NDArray[np.intp]:
        """The blocks that are headings, and the number of blocks."""
        is_heading = self._walk.blocks[:, BlockColumn.KIND] == HEADING
        return np.append(is_heading.nonzero()[0], len(is_heading))

    @cached_property
    def _kept_words(self) -> npt.NDArray[np.intp]:
        """How many kept words stand before each block."""
        words = self._walk.blocks[:, BlockColumn.WORDS] * self._kept
        return np.concatenate([[0], words.cumsum()])

    def _link(
        self, places: Mapping[int, Mapping[int, tuple[int, int]]], row: int, block: int
    ) -> Link | None:
        """The link at a row, None unless it leads to another page."""
        url = self._inlines.link(row).partition("#")[0]
        self._left -= len(url)
        is_other = url.startswith(("http://", "https://")) and url != self._own
        if not is_other or len(url) > _LONGEST or self._left < 0:
            return None
        begin, end = places[row][block]
        text = shortened(self._walk.text[begin:end].decode(), TITLE)
        return Link(row, block, begin, end, url, text, self._is_heading(block))

    def _is_heading(self, block: int) -> bool:
        return self._blocks.kinds[block] == "heading"

    def _block_of(self, places: Mapping[int, tuple[int, int]]) -> int:
        """The block that has a link's title, -1 for none.

        ``places`` has where the link's text begins and ends in each of its blocks.
        """
        first, has_words = -1, False
        for block, (begin, end) in places.items():
            text = self._walk.text[begin:end].decode()
            if not _NAME.search(text):
                continue
            if self._is_heading(block):
                return block
            # A label of one word, as the section's name, may stand before the title.
            if first < 0 or (not has_words and " " in text.strip()):
                first, has_words = block, " " in text.strip()
        return first

    def _line(self, block: int, begin: int, end: int) -> tuple[float, bool, bool]:
        """The share of its line that a link has, and whether it begins an item or line.

        Last, whether it does so, or begins a paragraph before a dash or a date.
        """
        text = self._walk.text
        first, last = self._blocks.place(block)
        # A link's text begins with the white space before it.
        begin = end - len(text[begin:end].lstrip())
        _, broken, before = text[max(first, begin - _WINDOW) : begin].rpartition(b"\n")
        behind, breaks, _ = text[end : min(last, end + _WINDOW)].partition(b"\n")
        length, before = len(text[begin:end].strip()), before.strip()
        is_item = bool(broken or breaks) or self._blocks.kinds[block] != "paragraph"
        others = behind.strip().decode(errors="ignore")
        share = length / (length + len(before) + len(behind.strip()))
        leads = begins = is_item and not before
        if share < _OF_LINE and not before and not is_item:
            is_dated = len(others) <= LINE and dates.iso(others) != ""
            leads = others[0] in _DASHES or is_dated
        return share, begins, leads

    def _alike(self) -> list[int]:
        """For each element a hash of the tags of the elements around it and its own."""
        elements = self._walk.elements
        tags = elements[:, _TAG]
        # Cells of different columns have different hashes.
        columns = np.where(np.isin(tags, _CELLS), elements[:, ElementColumn.PLACE], -1)
        hashes: list[int] = []
        for tag, column, parent in zip(
            tags.tolist(), columns.tolist(), self._parents, strict=True
        ):
            hashes.append(hash((hashes[parent] if parent >= 0 else 0, tag, column)))
        return hashes

    # -- regions

    def _regions(self, titles: Mapping[int, Link]) -> dict[int, tuple[int, int]]:
        """For each entry's element its first block, and the block after its last.

        What stands between two siblings that are entries belongs to the first.  An
        entry ends where the next begins, even inside its element, so that no text comes
        twice.
        """
        frames = list(titles)
        firsts, lasts = values_of(self._walk.elements, frames, (_FIRST, _LAST))
        begins = self._walk.blocks[:, BlockColumn.INNER].tolist()
        for n, (before, frame) in enumerate(pairwise(frames), 1):
            # A line that ends in an entry, with its image, may begin in the one before.
            if firsts[n] < titles[frame].block and (
                before <= begins[firsts[n]] < self._walk.ends[before] <= frame
            ):
                firsts[n] += 1
        regions: dict[int, tuple[int, int]] = {}
        # For each parent of entries, the number of blocks of the longest one so far.
        longest: dict[int, int] = defaultdict(int)
        following = [*frames[1:], -1]
        for n, (frame, behind) in enumerate(zip(frames, following, strict=True)):
            around = self._parents[frame]
            first, end = firsts[n], max(lasts[n], firsts[n] + 1)
            if behind >= 0 and self._parents[behind] == around:
                end = max(end, firsts[n + 1])
                longest[around] = max(longest[around], end - first)
            elif around >= 0:
                last = self._walk.elements.item(around, _LAST)
                end = max(end, min(last, first + longest[around]))
            if behind >= 0:
                end = min(end, max(firsts[n + 1], first + 1))
            regions[frame] = first, end
        return regions


def _sections(lists: Sequence[_List]) -> list[_List]:
    """The lists that are headings of sections: short, with longer links between."""
    long = sorted(link for found in lists if found.is_long for link in found.links)
    sections = []
    for found in lists:
        if found.is_long:
            continue
        own = {link.url for link in found.links}
        first = bisect_left(long, found.links[0])
        others = sum(link.url not in own for link in long[first:])
        if others >= _IN_SECTION * len(found.links):
            sections.append(found)
    return sections


def _title_of(links: Sequence[tuple[float, Link]]) -> Link:
    """The title among an entry's links: a heading, or else any link.

    The first one counts whose list has at least half the longest mean length.
    """
    headings = [(length, link) for length, link in links if link.is_heading]
    candidates = sorted(headings or links, key=lambda pair: pair[1].row)
    longest = max(length for length, _ in candidates)
    return next(link for length, link in candidates if length * 2 >= longest)


def _places_of_links(walk: Walk) -> dict[int, dict[int, tuple[int, int]]]:
    """For each link's element: where its text begins and ends in each of its blocks."""
    marks = walk.marks[walk.marks[:, MarkColumn.START] >= 0]
    blocks, starts = marks[:, MarkColumn.BLOCK], marks[:, MarkColumn.START]
    ends = walk.blocks[blocks, BlockColumn.END]
    ends[:-1] = np.where(blocks[1:] == blocks[:-1], starts[1:], ends[:-1])
    links = marks[:, MarkColumn.LINK]
    linked = (links >= 0) & (marks[:, MarkColumn.STYLE] >= 0)
    places: dict[int, dict[int, tuple[int, int]]] = defaultdict(dict)
    for row, block, start, end in zip(
        *(column[linked].tolist() for column in (links, blocks, starts, ends)),
        strict=True,
    ):
        begin, _ = places[row].get(block, (start, end))
        places[row][block] = begin, end
    return places
