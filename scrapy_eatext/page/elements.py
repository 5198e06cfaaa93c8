"""What the walk makes of an element: by its name, by its role, and if it is hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from scrapy_eatext.page.replacements import local_name
from scrapy_eatext.page.tags import (
    BLOCK,
    HEADING,
    KIND_OF,
    LENIENT_SKIP,
    SKIP,
    SPECIAL_TAGS,
    STYLE_OF,
    TAG_ID,
)

# The role of a heading, and the elements that it makes one, beside those of a site's
# own names: others are what their tags say.
HEADING_ROLES = frozenset(("heading",))
HEADED = frozenset(("div", "p", "span"))
LEVELS = frozenset("123456")
UNTOLD_LEVEL = "2"
# Roles of elements that are hidden until a reader opens them.
PANELS = frozenset(("tabpanel", "region"))
# White space inside is bounded by what stands before it, so this is linear.
_HIDING = re.compile(
    r"(?:display[ \t\n\r\f]*:[ \t\n\r\f]*none|visibility[ \t\n\r\f]*:[ \t\n\r\f]*hidden)",
    # A dotless i is no i.
    re.IGNORECASE | re.ASCII,
)

# Names that the walk tells apart; elements without one may be formulas.
_CLOSER_LOOK = SPECIAL_TAGS | SKIP | {"button", "template", "head", "br", "hr"}


@dataclass(frozen=True, slots=True)
class Tag:
    """How the walk treats elements of one name.

    ``number``, ``kind`` and ``style`` are as in the tables, ``kind`` is -1 where the
    name makes no kind of block, and ``level`` is a heading's.
    """

    name: str
    number: int
    kind: int
    level: int
    is_block: bool
    style: int
    # Whether its elements are entered without a closer look.
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
TAGS = {name: _tag(name) for name in (*TAG_ID, *STYLE_OF) if name}
_UNKNOWN = _tag("")
BUTTON = TAGS["button"]
# A button that asks what it shows the answer to.
QUESTION = replace(BUTTON, name="question", is_block=True)
QUESTION_MARKS = ("?", "\u061f", "\uff1f")
# In how many nodes of a button the question is looked for.
QUESTION_NODES = 32


def tag_of(element: Any) -> Tag | None:
    """The tag of an element, None for comments and other children without a name."""
    name = element.tag
    if not isinstance(name, str):
        return None
    return TAGS.get(local_name(name), _UNKNOWN)


def as_its_role(tag: Tag, attributes: dict[str, str]) -> Tag:
    """The tag, or where the element's role makes it a heading, that of a heading.

    The level is 2 where the element tells none, as WAI-ARIA has it.
    """
    if attributes.get("role") not in HEADING_ROLES or (
        tag.number and tag.name not in HEADED
    ):
        return tag
    given = attributes.get("aria-level")
    level = given if given in LEVELS else UNTOLD_LEVEL
    return replace(tag, kind=HEADING, level=int(level), is_block=True)


def ends_in_question(button: Any) -> bool:
    """Whether a text in a button ends in a question mark, icons beside it or not."""
    for node in islice(button.iter(), QUESTION_NODES):
        own = node.text if isinstance(node.tag, str) else None
        behind = None if node is button else node.tail
        for text in (own, behind):
            if text and text.rstrip(" \t\n\r\f").endswith(QUESTION_MARKS):
                return True
    return False


def is_hidden(attributes: dict[str, str], tag: str) -> bool:
    """Whether a browser hides an element for good, as far as its attributes tell.

    Panels of tabs and accordions, which a reader opens, are part of the page.
    """
    if tag == "dialog" and "open" not in attributes:
        return True
    style = attributes.get("style")
    hides = style is not None and _HIDING.search(style) is not None
    if not hides and "hidden" in attributes:
        # React streams parts of a page as hidden S: elements, and a line of
        # script moves each to its place.
        hides = not (
            attributes["hidden"].lower() == "until-found"
            or attributes.get("id", "").startswith("S:")
        )
    return hides and not _is_panel(attributes)


def _is_panel(attributes: dict[str, str]) -> bool:
    """Whether an element says, as WAI-ARIA has it, that a control shows it.

    A tab panel or a region does, and so does a labelled element without a role.
    """
    role = attributes.get("role")
    return role in PANELS if role else "aria-labelledby" in attributes


def is_skipped(element: Any, name: str, heading: bool, lenient: bool) -> bool:
    """Whether an element's tag alone says that its content is no text of the page."""
    if name == "template":
        # A shadow tree that is written out is shown.
        return "shadowrootmode" not in dict(element.items())
    if name == "head":
        return not _holds_body(element)
    if lenient:
        return name in LENIENT_SKIP
    return name in SKIP or (name == "button" and not heading)


def _holds_body(head: Any) -> bool:
    """Whether a head has an element that belongs in a body.

    HTML lets a page leave out where its head ends and its body begins.  The parser
    then ends the head at elements that it knows, but at none that HTML 5 brought.
    """
    tags = (child.tag for child in head)
    return any(isinstance(tag, str) and local_name(tag) not in SKIP for tag in tags)
