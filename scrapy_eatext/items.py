"""Items ready to use, and the EATEXT_FIELDS that fill them.

Their texts are not in their repr(), which Scrapy logs for each item.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields


@dataclass
class PageText:
    """A page's address and main text, which the default EATEXT_FIELDS fills."""

    url: str
    main_text: str = field(default="", repr=False)


@dataclass
class Article:
    """A page for reading: its text in Markdown too, its title, authors and date.

    A spider sets the ``url``, and the fields of which it has better values;
    ARTICLE_FIELDS as EATEXT_FIELDS fills the other fields.
    """

    url: str
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    modified: str = ""
    site_name: str = ""
    description: str = ""
    language: str = ""
    image: str = ""
    tags: tuple[str, ...] = ()
    text: str = field(default="", repr=False)
    markdown: str = field(default="", repr=False)
    score: float = 0.0


ARTICLE_FIELDS = {one.name: one.name for one in fields(Article) if one.name != "url"}


@dataclass
class Document:
    """A document for a corpus: its text, and how the text was found.

    DOCUMENT_FIELDS as EATEXT_FIELDS fills all but the ``url``.
    """

    url: str
    text: str = field(default="", repr=False)
    language: str = ""
    score: float = 0.0
    algorithm: str = ""
    version: str = ""
    date: str = ""


DOCUMENT_FIELDS = {one.name: one.name for one in fields(Document) if one.name != "url"}
