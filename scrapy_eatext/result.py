"""The result of an extraction: MainText, its metadata and blocks.

Each output is declared once, in the class MainText, and each field of the metadata in
the class Metadata.  From these declarations come the lists of names, the JSON, and the
joining of several pages.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, is_dataclass, replace
from functools import cache
from importlib import import_module
from itertools import accumulate, chain
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

if TYPE_CHECKING:
    from scrapy.link import Link

    # typing.Self requires Python 3.11
    from typing_extensions import Self

    from scrapy_eatext.output.judged import JudgedPage
else:
    # A crawl has loaded Scrapy before.  A worker process has no need of it, and would
    # take a second and 30 MiB more.
    Link = getattr(sys.modules.get("scrapy.link"), "Link", object)

_T = TypeVar("_T")


class Bound(NamedTuple):
    """How many characters a value may have, and whether a longer one is cut at a word.

    If not, it is left out: a URL is useless without its end.
    """

    most: int
    cut: bool = False


def _bounded(most: int, default: Any = "", *, cut: bool = False) -> Any:
    return field(default=default, metadata={"bound": Bound(most, cut)})


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a page, and the verdict on it.

    ``kind`` is one of paragraph, heading, list item, quote, code, table cell, caption,
    term, definition, or, for algorithms that look at other units, line and sentence.
    ``level`` is a heading's level (1 to 6) or how deep a list item or a quote is
    nested, else 0.  ``xpath`` leads to the element on the page as lxml parses it; it is
    "" for a unit without an element.  ``kept`` is whether the block is main text,
    ``score`` its likelihood from 0 to 1, and ``reason`` the reason.
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

    ``text`` may be Markdown.  If the chunk continues a table, it begins with the table's
    headers.  ``headings`` are those above all of the chunk, the outermost first, and the
    chunk's own.  ``xpath`` leads to the element of its first block, as Block's does.
    ``url`` is the page's address, with a text fragment that lets browsers show the
    passage; "" if the page's address is not known.
    """

    text: str
    headings: tuple[str, ...]
    xpath: str
    start: int
    end: int
    url: str = ""


@dataclass(frozen=True, slots=True)
class Post:
    """A post or comment; author and time are "" if the page does not have them.

    The time is in ISO 8601, or as the page writes it, such as "2 hours ago".  ``quoted``
    has the post's quotations of other posts, which ``text`` does not have.
    """

    text: str
    author: str = ""
    time: str = ""
    quoted: str = ""


@dataclass(frozen=True)
class Entry(Link):
    """An entry of a page that is a list; "" for what the page does not have.

    In a crawl it is a link that a response can follow.  The address is absolute if the
    page's own is known.  The date is in ISO 8601, and the price as the page writes it.
    """

    # What links have besides; no fields of an entry.
    fragment, nofollow = "", False

    title: str
    url: str = ""
    text: str = ""
    date: str = ""
    price: str = ""
    image: str = ""
    author: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default a copy's `fragment` would be set.
        return Entry, astuple(self)


@dataclass(frozen=True, slots=True)
class Media:
    """An image or a video: address, caption, size in pixels; "" or 0 if unknown."""

    url: str
    caption: str = ""
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Embed:
    """A player or post in the main text: the address of its page, or of its file.

    ``kind`` is video, audio, post or code; ``provider`` is the site that the player is
    from, "" for the page's own.  The title is "" if the page does not have it.
    """

    url: str
    title: str = ""
    kind: str = ""
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Breadcrumb:
    """A step of the path that leads to a page in its site."""

    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Product:
    """The product that a page is about; "" or 0 for what the page does not have.

    The price is a number with a full stop before its decimals, the currency a code of
    ISO 4217, IRT for the toman of Iran, and the availability a name of schema.org's,
    such as InStock.  ``sources`` has the source of each field: ``json-ld``,
    ``microdata``, ``rdfa``, ``opengraph`` or ``page``.
    """

    name: str = _bounded(1000, cut=True)
    price: str = _bounded(30)
    currency: str = _bounded(3)
    availability: str = _bounded(50)
    brand: str = _bounded(200, cut=True)
    sku: str = _bounded(100)
    gtin: str = _bounded(20)
    rating: float = 0.0
    rating_count: int = 0
    best_rating: float = 0.0
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe in a page's data; "" for what these do not have.

    Times are durations in ISO 8601, or as the page writes them.  ``sources`` has the
    source of each field: ``json-ld``, ``microdata`` or ``rdfa``.
    """

    name: str = _bounded(1000, cut=True)
    ingredients: tuple[str, ...] = _bounded(1000, (), cut=True)
    steps: tuple[str, ...] = _bounded(5000, (), cut=True)
    prep_time: str = _bounded(100)
    cook_time: str = _bounded(100)
    total_time: str = _bounded(100)
    yields: str = _bounded(200, cut=True)
    sources: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Thing:
    """An item of schema.org's vocabulary on a page, with its source.

    ``values`` has its properties in the form of JSON-LD, also of microdata and RDFa.
    """

    source: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Metadata:
    """A page's metadata; a field that the page does not have is empty.

    Dates are in ISO 8601, as exact as the page has them; ``published_raw`` and
    ``modified_raw`` are the same dates as the page writes them.  Addresses are absolute
    if the page's own is known.  ``sources`` has the source of each field that is not
    empty: ``json-ld``, ``opengraph``, ``meta``, ``microdata``, ``time`` or ``page``.
    """

    # Each field is read by the method of metadata.reader.Reader named _FIELD.
    title: str = _bounded(1000, cut=True)
    # Only short texts are names of authors (people.is_name()).
    authors: tuple[str, ...] = ()
    published: str = _bounded(35)
    published_raw: str = _bounded(100, cut=True)
    modified: str = _bounded(35)
    modified_raw: str = _bounded(100, cut=True)
    site_name: str = _bounded(200, cut=True)
    description: str = _bounded(5000, cut=True)
    language: str = _bounded(35)
    canonical_url: str = _bounded(4000)
    image: str = _bounded(4000)
    tags: tuple[str, ...] = _bounded(100, ())
    images: tuple[Media, ...] = ()
    videos: tuple[Media, ...] = ()
    feeds: tuple[str, ...] = ()
    breadcrumbs: tuple[Breadcrumb, ...] = ()
    section: str = _bounded(200, cut=True)
    licence: str = _bounded(4000)
    direction: str = _bounded(3)
    comment_count: int = 0
    sources: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Metadata:
        """Metadata from the output of dataclasses.asdict(), or from its JSON."""
        found: Metadata = from_json(cls, values)
        return found


class IncompleteError(Exception):
    """Parts of a value could not be computed; ``value`` is the value without them.

    The error is raised from the first exception of a part.
    """

    def __init__(self, value: Any) -> None:
        super().__init__("some of it could not be computed")
        self.value = value


def to_json(value: Any) -> Any:
    """An attribute of a result for json.dumps()."""
    if isinstance(value, tuple):
        return [to_json(one) for one in value]
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value


def from_json(kind: Any, value: Any) -> Any:
    """A value of a type from its JSON, in which tuples are lists and classes dicts."""
    if isinstance(kind, UnionType):
        kind = get_args(kind)[0]
    if value is None:
        return None
    if get_origin(kind) is tuple:
        return tuple([from_json(get_args(kind)[0], one) for one in value])
    if not is_dataclass(kind):
        return value
    made: Any = kind
    types = _types(made)
    read = {name: from_json(types[name], value[name]) for name in types & value.keys()}
    return made(**{**value, **read})


@cache
def _types(kind: Any) -> dict[str, Any]:
    """The types of the fields of a class that its JSON has in another form."""
    types = get_type_hints(kind).items()
    return {name: of for name, of in types if get_origin(of) or is_dataclass(of)}


# The score that an empty text has at most.
EMPTY_SCORE = 0.3


class Source(Protocol):
    """What a result's outputs are computed from: its page, or a reference to it."""

    @property
    def at_hand(self) -> bool:
        """Whether outputs are computed without a new extraction."""
        ...

    def compute(self, names: Iterable[str]) -> Mapping[str, Any]:
        """Some of COMPUTED.  Raises LookupError if the page is gone."""
        ...

    def chunks(self, form: Mapping[str, Any]) -> tuple[Chunk, ...]:
        """Chunks of a form; None stands for EATEXT_CHUNKS.  Raises LookupError too."""
        ...


class _Typed(property, Generic[_T]):
    """A property of MainText whose type is an argument."""

    name: str

    def __init__(self, kind: type[_T], read: Callable[[Any], _T], doc: str) -> None:
        # Documentation shows the type.
        read.__annotations__["return"] = kind
        super().__init__(read)
        self.kind = kind
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.lstrip("_")

    if TYPE_CHECKING:

        @overload
        def __get__(self, result: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, result: Any, owner: type | None = None, /) -> _T: ...
        def __get__(self, result: Any, owner: type | None = None, /) -> Any: ...


class Output(_Typed[_T]):
    """An attribute of MainText that is computed on first access: its declaration.

    ``kind`` is its type: kind() is the empty output, None that of an optional() type.
    ``module`` has the function write_NAME(judged page); it is "" for an output that is
    made with the text.  ``join`` makes one output of those of several pages.  An output
    ``of_page`` stays when the text does not pass.  Outputs of a lower ``turn`` are
    computed first, as time may run out.
    """

    def __init__(
        self,
        kind: type[_T],
        module: str,
        join: Callable[[Sequence[MainText], str], _T],
        doc: str,
        *,
        of_page: bool = False,
        turn: int = 1,
    ) -> None:
        def read(result: MainText) -> _T:
            value: _T = result._get(self.name)  # noqa: SLF001
            return value

        super().__init__(kind, read, doc)
        self.empty: Any = None if isinstance(kind, UnionType) else kind()
        self.module = module
        self.join = join
        self.of_page = of_page
        self.turn = turn

    def write(self, judged: JudgedPage) -> _T:
        writers = import_module(f"scrapy_eatext.{self.module}")
        value: _T = getattr(writers, f"write_{self.name}")(judged)
        return value


def optional(kind: type[_T]) -> type[_T | None]:
    return kind | None  # type: ignore[return-value]


class OfMetadata(_Typed[_T]):
    """An attribute of MainText that is read from its metadata."""

    def __init__(
        self, kind: type[_T], doc: str, read: Callable[[Metadata], _T] | None = None
    ) -> None:
        def value(result: MainText) -> _T:
            found = result.metadata
            return getattr(found, self.name) if read is None else read(found)

        super().__init__(kind, value, doc)


# How an output of several pages is joined.


def first(results: Sequence[MainText], name: str) -> Any:
    """The first page's."""
    return results[0].computed[name]


def last(results: Sequence[MainText], name: str) -> Any:
    """The last page's, which may lack it."""
    return results[-1].computed.get(name, OUTPUTS[name].empty)


def paragraphs(results: Sequence[MainText], name: str) -> str:
    """All texts that are not empty, with blank lines between them."""
    return _BLANK_LINE.join(filter(None, (result.computed[name] for result in results)))


def in_turn(results: Sequence[MainText], name: str) -> tuple[Any, ...]:
    """The parts of all pages."""
    return tuple(chain.from_iterable(result.computed[name] for result in results))


def moved(results: Sequence[MainText], name: str) -> tuple[Chunk, ...]:
    """The chunks of all pages, each with its place in the text of all."""
    lengths = (len(result.text) + len(_BLANK_LINE) for result in results)
    return tuple(
        replace(chunk, start=at + chunk.start, end=at + chunk.end)
        for result, at in zip(results, accumulate(lengths, initial=0), strict=False)
        for chunk in result.computed[name]
    )


_BLANK_LINE = "\n\n"


class _Backed:
    """Attributes that do not count when results are compared, and go to no feed."""

    __slots__ = ("computed", "source")
    computed: dict[str, Any]
    source: Source | None


@dataclass(frozen=True, slots=True)
class MainText(_Backed):
    """The main text of a page: frozen, and small once it has let go of its page.

    ``score`` is how sure the algorithm is of the whole, from 0 to 1; ``version`` is
    that of algorithm and model.  ``page_type`` is the kind of page, and ``language``
    the language that it declares, or else that of its text; either is "" where it is
    not known.  ``origin`` is "page" if the page shows the text, "noscript" or "hidden"
    if the text stands in elements that a browser does not show, and "json-ld", "state"
    or "srcdoc" if only the page's data have it.  Of a page that stands in place of
    another it is the kind of wall, such as "captcha", and the text is empty.
    ``template`` says whether the host's site file fits the page, "matched" or
    "unmatched"; it is "" without such a file.  ``str(result)`` is the text.

    All other attributes (``markdown``, ``metadata``, ``title`` and so on) and chunks()
    are computed on first access, and kept; they do not count when results are compared.
    A result of extract() keeps its page for them.  When it is pickled or copied, it
    computes them all, and the copy has no page.  A result of a crawl has the attributes
    that EATEXT_FIELDS names, and extracts its response again for others; when the
    response is gone, these raise LookupError.
    """

    text: str = ""
    algorithm: str = ""
    version: str = ""
    score: float = 0.0
    page_type: str = ""
    language: str = ""
    origin: str = "page"
    template: str = ""

    # fmt: off
    headline = Output(str, "", first,
        'The headline that the text begins with, "" without EATEXT_TITLE.')
    markdown = Output(str, "output.markdown", paragraphs,
        "The main text in CommonMark, with GitHub's tables.", turn=2)
    html = Output(str, "output.html", paragraphs,
        "The main text in clean HTML, safe to show.", turn=2)
    blocks = Output(tuple[Block, ...], "output.judged", in_turn,
        "All blocks of the page, kept or not, with the verdict on each.", of_page=True)
    comments = Output(str, "output.judged", first,
        "What readers wrote below the text, if the algorithm finds comments.")
    tables = Output(tuple[tuple[tuple[str, ...], ...], ...], "output.tables", in_turn,
        """The tables of data in the main text: the rows of each, with a text a column.

        The first row is the header, of empty texts if the table has none.  The text of
        a cell is in all places that the cell spans.
        """, turn=2)
    posts = Output(tuple[Post, ...], "output.comments", first,
        "A thread's posts, else the comments, one by one with author and time.")
    entries = Output(tuple[Entry, ...], "output.entries", in_turn,
        "What the page lists, in its order; empty for a page that is no list.", turn=2)
    embeds = Output(tuple[Embed, ...], "output.embeds", in_turn,
        "Content of other sites in the main text: videos, sound, posts and code.", turn=2)
    _chunks = Output(tuple[Chunk, ...], "output.chunks", moved,
        "What chunks() gives without arguments.")
    title = OfMetadata(str, "The page's title, without the site's name.")
    author = OfMetadata(str, "All authors, with commas between them.",
        lambda found: ", ".join(found.authors))
    authors = OfMetadata(tuple[str, ...], "The names of the authors.")
    date = OfMetadata(str, "When the page was published, in ISO 8601.",
        lambda found: found.published)
    modified = OfMetadata(str, "When the page was last changed, in ISO 8601.")
    site_name = OfMetadata(str, "The site's name.")
    description = OfMetadata(str, "The page's summary of itself.")
    canonical_url = OfMetadata(str, "The address that the page calls its own.")
    image = OfMetadata(str, "The address of the page's main image.")
    tags = OfMetadata(tuple[str, ...], "The keywords that the page gives itself.")
    images = OfMetadata(tuple[Media, ...],
        "The images that the page's data and its figures name.")
    videos = OfMetadata(tuple[Media, ...],
        "The videos that the page's data and its players name.")
    feeds = OfMetadata(tuple[str, ...], "The addresses of the feeds that the page names.")
    product = Output(optional(Product), "metadata.products", first,
        "The product that the page is about, None on other pages.", of_page=True)
    recipe = Output(optional(Recipe), "metadata.products", first,
        "The recipe in the page's data, None if there is none.", of_page=True)
    structured_data = Output(tuple[Thing, ...], "metadata.schema", in_turn,
        "The page's items in schema.org's vocabulary.",
        of_page=True)
    next_page = Output(str, "page.continued", last,
        'The address of the next page of a list, thread or article, "" if there is none.',
        of_page=True)
    metadata = Output(Metadata, "metadata", first,
        "The page's metadata, with the source of each field.", of_page=True, turn=0)
    # fmt: on

    def __post_init__(self) -> None:
        # A frozen class can set its attributes only this way.
        object.__setattr__(self, "computed", {})
        self.attach(None)

    def backed(
        self, computed: dict[str, Any], source: Source | None = None
    ) -> MainText:
        """This result with computed outputs, and a source for its other outputs."""
        other = replace(self)
        object.__setattr__(other, "computed", computed)
        other.attach(source)
        return other

    def attach(self, source: Source | None) -> None:
        """Compute missing outputs from another source from now on."""
        object.__setattr__(self, "source", source)

    def __str__(self) -> str:
        return self.text

    @property
    def body(self) -> str:
        """The text without the headline that it may begin with."""
        return self.text.removeprefix(self.headline).removeprefix(_BLANK_LINE)

    def chunks(
        self,
        size: int | None = None,
        overlap: int | None = None,
        *,
        unit: str | Callable[[str], Any] | None = None,
        markdown: bool | None = None,
    ) -> tuple[Chunk, ...]:
        """The text in passages for retrieval, each with its place.

        A chunk has ``size`` at most, in the ``unit`` "words" or "chars", or in tokens
        that a function returns or counts; up to ``overlap`` of that end the chunk before.
        With ``markdown`` its text is in Markdown.  EATEXT_CHUNKS has the defaults.  A
        chunk ends where a block or a row of a table ends if possible, else where a
        sentence or a line of code does, else between words.

        Raises OptionError for a wrong value, and LookupError if the page is needed and
        gone.
        """
        if not self.text:
            return ()
        form = {"size": size, "overlap": overlap, "unit": unit, "markdown": markdown}
        if all(value is None for value in form.values()):
            return self._chunks
        if self.source is None:
            raise LookupError(
                "this result has no chunks of this form, and its page is gone: ask "
                "before that, or set EATEXT_CHUNKS and name chunks in EATEXT_FIELDS"
            )
        return self.source.chunks(form)

    def value(self, name: str) -> Any:
        """One of ATTRIBUTES, as an item is filled with it."""
        return getattr(self, "_chunks" if name == "chunks" else name)

    def detached(self, attributes: Iterable[str] | None = None) -> MainText:
        """This result without its page, after computing some attributes or all."""
        for name in COMPUTED if attributes is None else computed_for(attributes):
            self._get(name)
        return self.backed(self.computed)

    def without_text(self) -> MainText:
        """This result with an empty text, as when its text does not pass."""
        gone = {name: one.empty for name, one in OUTPUTS.items() if not one.of_page}
        empty = replace(self, text="", score=min(self.score, EMPTY_SCORE))
        return empty.backed({**self.computed, **gone}, self.source)

    def as_dict(self) -> dict[str, Any]:
        """The result and its computed outputs, ready for JSON."""
        known = {name: getattr(self, name) for name in _FIELDS}
        return {**known, "computed": {k: to_json(v) for k, v in self.computed.items()}}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> MainText:
        """A result from the output of as_dict()."""
        values = dict(values)
        computed = values.pop("computed")
        return cls(**values).backed(
            {name: from_json(OUTPUTS[name].kind, computed[name]) for name in computed}
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Neither a page nor a reference to a response can be pickled.
        if self.source is not None and self.source.at_hand:
            missing = [name for name in COMPUTED if name not in self.computed]
            self.computed.update(self.source.compute(missing))
        return MainText.from_dict, (self.as_dict(),)

    def _get(self, name: str) -> Any:
        if name not in self.computed:
            if not OUTPUTS[name].module:
                return OUTPUTS[name].empty
            if self.source is None:
                raise LookupError(
                    f"this result has no {name}, and its page is gone: name it in "
                    "EATEXT_AHEAD to have it computed with the text"
                )
            self.computed.update(self.source.compute((name,)))
        return self.computed[name]


_FIELDS = tuple(one.name for one in fields(MainText))
_DECLARED = [one for one in vars(MainText).values() if isinstance(one, _Typed)]
# All outputs by their names.
OUTPUTS: dict[str, Output[Any]] = {
    one.name: one for one in _DECLARED if isinstance(one, Output)
}
# The outputs that are computed on first access, by their turns.
COMPUTED = tuple(
    sorted((n for n in OUTPUTS if OUTPUTS[n].module), key=lambda n: OUTPUTS[n].turn)
)
# For each attribute that is computed, the output in COMPUTED that it is read from.
COMPUTED_FOR = {
    one.name: one.name if isinstance(one, Output) else "metadata"
    for one in _DECLARED
    if not isinstance(one, Output) or one.module
}
# The attributes that EATEXT_FIELDS may put into an item.
ATTRIBUTES = ("text", *COMPUTED_FOR, *_FIELDS[1:])
LISTS_OF_TEXTS = tuple(one.name for one in _DECLARED if one.kind == tuple[str, ...])


def computed_for(attributes: Iterable[str]) -> list[str]:
    """The outputs in COMPUTED that some attributes of a result are read from."""
    wanted = {COMPUTED_FOR.get(name) for name in attributes}
    return [name for name in COMPUTED if name in wanted]


def joined(results: Sequence[MainText]) -> MainText:
    """The results of an article's pages as one, with the outputs that the pages have.

    All attributes but text, score and outputs are the first page's.
    """
    chars = sum(len(result.text) for result in results)
    score = sum(result.score * len(result.text) for result in results) / (chars or 1)
    text = _BLANK_LINE.join(result.text for result in results)
    whole = replace(results[0], text=text, score=score)
    names = results[0].computed
    return whole.backed({name: OUTPUTS[name].join(results, name) for name in names})


# The empty result.
NOTHING = MainText().backed({name: OUTPUTS[name].empty for name in COMPUTED})
