"""The posts of a thread, or readers' comments: text, author and time of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from scrapy_eatext.output.code import Content
from scrapy_eatext.output.passages import words_of
from scrapy_eatext.output.posts import OF_TIME, Posts, without_says
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
from scrapy_eatext.page.tables import values_of
from scrapy_eatext.result import Post

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Units
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.walk import Walk

# How many blocks at the beginning of a comment may be its byline, and the most words of
# a link for a reply.
_MOST_BYLINES, _MOST_LINK_WORDS = 3, 3
# How many blocks at the beginning of a post may be its subject or byline; the most
# characters of such a line, of a label at its beginning, and of a button at its end; the
# most words of a byline beside author and date that are not in _ABOUT.
_HEAD, _LONG, _LABEL, _BUTTON, _BESIDE = 6, 160, 20, 40, 3
_DIGITS = re.compile(r"\d+")
_SENTENCE = re.compile(r"[.?!…。？！][\"'”’»)]?\Z")
_REPLY = re.compile(r"(?i)\A(?:(?:re|aw|sv|回复|答复)\s?[:：]\s{0,9}){1,5}")
# The number of a post, a count, an hour, or what parts them.
_COUNT = re.compile(r"[\s#+·|•–—,-]*\d*(?::\d\d)?[\s·|•–—,-]*")
# The words of a byline.
_ABOUT = re.compile(
    r"(?i)\b\d{0,4}(?:[ap]m|ago|am|answered|asked|at|by|changed|commented|days?|edit(?:ed)?"
    r"|hours?|in|last|min(?:ute)?s?|modified|months?|on|post(?:ed)?|reason|replied"
    r"|sa(?:id|ys)|the|this|times?|today|total|um|updated|was|weeks?|writes|written|wrote"
    r"|years?|yesterday)\b|[年月日发表于编辑最后]"
)


def write_posts(judged: JudgedPage) -> tuple[Post, ...]:
    """The posts of a thread; the readers' comments of any other page."""
    if judged.thread:
        return posts_in(judged.thread)
    removed, day_first = judged.verdict.removed.units, judged.text_page.is_day_first
    return posts_of(judged.units, judged.comments, removed, day_first=day_first)


def _words(posts: Iterable[Post]) -> int:
    return sum(words_of(post.text) for post in posts)


def _attributed(posts: Sequence[Post]) -> int:
    """How many words have an author."""
    return _words(post for post in posts if post.author)


def posts_in(thread: Thread) -> tuple[Post, ...]:
    """The posts of a thread, in the order in which they begin."""
    numbers = sorted({*thread.spoken.units, *thread.left_out()})
    return tuple(_cut(thread, numbers).values())


def placed_posts(thread: Thread) -> tuple[Post, ...]:
    """The comments of a page, cut as the posts of a thread are.

    Consecutive units outside of all posts are one comment, without author and time.
    """
    numbers = list(thread.spoken.units)
    shown = _Texts(thread.blocks, thread.spoken)
    inside = thread.of_units(numbers)
    posts = _cut(thread, numbers)
    for is_inside, run in groupby(range(len(numbers)), lambda n: numbers[n] in inside):
        if not is_inside:
            places = list(run)
            posts[numbers[places[0]]] = Post(shown.joined(places, -1))
    return tuple(post for _, post in sorted(posts.items(), key=itemgetter(0)))


def _cut(thread: Thread, numbers: list[int]) -> dict[int, Post]:
    """The posts that have some units, which rise, by their first units."""
    shown = _Texts(thread.blocks, Content(numbers, thread.spoken.code))
    quoted = thread.quoted(numbers)
    at = {unit: n for n, unit in enumerate(numbers)}
    members = thread.text_units(numbers).items()
    own = {
        post: [at[unit] for unit in units if unit not in quoted]
        for post, units in members
    }
    around = _repeated(own.values(), shown.texts)
    posts: dict[int, Post] = {}
    for post, units in members:
        author, time, _ = thread.details(post)
        inside = _trimmed(own[post], shown.texts, author, *around)
        quotes = [at[unit] for unit in units if unit in quoted]
        text, quote = shown.joined(inside, post), shown.joined(quotes, post)
        posts[units[0]] = Post(text, author, time, quote)
    return posts


def _repeated(
    posts: Collection[Sequence[int]], texts: Sequence[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """The labels and the buttons that most posts begin and end with."""
    heads = [frozenset(_label(texts[n]) for n in of[:_HEAD]) for of in posts]
    tails = [frozenset(_button(texts[n]) for n in of[-_HEAD:]) for of in posts]
    return _frequent(heads), _frequent(tails)


def _frequent(labels: Collection[frozenset[str]]) -> frozenset[str]:
    """The labels that at least half of all posts have.

    A sentence or long text is in three at least.
    """
    counts = Counter(chain.from_iterable(labels))
    most = [
        label
        for label, n in counts.items()
        if n > 1 + bool(len(label) > _BUTTON or _SENTENCE.search(label))
        and 2 * n >= len(labels)
    ]
    return frozenset(most) - {""}


def _button(text: str) -> str:
    """A line such as "Reply" and "3 Likes", without numbers if short and no sentence.

    All lines of numbers alone are alike.
    """
    is_whole = len(text) > _BUTTON or _SENTENCE.search(text)
    return text if is_whole else " ".join(_DIGITS.sub("", text).split()) or "0"


def _label(text: str) -> str:
    """A line's text before its colon, without numbers, or the line if no sentence."""
    text = _REPLY.sub("", text[:_LONG])
    label, colon, _ = text.partition(":")
    if colon and len(label) < _LABEL:
        return " ".join(_DIGITS.sub("", label).split())
    return text if text[-1:].isalnum() else ""


def _is_reply_to(text: str) -> bool:
    """Whether a line is the subject of a reply, such as "Re: Old boats"."""
    return len(text) <= _LONG and bool(_REPLY.match(text)) and text[-1] != "."


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
        is_subject = _label(text) in repeated or _is_reply_to(text)
        if is_subject or is_details(text, author):
            begin = n + 1
        elif not 0 < text.find(":") < _LABEL:
            break
    while begin < end - 1 and (
        _button(last := texts[places[end - 1]]) in buttons
        or is_details(last, author, at_end=True)
    ):
        end -= 1
    # Jira has each comment again, folded into a line.
    said = " ".join(word for n in places[begin : end - 1] for word in texts[n].split())
    if said and author:
        line = texts[places[end - 1]]
        end -= line.startswith(author) and line.endswith(said)
    return places[begin:end]


def is_details(text: str, author: str, *, at_end: bool = False) -> bool:
    """Whether a text names only the author of a post or of a change, and the time.

    Of other words it has at most _BESIDE, such as the day of the week, beside the author
    and a date, or behind the author with a number, as in "Ann vor 2 Tagen".  A sentence
    such as "This." is text; and at a post's end, a text without a number is a signature,
    and one of numbers alone may be text.  So are signs, such as ":)" and "10/10", which
    are no count.
    """
    has_number = any(map(str.isdigit, text))
    named = bool(author) and author in text
    may_be_text = at_end or (not named and _SENTENCE.search(text))
    if len(text) > _LONG or (may_be_text and not has_number):
        return False
    is_beside = named and text.startswith(author) and not _SENTENCE.search(text)
    text = text.replace(author, " ") if author else text
    is_beside = is_beside and OF_TIME.search(text) is not None
    days = list(dates.found(text))
    if not (named or days or any(map(str.isalpha, text))):
        return not at_end and _COUNT.fullmatch(text) is not None
    for _, start, end in reversed(days):
        text = f"{text[:start]} {text[end:]}"
    words = _ABOUT.sub("", text).split()
    others = words_of(" ".join(word for word in words if any(map(str.isalpha, word))))
    return others <= (_BESIDE if is_beside or (named and days) else 0)


def posts_of(
    units: Units,
    spoken: Content,
    removed: frozenset[int] = frozenset(),
    *,
    day_first: bool = True,
) -> tuple[Post, ...]:
    """The comments in units that readers wrote, in the order in which they begin.

    They are cut by the names of elements.  If half of the words have no author so, but
    two thirds of all but bylines have one as the posts of a thread, they are cut like
    these.
    """
    if not isinstance(units, Blocks):
        texts = parts_of(units, list(spoken.units), spoken.code).texts
        return (Post("\n\n".join(texts)),) if texts else ()
    named = named_posts(units, spoken, day_first=day_first)
    words = _words(named)
    if 2 * _attributed(named) >= words:
        return named
    thread = Thread(units, spoken, removed, day_first=day_first)
    placed = placed_posts(thread)
    several = sum(bool(post.author) for post in placed) > 1
    most = max(_words(placed), words // 2)
    return placed if several and 3 * _attributed(placed) >= 2 * most else named


def named_posts(
    blocks: Blocks, spoken: Content, *, day_first: bool = True
) -> tuple[Post, ...]:
    """The comments in some blocks by the names of elements.

    A block belongs to the innermost element around it that is named as a post.
    Consecutive blocks outside of all such elements are one comment, without author and
    time.
    """
    numbers = list(spoken.units)
    shown = _Texts(blocks, spoken)
    posts = Posts(blocks, numbers, day_first=day_first)
    post_of = _posts_around(posts, blocks.walk, numbers)
    members: dict[tuple[int, int], list[int]] = {}
    runs = groupby(range(len(numbers)), post_of.__getitem__)
    for part, (post, run) in enumerate(runs):
        # A post may continue after a reply that stands inside it.
        members.setdefault((post, -1 if post >= 0 else part), []).extend(run)
    found: list[tuple[int, list[int], str, str]] = []
    for (post, _), inside in members.items():
        if post < 0:
            # Headings alone, such as "Leave a Reply", are no comment.
            if any(blocks.kind(numbers[n]) != "heading" for n in inside):
                found.append((post, inside, "", ""))
            continue
        author, time, times = posts.details(post)
        own = []
        for place, n in enumerate(inside):
            text = shown.texts[n]
            if place < _MOST_BYLINES:
                day = dates.iso(text, day_first=day_first)
                tells = bool(day) or (author != "" and author in text)
                if _is_byline(text, (author, *times)) or (
                    tells and is_details(text, author)
                ):
                    time = time or day
                    continue
            own.append(n)
        if own:
            found.append((post, own, author, time))
    around = _repeated([own for post, own, *_ in found if post >= 0], shown.texts)
    trimmed = [
        _trimmed(own, shown.texts, author, *around) if post >= 0 else own
        for post, own, author, _ in found
    ]
    return tuple(
        Post(shown.joined(inside, post), author, time)
        for inside, (post, _, author, time) in zip(trimmed, found, strict=True)
    )


def _posts_around(posts: Posts, walk: Walk, units: list[int]) -> list[int]:
    """The post that each of some blocks stands in, -1 for none.

    A post that is only a short link, without author and time, is the link to reply; it
    belongs to the post around it.
    """
    columns = (
        BlockColumn.ELEMENT,
        BlockColumn.CHARS,
        BlockColumn.LINK_CHARS,
        BlockColumn.WORDS,
    )
    elements, *sizes = values_of(walk.blocks, units, columns)
    innermost = posts.around(elements)
    post_of = [innermost.get(row, -1) for row in elements]
    with_text = {
        post
        for post, chars, linked, words in zip(post_of, *sizes, strict=True)
        if linked != chars or words > _MOST_LINK_WORDS
    }
    parents = {
        post: walk.elements.item(post, ElementColumn.PARENT)
        for post in {*post_of} - with_text
        if post >= 0 and not any(posts.details(post)[:2])
    }
    around = posts.around(list(parents.values()))
    outer = {post: around.get(row, post) for post, row in parents.items()}
    return [outer.get(post, post) for post in post_of]


def _is_byline(text: str, details: Sequence[str]) -> bool:
    """Whether a text has details of a post, such as its author, and nothing else."""
    remaining = text
    for detail in filter(None, details):
        remaining = remaining.replace(detail, " ", 1)
    if remaining == text:
        return False
    return not any(c.isalnum() for c in without_says(remaining))


class _Texts:
    """The texts of some blocks of a page, and those of several of them as one."""

    def __init__(self, blocks: Blocks, shown: Content) -> None:
        units = list(shown.units)
        self._parts = parts_of(blocks, units, shown.code)
        self.texts = self._parts.texts
        self._places = places_in_tables(blocks, shown)
        self._numbers = dict(first_numbers(blocks, units))
        self._ends = blocks.walk.ends

    def joined(self, which: Sequence[int], post: int) -> str:
        """Some of the texts as one, without marks of lists and tables around a post.

        An item with all of the texts is taken for the post.
        """
        places, items = self._places, [self._parts.items[n] for n in which]
        if items and min(items) == items[0] and max(items) < self._ends[items[0]]:
            post = max(post, items[0])
        gaps = {
            n: places.gap(before, n) if places and places.tables[n] > post else ""
            for before, n in pairwise([-1, *which])
        }
        return joined(pieces(self._parts, which, self._numbers, gaps, within=post))
