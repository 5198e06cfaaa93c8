"""Removes from a page's source what libxml2 would take too long to parse.

A tag takes libxml2 time quadratic in its attributes: 80,000 take minutes.  For a stray
end tag it searches all open elements, up to 2,048: ten megabytes of these take ten
seconds, and so do start tags of a body.  All other input that was measured
(benchmarks/linear.py) takes linear time: since version 2.14 libxml2 stops at that depth
(see parsing.py), and it does not resolve entities that a document defines.

So attributes beyond MAX_ATTRIBUTES are removed from a tag, and tags beyond MAX_STRAY
that neither begin nor end an element.  Tags are read by the rules of the HTML standard,
as in libxml2 since 2.14: a hostile page would use any difference.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from scrapy_eatext.native.loading import twin
from scrapy_eatext.page import tags as html

# Pages hardly ever have a hundred, and this many take little time.
MAX_ATTRIBUTES = 1000
# The limit of tags that neither begin nor end an element: 20,000 cost libxml2 100 ms.
MAX_STRAY = 20_000
# Replaces a tag that is removed: the parser ignores it, and it keeps the texts before
# and after from forming a tag.
NOTHING = b"</>"
# Shorter sources are not checked: at worst they take libxml2 10 ms.
_HARMLESS_BYTES = 16_000

# An attribute and the white space before it.  Whatever follows a part is optional, so
# there is no backtracking.
_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*[^ \t\n\r\f/>][^ \t\n\r\f/>=]*"
    rb"(?:[ \t\n\r\f]*=[ \t\n\r\f]*"
    rb"(?:\"[^\"]*\"?|'[^']*'?|[^ \t\n\r\f>\"'][^ \t\n\r\f>]*|))?"
)
_NAME = rb"[^ \t\n\r\f/>]*"
# Elements with only text inside, and those without an end tag.
RAW, VOID = (frozenset(map(str.encode, names)) for names in (html.RAW, html.VOID))
# The beginning of another element's name.
_NOT_RAW = rb"(?!(?i:%b)[ \t\n\r\f/>])[a-zA-Z]" % b"|".join(sorted(RAW))
# Tags in their usual spelling, and comments.  The alternatives exclude one another, so
# there is no backtracking.
_USUAL = (
    rb"</[a-zA-Z][^>=]*>"
    rb"|<%b[a-zA-Z0-9]*(?: [a-zA-Z0-9_:-]+=\"[^\"]*\"){0,50} ?/?>"
    rb"|<!--[^->][^>]*(?<=--)>"
) % _NOT_RAW
# Odd kinds of comments, and "<" without a tag.
_ODD = rb"<(?!!--)[!?][^>]*>|</(?![a-zA-Z])[^>]*>|<(?![a-zA-Z/!?])"
# Text and markup that need no check: the above, and tags with a few attributes.  The
# lookahead with \1 acts as an atomic group, which Python has since 3.11.  The limit of
# repetitions bounds the memory of the match.
_ORDINARY = re.compile(
    rb"[^<]*(?:(?:%b|(?=(<(?:/[a-zA-Z]|%b)%b(?:%b){0,50}[ \t\n\r\f/]*))\1>|%b)[^<]*){0,500}"
    % (_USUAL, _NOT_RAW, _NAME, _ATTRIBUTE, _ODD)
)
# Text and odd comments alone, for pages whose tags must all be checked.
_NO_TAG = re.compile(rb"[^<]*(?:(?:%b)[^<]*){0,500}" % _ODD)
_TAG = re.compile(rb"</?([a-zA-Z]%b)" % _NAME)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_TAG_END = re.compile(rb"[ \t\n\r\f/]*")
_COMMENT_END = re.compile(rb"--!?>")
# A literal before (?i:) makes the search fast.
_RAW_END = {name: re.compile(rb"</(?i:%b)[ \t\n\r\f/>]" % name) for name in RAW}
# Inside a script, a nested <script> counts between <!-- and -->.
_IN_SCRIPT = re.compile(rb"<!--|-->|<(/?)(?i:script)[ \t\n\r\f/>]")


def tame(source: bytes) -> bytes:
    """The source of a page in UTF-8 that the parser can parse in linear time.

    A tag keeps its first MAX_ATTRIBUTES attributes, and the first MAX_STRAY tags that
    neither begin nor end an element are kept.  It is the same object if nothing is
    removed.
    """
    if len(source) < _HARMLESS_BYTES:
        return source
    return without_surplus(source, MAX_ATTRIBUTES, MAX_STRAY)


def python_without_surplus(source: bytes, most: int, stray: int) -> bytes:
    """A source without surplus attributes and stray tags.

    Each tag keeps its first ``most`` attributes (at least 50), and the first ``stray``
    stray tags are kept.  An end tag is stray if before it no more start tags than end
    tags have its key(); nesting is ignored.
    """
    result = bytearray()
    copied = 0
    # With few tags there cannot be too many stray ones.
    has_few_tags = sum(map(source.count, (b"</", b"<b", b"<B"))) <= stray
    opened: Counter[int] = Counter()
    for tag in tags(source, _ORDINARY if has_few_tags else _NO_TAG, most):
        if not has_few_tags:
            number = key(tag.name)
            if tag.opens and tag.name != b"body":
                opened[number] += not tag.closed and tag.name not in VOID
            elif not tag.opens and opened[number]:
                opened[number] -= 1
            elif stray:
                stray -= 1
            else:
                result += source[copied : tag.start] + NOTHING
                copied = tag.end
                continue
        if tag.surplus and tag.opens:
            start, end = tag.surplus
            result += source[copied:start]
            copied = end
    return bytes(result + source[copied:]) if copied else source


class Tag(NamedTuple):
    """A tag of a source: where it is, its name in lower case, and what it does."""

    start: int
    end: int
    name: bytes
    opens: bool
    closed: bool  # by a slash at its end
    surplus: tuple[int, int] | None  # the range of its surplus attributes


def tags(
    source: bytes, passed: re.Pattern[bytes] = _NO_TAG, most: int = MAX_ATTRIBUTES
) -> Iterator[Tag]:
    """The tags of a source that ``passed`` does not match."""
    at = 0
    while True:
        # The pattern matches everywhere, as it may be empty.
        start, at = at, passed.match(source, at).end()  # type: ignore[union-attr]
        if at >= len(source):
            return
        if at > start:
            continue
        if source.startswith(b"<!--", at):
            at = _after_comment(source, at)
            continue
        match = _TAG.match(source, at)
        if match is None:  # a comment of an odd kind that does not end
            return
        opens, name = source[at + 1] != ord("/"), match[1].lower()
        at, surplus, closed = _after_attributes(source, match.end(), most)
        yield Tag(match.start(), at, name, opens, closed, surplus)
        if opens and name in RAW and not closed:
            at = _after_raw(source, at, name)


def key(name: bytes) -> int:
    """A small hash of the name of an element, from its ends and length."""
    return (name[0] & 31) << 9 | (name[-1] & 31) << 4 | min(len(name), 15)


def _after_attributes(
    source: bytes, at: int, most: int
) -> tuple[int, tuple[int, int] | None, bool]:
    """The end of a tag, the range of its surplus attributes, and if it closes itself.

    ``at`` is where its attributes start.
    """
    count = 0
    allowed = at
    while attribute := _ONE_ATTRIBUTE.match(source, at):
        at = attribute.end()
        count += 1
        if count == most:
            allowed = at
    cut = (allowed, at) if count > most else None
    ending = _TAG_END.match(source, at)[0]  # type: ignore[index]
    at = min(at + len(ending) + 1, len(source))
    return at, cut, ending.endswith(b"/")


def _after_comment(source: bytes, at: int) -> int:
    """The end of the comment that starts at ``at``."""
    # <!--> and <!---> are whole comments, but <!--!> is not.
    end = _COMMENT_END.search(source, at + 2)
    while end and end[0] == b"--!>" and end.start() < at + 4:
        end = _COMMENT_END.search(source, end.start() + 1)
    return end.end() if end else len(source)


def _after_raw(source: bytes, at: int, name: bytes) -> int:
    """The start of a raw text element's end tag; its content starts at ``at``."""
    if name == b"plaintext":
        return len(source)
    end = _RAW_END[name].search(source, at)
    stop = end.start() if end else len(source)
    if name == b"script" and source.find(b"<!--", at, stop) >= 0:
        return _after_script(source, at)
    return stop


def _after_script(source: bytes, at: int) -> int:
    """The start of the end tag of a script, whose content starts at ``at``."""
    commented = nested = False
    while match := _IN_SCRIPT.search(source, at):
        sign = match[0]
        at = match.end() - 1
        if sign == b"<!--":
            commented = True
            at = match.start() + 2  # its dashes may be those of its end
        elif sign == b"-->":
            commented = nested = False
        elif not match[1]:
            nested = commented
        elif nested:
            nested = False
        else:
            return match.start()
    return len(source)


without_surplus = twin(python_without_surplus, "_source")
