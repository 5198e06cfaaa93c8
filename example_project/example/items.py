"""The items of the spiders."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PageItem:
    """A page; the pipeline fills all but its URL and title."""

    url: str
    title: str
    main_text: str = ""
    algorithm: str = ""
    version: str = ""


@dataclass
class JudgedItem:
    """A page by one algorithm; the pipeline fills all but the URL."""

    url: str
    algorithm: str = ""
    version: str = ""
    score: float | None = None
    main_text: str = ""
