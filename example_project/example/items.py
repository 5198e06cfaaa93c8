"""What the spiders yield."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PageItem:
    """A page; the pipeline fills main_text."""

    url: str
    title: str
    main_text: str = ""


@dataclass
class JudgedItem:
    """A page as one algorithm sees it; the pipeline fills all but the URL."""

    url: str
    algorithm: str = ""
    score: float | None = None
    main_text: str = ""
