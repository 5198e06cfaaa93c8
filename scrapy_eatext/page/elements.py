"""How the walk treats an element, by its tag, its role and whether it is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from scrapy_eatext.page.replacements import local_name
from scrapy_eatext.page.tags import (
    AMP_IMAGES,
    BLOCK,
    HEADING,
    KIND_OF,
    LENIENT_SKIP,
    SKIP,
    SPECIAL_TAGS,
    STYLE_OF,
    TAG_ID,
)

# The role of a heading, and the elements that it makes a heading, besides custom
# elements.  The tags of all others take precedence.
HEADING_ROLES = frozenset(("heading",))
HEADED = frozenset(("div", "p", "span"))
LEVELS = frozenset("123456")
DEFAULT_HEADING_LEVEL = "2"  # as in WAI-ARIA
# Roles of elements that are hidden until a reader opens them.
PANELS = frozenset(("tabpanel", "region"))
# A word stands before each run of white space, so this takes linear time.
_HIDING = re.compile(
    r"(?:display[ \t\n\r\f]*:[ \t\n\r\f]*none|visibility[ \t\n\r\f]*:[ \t\n\r\f]*hidden)",
    # Without ASCII, i would match a dotless i too.
    re.IGNORECASE | re.ASCII,
)

# Tags that the walk treats specially; elements without a name may be formulas.
_CLOSER_LOOK = frozenset(("button", "template", "head", "br", "hr")).union(
    SPECIAL_TAGS, SKIP, AMP_IMAGES
)


@dataclass(frozen=True, slots=True)
class Tag:
    """How the walk treats the elements of a tag.

    ``number``, ``kind`` and ``style`` are the values in the tables.  ``kind`` is -1 if
    the tag does not determine a block's kind, and ``level`` is a heading's.
    """

    name: str
    number: int
    kind: int
    level: int
    is_block: bool
    style: int
    # Whether the walk enters its elements without special treatment.
    is_plain: bool


def _tag(name: str) -> Tag:
    kind = KIND_OF.get(name, -1)
    return Tag(
        name=name,
        number=TAG_ID.get(name, 0),
        kind=kind,
        level=int(name[1]) if kind == HEADING else 0,
        is_block=name in BLOCK,
        style=STYLE_OF.get(name, 0),
        is_plain=bool(name) and name not in _CLOSER_LOOK,
    )


# One look-up for each element, instead of one in every set of names.
TAGS = {name: _tag(name) for name in (*TAG_ID, *STYLE_OF, *AMP_IMAGES) if name}
_UNKNOWN = _tag("")
BUTTON = TAGS["button"]
# A button with a question, which shows the answer.
QUESTION = replace(BUTTON, name="question", is_block=True)
QUESTION_MARKS = ("?", "\u061f", "\uff1f")
# How many nodes of an element are searched for a question.
QUESTION_NODES = 32


def tag_of(element: Any) -> Tag | None:
    """The tag of an element, None for comments and other children without a name."""
    name = element.tag
    if not isinstance(name, str):
        return None
    return TAGS.get(local_name(name), _UNKNOWN)


def as_its_role(tag: Tag, attributes: dict[str, str]) -> Tag:
    """The tag of an element, or that of a heading if its role makes it one."""
    if attributes.get("role") not in HEADING_ROLES or (
        tag.number and tag.name not in HEADED
    ):
        return tag
    value = attributes.get("aria-level")
    level = value if value in LEVELS else DEFAULT_HEADING_LEVEL
    return replace(tag, kind=HEADING, level=int(level), is_block=True)


def ends_in_question(element: Any) -> bool:
    """Whether any text in an element ends in a question mark."""
    for node in islice(element.iter(), QUESTION_NODES):
        text_inside = node.text if isinstance(node.tag, str) else None
        tail = None if node is element else node.tail
        for text in (text_inside, tail):
            if text and text.rstrip(" \t\n\r\f").endswith(QUESTION_MARKS):
                return True
    return False


def is_hidden(
    attributes: dict[str, str], tag: str, answer: str = "", asked: bool = False
) -> bool:
    """Whether an element's attributes hide it permanently.

    WAI-ARIA panels, which a control shows, are not hidden: tab panels, regions,
    labelled elements without a role, and the element with the ID ``answer``, which the
    last question or heading controls.  If a question was ``asked`` right before it, an
    element without a role is the answer too.
    """
    if tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    hides = style is not None and _HIDING.search(style) is not None
    if not hides and "hidden" in attributes:
        # React streams parts of a page as hidden elements with an ID S:…, which a
        # script moves to their places.
        hides = not (
            attributes["hidden"].lower() == "until-found"
            or attributes.get("id", "").startswith("S:")
        )
    if not hides:
        return False
    role = attributes.get("role")
    is_panel = role in PANELS if role else asked or "aria-labelledby" in attributes
    return not (is_panel or (answer and attributes.get("id") == answer))


def is_skipped(element: Any, name: str, heading: bool, lenient: bool) -> bool:
    """Whether an element's tag excludes its content from the page's text."""
    if name == "template":
        # A declarative shadow root is shown.
        return "shadowrootmode" not in dict(element.items())
    if name == "head":
        return not _holds_body(element)
    if lenient:
        return name in LENIENT_SKIP
    return name in SKIP or (name == "button" and not heading)


def _holds_body(head: Any) -> bool:
    """Whether a head has an element that belongs in a body.

    In HTML the tags between head and body are optional.  Without them the parser ends
    the head at elements that it knows, but not at those new in HTML 5.
    """
    tags = (child.tag for child in head)
    return any(isinstance(tag, str) and local_name(tag) not in SKIP for tag in tags)
