"""What an extraction gives back: MainText, its metadata and blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page, and the verdict on it.

    ``kind`` is one of paragraph, heading, list item, quote, code, table cell, caption,
    term, definition, or, for algorithms that look at other units, line and sentence.
    ``level`` is a heading's level (1 to 6) or how deep a list item or a quote is
    nested, else 0.  ``xpath`` leads to the element on the page as lxml parses it; it is
    "" for a unit without an element.  ``kept`` says whether the block is main text,
    ``score``, from 0 to 1, how much speaks for that, and ``reason`` why.
    """

    text: str
    kind: str
    level: int
    xpath: str
    score: float
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a page's text: ``result.text[chunk.start:chunk.end]``.

    ``headings`` are those that all of it stands under, the outermost first; its own
    heading is among them.  ``xpath`` leads to the element of the block that it begins
    with, as Block's does.
    """

    text: str
    headings: tuple[str, ...]
    xpath: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Post:
    """What a reader wrote; author and time are empty where the page does not tell them.

    The time is in ISO 8601, or as the page has it where it only says "2 hours ago".
    """

    text: str
    author: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Media:
    """An image or a video: its address, its caption, and its size in pixels.

    What the page does not tell is "" or 0.
    """

    url: str
    caption: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself; a field that it does not give is empty.

    Dates are in ISO 8601, as exact as the page has them; ``published_raw`` and
    ``modified_raw`` are the same dates as the page writes them.  Addresses are absolute
    if the page's own is known.  ``sources`` has the source of each field that is not
    empty: ``json-ld``, ``opengraph``, ``meta``, ``microdata``, ``time`` or ``page``.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    published_raw: str = ""
    modified: str = ""
    modified_raw: str = ""
    site_name: str = ""
    description: str = ""
    language: str = ""
    canonical_url: str = ""
    image: str = ""
    tags: tuple[str, ...] = ()
    images: tuple[Media, ...] = ()
    videos: tuple[Media, ...] = ()
    feeds: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Metadata:
        """Metadata from the output of dataclasses.asdict(), or from its JSON."""
        lists = {name: tuple(values.get(name, ())) for name in _LISTS}
        media = {
            name: tuple(Media(**one) for one in values.get(name, ())) for name in _MEDIA
        }
        return cls(**{**values, **lists, **media})


# The fields of Metadata that are tuples, of texts and of Media.
_LISTS, _MEDIA = ("authors", "tags", "feeds"), ("images", "videos")


class IncompleteError(Exception):
    """A value of which parts could not be computed.

    ``value`` is the value without these parts.  The error is raised from the first
    exception of a part.
    """

    def __init__(self, value: Any) -> None:
        super().__init__("some of it could not be computed")
        self.value = value


class Source(Protocol):
    """What a result's attributes can be computed from: the page, or a way back to it.

    ``at_hand`` is true if that takes no new extraction.
    """

    @property
    def at_hand(self) -> bool: ...

    def compute(self, names: Iterable[str]) -> Mapping[str, Any]:
        """Some of COMPUTED.  Raises LookupError where the page is gone."""
        ...

    def chunks(self, max_words: int | None, overlap: int | None) -> tuple[Chunk, ...]:
        """Chunks of a size, None for that of EATEXT_CHUNKS.  Raises LookupError too."""
        ...


_FIELDS = (
    "text",
    "algorithm",
    "version",
    "score",
    "page_type",
    "language",
    "origin",
)
# The attributes computed on first access; the quickest first, as time may run out.
COMPUTED = (
    *("metadata", "blocks", "comments", "posts", "chunks"),
    *("markdown", "html", "tables"),
)
_OF_METADATA = (
    "title",
    "author",
    "authors",
    "date",
    "modified",
    "site_name",
    "description",
    "canonical_url",
    "image",
    "tags",
    "images",
    "videos",
    "feeds",
)
# For each attribute that has to be computed, the one of COMPUTED that it is read from.
COMPUTED_FOR = {
    **{name: name for name in COMPUTED},
    **dict.fromkeys(_OF_METADATA, "metadata"),
}
# The attributes that EATEXT_FIELDS may put into an item.
ATTRIBUTES = (
    "text",
    "markdown",
    "html",
    "blocks",
    "comments",
    "tables",
    "posts",
    "chunks",
    *_OF_METADATA,
    "metadata",
    "algorithm",
    "version",
    "score",
    "page_type",
    "language",
    "origin",
)


def computed_for(attributes: Iterable[str]) -> list[str]:
    """Those of COMPUTED that some attributes of a result are read from."""
    wanted = {COMPUTED_FOR.get(name) for name in attributes}
    return [name for name in COMPUTED if name in wanted]


class _Backed:
    """The part of a result that is no part of its value, and goes to no feed."""

    __slots__ = ("computed", "source")
    computed: dict[str, Any]
    source: Source | None


@dataclass(frozen=True, slots=True)
class MainText(_Backed):
    """The main text of a page: frozen, and small once it has let go of its page.

    ``score`` is how sure the algorithm is of the whole, from 0 to 1; ``version`` is
    that of algorithm and model.  ``page_type`` is the kind of page, and ``language``
    the language of its text, or else the one that it declares; either is "" where it is
    not known.  ``origin`` is "page" if the page shows the text, "noscript" or "hidden"
    if the text stands in elements that a browser does not show, and "json-ld", "state"
    or "srcdoc" if only the page's data have it.  Of a page that stands in place of
    another it is the kind of wall, such as "captcha", and the text is empty.
    ``str(result)`` is the text.

    ``markdown``, ``html``, ``tables``, ``blocks``, ``comments``, ``posts``, chunks()
    and ``metadata`` (with ``title``, ``author``, ``date`` and so on, which are read
    from it) are computed on first access, and kept.  For that a result of extract()
    holds on to its page; when it is pickled or copied, it computes them all, and the
    copy has no page.  A result of a crawl has the attributes that EATEXT_FIELDS names,
    and goes back to its response for the others; once the response is gone, these raise
    LookupError.  Attributes that are computed on access do not count when results are
    compared.
    """

    text: str = ""
    algorithm: str = ""
    version: str = ""
    score: float = 0.0
    page_type: str = ""
    language: str = ""
    origin: str = "page"

    def __post_init__(self) -> None:
        # Results are frozen; these two attributes are set all the same.
        object.__setattr__(self, "computed", {})
        self.attach(None)

    def backed(
        self, computed: dict[str, Any], source: Source | None = None
    ) -> MainText:
        """This result with computed attributes, and a source for the others."""
        other = replace(self)
        object.__setattr__(other, "computed", computed)
        other.attach(source)
        return other

    def attach(self, source: Source | None) -> None:
        """Compute missing attributes from another source from now on."""
        object.__setattr__(self, "source", source)

    def __str__(self) -> str:
        return self.text

    @property
    def headline(self) -> str:
        """What the text begins with where EATEXT_TITLE asks for it, else ""."""
        value: str = self.computed.get("headline", "")
        return value

    @property
    def body(self) -> str:
        """The text without the headline that it may begin with."""
        headline: str = self.computed.get("headline", "")
        return self.text.removeprefix(headline).removeprefix("\n\n")

    @property
    def markdown(self) -> str:
        """The main text in CommonMark, with GitHub's tables."""
        value: str = self._get("markdown")
        return value

    @property
    def html(self) -> str:
        """The main text in clean HTML, safe to show."""
        value: str = self._get("html")
        return value

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, kept or not, with the verdict on each."""
        value: tuple[Block, ...] = self._get("blocks")
        return value

    @property
    def comments(self) -> str:
        """What readers wrote below the text, "" where the algorithm knows of none."""
        value: str = self._get("comments")
        return value

    def chunks(
        self, max_words: int | None = None, overlap: int | None = None
    ) -> tuple[Chunk, ...]:
        """The text in passages for retrieval, each with where it stands.

        A chunk has ``max_words`` at most, up to ``overlap`` of which end the chunk
        before; without these numbers it is as EATEXT_CHUNKS says.  It ends where a block
        ends if it can, else where a sentence or a line of code does, and never within a
        row of a table.  A sentence, line or row that is longer is a chunk by itself.

        Raises OptionError for a number that is out of range, and LookupError where the
        page is needed and gone.
        """
        if not self.text:
            return ()
        value: tuple[Chunk, ...]
        if max_words is None and overlap is None:
            value = self._get("chunks")
            return value
        if self.source is None:
            raise LookupError(
                "this result has no chunks of this size, and its page is gone: ask "
                "before that, or set EATEXT_CHUNKS and name chunks in EATEXT_FIELDS"
            )
        return self.source.chunks(max_words, overlap)

    def value(self, name: str) -> Any:
        """One of ATTRIBUTES, as an item is filled with it."""
        return self.chunks() if name == "chunks" else getattr(self, name)

    @property
    def posts(self) -> tuple[Post, ...]:
        """The comments one by one, each with its author and time."""
        value: tuple[Post, ...] = self._get("posts")
        return value

    @property
    def tables(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The tables of data in the main text: each is its rows, with a text a column.

        The first row is the header, of empty texts where the page has none.  What a
        cell says is in all places that it spans.
        """
        value: tuple[tuple[tuple[str, ...], ...], ...] = self._get("tables")
        return value

    @property
    def metadata(self) -> Metadata:
        """What the page says of itself, with sources."""
        value: Metadata = self._get("metadata")
        return value

    @property
    def title(self) -> str:
        """The page's title, without the site's name."""
        return self.metadata.title

    @property
    def authors(self) -> tuple[str, ...]:
        """The names of the authors."""
        return self.metadata.authors

    @property
    def author(self) -> str:
        """All authors, with commas between them."""
        return ", ".join(self.metadata.authors)

    @property
    def date(self) -> str:
        """When the page was published, in ISO 8601."""
        return self.metadata.published

    @property
    def modified(self) -> str:
        """When the page was last changed, in ISO 8601."""
        return self.metadata.modified

    @property
    def site_name(self) -> str:
        """The site's name."""
        return self.metadata.site_name

    @property
    def description(self) -> str:
        """The page's summary of itself."""
        return self.metadata.description

    @property
    def canonical_url(self) -> str:
        """The address that the page calls its own."""
        return self.metadata.canonical_url

    @property
    def image(self) -> str:
        """The address of the page's main image."""
        return self.metadata.image

    @property
    def tags(self) -> tuple[str, ...]:
        """The keywords that the page gives itself."""
        return self.metadata.tags

    @property
    def images(self) -> tuple[Media, ...]:
        """The images that the page's data and its figures name."""
        return self.metadata.images

    @property
    def videos(self) -> tuple[Media, ...]:
        """The videos that the page's data and its players name."""
        return self.metadata.videos

    @property
    def feeds(self) -> tuple[str, ...]:
        """The addresses of the feeds that the page names."""
        return self.metadata.feeds

    def detached(self, attributes: Iterable[str] = ATTRIBUTES) -> MainText:
        """This result without its page, after computing some attributes."""
        for name in computed_for(attributes):
            self._get(name)
        return self.backed(self.computed)

    def without_text(self, origin: str = "") -> MainText:
        """This result with an empty text, as when its text does not pass."""
        computed = {**self.computed, "comments": "", "markdown": "", "html": ""}
        computed |= {"posts": (), "chunks": (), "tables": (), "headline": ""}
        empty = replace(self, text="", origin=origin or self.origin)
        return empty.backed(computed, self.source)

    def as_dict(self) -> dict[str, Any]:
        """The result and its computed attributes, ready for JSON."""
        known = {name: getattr(self, name) for name in _FIELDS}
        return {**known, "computed": {k: _plain(v) for k, v in self.computed.items()}}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MainText:
        """A result from the output of as_dict()."""
        values = dict(values)
        computed = dict(values.pop("computed"))
        if "metadata" in computed:
            computed["metadata"] = Metadata.from_dict(computed["metadata"])
        if "blocks" in computed:
            computed["blocks"] = tuple(Block(**block) for block in computed["blocks"])
        if "tables" in computed:
            computed["tables"] = tuple(
                tuple(map(tuple, table)) for table in computed["tables"]
            )
        if "posts" in computed:
            computed["posts"] = tuple(Post(**post) for post in computed["posts"])
        if "chunks" in computed:
            computed["chunks"] = tuple(
                Chunk(**{**chunk, "headings": tuple(chunk["headings"])})
                for chunk in computed["chunks"]
            )
        return cls(**values).backed(computed)

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a page nor a way back to it can be pickled.
        if self.source is not None and self.source.at_hand:
            missing = [name for name in COMPUTED if name not in self.computed]
            self.computed.update(self.source.compute(missing))
        return MainText.from_dict, (self.as_dict(),)

    def _get(self, name: str) -> Any:
        if name not in self.computed:
            if self.source is None:
                raise LookupError(
                    f"this result has no {name}, and its page is gone: name it in "
                    "EATEXT_FIELDS to have it computed ahead"
                )
            self.computed.update(self.source.compute((name,)))
        return self.computed[name]


# The result for a page of which nothing is known.
NOTHING = MainText().backed(
    {
        "markdown": "",
        "html": "",
        "tables": (),
        "blocks": (),
        "comments": "",
        "metadata": Metadata(),
        "posts": (),
        "chunks": (),
    }
)

_PARTS = (Block, Post, Chunk)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [asdict(one) if isinstance(one, _PARTS) else one for one in value]
    return asdict(value) if isinstance(value, Metadata) else value
