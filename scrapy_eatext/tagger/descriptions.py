"""Facts of the words that blocks share with the page's title, headline and so on.

A page's title and address, and the headline and summary in its meta elements, describe
its main text.  They are called its descriptions.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import numpy as np

from scrapy_eatext.page.head import canonical_of, title_of
from scrapy_eatext.tagger.operations import ratio
from scrapy_eatext.tagger.words import heads, words_in

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk
    from scrapy_eatext.tagger.operations import Ints, Rows

# The sources of descriptions, in the order of Walk.descriptions.
SOURCES = TITLE, HEADLINE, SUMMARY, ADDRESS = range(4)
# How many characters of each source, and of each block, are read.
SEEN = 240
# A block may be the headline if it has at most HEADLINE_WORDS, and the share of its
# words that are in title or headline, times the share of title or headline that is in
# the block, is at least HEADLINE_LEAST; both shares are in thousandths.  A block may be
# the summary if it has at least SUMMARY_LEAST thousandths of the summary's words.
HEADLINE_WORDS, HEADLINE_LEAST, SUMMARY_LEAST = 40, 150_000, 400

_HEADLINES = "og:title", "twitter:title"
_SUMMARIES = "og:description", "description", "twitter:description"
_METAS = frozenset((*_HEADLINES, *_SUMMARIES))
_BEST = {_HEADLINES[0], _SUMMARIES[0]}
_LONGEST_ADDRESS = 1000
_BEHIND_PATH = re.compile("[?#]")

# The facts of a block; repeated words count once, but in told_words:
#   told_title ...      how many of its words are in each of SOURCES
#   told_top            how many of its words are in the title or the headline
#   told                twice told_top, plus told_summary
#   told_words          how many of its words were read
#   headline            its similarity to title or headline, in thousandths
#   from_headline       its distance from the block with the highest headline, or -FAR
#   from_summary        its distance from that with the highest told_summary, or -FAR
# The facts of the page are the numbers of words of each of MEASURED, the highest
# headline of a block, and the highest share of the summary in a block.
OF_SOURCES = tuple("told_title told_headline told_summary told_address".split())
# Not the address: whether it is known depends on the caller.
MEASURED = OF_SOURCES[:ADDRESS]
FACTS = (
    *"told told_words told_top headline from_headline from_summary".split(),
    *OF_SOURCES,
)
PAGE_FACTS = (*MEASURED, "best_headline", "best_summary")


def described_walk(page: Page) -> Walk:
    """A page's walk, with the page's descriptions."""
    return replace(page.blocks.walk, descriptions=descriptions_of(page))


def descriptions_of(page: Page) -> tuple[bytes, ...]:
    """A page's descriptions, in the order of SOURCES, as UTF-8; b"" for missing ones."""
    metas = _metas(page.root)
    address = page.url or canonical_of(page.root)
    address = _BEHIND_PATH.split(address[:_LONGEST_ADDRESS], maxsplit=1)[0]
    path = unquote(address.rpartition("//")[2].partition("/")[2])
    headline, summary = (
        next((metas[name] for name in names if name in metas), "")
        for names in (_HEADLINES, _SUMMARIES)
    )
    texts = _title(page), headline, summary, path
    return tuple(text[:SEEN].encode("utf-8", "replace") for text in texts)


def _title(page: Page) -> str:
    """A page's title; reads the whole head only if that has no title element."""
    for head in page.root.iterchildren("head"):
        for title in head.iterchildren("title"):
            return title_of(title)
    return page.title


def _metas(root: Any) -> dict[str, str]:
    """The headlines and summaries in a page's meta elements, by name.

    Reading ends when the elements of _BEST are found: much faster than head_of().
    """
    contents: dict[str, str] = {}
    for part in root.iterchildren("head", "body"):
        for meta in part.iterchildren("meta"):
            name = (meta.get("property") or meta.get("name") or "").lower()
            if name in _METAS and name not in contents:
                content = meta.get("content")
                if content:
                    contents[name] = content
                    if contents.keys() >= _BEST:
                        return contents
    return contents


def facts_of(walk: Walk, w: Ints, far: int) -> Rows:
    """The facts of blocks, see FACTS, and of the page, see PAGE_FACTS."""
    sources = [set(words_in(text.decode()[:SEEN])) for text in walk.descriptions]
    if not walk.text or not any(sources):
        sources = [set() for _ in SOURCES]
    texts = heads(walk, SEEN) if any(sources) else [""] * len(w)
    counts = np.array([_counts(sources, text) for text in texts]).T
    title, headline, summary, address, top, words = counts
    of_page = {
        name: np.array([len(part)])
        for name, part in zip(MEASURED, sources, strict=False)
    }
    cover = np.maximum(
        ratio(title, of_page["told_title"]), ratio(headline, of_page["told_headline"])
    )
    alike = np.where(w <= HEADLINE_WORDS, cover * ratio(top, words), 0)
    covered = ratio(summary, of_page["told_summary"])
    return {
        "told": 2 * top + summary,
        "told_words": words,
        "told_top": top,
        "headline": alike // 1000,
        "from_headline": _from_best(alike, HEADLINE_LEAST, far),
        "from_summary": _from_best(covered, SUMMARY_LEAST, far),
        **dict(zip(OF_SOURCES, (title, headline, summary, address), strict=True)),
        **{f"page.{name}": row for name, row in of_page.items()},
        "page.best_headline": np.array([alike.max() // 1000]),
        "page.best_summary": np.array([covered.max()]),
    }


def _counts(sources: list[set[str]], text: str) -> list[int]:
    """How many distinct words of a text are in each source, and in title or headline.

    The last number counts all words of the text.
    """
    words = words_in(text)
    # Most blocks share no word with any source.
    if all(part.isdisjoint(words) for part in sources):
        return [0] * (len(sources) + 1) + [len(words)]
    known = set(words)
    shared = [known & part for part in sources]
    top = shared[TITLE] | shared[HEADLINE]
    return [*map(len, shared), len(top), len(words)]


def _from_best(values: Ints, least: int, far: int) -> Ints:
    """The distance of each block from the first one with the highest value.

    It is -``far`` for all blocks if that value is below ``least``.
    """
    best = int(values.argmax())
    if values[best] < least:
        return np.full(len(values), -far)
    return np.arange(len(values)) - best
