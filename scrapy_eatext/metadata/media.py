"""Images and videos: those in a page's figures, and bounds on all that are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.inline import SOURCES, largest
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.names import FILMS
from scrapy_eatext.page.players import VIDEO, player_of
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.values import beginning, bounded, shortened
from scrapy_eatext.page.walk import nodes_in
from scrapy_eatext.result import Media

if TYPE_CHECKING:
    from scrapy_eatext.page import Page

# How many of each kind come out, and how many characters their addresses have at most.
_MOST, _MOST_CHARS = 20, 6000
# How many elements are looked at of each kind, and how many within one.
_MAX_LOOKED_AT, _MAX_INSIDE = 50, 50
# A size in pixels, with or without the unit.
_SIZE = re.compile(r"\s*([0-9]{1,5})(?:\.[0-9]{1,9})?\s*(?:px)?\s*")
# An address, a caption, a width and a height, as a page has them.
Found = tuple[Any, Any, Any, Any]


def media_of(
    found: Iterable[Found], address: Callable[[str], str]
) -> tuple[Media, ...]:
    """The first images or videos of those found, each address once.

    ``address`` makes an address whole, or "".
    """
    # The caption and the size of each.
    media: dict[str, tuple[str, int, int]] = {}
    left = _MOST_CHARS
    for given, caption, width, height in found:
        url = bounded("image", address(given)) if isinstance(given, str) else ""
        if not url or len(url) > left:
            continue
        if url not in media:
            if len(media) == _MOST:
                break
            left -= len(url)
        words, wide, high = media.get(url, ("", 0, 0))
        # One place may have what the other leaves out.
        if not words and caption:
            words = bounded("caption", shortened(caption))
        media[url] = words, wide or _size(width), high or _size(height)
    return tuple(Media(url, *known) for url, known in media.items())


def figures(page: Page) -> Iterator[Found]:
    """The images in a page's figures."""
    rows, walk = _figures(page)[:_MAX_LOOKED_AT], page.blocks.walk
    all_captions = nodes_in(walk, rows, ("figcaption",), 1)
    for images, captions in zip(
        nodes_in(walk, rows, ("img",), _MAX_INSIDE), all_captions, strict=True
    ):
        text = beginning(captions[0], _MOST_CHARS) if images and captions else ""
        for image in images:
            get = image.get
            # What stands in the address itself is a placeholder.
            whole = filter(None, map(get, _WHOLE_SOURCES))
            source = next((src for src in whole if not src.startswith("data:")), "")
            source = source or largest(get("data-srcset") or get("srcset") or "")
            yield source, text or get("alt"), get("width"), get("height")


_WHOLE_SOURCES = [name for name in SOURCES if not name.endswith("srcset")]


def films(page: Page) -> Iterator[Found]:
    """The videos in figures and the like, played by the page or by a framed player."""
    walk = page.blocks.walk
    rows = sorted([*_figures(page), *FILMS.rows(walk)])[:_MAX_LOOKED_AT]
    for players in nodes_in(walk, rows, ("video", "iframe"), _MAX_INSIDE):
        for element in players:
            get = element.get
            address = get("src") or get("data-src") or ""
            if element.tag == "video":
                inside = (one.get("src") for one in islice(element.iter("source"), 1))
                address = address or next(inside, None) or ""
            else:
                found = player_of(address)
                if found is None or found[0].kind != VIDEO:
                    continue
            yield address, get("title"), get("width"), get("height")


def _figures(page: Page) -> list[int]:
    return rows_with(page.blocks.walk.elements, ElementColumn.TAG, TAG_ID["figure"])


def _size(given: object) -> int:
    """A size in pixels, 0 if it is not known."""
    if isinstance(given, dict):  # schema.org's QuantitativeValue
        given = given.get("value")
    is_known = isinstance(given, (str, int, float))
    match = _SIZE.fullmatch(str(given)[:40]) if is_known else None
    return int(match[1]) if match else 0
