"""What is inside a block besides its words: links, emphasis, code, images.

The walk marks where they begin and end; here the marks become spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scrapy_eatext.output.urls import Addresses
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import MarkColumn
from scrapy_eatext.page.tags import EM_TEXT, IMG, STRONG_TEXT
from scrapy_eatext.page.walk import IMAGE

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.blocks import Blocks

_BLOCK = MarkColumn.BLOCK

# Where pages keep the address of an image, first that which a script loads later on.
SOURCES = (
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-srcset",
    "src",
    "srcset",
)
# Images that are smaller are dots, spacers and icons.
SMALL = 32
# How many characters of addresses come out of any page, and how many more for each byte
# of it: a link comes out with each block inside, and what it is relative to with each.
ADDRESS_CHARS, ADDRESS_TIMES = 500_000, 10


class Span(NamedTuple):
    """A piece of a block: text in one style, or an image with its description."""

    text: str
    style: int = 0
    link: str = ""
    image: str = ""


class Inlines:
    """The spans of a page's blocks."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._blocks: Blocks = page.blocks
        self._walk = page.blocks.walk
        self.addresses = Addresses(page.root, page.url)
        self._links: dict[int, str] = {-1: ""}
        # How many characters of addresses came out.
        self._used = 0

    def spans(self, i: int) -> Sequence[Span]:
        """A block's spans; their texts, images left out, are the block's text."""
        begin, end = self._bounds[i], self._bounds[i + 1]
        marks = self._marks
        while begin < end and marks[begin][1] < 0:
            begin += 1
        if begin == end:
            return (Span(self._blocks.text(i)),)
        start, stop = self._blocks.place(i)
        spans: list[Span] = []
        first = marks[begin][1]
        if first > start:
            spans.append(Span(self._walk.text[start:first].decode()))
        link, linked = "", -1
        for number in range(begin, end):
            _, at, style, row, around_style, around_row = marks[number]
            if row != linked:
                link, linked = self._allowed(self._link(row)), row
            if style == IMAGE:
                images = self._images(around_style, around_row)
                spans += [image._replace(link=link) for image in images]
                continue
            until = marks[number + 1][1] if number + 1 < end else stop
            text = self._walk.text[at:until].decode()
            if at > start and text[0] in " \n":
                text = _with_space(
                    spans, text, style, link, around_style, self._link(around_row)
                )
            spans.append(Span(text, style, link))
        return joined(spans)

    def images_before(self, i: int) -> list[Span]:
        """The images that stand between a block and the one before it."""
        found: list[Span] = []
        for number in range(self._bounds[i], self._bounds[i + 1]):
            _, start, _, _, row, place = self._marks[number]
            if start >= 0:
                break
            found += self._images(row, place, small=False)
        return found

    @cached_property
    def _marks(self) -> list[list[int]]:
        marks: list[list[int]] = self._walk.marks.tolist()
        return marks

    @cached_property
    def _bounds(self) -> list[int]:
        """For each block the number of its first mark, and for what is behind all."""
        of = np.arange(len(self._blocks) + 1)
        bounds: list[int] = self._walk.marks[:, _BLOCK].searchsorted(of).tolist()
        return bounds

    @cached_property
    def most(self) -> int:
        """How many characters of addresses may come out."""
        page = self._page
        size = len(page.html if page.body is None else page.body)
        return ADDRESS_CHARS + ADDRESS_TIMES * size

    def _is_full(self) -> bool:
        """Whether addresses have come out enough."""
        return self._used > ADDRESS_CHARS and self._used > self.most

    def _allowed(self, url: str) -> str:
        """An address that is to come out, nothing for one that is too much."""
        self._used += len(url)
        return "" if self._is_full() else url

    def _link(self, row: int) -> str:
        """The address of a link, nothing where it is not safe."""
        if self._is_full():
            return ""
        link = self._links.get(row)
        if link is None:
            href = self._walk.node(row).get("href")
            link = self._links[row] = self.addresses.link(href or "")
        return link

    def _images(self, row: int, place: int, *, small: bool = True) -> list[Span]:
        """Those of the images at a place that are to come out."""
        images = self.images_at(row, place, small=small)
        return [image for image in images if self._allowed(image.image)]

    def images_at(self, row: int, place: int, *, small: bool = True) -> Iterator[Span]:
        """The images at a place in an element: one, or those in a picture's source."""
        element = self._walk.child(row, place)
        missing = False
        for image in (element,) if element.tag == IMG else element.iter(IMG):
            if not small and _is_small(image.attrib):
                continue
            found = self._image(image.attrib)
            if found is None and not missing:
                # One for a script to fill has the image beside it for all others.
                missing = True
                beside = element.getnext()
                if beside is not None and beside.tag == "noscript":
                    instead = next(beside.iter(IMG), None)
                    found = self._image(instead.attrib) if instead is not None else None
            if found is not None:
                yield found

    def _image(self, given: Mapping[str, str | None]) -> Span | None:
        """An image of some attributes, None for one without an address."""
        for name in SOURCES:
            source = given.get(name)
            if source and name.endswith("srcset"):
                source = largest(source)
            url = self.addresses.image(source) if source else ""
            if url:
                alt = " ".join((given.get("alt") or "").split())
                if not alt.isascii():
                    alt = INVISIBLE.sub("", alt)
                return Span(alt, image=url)
        return None


def _with_space(
    spans: list[Span],
    text: str,
    style: int,
    link: str,
    around_style: int,
    around_link: str,
) -> str:
    """Text without the space that it begins with, unless that is of one style with it.

    The space goes in what it is in and both sides are in: no style ends in a space.
    """
    last = spans[-1]
    common, around = last.style & style & around_style, link
    differ = last.style ^ style
    # Links are around styles and strong is around the others: where the outer one
    # ends, so do those within.
    if not last.link == link == around_link:
        common, around = 0, ""
    elif differ & STRONG_TEXT:
        common = 0
    elif differ & EM_TEXT:
        common &= STRONG_TEXT
    if (common, around) == (style, link):
        return text
    spans.append(Span(text[0], common, around))
    return text[1:]


def joined(spans: Sequence[Span]) -> list[Span]:
    """Spans of which those that follow each other in one style and link are one."""
    made: list[Span] = []
    for (style, link, image), group in groupby(spans, itemgetter(1, 2, 3)):
        first, *more = group
        if image or not more:
            made += first, *more
        else:
            text = "".join([first.text, *(span.text for span in more)])
            made.append(Span(text, style, link))
    return made


def largest(srcset: str) -> str:
    """The address of the largest image in a srcset."""
    best, most = "", -1.0
    for candidate in srcset[:8192].split(", "):
        url, _, size = candidate.strip(" ,\t\n\r").partition(" ")
        try:
            wide = float(size.strip()[:-1] or 0)
        except ValueError:
            wide = 0.0
        if url and wide > most:
            best, most = url, wide
    return best


def _is_small(given: Mapping[str, str | None]) -> bool:
    """Whether an image says that it is too small to show anything."""
    for name in ("width", "height"):
        value = (given.get(name) or "").strip().removesuffix("px")
        if value.isascii() and value.isdigit() and int(value[:9]) < SMALL:
            return True
    return False
