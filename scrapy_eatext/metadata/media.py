"""Finds images and videos in figures, and limits those of all sources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.output.inline import SOURCES, largest, sources_of
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.names import FILMS
from scrapy_eatext.page.players import VIDEO, player_of
from scrapy_eatext.page.tables import rows_with
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.page.values import beginning, bounded, shortened
from scrapy_eatext.page.walk import nodes_in, nodes_of
from scrapy_eatext.result import Media

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk

# The most images or videos, and the most characters of all their addresses.
_MOST, _MOST_CHARS = 20, 6000
# How many figures are read, and how many elements in each.
_MAX_LOOKED_AT, _MAX_INSIDE = 50, 50
# A size in pixels, with or without the unit.
_SIZE = re.compile(r"\s*([0-9]{1,5})(?:\.[0-9]{1,9})?\s*(?:px)?\s*")
# The raw address, caption, width and height of an image or a video.
Found = tuple[Any, Any, Any, Any]


def media_of(
    found: Iterable[tuple[str, Iterable[Found]]], address: Callable[[Any], str]
) -> tuple[str, tuple[Media, ...]]:
    """The first images or videos that are found, each address once; the first source.

    ``found`` has those of each source.  ``address`` makes an address absolute; it
    returns "" for an unsuitable one.
    """
    # The caption and the size of each address.
    media: dict[str, tuple[str, int, int]] = {}
    first_source, left = "", _MOST_CHARS
    for source, given, caption, width, height in (
        (source, *one) for source, of_source in found for one in of_source
    ):
        url = bounded("image", address(given))
        if not url or len(url) > left:
            continue
        first_source = first_source or source
        if url not in media:
            if len(media) == _MOST:
                break
            left -= len(url)
        text, columns, lines = media.get(url, ("", 0, 0))
        # A later source fills what an earlier one leaves out.
        if not text and caption:
            text = bounded("caption", shortened(caption))
        media[url] = text, columns or _size(width), lines or _size(height)
    return first_source, tuple(Media(url, *details) for url, details in media.items())


def figures_in(page: Page) -> list[int]:
    """The rows of a page's figures."""
    return rows_with(page.blocks.walk.elements, ElementColumn.TAG, TAG_ID["figure"])


def images_in(walk: Walk, figures: list[int]) -> Iterator[Found]:
    """The images in a page's figures."""
    for figure in nodes_of(walk, figures[:_MAX_LOOKED_AT]):
        text = None
        for image in islice(figure.iter("img"), _MAX_INSIDE):
            if next(image.iterancestors("figure")) is not figure:
                continue  # the inner figure has its own caption
            if text is None:
                caption = next(figure.iter("figcaption"), None)
                text = "" if caption is None else beginning(caption, _MOST_CHARS)
            get = image.get
            # A data: URL is a placeholder.
            sources = filter(None, map(get, _SINGLE_SOURCES))
            source = next((src for src in sources if not src.startswith("data:")), "")
            srcsets = get("data-srcset"), get("srcset"), *sources_of(image)
            source = source or largest(next(filter(None, srcsets), ""))
            yield source, text or get("alt"), get("width"), get("height")


_SINGLE_SOURCES = [name for name in SOURCES if not name.endswith("srcset")]


def films_in(walk: Walk, figures: list[int]) -> Iterator[Found]:
    """The videos in figures and similar elements: video elements and framed players."""
    rows = sorted([*figures, *FILMS.rows(walk)])[:_MAX_LOOKED_AT]
    for players in nodes_in(walk, rows, ("video", "iframe"), _MAX_INSIDE):
        for element in players:
            get = element.get
            address = get("src") or get("data-src") or ""
            if element.tag == "video":
                source = next(element.iter("source"), None)
                if not address and source is not None:
                    address = source.get("src") or ""
            else:
                player = player_of(address)
                if player is None or player[0].kind != VIDEO:
                    continue
            yield address, get("title"), get("width"), get("height")


def _size(value: object) -> int:
    """A size in pixels, 0 if it is not known."""
    if not value:
        return 0
    if isinstance(value, dict):  # schema.org's QuantitativeValue
        value = value.get("value")
    is_readable = isinstance(value, (str, int, float))
    match = _SIZE.fullmatch(str(value)[:40]) if is_readable else None
    return int(match[1]) if match else 0
