"""Elements whose text is replaced: formulas by TeX, and icons of fonts by nothing.

So are the repeated numbers of footnotes that LaTeXML puts into the sentence, and the
copies of a text that stand beside it, hidden from screen readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote, unquote_plus

from scrapy_eatext.page.mathml import tex_of
from scrapy_eatext.page.tags import IMG
from scrapy_eatext.page.values import beginning

# The class of icons whose text is a name, which a font draws as the icon.
_ICON_CLASS = re.compile(r"(?:^|\s)material-(?:icons|symbols)")
_ICON = re.compile("[a-z0-9_]{1,40}")
# The names of TeX in the encoding of annotations.
_TEX_ENCODINGS = ("application/x-tex", "application/x-latex", "tex", "latex")
# The class of an image of a formula: whole words, to exclude "aftermath".
_TEX_CLASS = re.compile("(?<![a-z])(?:math|mathtex|texmath|latex|quicklatex)(?![a-z])")
# A text without any special character of TeX is TeX if it has no word of four letters.
_TEX_SIGN = re.compile(r"[\\^_={}$]")
_WORD = re.compile(r"[^\W\d_]{4}")
# What LaTeX2HTML has as the text of an image of a formula.
_DELIMITED = re.compile(
    r"(\$+)[^$]+\1|\\begin\{(displaymath|equation)\}.+\\end\{\2\}", re.DOTALL
)
# URLs of servers that draw the TeX in the URL, and copied texts, are no longer than this.
_MOST = 8000
# A copied text has fewer elements: a letter each, if it is animated.
_NODES = 300
# Attributes of a span that may not be shown itself.
_HIDING = frozenset(("aria-hidden", "hidden", "style"))
_DRAWN = re.compile(
    r"(?:latex\.codecogs\.com/[^?]{0,40}|/(?:mime|math)tex\.cgi)\?(?:\d\$)?(?P<tex>.+)"
    r"|/latex\.php\?(?:[^#]{0,200}&)?latex=(?P<value>[^&#]+)",
    re.DOTALL,
)
# Forums put line breaks into attributes too.
_BREAK = re.compile(r"<br ?/?>")
# Commands before the formula that tell these servers how to draw it.
_LOOKS = re.compile(
    r"(?:\s|\\(?:inline|(?:dpi|bg|fn)(?:\{\w*\}|_\w+)|tiny|small|normalsize|[lL]arge|LARGE|"
    r"[hH]uge)(?![A-Za-z]))*"
)
# A comment in TeX with its line feed, or a backslash with the next character.
_TEX_COMMENT = re.compile(r"(\\.)|%[^\n]*(?:\n[ \t]*)?", re.DOTALL)
# Delimiters that TeX may have already, and whether they mean display style.
_DELIMITERS = (
    ("$$", "$$", True),
    ("$", "$", False),
    (r"\[", r"\]", True),
    (r"\(", r"\)", False),
    (r"\begin{displaymath}", r"\end{displaymath}", True),
    (r"\begin{equation}", r"\end{equation}", True),
)


def replacement_of(element: Any) -> str | None:
    """The text that replaces an element's own; None if it is not replaced.

    It is the TeX of a formula, "" for an icon or a second rendering of a formula or of a
    note's number, and a space before the note.
    """
    name = local_name(element.tag)
    # Unlike get(), this does not add attributes that a DTD declares.
    attributes = dict(element.items())
    classes = attributes.get("class", "")
    if name == "math":
        display = attributes.get("display") == "block"
        # Only children are searched, so that nested formulas take linear time.
        for inner in _children(_children((element,), "semantics"), "annotation"):
            if dict(inner.items()).get("encoding", "").lower() in _TEX_ENCODINGS:
                text = _between_dollars(_text_alone(inner), display)
                if text:
                    return text
        return _between_dollars(tex_of(element), display)
    if name == "script":
        kind = attributes.get("type", "")
        if kind.startswith("math/tex"):
            return _between_dollars(_text_alone(element), "mode=display" in kind)
    elif name == IMG:
        text = attributes.get("alt", "")
        is_named = _TEX_CLASS.search(classes) is not None
        if not (_DELIMITED.fullmatch(text) or (is_named and _is_tex(text))):
            text = _drawn_tex(attributes.get("src", ""))
        if _is_tex(text):
            return _between_dollars(_BREAK.sub(" ", text), "display" in classes)
    elif name == "sup":
        around = element.getparent() if classes == "ltx_note_mark" else None
        if around is not None and around.get("class") == "ltx_note_content":
            return " "
    elif name in ("i", "span"):
        if classes == "ltx_tag ltx_tag_note":
            return ""
        if _is_rendering(element, classes) or _is_icon(element, classes):
            return ""
        hidden = attributes.get("aria-hidden") == "true"
        return "" if hidden and _is_copy(element) else _hidden_math(element, attributes)
    return None


def _children(elements: Iterable[Any], name: str) -> Iterator[Any]:
    """The children of some elements that have a name."""
    for element in elements:
        for child in element:
            if isinstance(child.tag, str) and local_name(child.tag) == name:
                yield child


def _between_dollars(tex: str, display: bool) -> str | None:
    """TeX between dollar signs, None if it is empty.

    Comments are removed, as the TeX will stand on a single line.
    """
    tex = without_comments(tex).strip()
    for begin, end, displays in _DELIMITERS:
        inside = tex[len(begin) : -len(end)]
        if tex == f"{begin}{inside}{end}" and end not in inside:
            tex, display = inside.strip(), display or displays
            break
    if not tex:
        return None
    signs = "$$" if display else "$"
    # A backslash at the end would escape the dollar sign.
    escapes = (len(tex) - len(tex.rstrip("\\"))) % 2
    return f"{signs}{tex}{' ' * escapes}{signs}"


def _drawn_tex(address: str) -> str:
    """The TeX in the URL of an image that a server draws, "" for other images."""
    match = _DRAWN.search(address) if len(address) <= _MOST else None
    if match is None:
        return ""
    if match["value"]:
        tex = unquote_plus(match["value"])
    else:
        tex = unquote(match["tex"].replace("&space;", " ").replace("&plus;", "+"))
    return _LOOKS.sub("", tex.replace("\0", ""), count=1)


def _hidden_math(element: Any, attributes: dict[str, str]) -> str | None:
    """The TeX of hidden MathML, None for other elements.

    Without scripts a browser shows the image in the noscript right behind it instead.
    """
    behind = element.getnext()
    if (
        "display:none" not in attributes.get("style", "").replace(" ", "")
        or len(element) != 1
        or behind is None
        or behind.tag != "noscript"
    ):
        return None
    math = next(_children((element,), "math"), None)
    return None if math is None else replacement_of(math)


def _is_tex(text: str) -> bool:
    """Whether a text is TeX rather than a sentence or a name."""
    return _TEX_SIGN.search(text) is not None or _WORD.search(text) is None


def without_comments(tex: str) -> str:
    """TeX without comments and their line feeds."""
    return _TEX_COMMENT.sub(lambda found: found[1] or "", tex)


def _text_alone(element: Any) -> str:
    """The text of an element without children, "" if it has any."""
    return "" if len(element) else element.text or ""


def _is_icon(element: Any, classes: str) -> bool:
    """Whether an element is an icon that a font draws for its name."""
    has_class = _ICON_CLASS.search(classes) is not None
    return has_class and _ICON.fullmatch(_text_alone(element).strip()) is not None


def _is_rendering(element: Any, classes: str) -> bool:
    """Whether a span is a rendering by KaTeX or MathJax, beside the formula itself."""
    if "katex-html" in classes:
        return element.getprevious() is not None
    if "MathJax" not in classes:
        return False
    behind = element.getnext()
    if behind is None and element.getparent() is not None:
        behind = element.getparent().getnext()
    return (
        behind is not None
        and isinstance(behind.tag, str)
        and local_name(behind.tag) == "script"
    )


def _is_copy(element: Any) -> bool:
    """Whether a span has the text of one beside it, such as that for screen readers."""
    text = _letters(element)
    return bool(text) and any(
        other is not None
        and other.tag == element.tag
        and _HIDING.isdisjoint(other.keys())
        and _letters(other) == text
        for other in (element.getprevious(), element.getnext())
    )


def _letters(element: Any) -> str:
    """The text of a small element without white space."""
    if next(islice(element.iter(), _NODES, None), None) is not None:
        return ""
    return "".join(beginning(element, _MOST).split())


def local_name(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rpartition("}")[2] if tag.startswith("{") else tag
