"""The details of an entry: text, date, price, author and image."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.metadata.offered import asked_prices, asked_text, priced_row
from scrapy_eatext.metadata.people import is_full_name, without_by
from scrapy_eatext.metadata.prices import amount, prices_in
from scrapy_eatext.output.comments import is_details
from scrapy_eatext.output.posts import without_says
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import ElementColumn, MarkColumn
from scrapy_eatext.page.names import BYLINES, MEMBERS, POST_TIMES
from scrapy_eatext.page.tables import rows_with, values_of
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.values import beginning, shortened
from scrapy_eatext.page.walk import IMAGE, nodes_of
from scrapy_eatext.result import Entry

if TYPE_CHECKING:
    from scrapy_eatext.output.inline import Inlines
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.blocks import Blocks

# The most characters of a title; and of a date, price or author.
TITLE, LINE = 500, 60
# The most characters of a line that begins with a price; in how many blocks of an entry,
# and in how many elements, details are looked for.
_PRICED, _NEAR, _FEW = 150, 20, 3
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
_BEHIND = re.compile(r"\s{0,3}[;|·•»–—\n]|\s-\s|[\s,(]{1,9}\d|\son\s(?=\w{3,6}day\b)")
# The day behind a month; a bracket left open.
_DAY = re.compile(r"\W{0,9}\d")
_OPEN = re.compile(r"\s?\([^()]*\Z")
# What may stand between a title and the text beside it in its line.
_BETWEEN = " \xa0\t–—-:|·•,;/"
_TAG = ElementColumn.TAG
_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_TIME, _LINK = TAG_ID["time"], TAG_ID["a"]


class Link(NamedTuple):
    """A link that may be a title: its element, its block, its place in all text."""

    row: int
    block: int
    begin: int
    end: int
    url: str
    text: str
    is_heading: bool


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


def _is_byline(text: str, author: str) -> bool:
    """Whether a text has the author and nothing else, besides a date."""
    return author in text and is_details(text.replace(author, " "), "")


def _undated(name: str, behind: str) -> str:
    """A name without the month of a date, or a bracket, that begins in it."""
    name = _OPEN.sub("", name)
    before, _, last = name.rpartition(" ")
    return before if dates.is_month(last) and _DAY.match(behind) else name


def _by(line: str) -> str:
    """The author whom a line such as "Started by Ann, 02.03.2026" names, or ""."""
    found = _BY.match(line)
    return _undated(found[1], line[found.end(1) :]) if found else ""


def _named(line: str) -> str:
    """The author in a text that is marked as such, without a date and the like."""
    name = _BEHIND.split(line, maxsplit=1)[0]
    if name.count(" ") != 1 or not is_full_name(name):  # such as Di Caprio
        line = without_by(line)
        name = _BEHIND.split(line, maxsplit=1)[0]
    name = _by(line) or _undated(name, line[len(name) :]).rstrip(" ,(")
    return "" if name.endswith(":") else name


class Details:
    """Reads the details of the entries with some titles."""

    def __init__(
        self,
        judged: JudgedPage,
        blocks: Blocks,
        inlines: Inlines,
        titles: Iterable[Link],
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

    def entry(self, title: Link, row: int, first: int, last: int) -> Entry:
        """An entry: its title, its element, its first block and its end."""
        name, block = title.text, title.block
        if not name:
            block = self._heading(first, last, block)
            name = shortened(self._blocks.text(block), TITLE)
        pieces = list(self._pieces(title, block, first, last))
        lines = [text for _, text in pieces[:_NEAR] if len(text) <= LINE]
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
            and not (author and _is_byline(text, author))
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
            if not shown or len(text) > (_PRICED if begins else LINE):
                continue
            node = self._walk.node(priced_row(self._walk, n))
            line = text if n == title else asked_text(node)
            asked.append(_amounts(found[1:] for found in asked_prices(line)))
            old |= shown.keys() - asked[-1].keys()
            first = first or next(iter(shown.values()))
        current = [{n: one[n] for n in one.keys() - old} for one in asked]
        return next((one[min(one)] for one in (*current, *asked) if one), first)

    def _pieces(
        self, title: Link, heading: int, first: int, last: int
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

    def _beside(self, title: Link) -> Iterator[str]:
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

        Attributes with one of the names count before the text.  An element of more
        than a few blocks is no detail.
        """
        inside = rows[bisect_left(rows, begin) : bisect_left(rows, end)]
        firsts, lasts = values_of(self._walk.elements, inside[:_NEAR], (_FIRST, _LAST))
        blocks = zip(inside, firsts, lasts, strict=False)
        near = [row for row, first, last in blocks if last - first <= _FEW][:_FEW]
        texts = [
            shortened(text)
            for node in nodes_of(self._walk, near)
            for text in (*map(node.get, names), beginning(node, 2 * LINE))
            if text
        ]
        return [text for text in texts if len(text) <= LINE]

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
