"""The posts of a thread, or readers' comments: text, author and time of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from scrapy_eatext.output.code import Content
from scrapy_eatext.output.posts import Posts
from scrapy_eatext.output.text import (
    first_numbers,
    joined,
    parts_of,
    pieces,
    places_in_tables,
)
from scrapy_eatext.output.threads import Thread
from scrapy_eatext.page import dates
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.result import Post

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.judged import JudgedPage

# How many blocks at the beginning of a comment may be its byline.
_FIRST = 3
# The most words of a link for a reply.
_WORDS = 3
# How many blocks at the beginning of a post may be its subject or byline; the most
# characters of such a line, of a label at its beginning, and of a button at its end.
_HEAD, _LONG, _LABEL, _BUTTON = 6, 160, 20, 40
_DIGITS = re.compile(r"\d+")
_REPLY = re.compile(r"(?i)\A(?:(?:re|aw|sv|回复|答复)\s?[:：]\s{0,9}){1,5}")
# The words of a byline.
_ABOUT = re.compile(
    r"(?i)\b\d{0,4}(?:[ap]m|ago|am|answered|asked|at|by|changed|commented|days?|edit(?:ed)?"
    r"|hours?|in|last|min(?:ute)?s?|modified|months?|on|post(?:ed)?|reason|replied"
    r"|sa(?:id|ys)|the|this|times?|today|total|um|updated|was|weeks?|writes|written|wrote"
    r"|years?|yesterday)\b|[年月日发表于编辑最后]"
)
_SIZES = [BlockColumn.CHARS, BlockColumn.LINK_CHARS, BlockColumn.WORDS]


def write_posts(judged: JudgedPage) -> tuple[Post, ...]:
    """The posts of a thread; the readers' comments of any other page."""
    if judged.thread:
        return posts_in(judged.thread)
    removed, day_first = judged.verdict.removed.units, judged.text_page.is_day_first
    return posts_of(judged.units, judged.comments, removed, day_first=day_first)


def _words(post: Post) -> int:
    return len(post.text.split())


def _attributed(posts: Sequence[Post]) -> int:
    """How many words have an author."""
    return sum(_words(post) for post in posts if post.author)


def posts_in(thread: Thread) -> tuple[Post, ...]:
    """The posts of a thread, in the order in which they begin."""
    numbers = sorted({*thread.spoken.units, *thread.left_out()})
    return tuple(_cut(thread, numbers).values())


def placed_posts(thread: Thread) -> tuple[Post, ...]:
    """The comments of a page, cut as the posts of a thread are.

    Consecutive units outside of all posts are one comment, without author and time.
    """
    numbers = list(thread.spoken.units)
    reader = _Reader(thread.blocks, thread.spoken)
    inside = thread.of_units(numbers)
    posts = _cut(thread, numbers)
    for is_inside, run in groupby(range(len(numbers)), lambda n: numbers[n] in inside):
        if not is_inside:
            places = list(run)
            posts[numbers[places[0]]] = Post(reader.text(places, -1))
    return tuple(post for _, post in sorted(posts.items(), key=itemgetter(0)))


def _cut(thread: Thread, numbers: list[int]) -> dict[int, Post]:
    """The posts that have some units, which rise, by their first units."""
    reader = _Reader(thread.blocks, Content(numbers, thread.spoken.code))
    quoted = thread.quoted(numbers)
    at = {unit: n for n, unit in enumerate(numbers)}
    members = thread.text_units(numbers).items()
    own = {
        post: [at[unit] for unit in units if unit not in quoted]
        for post, units in members
    }
    texts, of_posts = reader.texts, own.values()
    heads = [frozenset(_label(texts[n]) for n in of[:_HEAD]) for of in of_posts]
    tails = [frozenset(_button(texts[n]) for n in of[-_HEAD:]) for of in of_posts]
    repeated, buttons = _frequent(heads), _frequent(tails)
    posts: dict[int, Post] = {}
    for post, units in members:
        author, time, _ = thread.details(post)
        inside = _trimmed(own[post], texts, author, repeated, buttons)
        quotes = [at[unit] for unit in units if unit in quoted]
        text, quote = reader.text(inside, post), reader.text(quotes, post)
        posts[units[0]] = Post(text, author, time, quote)
    return posts


def _frequent(labels: Collection[frozenset[str]]) -> frozenset[str]:
    """The labels that at least half of all posts have."""
    counts = Counter(chain.from_iterable(labels))
    most = [label for label, n in counts.items() if n > 1 and 2 * n >= len(labels)]
    return frozenset(most) - {""}


def _button(text: str) -> str:
    """A short line without its numbers, such as "Reply" and "3 Likes"."""
    return " ".join(_DIGITS.sub("", text).split()) if len(text) <= _BUTTON else ""


def _label(text: str) -> str:
    """A line's text before its colon, or the whole line if it is no sentence."""
    text = _REPLY.sub("", text[:_LONG])
    label, colon, _ = text.partition(":")
    if colon and len(label) < _LABEL:
        return label
    return text if text[-1:].isalnum() else ""


def _trimmed(
    places: Sequence[int],
    texts: Sequence[str],
    author: str,
    repeated: frozenset[str],
    buttons: frozenset[str],
) -> Sequence[int]:
    """The blocks of a post without subject, byline and buttons around its text."""
    begin, end = 0, len(places)
    for n, place in enumerate(places[: min(end - 1, _HEAD)]):
        text = texts[place]
        if _label(text) in repeated or _is_details(text, author):
            begin = n + 1
        elif not 0 < text.find(":") < _LABEL:
            break
    while begin < end - 1 and (
        _button(last := texts[places[end - 1]]) in buttons
        or _is_details(last, author, at_end=True)
    ):
        end -= 1
    return places[begin:end]


def _is_details(text: str, author: str, *, at_end: bool = False) -> bool:
    """Whether a text names only the author of a post or of a change, and the time.

    At a post's end, a text without a number is a signature, not a byline.
    """
    if len(text) > _LONG or (at_end and not any(map(str.isdigit, text))):
        return False
    text = text.replace(author, " ") if author else text
    for _, start, end in reversed(list(dates.found(text))):
        text = f"{text[:start]} {text[end:]}"
    return not any(map(str.isalpha, _ABOUT.sub("", text)))


def posts_of(
    units: Units,
    spoken: Content,
    removed: frozenset[int] = frozenset(),
    *,
    day_first: bool = True,
) -> tuple[Post, ...]:
    """The comments in units that readers wrote, in the order in which they begin.

    They are cut by the names of elements.  If half of the words have no author so, but
    two thirds have one as the posts of a thread, they are cut like these.
    """
    if not isinstance(units, Blocks):
        texts = parts_of(units, list(spoken.units), spoken.code).texts
        return (Post("\n\n".join(texts)),) if texts else ()
    named = named_posts(units, spoken, day_first=day_first)
    words = sum(map(_words, named))
    if 2 * _attributed(named) >= words:
        return named
    thread = Thread(units, spoken, removed, day_first=day_first)
    placed = placed_posts(thread)
    several = sum(bool(post.author) for post in placed) > 1
    return placed if several and 3 * _attributed(placed) >= 2 * words else named


def named_posts(
    blocks: Blocks, spoken: Content, *, day_first: bool = True
) -> tuple[Post, ...]:
    """The comments in some blocks by the names of elements.

    A block belongs to the innermost element around it that is named as a post.
    Consecutive blocks outside of all such elements are one comment, without author and
    time.
    """
    return tuple(_Reader(blocks, spoken, day_first).posts())


class _Reader:
    def __init__(self, blocks: Blocks, spoken: Content, day_first: bool = True) -> None:
        numbers = list(spoken.units)
        self._parts = parts_of(blocks, numbers, spoken.code)
        self.texts = self._parts.texts
        self._places = places_in_tables(blocks, spoken)
        self._numbers = dict(first_numbers(blocks, numbers))
        self._posts = Posts(blocks, numbers, comments=True, day_first=day_first)
        self._elements = blocks.walk.blocks[numbers, BlockColumn.ELEMENT].tolist()
        self._cell = blocks.walk.elements.item
        self._sizes = blocks.walk.blocks[numbers][:, _SIZES].tolist()

    def posts(self) -> Iterator[Post]:
        post_of = self._post_of()
        units = [(post_of.get(row, -1), n) for n, row in enumerate(self._elements)]
        members: dict[tuple[int, int], list[int]] = {}
        for part, (post, group) in enumerate(groupby(units, itemgetter(0))):
            # A post may continue after a reply that stands inside it.
            key = (post, -1 if post >= 0 else part)
            members.setdefault(key, []).extend(n for _, n in group)
        for (post, _), numbers in members.items():
            if post < 0:
                yield Post(self.text(numbers, -1))
                continue
            author, time, shown = self._posts.details(post)
            own = [
                n
                for place, n in enumerate(numbers)
                if place >= _FIRST or not _is_byline(self.texts[n], (author, *shown))
            ]
            if own:
                yield Post(self.text(own, post), author, time)

    def _post_of(self) -> dict[int, int]:
        """The post that each unit's element stands in.

        A post that is only a short link, without author and time, is the link to reply;
        it belongs to the post around it.
        """
        post_of = self._posts.around(self._elements)
        links: dict[int, bool] = {}
        for row, size in zip(self._elements, self._sizes, strict=True):
            post = post_of.get(row, -1)
            chars, linked, words = size
            is_link = linked == chars and words <= _WORDS
            links[post] = links.get(post, True) and is_link
        parents = {
            post: self._cell(post, ElementColumn.PARENT)
            for post, is_link in links.items()
            if post >= 0 and is_link and not any(self._posts.details(post)[:2])
        }
        around = self._posts.around(list(parents.values()))
        outer = {post: around.get(row, post) for post, row in parents.items()}
        return {row: outer.get(post, post) for row, post in post_of.items()}

    def text(self, numbers: Sequence[int], post: int) -> str:
        """Some units as text, without marks of lists and tables around the post."""
        places = self._places
        gaps = {
            n: places.gap(before, n) if places and places.tables[n] > post else ""
            for before, n in pairwise([-1, *numbers])
        }
        return joined(pieces(self._parts, numbers, self._numbers, gaps, within=post))


def _is_byline(text: str, details: Sequence[str]) -> bool:
    """Whether a text has details of a post, such as its author, and nothing else."""
    remaining = text
    for detail in filter(None, details):
        remaining = remaining.replace(detail, " ", 1)
    if remaining == text:
        return False
    return not any(c.isalnum() for c in Posts.without_says(remaining))
