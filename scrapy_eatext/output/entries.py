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
from scrapy_eatext.metadata.offered import asked_prices, asked_text, priced_row
from scrapy_eatext.metadata.prices import amount, prices_in
from scrapy_eatext.output.inline import Inlines
from scrapy_eatext.output.passages import words_of
from scrapy_eatext.output.posts import without_says
from scrapy_eatext.page import dates
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn, ElementColumn, MarkColumn
from scrapy_eatext.page.names import BYLINES, MEMBERS, POST_TIMES
from scrapy_eatext.page.tables import rows_with, values_of
from scrapy_eatext.page.tags import HEADING, TAG_ID
from scrapy_eatext.page.values import beginning, shortened
from scrapy_eatext.page.walk import (
    IMAGE,
    MAX_TOKENS,
    MAX_VALUE,
    attribute_values,
    name_tokens,
    nodes_of,
)
from scrapy_eatext.result import Entry

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.walk import Walk

# How many links are read, how many elements outwards from its link an entry may begin,
# and the most characters of an address and of a title.
_LINKS, _LEVELS, _LONGEST, _TITLE = 5000, 15, 2000, 500
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
# The most characters of a date, price or author, and of a line that begins with a price;
# in how many blocks of an entry, and in how many elements, they are looked for.
_LINE, _PRICED, _NEAR, _FEW = 60, 150, 20, 3
# How many days ahead the date of an event may be.
_AHEAD = 1000
# A number that stands before a title, such as "2." or "#2".
_RANK = re.compile(r"\W{0,3}\d{1,6}\W{0,3}")
# Who wrote an entry, and what may follow the name.
_BY = re.compile(
    r"(?:(?:posted|started|submitted|written) )?by:? +([^\W\d_].{0,200}?)"
    r"(?:[,;|·•»–—]|\W{1,9}(?:at|in|on|posted)\b| -|\W{1,9}\d|\Z)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\s{0,3}[;|·•»–—\n]|\s-\s|[\s,(]{1,9}\d")
# A label before an author's name; the day behind a month.
_LABEL = re.compile(r"\A(?:author|autor|auteur)\b:? *", re.IGNORECASE)
_DAY = re.compile(r"\W{0,9}\d")
# What may stand between a title and the text behind it in its line.
_DASHES = "–—-:|"
_BETWEEN = " \xa0\t–—-:|·•,;/"
# A link's text with a name in it, not only the number of a page.
_NAME = re.compile(r"[^\W\d_].{0,9}?[^\W\d_]|\d(?:\W?\d){4}", re.DOTALL)
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_TIME, _LINK = TAG_ID["time"], TAG_ID["a"]
_CELLS = (TAG_ID["td"], TAG_ID["th"])


class _Link(NamedTuple):
    """A link that may be a title: its element, its block, its place in all text."""

    row: int
    block: int
    begin: int
    end: int
    url: str
    text: str
    is_heading: bool


class _List(NamedTuple):
    """Links that stand alike, and the mean length of their texts."""

    links: list[_Link]
    length: float

    @property
    def is_sure(self) -> bool:
        headings = sum(link.is_heading for link in self.links)
        is_headed = len(self.links) >= _LEAST and headings * 2 >= len(self.links)
        return self.is_long or is_headed

    @property
    def is_long(self) -> bool:
        return self.length >= _SURE


def _list_of(links: list[_Link]) -> _List:
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
        details = _Details(self._judged, self._blocks, self._inlines, titles.values())
        for row in first.values():
            yield details.entry(titles[row], row, *regions[row])

    def _is_list(self, regions: Iterable[tuple[int, int]]) -> bool:
        """Whether the entries have enough of the kept text."""
        within = np.zeros(len(self._kept) + 1, dtype=np.int32)
        for first, last in regions:
            within[first] += 1
            within[last] -= 1
        chars = self._walk.blocks[:, BlockColumn.CHARS]
        inside = chars[self._kept & (within.cumsum()[:-1] > 0)].sum()
        is_list = self._judged.verdict.page_type in _LISTS
        least = _SHARE_OF_LISTS if is_list else _SHARE
        return bool(inside >= least * chars[self._kept].sum())

    # -- titles

    def _titles(self) -> dict[int, _Link]:
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

    def _leading(self, found: _List, titles: Mapping[int, _Link]) -> dict[int, _Link]:
        """Links of a list that are the titles of entries, if those of most are.

        They stand far before what was taken for the title, such as a board's last post.
        """
        frames = list(titles)
        leading: dict[int, _Link] = {}
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

    def _frames(self, lists: Sequence[_List]) -> dict[int, list[tuple[float, _Link]]]:
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
        frames: dict[int, list[tuple[float, _Link]]] = defaultdict(list)
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
            row: name_tokens((value or "")[:MAX_VALUE])[:MAX_TOKENS]
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
    ) -> _Link | None:
        """The link at a row, None unless it leads to another page."""
        url = self._inlines.link(row).partition("#")[0]
        self._left -= len(url)
        is_other = url.startswith(("http://", "https://")) and url != self._own
        if not is_other or len(url) > _LONGEST or self._left < 0:
            return None
        begin, end = places[row][block]
        text = shortened(self._walk.text[begin:end].decode(), _TITLE)
        return _Link(row, block, begin, end, url, text, self._is_heading(block))

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
            is_dated = len(others) <= _LINE and dates.iso(others) != ""
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

    def _regions(self, titles: Mapping[int, _Link]) -> dict[int, tuple[int, int]]:
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


def _title_of(links: Sequence[tuple[float, _Link]]) -> _Link:
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


def _parting(text: bytes, end: int, begin: int) -> int:
    """Where the last line between two places begins, or the second place."""
    at = text.rfind(b"\n", end, begin)
    return begin if at < 0 else at


def _lines(text: bytes) -> Iterator[str]:
    """The lines beside a title, without the dash or the like between them."""
    for line in text.decode().split("\n"):
        yield line.strip().lstrip(_BETWEEN).rstrip()


def _is_more(text: str) -> bool:
    """Whether a text before a title is not only the entry's number."""
    return bool(text) and bool(not _RANK.fullmatch(text) or any(prices_in(text)))


def _amounts(prices: Iterable[tuple[str, str, str]]) -> dict[float, str]:
    """Of prices, with number and sign, those with the first one's sign by their amounts."""
    found = list(prices)
    return {
        float(amount(number)): written
        for number, sign, written in found
        if sign == found[0][1]
    }


def _says_more(text: str) -> bool:
    """Whether a text has more than prices."""
    for begin, end, *_ in reversed(list(prices_in(text))):
        text = text[:begin] + text[end:]
    return any(map(str.isalnum, text))


def _undated(name: str, behind: str) -> str:
    """A name without the month of a date that begins in it."""
    before, _, last = name.rpartition(" ")
    return before if dates.is_month(last) and _DAY.match(behind) else name


def _by(line: str) -> str:
    """The author whom a line such as "Started by Ann, 02.03.2026" names, or ""."""
    found = _BY.match(line)
    return _undated(found[1], line[found.end(1) :]) if found else ""


def _named(line: str) -> str:
    """The author in a text that is marked as such, without a date and the like."""
    line = _LABEL.sub("", line)
    name = _BEHIND.split(line, maxsplit=1)[0]
    name = _by(line) or _undated(name, line[len(name) :]).rstrip(" ,(")
    return "" if name.endswith(":") else name


class _Details:
    """Reads the details of entries."""

    def __init__(
        self,
        judged: JudgedPage,
        blocks: Blocks,
        inlines: Inlines,
        titles: Iterable[_Link],
    ) -> None:
        self._blocks, self._inlines = blocks, inlines
        self._spans = sorted((title.begin, title.end) for title in titles)
        self._walk = walk = blocks.walk
        self._kept = frozenset(judged.shown.units)
        self._day_first = judged.text_page.is_day_first
        self._first_blocks = walk.elements[:, _FIRST]
        self._times = rows_with(walk.elements, _TAG, _TIME)
        self._dates = POST_TIMES.rows(walk)
        members = {*MEMBERS.rows(walk)} & {*rows_with(walk.elements, _TAG, _LINK)}
        self._authors = sorted({*BYLINES.rows(walk), *members})
        images = walk.marks[walk.marks[:, MarkColumn.STYLE] == IMAGE]
        self._images: list[int] = images[:, MarkColumn.BLOCK].tolist()
        around = images[:, MarkColumn.AROUND_STYLE].tolist()
        places = images[:, MarkColumn.AROUND_LINK].tolist()
        self._places = list(zip(around, places, strict=True))
        self._left = inlines.most
        inlines.read([], around, places)

    def entry(self, title: _Link, row: int, first: int, last: int) -> Entry:
        """An entry: its title, its element, its first block and its end."""
        name, block = title.text, title.block
        if not name:
            block = self._heading(first, last, block)
            name = shortened(self._blocks.text(block), _TITLE)
        pieces = list(self._pieces(title, block, first, last))
        lines = [text for _, text in pieces[:_NEAR] if len(text) <= _LINE]
        end = int(self._first_blocks.searchsorted(last))
        times = self._texts(self._times, row, end, "datetime")
        times += self._texts(self._dates, row, end, "title")
        days = {line: self._iso(line) for line in lines}
        date = next(filter(None, [*map(self._iso, times), *days.values()]), "")
        if not date:  # it may be that of an event
            coming = (self._iso(text, _AHEAD) for text in (*times, *lines))
            date = next(filter(None, coming), "")
        price = self._price(pieces[:_NEAR], block)
        marked = self._texts(self._authors, row, end)
        names = [(line, _named(without_says(line))) for line in marked]
        names += [(line, without_says(_by(line))) for line in lines]
        byline, author = next((pair for pair in names if pair[1]), ("", ""))
        text = "\n\n".join(
            text
            for n, text in pieces
            if n in self._kept
            and not days.get(text)
            and text != byline
            and without_says(text) != author
            and _says_more(text)
        )
        return Entry(name, title.url, text, date, price, self._image(row, last), author)

    def _price(self, pieces: Iterable[tuple[int, str]], title: int) -> str:
        """The first price of an entry that is not an old one; the lowest of its line.

        Others in the line are from before a sale, or the end of a range.
        """
        asked: list[dict[float, str]] = []
        old: set[float] = set()
        first = ""
        for n, text in pieces:
            shown = _amounts(
                (number, sign, text[begin:end])
                for begin, end, number, sign in prices_in(text[:_PRICED])
            )
            begins = text.startswith(tuple(shown.values()))
            if not shown or len(text) > (_PRICED if begins else _LINE):
                continue
            node = self._walk.node(priced_row(self._walk, n))
            line = text if n == title else asked_text(node)
            asked.append(_amounts(found[1:] for found in asked_prices(line)))
            old |= shown.keys() - asked[-1].keys()
            first = first or next(iter(shown.values()))
        current = [{n: one[n] for n in one.keys() - old} for one in asked]
        return next((one[min(one)] for one in (*current, *asked) if one), first)

    def _pieces(
        self, title: _Link, heading: int, first: int, last: int
    ) -> Iterator[tuple[int, str]]:
        """The texts of an entry with their blocks, without its title and link.

        A number before the title is left out, as it is the entry's own.
        """
        for n in range(first, last):
            if n == title.block:
                yield from ((n, text) for text in self._beside(title))
            elif n != heading:
                text = self._blocks.text(n)
                if n > heading or _is_more(text):
                    yield n, text

    def _beside(self, title: _Link) -> Iterator[str]:
        """What stands before and behind a title in its block.

        Between two titles of one block the last line break parts their entries.
        """
        text, spans = self._walk.text, self._spans
        start, stop = self._blocks.place(title.block)
        at = bisect_left(spans, (title.begin, title.end))
        if at and spans[at - 1][1] > start:
            start = _parting(text, spans[at - 1][1], title.begin)
        if at + 1 < len(spans) and spans[at + 1][0] < stop:
            stop = _parting(text, title.end, spans[at + 1][0])
        yield from filter(_is_more, _lines(text[start : title.begin]))
        yield from filter(None, _lines(text[title.end : stop]))

    def _texts(self, rows: list[int], begin: int, end: int, *names: str) -> list[str]:
        """The short texts of the first of some elements between two rows.

        Attributes with one of the names count before the text.
        """
        near = rows[bisect_left(rows, begin) : bisect_left(rows, end)][:_FEW]
        texts = [
            shortened(text)
            for node in nodes_of(self._walk, near)
            for text in (*map(node.get, names), beginning(node, 2 * _LINE))
            if text
        ]
        return [text for text in texts if len(text) <= _LINE]

    def _heading(self, first: int, last: int, link: int) -> int:
        """The block with the title of an entry whose link has no text of its own.

        It is a heading, or else the first kept block, or the link's.
        """
        near = [n for n in range(first, min(last, first + _NEAR)) if n != link]
        headings = [n for n in near if self._blocks.kind(n) == "heading"]
        kept = [n for n in near if n in self._kept]
        return next(iter([*headings, *kept]), link)

    def _iso(self, text: str, ahead: int = dates.DAYS_AHEAD) -> str:
        return dates.iso(text, day_first=self._day_first, ahead=ahead)

    def _image(self, row: int, last: int) -> str:
        """The address of the first image of an entry's element, no icon."""
        begin = bisect_left(self._images, int(self._first_blocks[row]))
        for place in self._places[begin : bisect_left(self._images, last)][:_FEW]:
            for image in self._inlines.images(*place, in_line=False):
                self._left -= len(image.url)
                return image.url if self._left >= 0 else ""
        return ""
