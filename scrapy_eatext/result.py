"""What an extraction gives back: MainText, its metadata and blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page, and the verdict on it.

    ``kind`` is one of paragraph, heading, list item, quote, code, table cell,
    caption, term, definition, or, for algorithms that look at other units,
    line and sentence.  ``level`` is a heading's level (1 to 6) or a list
    item's depth, else 0.  ``xpath`` leads to the element on the page as lxml parses it,
    "" for a unit without an element.  ``score`` runs from 0 to 1.
    """

    text: str
    kind: str
    level: int
    xpath: str
    score: float
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself; a field that it does not give is empty.

    Dates are in ISO 8601, as exact as the page has them; addresses are absolute if the
    page's own is known.  ``sources`` has the source of each field that is not empty:
    ``json-ld``, ``opengraph``, ``meta``, ``microdata``, ``time`` or ``page``.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    site_name: str = ""
    description: str = ""
    language: str = ""
    canonical_url: str = ""
    image: str = ""
    tags: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Metadata:
        """Metadata from the output of dataclasses.asdict(), or from its JSON."""
        lists = {name: tuple(values[name]) for name in ("authors", "tags")}
        return cls(**{**values, **lists})


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
COMPUTED = ("metadata", "blocks", "markdown", "html")
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

    ``score`` is how sure the algorithm is of the whole, from 0 to 1;
    ``version`` is that of algorithm and model.  ``origin`` is "page" if the page shows
    the text, "noscript" or "hidden" if the text stands in elements that a browser does
    not show, and "json-ld" or "state" if only the page's data have it.  ``str(result)``
    is the text.

    ``markdown``, ``html``, ``blocks`` and ``metadata`` (with ``title``, ``author``,
    ``date`` and so on, which are read from it) are computed on first access, and kept.
    For that a result of extract() holds on to its page; when it is pickled or copied,
    it computes them all and lets go of the page.  A result of a crawl has the
    attributes that EATEXT_FIELDS names, and goes back to its response for the others;
    once the response is gone, these raise LookupError.  Attributes that are computed on
    access do not count when results are compared.
    """

    text: str = ""
    algorithm: str = ""
    version: str = ""
    score: float = 0.0
    page_type: str = ""
    language: str = ""
    origin: str = "page"

    def __post_init__(self) -> None:
        _back(self, {}, None)

    def backed(
        self, computed: dict[str, Any], source: Source | None = None
    ) -> MainText:
        """This result with computed attributes, and a source for the others."""
        other = replace(self)
        _back(other, computed, source)
        return other

    def __str__(self) -> str:
        return self.text

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
    def metadata(self) -> Metadata:
        """What the page says of itself, with sources."""
        value: Metadata = self._get("metadata")
        return value

    @property
    def title(self) -> str:
        return self.metadata.title

    @property
    def authors(self) -> tuple[str, ...]:
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
        return self.metadata.modified

    @property
    def site_name(self) -> str:
        return self.metadata.site_name

    @property
    def description(self) -> str:
        return self.metadata.description

    @property
    def canonical_url(self) -> str:
        return self.metadata.canonical_url

    @property
    def image(self) -> str:
        return self.metadata.image

    @property
    def tags(self) -> tuple[str, ...]:
        return self.metadata.tags

    def detached(self, attributes: Iterable[str] = ATTRIBUTES) -> MainText:
        """This result without its page, after computing some attributes."""
        for name in computed_for(attributes):
            self._get(name)
        return self.backed(self.computed)

    def without_text(self) -> MainText:
        """This result with an empty text, as when its text does not pass."""
        computed = {**self.computed, "markdown": "", "html": ""}
        return replace(self, text="").backed(computed, self.source)

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
                    f"this result has no {name}: its page is gone, and {name} is not "
                    "among what EATEXT_FIELDS asks for"
                )
            self.computed.update(self.source.compute((name,)))
        return self.computed[name]


def _back(result: MainText, computed: dict[str, Any], source: Source | None) -> None:
    # Results are frozen; these two attributes are set all the same.
    object.__setattr__(result, "computed", computed)
    object.__setattr__(result, "source", source)


# The result for a page of which nothing is known.
NOTHING = MainText().backed(
    {"markdown": "", "html": "", "blocks": (), "metadata": Metadata()}
)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [asdict(block) for block in value]
    return asdict(value) if isinstance(value, Metadata) else value
