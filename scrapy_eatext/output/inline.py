"""What is inside a block besides its words: links, emphasis, code, images.

A block's text comes from the walk.  Where the walk's tables tell that there may
be more to it, its element is read once more, by the walk's own rules, into
spans; where these do not add up to the block's text, the text is taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.output.urls import Addresses
from scrapy_eatext.page.characters import INVISIBLE
from scrapy_eatext.page.tags import BLOCK, SKIP, SPACERS, TAG_ID, TAGS
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS, is_hidden

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page import Page
    from scrapy_eatext.page.blocks import Blocks

STRONG, EM, DEL, SUP, SUB, CODE = (1 << n for n in range(6))

# The style that an element gives to what is in it.
STYLE_OF = {
    "b": STRONG,
    "strong": STRONG,
    "em": EM,
    "i": EM,
    "cite": EM,
    "var": EM,
    "del": DEL,
    "s": DEL,
    "strike": DEL,
    "sup": SUP,
    "sub": SUB,
    "code": CODE,
    "kbd": CODE,
    "samp": CODE,
    "tt": CODE,
}

# Whether a tag's number is that of an element which is more than its words.
_TELLING = np.array([tag == "a" or tag in STYLE_OF for tag in TAGS])
_COLUMN = {name: i for i, name in enumerate(BLOCK_COLUMNS)}
_PARENT, _TAG, _FIRST, _LAST = (
    ELEMENT_COLUMNS.index(name)
    for name in ("parent", "tag", "first_block", "last_block")
)
_A = TAG_ID["a"]
_BLOCK_TAG = np.array([tag in BLOCK for tag in TAGS])

# Where pages keep the address of an image that a script loads later on.
_LATER = ("data-src", "data-lazy-src", "data-original", "data-lazy")
# Images that are smaller are dots, spacers and icons.
_SMALL = 32
# How far before a block its images are looked for.
_FAR = 200


class Span(NamedTuple):
    """A piece of a block: text in one style, or an image with its description."""

    text: str
    style: int = 0
    link: str = ""
    image: str = ""


class _Run:
    """The spans of one block as they are gathered."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        # White space that is to come before the next text, and what it is in.
        self.pending = ""
        self.around = (0, "")
        self.begun = False

    def add(self, piece: str, style: int, link: str) -> None:
        """Add text as it stands in the source, its white space as the walk has it."""
        if not piece.isascii() and INVISIBLE.search(piece):
            piece = INVISIBLE.sub("", piece)
        words = piece.split()
        if not words:
            if piece:
                self.space(style, link)
            return
        text = " ".join(words)
        spans = self.spans
        if self.begun:
            between, within = self.pending, self.around
            if not between and piece[0].isspace():
                between, within = " ", (style, link)
            if between:
                # In what it is in and both sides are in: no style ends in a space.
                last = spans[-1]
                common, around = last.style & style & within[0], link
                differ = last.style ^ style
                # Links are around styles and strong is around the others: where
                # the outer one ends, so do those within.
                if not last.link == link == within[1]:
                    common, around = 0, ""
                elif differ & STRONG:
                    common = 0
                elif differ & EM:
                    common &= STRONG
                if (common, around) == (style, link):
                    text = between + text
                elif (common, around) == last[1:3] and not last.image:
                    spans[-1] = Span(last.text + between, common, around)
                else:
                    spans.append(Span(between, common, around))
        self.begun = True
        self.pending = " " if piece[-1].isspace() else ""
        self.around = (style, link)
        if spans:
            last = spans[-1]
            if last.style == style and last.link == link and not last.image:
                spans[-1] = Span(last.text + text, style, link)
                return
        spans.append(Span(text, style, link))

    def space(self, style: int, link: str) -> None:
        if self.begun and not self.pending:
            self.pending = " "
            self.around = (style, link)

    def new_line(self, style: int, link: str) -> None:
        if self.begun:
            self.pending = "\n"
            self.around = (style, link)

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans if not span.image)


class Inlines:
    """The spans of a page's blocks."""

    def __init__(self, page: Page) -> None:
        self._blocks: Blocks = page.blocks
        self.addresses = Addresses(page.root, page.url)
        # For each element that was read, the runs in it that are still to come.
        self._runs: dict[int, Iterator[_Run]] = {}
        self._links: dict[int, str] = {-1: ""}

    def spans(self, i: int) -> Sequence[Span]:
        """A block's spans; their texts, images left out, are the block's text."""
        text = self._blocks.text(i)
        if not self._telling[i]:
            return (Span(text),)
        row = self._elements[i]
        runs = self._runs.get(row)
        if runs is None:
            element = self._blocks.element(i)
            heading = self._blocks.kind(i) == "heading"
            found = self._read(element, heading, self._link_around(row))
            runs = self._runs[row] = iter(found)
        for run in runs:
            if run.text == text:
                return run.spans
        # The walk read it by other rules, as it does where a page hides its text.
        return (Span(text),)

    def images_before(self, i: int, inside: int) -> list[Span]:
        """The images between a block and the one before it.

        ``inside`` is how many images the block itself has.
        """
        left = self._images[i] + self._pictures[i] - inside
        if left <= 0:
            return []
        found: list[Span] = []
        element = self._blocks.element(i)
        before = self._blocks.element(i - 1) if i else None
        for _ in range(_FAR):
            previous = element.getprevious()
            if previous is None:
                element = element.getparent()
                if element is None or element is before:
                    break
                continue
            element = previous
            while len(element) and element is not before:
                element = element[-1]
            if element is before:
                break
            if element.tag == "img":
                left -= 1
                image = self._image(element)
                if image is not None and not _is_small(element):
                    found.append(image)
                if not left:
                    break
        return found[::-1]

    @cached_property
    def _telling(self) -> list[bool]:
        """For each block, whether it may be more than its text."""
        blocks = self._blocks.walk.blocks
        if not len(blocks):
            return []
        telling = _TELLING[self._blocks.walk.elements[:, _TAG]]
        found: npt.NDArray[np.bool_] = self._met(telling) > 0
        found |= telling[blocks[:, _COLUMN["inner"]]]
        for name in ("images", "link_chars", "strong_chars"):
            found |= blocks[:, _COLUMN[name]] > 0
        found |= np.array(self._pictures) > 0
        answer: list[bool] = found.tolist()
        return answer

    @cached_property
    def _pictures(self) -> list[int]:
        """For each block, how many elements there are that may be pictures.

        The parser takes an image behind a source element for a part of it, and
        the walk does not look in there.
        """
        elements = self._blocks.walk.elements
        unknown = (elements[:, _TAG] == 0) & (elements[:, _FIRST] == elements[:, _LAST])
        answer: list[int] = self._met(unknown).tolist()
        return answer

    def _met(self, wanted: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """For each block, how many of some elements were met since the one before."""
        before = np.concatenate(([0], wanted.cumsum()))
        started = self._blocks.walk.blocks[:, _COLUMN["elements"]]
        end = started.cumsum()
        met: npt.NDArray[np.int64] = before[end] - before[end - started]
        return met

    @cached_property
    def _elements(self) -> list[int]:
        return self._blocks.column("element")

    @cached_property
    def _images(self) -> list[int]:
        return self._blocks.column("images")

    @cached_property
    def _parents(self) -> list[int]:
        parents: list[int] = self._blocks.walk.elements[:, _PARENT].tolist()
        return parents

    @cached_property
    def _tags(self) -> list[int]:
        tags: list[int] = self._blocks.walk.elements[:, _TAG].tolist()
        return tags

    def _link_around(self, row: int) -> str:
        """The address of the link that an element stands in, if any."""
        way = []
        while row not in self._links:
            way.append(row)
            if self._tags[row] == _A:
                href = self._blocks.walk.node(row).get("href")
                if href is not None:
                    self._links[row] = self.addresses.link(href)
                    break
            row = self._parents[row]
        link = self._links[row]
        for passed in way:
            self._links[passed] = link
        return link

    def _read(self, element: Any, heading: bool, around: str) -> list[_Run]:
        """The runs of text right inside a block-level element, in their order."""
        run = _Run()
        runs = [run]
        style, link = 0, around
        # For each open inline element what is to be known again behind it.
        outer: list[tuple[Any, int, str, Any]] = []
        children = iter(element)
        link_ended = False
        text = element.text
        while True:
            if text:
                link_ended = False
                run.add(text, style, link)
            child = next(children, None)
            if child is None:
                if not outer:
                    return [run for run in runs if run.begun]
                child, style, link, children = outer.pop()
                link_ended = child.tag == "a"
                text = child.tail
                continue
            name = child.tag
            text = child.tail
            if not isinstance(name, str):
                link_ended = False
                continue
            if name[0] == "{":
                name = name.rpartition("}")[2]
            if name == "br" and run.pending != "\n":
                run.new_line(style, link)
            elif name in SKIP or (name == "button" and not heading):
                self._leave_out(child, name, run, style, link)
            elif (given := child.items()) and is_hidden(dict(given), name):
                pass
            elif name in BLOCK or name == "br":
                run = _Run()
                runs.append(run)
            else:
                if link_ended and name == "a":
                    run.space(style, link)
                outer.append((child, style, link, children))
                children = iter(child)
                style |= STYLE_OF.get(name, 0)
                if name == "a" and not link:
                    href = child.get("href")
                    link = self.addresses.link(href) if href else ""
                text = child.text
            link_ended = False

    def _leave_out(
        self, element: Any, name: str, run: _Run, style: int, link: str
    ) -> None:
        """Leave out an element whose content is no text, but not its images."""
        if name in ("img", "source"):
            for image in (element,) if name == "img" else element.iter("img"):
                found = self._image(image)
                if found is not None:
                    run.spans.append(found._replace(link=link))
        if name in SPACERS:
            run.space(style, link)

    def _image(self, element: Any) -> Span | None:
        """An image, None for one without an address."""
        sources = [element.get(name) for name in _LATER]
        sources.append(_largest(element.get("data-srcset") or ""))
        sources.append(element.get("src"))
        sources.append(_largest(element.get("srcset") or ""))
        for source in sources:
            if source:
                url = self.addresses.image(source)
                if url:
                    alt = " ".join((element.get("alt") or "").split())
                    return Span(INVISIBLE.sub("", alt), image=url)
        return None


def _largest(srcset: str) -> str:
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


def _is_small(element: Any) -> bool:
    """Whether an image says that it is too small to show anything."""
    for name in ("width", "height"):
        value = (element.get(name) or "").strip().removesuffix("px")
        if value.isascii() and value.isdigit() and int(value[:9]) < _SMALL:
            return True
    return False
