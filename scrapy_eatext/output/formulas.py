"""Formulas in TeX in the text of a page, which a script on the page typesets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrapy_eatext.page.replacements import without_comments
from scrapy_eatext.page.source import holds
from scrapy_eatext.page.tags import CODE_TEXT, TEX_TEXT

if TYPE_CHECKING:
    from scrapy_eatext.output.placing import Span
    from scrapy_eatext.page import Page

# Scripts that typeset formulas, by their addresses.
_TYPESETTER = re.compile(r"mathjax|katex", re.IGNORECASE)
# Environments that are formulas by themselves; none may stand inside another.
_NAMES = r"(?:align|alignat|displaymath|eqnarray|equation|flalign|gather|multline)\*?"
# Tags that forums use around formulas.
_TAGS = r"(?:i?tex|i?math|latex)\]"
# No formula can hold the sign that it begins with, so that matching takes linear time.
_FORMULA = re.compile(
    r"\$\$(?P<dollars>[^$]+)\$\$|(?<!\\)\\\[(?P<brackets>(?:[^\\]|\\[^][])+)\\\]"
    r"|(?<!\\)\$(?![\s$])(?P<dollar>(?:[^$\\]|\\.)+)(?<!\s)\$(?![\d$])"
    r"|(?<!\\)\\\((?P<round>(?:[^\\]|\\[^()])+)\\\)"
    rf"|\[(?P<tag>{_TAGS})(?P<tagged>(?:[^[]|\[(?!/?{_TAGS}))+)\[/(?P=tag)"
    rf"|(?P<environment>\\begin\{{(?P<name>{_NAMES})\}}"
    rf"(?:[^\\]|\\(?!begin\{{{_NAMES}\}}))*?\\end\{{(?P=name)\}})",
    re.DOTALL,
)
# The part of a mail address before its @, as in Markdown's links in angle brackets.
MAILBOX = r"[\w.!#$%&'*+/=?^`{|}~-]*"
# Signs in TeX that Markdown would read as a tag, a comment or an address.  A space
# after the sign prevents this, and means nothing in TeX.
_MARKUP = re.compile(rf"<(?=[A-Za-z/!?]|{MAILBOX}@|\Z)|\](?=\()")
_DISPLAYED = ("dollars", "brackets", "environment")
_BEGINS = (b"$", b"\\", b"[/")


def has_formulas(page: Page, text: bytes, blocks: Sequence[Sequence[Span]]) -> bool:
    """Whether blocks of a page hold formulas, and the page has a script for them.

    The script is searched last, as that reads all elements of the page.
    """
    return (
        any(holds(text, begin) for begin in _BEGINS)
        and any(
            _FORMULA.search(text)
            for spans in blocks
            for text, _, _, _, _ in spans
            if text.count("$") > 1 or "\\" in text or "[/" in text
        )
        and any(
            _TYPESETTER.search(script.get("src") or "")
            for script in page.root.iter("script")
        )
    )


def for_markdown(tex: str) -> str:
    """TeX with the same meaning, in which Markdown finds no markup.

    A back-tick would begin or end a code span, and is the same as a quotation mark in
    TeX.  A line feed would end the line or the paragraph.
    """
    return _MARKUP.sub(r"\g<0> ", tex.replace("`", "\u2018").replace("\n", " "))


def with_formulas(spans: Sequence[Span]) -> list[Span]:
    """Spans in which each formula is a span of its own, between dollar signs."""
    return [piece for span in spans for piece in _pieces(span)]


def _pieces(span: Span) -> Iterator[Span]:
    text, style, link, image, signs = span
    if image or style & (CODE_TEXT | TEX_TEXT):
        yield span
        return
    done = 0
    for found in _FORMULA.finditer(text):
        kind = found.lastgroup or ""
        # A comment ends with its line, and Markdown has the formula on one line.
        tex = found[kind] if "\n" not in found[kind] else without_comments(found[kind])
        tex = tex.strip()
        if tex:
            if found.start() > done:
                yield text[done : found.start()], style, link, image, signs
            mark = "$$" if kind in _DISPLAYED else "$"
            yield f"{mark}{tex}{mark}", style | TEX_TEXT, link, image, signs
            done = found.end()
    if done < len(text):
        yield text[done:], style, link, image, signs
