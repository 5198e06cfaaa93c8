"""What the parser must not be handed: tags with thousands of attributes, and tens of
thousands of end tags that end nothing.

libxml2 puts each attribute behind those that the tag has, so a tag costs it the
square of their number: 80,000 take it minutes.  For an end tag it looks through all
elements that are open, 2,048 at most; ten megabytes of those for which there is none
take it ten seconds, and so do start tags of a body.  All else that was measured
(benchmarks/linear.py) it reads in linear time: since version 2.14 it stops at that
depth, and it resolves no entity that a document defines.

So before a source is parsed, it is looked through for such tags: they lose what is
beyond MAX_ATTRIBUTES, or are left out beyond MAX_STRAY.  Tags are read by the rules
of the HTML standard, as libxml2 reads them since 2.14: a hostile page would make use
of any difference.

Here is the reference for the compiled twin in _guard.pyx, which finds the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from scrapy_eatext.page.twins import load

# Far more than people write (hardly ever a hundred), far fewer than hurt.
MAX_ATTRIBUTES = 1000
# Of tags that neither begin nor end an element; so many cost libxml2 100 ms.
MAX_STRAY = 20_000
# What is left of the others: the parser passes over it, and it parts what is around.
_NOTHING = b"</>"
# A shorter source has no room for enough of them: 16 kB cost libxml2 10 ms.
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
_RAW = frozenset(
    b"iframe noembed noframes plaintext script style textarea title xmp".split()
)
# Where the name of another element begins.
_NOT_RAW = rb"(?!(?i:%b)[ \t\n\r\f/>])[a-zA-Z]" % b"|".join(sorted(_RAW))
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
# The same without tags, where each of them is looked at.
_NO_TAG = re.compile(
    rb"[^<]*(?:(?:<(?!!--)[!?][^>]*>|</(?![a-zA-Z])[^>]*>|<(?![a-zA-Z/!?]))[^<]*){0,500}"
)
# Elements without an end tag.
_VOID = frozenset(
    b"area base br col embed frame hr img input link meta param source track wbr".split()
)
_TAG = re.compile(rb"</?([a-zA-Z]%b)" % _NAME)
_ONE_ATTRIBUTE = re.compile(_ATTRIBUTE)
_TAG_END = re.compile(rb"[ \t\n\r\f/]*")
_COMMENT_END = re.compile(rb"--!?>")
# The sign before (?i:) is what makes a search quick.
_RAW_END = {name: re.compile(rb"</(?i:%b)[ \t\n\r\f/>]" % name) for name in _RAW}
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
    with its _key(), than end tags.  How they are nested is not looked at.
    """
    kept = bytearray()
    done = 0
    # Where there are not so many tags, most need no closer look.
    few = sum(map(source.count, (b"</", b"<b", b"<B"))) <= stray
    passed = _ORDINARY if few else _NO_TAG
    opened: Counter[int] = Counter()
    at = 0
    while True:
        # Some match is always found, if an empty one.
        start, at = at, passed.match(source, at).end()  # type: ignore[union-attr]
        if at >= len(source):
            break
        if at > start:
            continue
        if source.startswith(b"<!--", at):
            at = _after_comment(source, at)
            continue
        tag = _TAG.match(source, at)
        if tag is None:  # a comment of an odd kind that does not end
            break
        opens, name = source[at + 1] != ord("/"), tag[1].lower()
        at, cut, closed = _after_attributes(source, tag.end(), most)
        if not few:
            key = _key(name)
            if opens and name != b"body":
                opened[key] += not closed and name not in _VOID
            elif not opens and opened[key]:
                opened[key] -= 1
            elif stray:
                stray -= 1
            else:
                kept += source[done : tag.start()] + _NOTHING
                done = at
                continue
        if cut and opens:
            kept += source[done : cut[0]]
            done = cut[1]
        if opens and name in _RAW and not closed:
            at = _after_raw(source, at, name)
    return bytes(kept + source[done:]) if done else source


def _key(name: bytes) -> int:
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


_compiled = load("page._guard")
without_surplus: Callable[[bytes, int, int], bytes] = (
    python_without_surplus if _compiled is None else _compiled.without_surplus
)
