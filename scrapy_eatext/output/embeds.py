"""Content of other sites in the main text: videos, audio, posts and code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.columns import ElementColumn, MarkColumn
from scrapy_eatext.page.names import POSTED
from scrapy_eatext.page.players import AUDIO, PLAYERS, SCRIPTED, VIDEO, player_of
from scrapy_eatext.page.source import find, holds
from scrapy_eatext.page.values import shortened
from scrapy_eatext.page.walk import EMBED, nodes_of
from scrapy_eatext.result import Embed

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk

# Attributes with the address of a player or file; the params of an object that have it;
# and how many elements inside are read.
_SOURCES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data")
_POST_SOURCES = ("cite", "data-instgrm-permalink")
_PARAMETERS = frozenset(("movie", "src"))
_INSIDE = 20
_LONGEST_TITLE = 300
# Attributes with the ID of a video, and the address before it for each word that the tag
# has.
_IDS = ("data-videoid", "videoid")
_PROVIDERS = {
    "youtube": "https://www.youtube.com/embed/",
    "vimeo": "https://player.vimeo.com/video/",
    "dailymotion": "https://www.dailymotion.com/embed/video/",
}
# What a page's source has if scripts draw players, and the tags of what these replace.
_DRAWN = {
    **dict.fromkeys(SCRIPTED, ("script",)),
    "videoid=": tuple(f"{a}-{b}" for a in ("amp", "lite") for b in _PROVIDERS),
}
# Words of titles that only name the kind of player.
_NO_TITLE = frozenset(
    "a audio content embed embedded embeds external frame from html5 iframe media "
    "player podcast post the tweet video".split()
) | {word for player in PLAYERS for word in player.provider.lower().split()}


def write_embeds(judged: JudgedPage) -> tuple[Embed, ...]:
    """The embeds of a page's main text."""
    nodes = judged.nodes
    shown = {*nodes.leaves(), *nodes.children}
    return tuple(
        dict.fromkeys(nodes.embeds[n] for n in sorted(nodes.embeds) if n in shown)
    )


def posts_in(
    walk: Walk, quotes: dict[int, int], absolute: Callable[[str], str]
) -> dict[int, Embed]:
    """The quotes that are posts of other sites, by their nodes.

    ``quotes`` has the node of each quote by its row.
    """
    rows = [row for row in POSTED.rows(walk) if row in quotes] if quotes else []
    return {
        quotes[row]: embed
        for row, element in zip(rows, nodes_of(walk, rows), strict=True)
        if (embed := _post(element, absolute)) is not None
    }


def _post(quote: Any, absolute: Callable[[str], str]) -> Embed | None:
    """The post in a quote, by its attributes or its last link to a post."""
    links = islice(quote.iterdescendants("a"), _INSIDE)
    sources = [quote.get(name) for name in _POST_SOURCES]
    for address in (*sources, *reversed([link.get("href") for link in links])):
        player = player_of(address or "")
        if player is not None and (url := absolute(player[1])):
            return Embed(url, "", player[0].kind, player[0].provider)
    return None


def with_scripts(page: Page, walk: Walk) -> Walk:
    """The walk of a page, with a mark of an embed for each one that a script draws.

    The walk itself passes over scripts, and over other elements that they replace.
    """
    body = page.body
    tags: list[str] = []
    for name, replaced in _DRAWN.items():
        tags += replaced if body is None or holds(body, name.encode()) else ()
    if body is None or _has_frame_in_noscript(body):
        tags.append("noscript")
    scripts = [
        element
        for element in (page.root.iter(*tags) if tags else ())
        if _is_drawn(element) and embed_of(element, str) is not None
    ]
    if not scripts:
        return walk
    order = {script: number for number, script in enumerate(scripts)}
    rows = {node: row for row, node in enumerate(walk.nodes)}
    marks: list[tuple[int, int, int, int]] = []
    for parent in dict.fromkeys(script.getparent() for script in scripts):
        if parent not in rows:
            continue
        # The block behind the script: of the next element, or behind the parent.
        block = walk.elements.item(rows[parent], ElementColumn.LAST_BLOCK)
        for place, child in reversed(list(enumerate(parent))):
            if child in order:
                marks.append((block, order[child], rows[parent], place))
            elif child in rows:
                block = walk.elements.item(rows[child], ElementColumn.FIRST_BLOCK)
    added = [(block, -1, EMBED, -1, *at) for block, _, *at in sorted(marks)]
    blocks, starts = walk.marks[:, [MarkColumn.BLOCK, MarkColumn.START]].T
    # Behind the marks of the same block that stand before its text.
    places = (2 * blocks + (starts >= 0)).searchsorted([2 * at + 1 for at, *_ in added])
    made = np.insert(walk.marks, places, np.array(added, np.int32).reshape(-1, 6), 0)
    return replace(walk, marks=made)


def _has_frame_in_noscript(source: bytes) -> bool:
    """Whether a noscript has a frame, but for that of a tag manager, which many have."""
    begin = find(source, b"<noscript")
    while begin >= 0:
        end = find(source, b"</noscript", begin)
        content = source[begin : end if end >= 0 else len(source)]
        if b"<iframe" in content and b"googletagmanager" not in content:
            return True
        begin = find(source, b"<noscript", end) if end >= 0 else -1
    return False


def _is_drawn(element: Any) -> bool:
    """Whether a script may draw a player in an element's place."""
    if element.tag == "script":
        return any(name in (element.get("src") or "") for name in SCRIPTED)
    return element.tag != "noscript" or next(element.iter("iframe"), None) is not None


def label_of(embed: Embed) -> str:
    """The text of an embed: its title, else its provider, else its file name."""
    path = embed.url.partition("#")[0].partition("?")[0]
    name = strip_unstorable(unquote(path.rstrip("/").rpartition("/")[2]))
    return embed.title or embed.provider or " ".join(name.split()) or embed.url


def embed_of(element: Any, absolute: Callable[[str], str]) -> Embed | None:
    """The content of an iframe, object, video or audio element, None if it is unknown.

    ``absolute`` resolves an address; it returns "" for one that is not on the web.
    """
    title = shortened(
        element.get("title") or element.get("aria-label") or "", _LONGEST_TITLE
    )
    title = strip_unstorable(title)
    if _NO_TITLE.issuperset(title.lower().split()):
        title = ""
    is_own = element.tag in (VIDEO, AUDIO)
    for address in _addresses(element):
        found = player_of(address)
        if found is not None:
            player, page = found
            url = absolute(page) or absolute(address)
            if url:
                return Embed(url, title, player.kind, player.provider)
        elif is_own and (url := absolute(address)):
            return Embed(url, title, element.tag)
    return None


def _addresses(element: Any) -> Iterator[str]:
    """The addresses in an element and its descendants, the best first."""
    for inside in islice(element.iter("*"), _INSIDE):
        if inside is element and (
            video := next(filter(None, map(inside.get, _IDS)), "")
        ):
            tag = inside.tag
            yield from (at + video for word, at in _PROVIDERS.items() if word in tag)
        if inside.tag == "param" and inside.get("name") in _PARAMETERS:
            yield inside.get("value") or ""
        elif inside is element or inside.tag in ("source", "embed", "iframe"):
            yield from filter(None, map(inside.get, _SOURCES))
