"""What of other pages the main text shows: videos, sound, posts and code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.names import POSTED
from scrapy_eatext.page.players import AUDIO, PLAYERS, VIDEO, player_of
from scrapy_eatext.page.values import shortened
from scrapy_eatext.page.walk import nodes_of
from scrapy_eatext.result import Embed

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.walk import Walk

# Attributes with the address of what is played, the parameters that have it where it is
# an object, and how many elements inside are looked at for it.
_SOURCES = ("src", "data-src", "data-lazy-src", "data-litespeed-src", "data")
_POST_SOURCES = ("cite", "data-instgrm-permalink")
_PARAMETERS = frozenset(("movie", "src"))
_INSIDE = 20
_LONGEST_TITLE = 300
# Words that say no more of a player than that it is one.
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
    """The posts of other sites among some quotes, by their nodes.

    ``quotes`` has the node of each quote's row.
    """
    rows = [row for row in POSTED.rows(walk) if row in quotes] if quotes else []
    return {
        quotes[row]: embed
        for row, element in zip(rows, nodes_of(walk, rows), strict=True)
        if (embed := _post(element, absolute)) is not None
    }


def _post(quote: Any, absolute: Callable[[str], str]) -> Embed | None:
    """The post that a quote is of: what its attributes name, or its last link of a post."""
    links = islice(quote.iterdescendants("a"), _INSIDE)
    given = [quote.get(name) for name in _POST_SOURCES]
    for address in (*given, *reversed([link.get("href") for link in links])):
        found = player_of(address or "")
        if found is not None and (url := absolute(found[1])):
            return Embed(url, "", found[0].kind, found[0].provider)
    return None


def label_of(embed: Embed) -> str:
    """What an embed is called on its line: a file without a title by its name."""
    path = embed.url.partition("#")[0].partition("?")[0]
    name = strip_unstorable(unquote(path.rstrip("/").rpartition("/")[2]))
    return embed.title or embed.provider or " ".join(name.split()) or embed.url


def embed_of(element: Any, absolute: Callable[[str], str]) -> Embed | None:
    """What a frame, an object, a video or audio element shows, None where that is unknown.

    ``absolute`` makes an address on the web whole, or "" of any other.
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
    """The addresses that an element and those inside have, the best first."""
    for inside in islice(element.iter("*"), _INSIDE):
        if inside.tag == "param" and inside.get("name") in _PARAMETERS:
            yield inside.get("value") or ""
        elif inside is element or inside.tag in ("source", "embed", "iframe"):
            yield from filter(None, map(inside.get, _SOURCES))
