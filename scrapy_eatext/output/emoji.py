"""Recognizes images that stand for emoji, by their descriptions."""

from __future__ import annotations

import re

# Emoji with their modifiers and joiners, and keycaps.
_SIGN = (
    "[\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_CHANGE = "[\u200d\ufe0e\ufe0f\U000e0020-\U000e007f]"
_EMOJI = re.compile(f"(?:[0-9#*]\ufe0f?\u20e3|{_SIGN}{_CHANGE}*)+")
_LONGEST = 30


def is_emoji(alt: str) -> bool:
    """Whether the description of an image consists of emoji."""
    return len(alt) <= _LONGEST and _EMOJI.fullmatch(alt) is not None
