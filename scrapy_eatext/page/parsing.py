"""Parses a page's source as parsel does, and returns its root element.

Where libxml2 would misread it, the source is rewritten, and parsed again.

Depth: with more than 2,048 open elements libxml2 stops, and loses what follows.
Browsers allow 512: they end a deeper element where the next one begins.

Text behind ``</html>``: templates that are joined in the wrong order end the root too
early, as in ``<html><head></head></html><body>``.  Browsers ignore that end tag;
libxml2 makes the text a sibling of the root, where the walk would not find it.

Titles and objects without an end tag: everything behind them would be the title's text,
or the object's fallback.  Old browsers closed both, so the authors of such pages did
not notice the error.

A page of frames: what it has for browsers without frames is all text that it has.

``</br>`` is a line break for browsers; libxml2 ignores it, so that words would run
together.

A text without tags: its paragraphs are the parts between blank lines.
"""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import suppress
from typing import Any

from lxml import etree

from scrapy_eatext.deadline import TimeLimitError, watched
from scrapy_eatext.page.columns import BlockColumn
from scrapy_eatext.page.guard import NOTHING, VOID, tags, tame
from scrapy_eatext.page.memory import raise_memory
from scrapy_eatext.page.misread import reread
from scrapy_eatext.page.source import holds_tag
from scrapy_eatext.page.tags import TAGS
from scrapy_eatext.page.walk import walk

# The maximum depth of libxml2, with the root, and that of a rewritten page.
PARSER_DEPTH = 2048
MAX_DEPTH = 512
# Less text behind the root, relative to that in it, is left out.
_FOOTER_SHARE = 0.25
# The parser opens and closes these by its own rules, once in a page.
_OUTER = frozenset((b"html", b"head", b"body"))
# Void elements that the parser leaves open.
_LEFT_OPEN = frozenset(b"bgsound embed source track wbr".split())

# The text of a title without an end tag ends before the next tag.
_TITLE = re.compile(rb"<title(?:\s[^<>]*)?>[^<]*(?=<(?!/title[\s/>]))", re.IGNORECASE)
# Elements whose content is no text of the page, and the length of a noframes from which
# it is an article, rather than a word that the browser is too old.
_FRAMES = re.compile(rb"</?(?:frameset|noframes)(?=[\s>])[^<>]*>", re.IGNORECASE)
_LONG = 500
_OBJECT = re.compile(rb"<object(?=[\s>])[^<>]*>?", re.IGNORECASE)
# A literal before (?i:) makes the search fast.
_BREAK_END = re.compile(rb"</(?i:br)>")

# A text may have <https://example.com> and <jane@example.com>, but no tags of HTML.
_MARKUP = re.compile(
    rf"<(?:[/!?]|(?:{'|'.join(TAGS[1:])})[\s/>])".encode(), re.IGNORECASE
)
_SEPARATED = re.compile(rb"[\r\n<]")
_BLANK_LINES = re.compile(r"\n[ \t\f]*\n\s*")
# A part whose lines are joined, as they are as long as wrapped ones are.
_WRAPPED = re.compile(r"(?:.{45,100}\n)*.*")

# The ASCII characters that str.strip() strips.
_BLANKS = b" \t\n\r\v\f\x1c\x1d\x1e\x1f"


def trim(source: bytes) -> bytes:
    """The source of a page in UTF-8 as parsel hands it to the parser."""
    source = source.strip(_BLANKS)
    if not (source[:1] + source[-1:]).isascii():
        return encode(source.decode())
    return source.replace(b"\0", b"")


def encode(text: str) -> bytes:
    """The source of a page as parsel hands it to the parser."""
    return text.strip().replace("\x00", "").encode("utf-8", "replace")


def parse(text: str) -> Any:
    """The root element of a page."""
    return parse_source(tame(encode(text)))


def parse_source(source: bytes) -> Any:
    """The root element of a page, whose source is mended if need be.

    Raises MemoryError.
    """
    source = mended(source)
    root = _parsed(source)
    if is_swallowed(root):
        root = _parsed(without_swallowing(source))
    # Out of time, the page ends where the parser stopped.
    with suppress(TimeLimitError):
        if is_cut_off(root):
            root = _parsed(flattened(source))
    return to_its_end(root)


def _parsed(source: bytes) -> Any:
    """The root element of a page, by the parser and options of parsel."""
    # collect_ids=False is faster and gives the same tree.
    parser = etree.HTMLParser(
        recover=True, encoding="utf-8", huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(source or b"<html/>", parser)
    except etree.XMLSyntaxError as error:
        raise_memory(error)
        root = None
    return etree.Element("html") if root is None else root


# -- text behind the root


def to_its_end(root: Any) -> Any:
    """The root, or one with the text behind it too, unless that is short.

    A short one is mostly a footer.  An element with a parent is returned as it is.
    """
    if root.getparent() is not None:
        return root
    with suppress(TimeLimitError):
        behind = sum(map(_chars, root.itersiblings(etree.Element)))
        if behind > 0 and behind > _chars(root) * _FOOTER_SHARE:
            parts = (
                etree.tostring(part, encoding="unicode", method="html")
                for part in (root, *root.itersiblings())
            )
            return _parsed(without_ends("".join(parts).encode("utf-8", "replace")))
    return root


def _chars(root: Any) -> int:
    """The number of characters in an element's blocks."""
    return int(walk(root).blocks[:, BlockColumn.CHARS].sum())


def without_ends(source: bytes) -> bytes:
    """The source of a page in UTF-8 without the end tags of html and body.

    Raises TimeLimitError.
    """
    result = bytearray()
    copied = 0
    for tag in watched(tags(source)):
        if not tag.opens and tag.name in (b"html", b"body"):
            result += source[copied : tag.start] + NOTHING
            copied = tag.end
    return bytes(result + source[copied:])


# -- depth


def is_cut_off(root: Any) -> bool:
    """Whether the parser stopped because the page was nested too deeply.

    The chain of last children is then PARSER_DEPTH long, in the last root if there are
    several.
    """
    element = [root, *root.itersiblings(etree.Element)][-1]
    for _ in range(PARSER_DEPTH - 1):
        element = next(element.iterchildren(reversed=True), None)
        if element is None:
            return False
    return True


def flattened(source: bytes) -> bytes:
    """The source of a page in UTF-8 with a depth of about MAX_DEPTH at most.

    An end tag is written wherever an element ends, so that the parser has no more
    elements open than are counted here.  Raises TimeLimitError.
    """
    result = bytearray()
    copied = 0
    opened: list[bytes] = []
    count: dict[bytes, int] = defaultdict(int)
    # The number of elements that were ended before their own end tags.
    early: dict[bytes, int] = defaultdict(int)
    for start, end, name, opens, closed, _ in watched(tags(source)):
        if opens and name in _LEFT_OPEN:
            result += source[copied:end] + b"</%b>" % name
            copied = end
            continue
        if name in _OUTER or name in VOID or (opens and closed):
            continue
        is_full = len(opened) == MAX_DEPTH
        ended = []
        if opens:
            if is_full:
                ended.append(opened.pop())
                early[ended[0]] += 1
            opened.append(name)
            count[name] += 1
        elif early[name] and not (is_full and opened[-1] == name):
            early[name] -= 1
        elif count[name]:
            while name not in ended[-1:]:
                ended.append(opened.pop())
            if len(opened) < MAX_DEPTH - 1:
                early.clear()
        for ended_name in ended:
            count[ended_name] -= 1
        if ended or not opens:
            result += source[copied:start]
            result += b"".join([b"</%b>" % tag for tag in ended]) or NOTHING
            copied = start if opens else end
    return bytes(result + source[copied:])


# -- elements that swallow text, and line breaks


def mended(source: bytes) -> bytes:
    """A page's source that libxml2 reads right, the same object if it does so already.

    Misread characters are repaired, a text without tags gets those of paragraphs, open
    objects lose their tags, and ends of line breaks become line breaks.
    """
    source = reread(source)
    if not _MARKUP.search(source):
        return _with_paragraphs(source)
    source = without_open_objects(source)
    if holds_tag(source, b"</br>"):
        source = _BREAK_END.sub(_as_break, source)
    return source


def _with_paragraphs(source: bytes) -> bytes:
    """A text with the tags of paragraphs, the same object if it is a single line."""
    if not _SEPARATED.search(source):
        return source
    lines = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    parts = _BLANK_LINES.split(lines.replace("<", "&lt;"))
    marked = (
        part if _WRAPPED.fullmatch(part) else part.replace("\n", "<br>")
        for part in parts
    )
    return b"".join(f"<p>{part}</p>".encode() for part in marked)


def _as_break(end: re.Match[bytes]) -> bytes:
    # A pair of tags is meant to be one.
    before = end.string[max(0, end.start() - 4) : end.start()]
    return b"" if before.lower() == b"<br>" else b"<br>"


def is_swallowed(root: Any) -> bool:
    """Whether a page has no body, and its title or a long noframes contains markup."""
    if root.tag != "html" or root.find("body") is not None:
        return False
    title = next(root.iter("title"), None)
    return (title is not None and "<" in (title.text or "")) or any(
        len(element.text or "") > _LONG for element in root.iter("noframes")
    )


def without_swallowing(source: bytes) -> bytes:
    """A page's source with an end tag for each open title, and no set of frames."""
    return _FRAMES.sub(b"", _TITLE.sub(rb"\g<0></title>", source))


def without_open_objects(source: bytes) -> bytes:
    """A page's source without the start tags of objects, if one has no end tag.

    Otherwise it is the same object.
    """
    if holds_tag(source, b"<object"):
        lowered = source.lower()
        if lowered.count(b"<object") > lowered.count(b"</object"):
            return _OBJECT.sub(b"", source)
    return source
