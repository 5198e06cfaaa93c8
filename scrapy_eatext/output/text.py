"""Plain text from the units that an algorithm keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Verdict


def render_text(verdict: Verdict) -> str:
    """The kept units as text, an empty line between them.

    List items follow each other on lines of their own, each after a dash.
    """
    units = verdict.units
    parts: list[str] = []
    in_list = False
    for i, kept in enumerate(verdict.kept):
        if not kept:
            continue
        is_item = units.kind(i) == "list item"
        if parts:
            parts.append("\n" if is_item and in_list else "\n\n")
        if is_item:
            parts.append("  " * (units.level(i) - 1) + "- ")
        parts.append(units.text(i))
        in_list = is_item
    return "".join(parts)
