"""Sources are freed of tags that would take the parser too long: tags with thousands of
attributes, and tens of thousands of end tags that end nothing.

libxml2 puts each attribute behind those that the tag has, so a tag costs it the
square of their number: 80,000 take it minutes.  For an end tag it looks through all
open elements, 2,048 at most: ten megabytes of end tags without an element take it ten
seconds, and so do start tags of a body.  All other families that were measured
(benchmarks/linear.py) take it linear time: since version 2.14 it stops at that depth
(see depth.py), and it resolves no entity that a document defines.

So such tags are looked for before a source is parsed: a tag loses its attributes beyond
MAX_ATTRIBUTES, and tags that neither begin nor end an element are left out beyond
MAX_STRAY.  Tags are read by the rules of the HTML standard, as libxml2 reads them since
2.14: a hostile page would make use of any difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from scrapy_eatext.native.loading import twin

# Far more than people write (hardly ever a hundred), far fewer than cost time.
MAX_ATTRIBUTES = 1000
# The limit of tags that neither begin nor end an element: 20,000 cost libxml2 100 ms.
MAX_STRAY = 20_000
# Stands instead of a tag that is left out: the parser passes over it, and the texts
# beside it make no tag together.
NOTHING = b"</>"
# A shorter source has no room for enough such tags: 16 kB cost libxml2 10 ms.
_HARMLESS_BYTES = 16_000

_SPACE = rb"[ \t\n\r\f]"
# An attribute and what stands before it.  Whatever has been read of one, the rest
# may be missing, so no part is ever tried twice.
_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*[^ \t\n\r\f/>][^ \t\n\r\f/>=]*"
    rb"(?:[ \t\n\r\f]*=[ \t\n\r\f]*"
    rb"(?:\"[^\"]*\"?|'[^']*'?|[^ \t\n\r\f>\"'][^ \t\n\r\f>]*|))?"
)
_NAME = rb"[^ \t\n\r\f/>]*"
# Elements whose content is text up to their end tag.
RAW = frozenset(
    b"iframe noembed noframes plaintext script style textarea title xmp".split()
)
# Where the name of another element begins.
_NOT_RAW = rb"(?!(?i:%b)[ \t\n\r\f/>])[a-zA-Z]" % b"|".join(sorted(RAW))
# Tags as they mostly are written, and comments: what is read of one is never read
# in another way.
_USUAL = (
    rb"</[a-zA-Z][^>=]*>"
    rb"|<%b[a-zA-Z0-9]*(?: [a-zA-Z0-9_:-]+=\"[^\"]*\"){0,50} ?/?>"
    rb"|<!--[^->][^>]*(?<=--)>"
) % _NOT_RAW
# Text and markup that need no closer look: tags with a few attributes, odd kinds
# of comments, signs that open nothing.  What the lookahead has found stays in one
# piece (Python 3.11 would say so with an atomic group): a tag that does not end
# there ends the run, and is not read in other ways.  The number of repetitions
# bounds the memory that they take.
_ORDINARY = re.compile(
    rb"[^<]*(?:(?:%(usual)b|(?=(<(?:/[a-zA-Z]|%(not_raw)b)%(name)b"
    rb"(?:%(attribute)b){0,50}[ \t\n\r\f/]*))\1>"
    rb"|<(?!!--)[!?][^>]*>|</(?![a-zA-Z])[^>]*>|<(?![a-zA-Z/!?]))[^<]*){0,500}"
    % {
        b"usual": _USUAL,
        b"not_raw": _NOT_RAW,
        b"name": _NAME,
        b"attribute": _ATTRIBUTE,
    }
)
# The same without tags, for where each tag is looked at.
_NO_TAG = re.compile(
    rb"[^<]*(?:(?:<(?!!--)[!?][^>]*>|</(?![a-zA-Z])[^>]*>|<(?![a-zA-Z/!?]))[^<]*){0,500}"
)
# Elements without an end tag.
VOID = frozenset(
    b"area base br col embed frame hr img input link meta param source track wbr".split()
)
_TAG = re.compile(rb"</?([a-zA-Z]%b)" % _NAME)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_TAG_END = re.compile(rb"[ \t\n\r\f/]*")
_COMMENT_END = re.compile(rb"--!?>")
# A search is quick by the plain sign before (?i:).
_RAW_END = {name: re.compile(rb"</(?i:%b)[ \t\n\r\f/>]" % name) for name in RAW}
# Inside a script, <!-- makes a nested <script> count, up to -->.
_IN_SCRIPT = re.compile(rb"<!--|-->|<(/?)(?i:script)[ \t\n\r\f/>]")


def tame(source: bytes) -> bytes:
    """The source of a page in UTF-8, fit for the parser.

    It is the same object wherever no tag has more attributes than MAX_ATTRIBUTES,
    and no more than MAX_STRAY neither begin nor end an element; a tag with more
    attributes keeps its first ones.
    """
    if len(source) < _HARMLESS_BYTES:
        return source
    return without_surplus(source, MAX_ATTRIBUTES, MAX_STRAY)


def python_without_surplus(source: bytes, most: int, stray: int) -> bytes:
    """A source without the attributes that tags have beyond ``most``, 50 or more, and
    without the tags that neither begin nor end an element, beyond the first ``stray``.

    An end tag ends none where no more start tags came before it, of its name or of one
    with its key(), than end tags.  How they are nested is not looked at.
    """
    kept = bytearray()
    done = 0
    # Where there are not so many tags, most need no closer look.
    few = sum(map(source.count, (b"</", b"<b", b"<B"))) <= stray
    opened: Counter[int] = Counter()
    for tag in tags(source, _ORDINARY if few else _NO_TAG, most):
        if not few:
            number = key(tag.name)
            if tag.opens and tag.name != b"body":
                opened[number] += not tag.closed and tag.name not in VOID
            elif not tag.opens and opened[number]:
                opened[number] -= 1
            elif stray:
                stray -= 1
            else:
                kept += source[done : tag.start] + NOTHING
                done = tag.end
                continue
        if tag.surplus and tag.opens:
            start, end = tag.surplus
            kept += source[done:start]
            done = end
    return bytes(kept + source[done:]) if done else source


class Tag(NamedTuple):
    """A tag of a source: where it is, its name in lower case, and what it does."""

    start: int
    end: int
    name: bytes
    opens: bool
    closed: bool  # by a slash at its end
    surplus: tuple[int, int] | None  # where its attributes are that are too many


def tags(
    source: bytes, passed: re.Pattern[bytes] = _NO_TAG, most: int = MAX_ATTRIBUTES
) -> Iterator[Tag]:
    """The tags of a source, but for those that the pattern passes over."""
    at = 0
    while True:
        # Some match is always found, if an empty one.
        start, at = at, passed.match(source, at).end()  # type: ignore[union-attr]
        if at >= len(source):
            return
        if at > start:
            continue
        if source.startswith(b"<!--", at):
            at = _after_comment(source, at)
            continue
        found = _TAG.match(source, at)
        if found is None:  # a comment of an odd kind that does not end
            return
        opens, name = source[at + 1] != ord("/"), found[1].lower()
        at, surplus, closed = _after_attributes(source, found.end(), most)
        yield Tag(found.start(), at, name, opens, closed, surplus)
        if opens and name in RAW and not closed:
            at = _after_raw(source, at, name)


def key(name: bytes) -> int:
    """A small number for the name of an element, by its ends and length."""
    return (name[0] & 31) << 9 | (name[-1] & 31) << 4 | min(len(name), 15)


def _after_attributes(
    source: bytes, at: int, most: int
) -> tuple[int, tuple[int, int] | None, bool]:
    """Where a tag ends whose attributes start here, what it has too much of them,
    and whether it closes itself.
    """
    count = 0
    allowed = at
    while found := _ONE_ATTRIBUTE.match(source, at):
        at = found.end()
        count += 1
        if count == most:
            allowed = at
    cut = (allowed, at) if count > most else None
    rest = _TAG_END.match(source, at)[0]  # type: ignore[index]
    at = min(at + len(rest) + 1, len(source))
    return at, cut, rest.endswith(b"/")


def _after_comment(source: bytes, at: int) -> int:
    """Where a comment ends that starts here."""
    # <!--> and <!---> are whole comments, but <!--!> is not.
    end = _COMMENT_END.search(source, at + 2)
    while end and end[0] == b"--!>" and end.start() < at + 4:
        end = _COMMENT_END.search(source, end.start() + 1)
    return end.end() if end else len(source)


def _after_raw(source: bytes, at: int, name: bytes) -> int:
    """Where the end tag starts of an element with text alone inside."""
    if name == b"plaintext":
        return len(source)
    end = _RAW_END[name].search(source, at)
    stop = end.start() if end else len(source)
    if name == b"script" and source.find(b"<!--", at, stop) >= 0:
        return _after_script(source, at)
    return stop


def _after_script(source: bytes, at: int) -> int:
    """Where the end tag starts of a script."""
    commented = nested = False
    while found := _IN_SCRIPT.search(source, at):
        sign = found[0]
        at = found.end() - 1
        if sign == b"<!--":
            commented = True
            at = found.start() + 2  # its dashes may be those of its end
        elif sign == b"-->":
            commented = nested = False
        elif not found[1]:
            nested = commented
        elif nested:
            nested = False
        else:
            return found.start()
    return len(source)


without_surplus = twin(python_without_surplus, "_guard")
