"""Reads links, images and embeds of a page from the attributes of their elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from scrapy_eatext.output.embeds import embed_of, label_of, posts_in
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import AMP_IMAGES, IMG, SOURCE, TAG_ID
from scrapy_eatext.page.urls import Addresses
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy_eatext.page import Page
    from scrapy_eatext.result import Embed

# Attributes with the address of an image, those for lazy loading first; of a srcset the
# largest image counts.
SOURCES = (
    "data-srcset",
    "data-lazy-srcset",
    "data-src",
    "data-lazy-src",
    "data-original",
    "data-lazy",
    "data-lazyload",
    "data-actualsrc",
    "srcset",
    "src",
)
_PARENT, _TAG = ElementColumn.PARENT, ElementColumn.TAG
# Headings, and terms of definition lists.
_TITLES = frozenset(TAG_ID[name] for name in "dt h1 h2 h3 h4 h5 h6".split())
# A candidate of a srcset: its address, which may have commas inside, and its size.
_CANDIDATE = re.compile(r"([^\s,](?:\S*[^\s,])?)(?:,+(?=\s|\Z)|\s+([^,]*))?")
_LONGEST_SRCSET = 8192
# How many sources of a picture are read.
_MOST_SOURCES = 10
# Smaller images are dots, spacers and icons.
SMALL = 32
# How many elements, from an image outwards, may have a noscript or a line break beside
# them.
_AROUND = 3
# Bits of an image's style: whether a line ends right before it, or right behind it.
BREAK_BEFORE, BREAK_BEHIND = 1 << 9, 1 << 10
# The file names of placeholders of images that a script loads.
_PLACEHOLDERS = frozenset(
    name + end
    for name in "1x1 blank clear loading pixel placeholder spacer transparent".split()
    for end in (".gif", ".png", ".svg")
)
# Emoji with their modifiers and joiners, and keycaps.
_SIGN = (
    "[\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_CHANGE = "[\u200d\ufe0e\ufe0f\U000e0020-\U000e007f]"
_EMOJI = re.compile(f"(?:[0-9#*]\ufe0f?\u20e3|{_SIGN}{_CHANGE}*)+")
_LONGEST_EMOJI = 30
# The most characters of all addresses in an output, and how many more for each byte of
# the page.  Without a bound an output could be far larger than its page: a link is
# written once for each block inside it, and a base address with each relative link.
ADDRESS_CHARS, ADDRESS_TIMES = 500_000, 10


class Image(NamedTuple):
    """An image: its description, its address, and the bits of the breaks beside it."""

    alt: str
    url: str
    breaks: int = 0


class Inlines:
    """Gives the links, images and embeds of a page, after read() has looked them up."""

    def __init__(
        self,
        page: Page,
        removed: Collection[tuple[int, int]] = (),
        *,
        links: bool = True,
        images: bool = True,
    ) -> None:
        # The images that are never shown, by their parents' rows and their places.
        self._removed = removed
        self._has_links, self._has_images = links, images
        self._page = page
        self._walk = page.blocks.walk
        self._addresses = Addresses(page.root, page.url)
        self._hrefs: dict[int, str | None] = {}
        self._elements: dict[tuple[int, int], Any] = {}
        # The embeds by their addresses.
        self.embeds: dict[str, Embed] = {}
        # Whether any image read so far stands for an emoji.
        self.has_emoji = False

    def read(self, links: list[int], around: list[int], places: list[int]) -> None:
        """Look up the elements of links, images and embeds, in the order of the page.

        Links are given by their rows, in rising order; images and embeds by the rows of
        their parents, and their places among the parents' children.
        """
        hrefs = attribute_values(self._walk, links, "href")
        self._hrefs = dict(zip(links, hrefs, strict=True))
        self._hrefs.update(dict.fromkeys(self._to_themselves()))
        if around:
            elements = nodes_of(self._walk, around, places)
            at = zip(around, places, strict=True)
            self._elements = dict(zip(at, elements, strict=True))

    def _to_themselves(self) -> list[int]:
        """The links of titles that lead to the titles, or to the sections below them."""
        cell = self._walk.elements.item
        rows = [
            row
            for row, href in self._hrefs.items()
            if href and href[0] == "#" and cell(cell(row, _PARENT), _TAG) in _TITLES
        ]
        links = zip(rows, nodes_of(self._walk, rows), strict=True)
        return [row for row, link in links if _is_to_itself(link)]

    @cached_property
    def most(self) -> int:
        """The most characters of all addresses in an output."""
        page = self._page
        size = len(page.html if page.body is None else page.body)
        return ADDRESS_CHARS + ADDRESS_TIMES * size

    def link(self, row: int) -> str:
        """The address of a link, "" if it is unsafe, or if links are left out."""
        if not self._has_links:
            return ""
        return self._addresses.link(self._hrefs[row] or "")

    def fragments(self) -> dict[str, str]:
        """The names of the places on the page that links lead to, by their addresses."""
        own = f"{(self._page.url or '').partition('#')[0]}#"
        return {
            address: unquote(href.partition("#")[2])
            for href in self._hrefs.values()
            if href and (href[0] == "#" or href.startswith(own))
            if self._has_links and (address := self._addresses.link(href))
        }

    def embed(self, row: int, place: int) -> tuple[str, str]:
        """The label and the address of an embed; both are "" if there is none."""
        embed = embed_of(self._elements[row, place], self._addresses.image)
        if embed is None or not self._has_links:
            return "", ""
        embed = self.embeds.setdefault(embed.url, embed)
        return label_of(embed), embed.url

    def posts(self, quotes: dict[int, int]) -> dict[int, Embed]:
        """The posts of other sites among quotes; see embeds.posts_in()."""
        return posts_in(self._walk, quotes, self._addresses.image)

    def images(self, row: int, place: int, in_line: bool) -> list[Image]:
        """The images at a place in an element: one, or those in a picture's source.

        Images in a line may be small, and have the bits of the breaks beside them.  If
        images are left out, emoji are given still, as they become text.
        """
        images = self._all_images(row, place, in_line)
        if not self._has_images:
            images = [image for image in images if is_emoji(image.alt)]
        if images and in_line:
            element, last = self._elements[row, place], len(images) - 1
            for at, bit in (0, BREAK_BEFORE), (last, BREAK_BEHIND):
                if _has_break(element, before=bit == BREAK_BEFORE):
                    breaks = images[at].breaks | bit
                    images[at] = images[at]._replace(breaks=breaks)
        return images

    def _all_images(self, row: int, place: int, in_line: bool) -> list[Image]:
        if (row, place) in self._removed:
            return []
        element = self._elements[row, place]
        fallback = _fallback_of(element)
        if fallback is not None and not _is_small(fallback):
            image = self._image(fallback)
            if image is not None:
                # A lenient walk has read the noscript's image too.
                return [] if self._page.is_lenient else [image]
        tag = element.tag
        # The parser may nest the img of a picture in its source.
        is_whole = tag in AMP_IMAGES or (tag == IMG and not len(element))
        images = [
            self._image(img)
            for img in ((element,) if is_whole else element.iter(IMG))
            if in_line or not _is_small(img)
        ]
        return [image for image in images if image is not None]

    def _image(self, element: Any) -> Image | None:
        """The image of an element, None if it has no address."""
        for address in addresses_of(element):
            url = self._addresses.image(address)
            if url and url.rpartition("/")[2] not in _PLACEHOLDERS:
                alt = " ".join(element.get("alt", "").split())
                if not alt.isascii():
                    alt = INVISIBLE.sub("", alt)
                    self.has_emoji = self.has_emoji or is_emoji(alt)
                return Image(alt, url)
        return None


def addresses_of(image: Any) -> Iterator[str]:
    """The addresses of an image, the best first; those of its picture's sources last."""
    for name in SOURCES:
        if source := image.get(name):
            yield largest(source) if name.endswith("srcset") else source
    yield from map(largest, sources_of(image))


def sources_of(image: Any) -> Iterator[str]:
    """The srcsets of the sources of the picture around an image."""
    # The parser may nest a source and the image in another source.
    for around in islice(image.iterancestors(), _MOST_SOURCES):
        if around.tag == "picture":
            for source in islice(around.iter(SOURCE), _MOST_SOURCES):
                yield source.get("data-srcset") or source.get("srcset") or ""
        if around.tag != SOURCE:
            return


def _is_to_itself(link: Any) -> bool:
    """Whether a link leads to itself, its title or the element around the title."""
    place = link.get("href")[1:]
    if "toc-backref" in (link.get("class") or ""):
        return True
    around = link, *islice(link.iterancestors(), 2)
    return place in [element.get("id") for element in around]


def _fallback_of(element: Any) -> Any:
    """The image in the noscript after an image, to show without scripts, or None."""
    for _ in range(_AROUND):
        beside = element.getnext()
        if beside is not None:
            return next(beside.iter(IMG), None) if beside.tag == "noscript" else None
        parent = element.getparent()
        if parent is None or (
            element.getprevious() is not None and parent.tag != "picture"
        ):
            return None
        element = parent
    return None


def _has_break(element: Any, *, before: bool) -> bool:
    """Whether a line ends with a br right before an image, or right behind it."""
    for _ in range(_AROUND):
        parent = element.getparent()
        if parent is None:
            break
        if before:
            beside = element.getprevious()
            text = parent.text if beside is None else beside.tail
        else:
            beside, text = element.getnext(), element.tail
        if text and not text.isspace():
            break
        if beside is not None:
            return bool(beside.tag == "br")
        element = parent
    return False


def largest(srcset: str) -> str:
    """The address of the largest image in a srcset."""
    best, best_size = "", -1.0
    for url, size in _CANDIDATE.findall(srcset, 0, _LONGEST_SRCSET):
        try:
            number = float(size.strip().partition(" ")[0][:-1] or 0)
        except ValueError:
            number = 0.0
        if number > best_size:
            best, best_size = url, number
    return best


def is_emoji(alt: str) -> bool:
    """Whether the description of an image consists of emoji, for which it stands."""
    return len(alt) <= _LONGEST_EMOJI and _EMOJI.fullmatch(alt) is not None


def _is_small(image: Any) -> bool:
    """Whether an image is too small to show anything, by its attributes."""
    for name in ("width", "height"):
        size = image.get(name, "").strip().removesuffix("px")
        if size.isascii() and size.isdigit() and int(size[:9]) < SMALL:
            return True
    return False
