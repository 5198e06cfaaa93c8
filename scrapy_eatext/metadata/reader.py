"""Puts a page's metadata together from all places where the page has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cached_property, lru_cache, partial
from itertools import islice, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_eatext.deadline import TimeLimitError
from scrapy_eatext.metadata.jsonld import OF_EVENTS, JsonLd, count_of
from scrapy_eatext.metadata.media import figures_in, films_in, images_in, media_of
from scrapy_eatext.metadata.people import is_name, is_uncapitalized, people_in, trimmed
from scrapy_eatext.metadata.schema import Data
from scrapy_eatext.metadata.visible import Visible, key, names_at_home
from scrapy_eatext.page import dates
from scrapy_eatext.page.characters import strip_unstorable
from scrapy_eatext.page.names import BREADCRUMBS
from scrapy_eatext.page.urls import Addresses
from scrapy_eatext.page.values import (
    COMMA,
    beginning,
    bounded,
    different,
    primary_tag,
    shortened,
    unescaped_again,
)
from scrapy_eatext.page.walk import nodes_in
from scrapy_eatext.result import Breadcrumb, IncompleteError, Metadata

if TYPE_CHECKING:
    from scrapy_eatext.metadata.media import Found as FoundMedia
    from scrapy_eatext.metadata.visible import Dated
    from scrapy_eatext.page import Page

# The places of fields, the best first: names of meta elements; with an @, properties in
# JSON-LD; behind "itemprop=", properties in microdata; behind "rel=", links.
_PLACES_OF = {
    "title": """og:title twitter:title citation_title parsely-title sailthru.title dc.title
        dcterms.title title itemprop=headline""",
    "published": """@datePublished @dateCreated @uploadDate @datePosted
        article:published_time og:published_time og:article:published_time
        citation_publication_date citation_date citation_online_date parsely-pub-date
        sailthru.date dc.date.issued dcterms.issued prism.publicationdate
        bepress_citation_online_date dcterms.created dc.date.created dc.created dc.date
        dcterms.date datepublished date pubdate publishdate publish-date publish_date
        published_date published-date article:published dc:date dcterms:issued
        dcterms:created published created cxenseparse:recs:publishtime
        originalpublicationdate article_date_original itemprop=datePublished""",
    "modified": """@dateModified article:modified_time og:updated_time dcterms.modified
        dc.date.modified datemodified last-modified lastmod article:modified
        dcterms:modified updated date.modified itemprop=dateModified""",
    "description": """@description og:description description twitter:description
        dc.description sailthru.description""",
    "language": "@inLanguage og:locale content-language language dc.language",
    "canonical_url": "rel=canonical og:url @url",
    "section": """@articleSection article:section og:article:section parsely-section
        section articlesection""",
    "site_name": "application-name twitter:app:name:iphone dc.publisher",
    "licence": "dcterms.license dc.rights dcterms.rights license",
}
_PLACES = {field: places.split() for field, places in _PLACES_OF.items()}
_AUTHORS = """citation_author author parsely-author sailthru.author dc.creator dc:creator
    dcterms.creator dcterms:creator schema:author og:article:author citation_authors
    bepress_citation_author eprints.creators_name byl article.author article_author
    authors""".split()
_IMAGES = """twitter:image twitter:image:src parsely-image-url thumbnail image
    thumbnailurl""".split()
_TAGS = "news_keywords keywords parsely-tags sailthru.tags dc.subject".split()
# The beginnings of names in OpenGraph.
_OPENGRAPH = ("og:", "article:")
# Languages of scripts that are written from right to left.
_FROM_RIGHT = frozenset("ar arc ckb dv fa he ks nqo ps sd ug ur yi".split())

# Labels of the author in twitter:label1 and twitter:label2, as key() returns them.
_WRITTEN_BY = frozenset(
    "author autor auteur by door escritopor geschreven geschrevendoor postedby skrevetaf "
    "scrittoda skrivenav verfasstvon verfaßtvon von writtenby écritpar автор 作者".split()
)

# Separators between a title and the site's name.  In scripts without spaces, dashes
# without spaces around them are separators too.
_UNSPACED = r"(?<=[\u3000-\U0003ffff])[_－–—-]{1,3}(?=[\u3000-\U0003ffff])"
_SIGNS = r"|–—‒―\-·•∙⋅⋆★»«›‹><:/~"
_SEPARATOR = re.compile(
    rf"\s{{1,9}}[{_SIGNS}]{{1,9}}\s{{1,9}}|\s{{0,9}}[|»｜]\s{{0,9}}"
    rf"|:\s{{1,9}}(?=\S+\.\w{{2,4}}$)|{_UNSPACED}"
)
# A test for separators in a tenth of the time, as most titles have none.
_SEPARATES = re.compile(rf"[{_SIGNS}](?:\s|(?<=[|»]))|｜|{_UNSPACED}")
_URL_DATE = re.compile(
    r"/((?:19|20)\d\d)(?:[/-]?(0[1-9]|1[0-2])[/-]?"
    r"|/(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/)([0-2]\d|3[01])(?=[/_.-]|$)"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_IN_LINE = re.compile(r"^(?:by|von|par|por)\s+", re.IGNORECASE)
# A mail address, with an opening bracket before it.
_MAIL = re.compile(r"\s*[(<\[]?[^\s@]{1,64}@[^\s@]{1,64}\.[^\s@]{1,64}")
# How many characters of a breadcrumb's name are read.
_MAX_NAME = 500
# How many paths of breadcrumbs are read, and how many steps of each.
_MAX_PATHS, _MAX_STEPS = 5, 20

# What software writes for a missing value, and the braces of a template that was not
# filled.
_NOTHING = frozenset(("undefined", "null", "nan", "[object object]"))
_BRACES = "{{"

# Types of pages whose names and dates are of reviews or entries.
_OF_OTHERS = frozenset(("collection", "listing", "product"))
# Types of pages that are a text by one author or several, and of pages without a type.
_TEXTS = frozenset(("article", "documentation", ""))
# A number, or a word that is long enough to tell titles apart.
_WORD = re.compile(r"\d+|\w{4,}")
# How many letters and digits of a heading in the page's address show that the page is
# named for it.
_NAMED = 15
# The sources of dates shown to readers, and None for no date.
_SHOWN = (None, "time", "page")

_NO_DATA = JsonLd(())
# The fields that are read, with their empty values.
_EMPTY = {f.name: f.default for f in fields(Metadata) if f.name != "sources"}

# A source, and a value or "".
_Found = tuple[str, Any]
# A source, a date in ISO 8601, and the date as the page has it.
_Date = tuple[str, str, str]
_T = TypeVar("_T")


class Reader:
    """Reads the metadata of one page, each field by a method with the field's name.

    A field without a method is a text at one of its _PLACES.  ``kind`` is the page's
    type, as far as it is known; ``opening`` finds the author and the time of a thread's
    first post, for a page that does not declare them.

    The method yields pairs of a source and a value, the best first; for a date also the
    date as the page has it.  A field whose method fails is left empty, and the others
    are read.
    """

    def __init__(
        self, page: Page, kind: str, opening: Callable[[], tuple[str, str]]
    ) -> None:
        self._page, self._kind = page, kind
        # Threads are read slowly.
        self._opening = lru_cache(1)(opening)
        self._metas = page.head.metas
        self._links = page.head.links
        # The raw dates are set when the dates are read.
        self._values: dict[str, Any] = {"published_raw": "", "modified_raw": ""}
        self._sources: dict[str, str] = {}
        self._errors: list[Exception] = []
        self._things = Data.of(page)
        self._data = self._safely(lambda: self._things.json_ld, _NO_DATA)
        self._addresses = Addresses(page.root, page.url)

    def read(self) -> Metadata:
        """The page's metadata.  Raises IncompleteError if a field failed."""
        values = {field: self._value(field) for field in _EMPTY}
        found = Metadata(**values, sources=self._sources)
        if self._errors:
            raise IncompleteError(found) from self._errors[0]
        return found

    def _value(self, field: str) -> Any:
        """The value of a field; it is read once, and its source noted."""
        if field not in self._values:
            nothing: tuple[Any, ...] = "", _EMPTY[field]
            read = getattr(self, f"_{field}", partial(self._at, field))
            source, value, *written = self._safely(
                lambda: _first(field, read()), nothing
            )
            self._values[field] = value
            if source:
                self._sources[field] = source
            for raw in written:
                self._values[f"{field}_raw"] = bounded(f"{field}_raw", shortened(raw))
        return self._values[field]

    def _safely(self, read: Callable[[], _T], otherwise: _T) -> _T:
        try:
            return read()
        except (TimeLimitError, MemoryError):
            raise  # the other fields would fail too
        except Exception as error:  # noqa: BLE001
            self._errors.append(error)
            return otherwise

    def _meta(self, *names: str) -> Iterator[str]:
        for name in names:
            if name in self._metas:
                for content in self._metas[name]:
                    yield shortened(unescaped_again(content))

    def _at(self, field: str) -> Iterator[_Found]:
        """The texts at a field's places."""
        for place in _PLACES[field]:
            if place[0] == "@":
                yield "json-ld", self._data.first(place[1:])
            elif place in self._metas:
                source = "opengraph" if place.startswith(_OPENGRAPH) else "meta"
                yield from ((source, content) for content in self._meta(place))
            elif "=" in place:
                form, _, name = place.partition("=")
                if form == "rel":
                    yield "meta", self._links.get(name, "")
                else:
                    yield "microdata", self._things.in_microdata(name)

    # -- title

    def _title(self) -> Iterator[_Found]:
        declared = self._declared_title
        yield self._safely(lambda: self._confirmed(*declared), declared)

    @cached_property
    def _declared_title(self) -> _Found:
        """The title in the data or the title element; the heading shown may differ."""
        return self._safely(lambda: _first("title", self._without_site()), ("", ""))

    @cached_property
    def _visible(self) -> Visible:
        return Visible(self._page, self._declared_title[1])

    @cached_property
    def _site_key(self) -> str:
        return key(self._value("site_name"))

    def _without_site(self) -> Iterator[_Found]:
        """The titles without the site's name.

        Titles that are only this name come last.
        """
        site = self._value("site_name")
        site_names: list[_Found] = []
        for source, whole in self._titles():
            title = self._cut(whole, site)
            if site and key(title) == self._site_key:
                site_names.append((source, title))
            else:
                yield source, title
        yield from site_names

    def _titles(self) -> Iterator[_Found]:
        yield "json-ld", self._data.title()
        yield from self._at("title")
        yield "page", unescaped_again(self._page.title)

    def _cut(self, title: str, site: str) -> str:
        """A title without the site's name."""
        name, _, named = title.partition(": ")
        if named and (name == site or key(name) in self._shown_names):
            return named
        if not _SEPARATES.search(title):
            return title
        separators = list(_SEPARATOR.finditer(title))
        if not separators:
            return title
        behind, before = separators[-1], separators[0]
        host, name = self._host, self._site_key
        edges = [
            (key(title[behind.end() :]), title[: behind.start()].strip()),
            (key(title[: before.start()]), title[before.end() :].strip()),
        ]
        for end, remaining in edges:
            if end and end in self._shown_names:
                return remaining
        for end, remaining in edges:
            if end and (end == name or (len(end) > 3 and (end in host or end in name))):
                return remaining
        return title

    @cached_property
    def _host(self) -> str:
        """The letters and digits of the host, which is the last one in an archive."""
        address = (self._page.url or "").partition("?")[0]
        return key(address.rpartition("://")[2].partition("/")[0])

    @cached_property
    def _shown_names(self) -> frozenset[str]:
        return self._safely(lambda: names_at_home(self._page), frozenset())

    @cached_property
    def _address_key(self) -> str:
        """The letters and digits of the last part of the page's address."""
        path = (self._page.url or "").partition("?")[0].rstrip("/")
        return key(path.rpartition("/")[2])

    def _is_in_address(self, words: str) -> bool:
        return len(words) >= _NAMED and words[:_NAMED] in self._address_key

    def _confirmed(self, source: str, title: str) -> _Found:
        """The first heading whose words are in the title, or else one in other words.

        If there is none, the title.  Without a title, the only heading of level 1.
        """
        if not title and len(self._visible.headings) == 1:
            return "page", self._visible.headings[0][1]
        title_key = key(title)
        wanted = f"{title_key} {key(self._page.title)}"
        whole = self._page.title
        parts = _SEPARATOR.split(whole) if _SEPARATES.search(whole) else [whole]
        beginnings = [key(part) for part in (title, *parts, *_SEPARATOR.split(title))]
        for block, text, words in self._visible.headings:
            # A word within the title may be the name of a topic.
            is_topic = 4 * len(words) < len(title_key) and not any(
                part.startswith(words) for part in beginnings
            )
            if is_topic or words == self._site_key:
                continue
            if len(words) > 3 and words in wanted:
                heading = text
                if len(parts) > 1 and words == key(parts[-1]):
                    # It is the site's name; the title may be a later heading, or only
                    # in the page's address.
                    heading = self._visible.heading_of(parts[:-1], block) or (
                        parts[0] if self._is_in_address(key(parts[0])) else text
                    )
                return "page" if key(heading) != title_key else source, heading
        is_whole = len(parts) > 1 and title == whole
        if is_whole and (shown := self._visible.heading_of(parts[:-1])):
            return source, shown
        return ("page", shown) if (shown := self._renamed(title)) else (source, title)

    def _renamed(self, title: str) -> str:
        """The first heading that shows the title in other words, "" without one.

        It has many of the title's words, or its first letters are in the last part of the
        page's address where those of the title are not.
        """
        is_named = key(title)[:_NAMED] in self._address_key
        for _, text, words in self._visible.headings if title else ():
            if not is_named and self._is_in_address(words):
                return text
            if _shows(text, title, self._host):
                return text
        return ""

    # -- authors

    def _authors(self) -> Iterator[_Found]:
        """The names of people, then of other authors.

        The site's name is no person's.
        """
        others: list[_Found] = []
        for source, people, names in self._bylines(bool(self._value("published"))):
            valid = tuple(different(filter(None, map(self._name, names))))
            persons = tuple(name for name in valid if key(name) != self._site_key)
            # A name in small letters may stand elsewhere as it is written.
            if people and persons and not any(map(is_uncapitalized, persons)):
                yield source, persons
            others.append((source, valid))
        yield from others

    def _bylines(self, is_dated: bool) -> Iterator[tuple[str, bool, Iterable[str]]]:
        """The authors of each source: source, whether they may be people, names."""
        names, people = self._data.authors()
        yield "json-ld", people, self._split(names) if people else names
        article = [name for name in self._meta("article:author") if "/" not in name]
        yield "opengraph", True, self._split(article)
        for name in _AUTHORS:
            if name in self._metas:
                yield "meta", True, self._split(self._meta(name))
        for number in ("1", "2"):
            labels = map(key, self._meta(f"twitter:label{number}"))
            if not _WRITTEN_BY.isdisjoint(labels):
                yield "meta", True, self._split(self._meta(f"twitter:data{number}"))
        yield "microdata", True, [self._things.in_microdata("author")]
        if not self._shows_others:
            yield "page", True, self._visible.authors(is_dated=is_dated)
        yield "page", True, [self._opening()[0]]
        if self._is_one_text:
            yield "page", True, self._visible.signed()

    @cached_property
    def _shows_others(self) -> bool:
        """Whether the page's names and dates are of reviews, or of a list's entries."""
        kinds = self._metas.get("og:type", ())
        is_one = self._kind in _OF_OTHERS or self._data.is_product
        return is_one or any(
            kind.lower().startswith(("product", "og:product")) for kind in kinds
        )

    @property
    def _is_one_text(self) -> bool:
        """Whether names and dates anywhere on the page may be those of its text."""
        return self._kind in _TEXTS and not self._shows_others

    @staticmethod
    def _split(values: Iterable[str]) -> Iterator[str]:
        return (name for value in values for name in people_in(_without_by(value)))

    @staticmethod
    def _name(text: str) -> str:
        name = trimmed(strip_unstorable(_without_by(text)))
        return name if is_name(name) or is_uncapitalized(name) else ""

    # -- dates

    def _iso(self, found: Iterable[_Found]) -> Iterator[_Date]:
        for source, value in found:
            if value:
                day_first = self._page.is_day_first
                yield source, dates.iso(value, day_first=day_first), value

    def _published(self) -> Iterator[_Date]:
        yield from self._iso(self._at("published"))
        shown = [*islice(filter(itemgetter(1), self._shown_published()), 1)]
        # Nothing on a thread's page is older than its first post.
        yield from (
            opened
            for opened in self._iso([("page", self._opening()[1])])
            if not shown or opened[1] < shown[0][1] or opened[1].startswith(shown[0][1])
        )
        yield from shown

    def _shown_published(self) -> Iterator[_Date]:
        visible = self._visible
        if not self._shows_others:
            yield from self._shown("time", visible.times, "")
        match = _URL_DATE.search((self._page.url or "").partition("?")[0])
        if match is not None:
            yield from self._iso([("page", "-".join(filter(None, match.groups())))])
        if self._shows_others:
            return
        yield from self._shown("page", visible.written, "")
        # A page without another date has that of its update.
        yield from self._shown("time", visible.times, "updated")
        yield from self._shown("page", visible.written, "updated")
        if self._is_one_text:
            yield from self._shown("page", visible.issued(), "")

    def _modified(self) -> Iterator[_Date]:
        yield from self._iso(self._at("modified"))
        if self._sources.get("published") not in _SHOWN:
            return  # data with a publication date would have a modification date too
        changes = "updated", "edited"
        if not self._shows_others:
            yield from self._shown("time", self._visible.times, *changes)
            yield from self._shown("page", self._visible.written, *changes)
        yield from self._shown("page", self._visible.foot(), *changes)

    @cached_property
    def _of_events(self) -> frozenset[str]:
        """The days on which an event of the page begins or ends."""
        texts = (*self._data.days, *map(self._things.in_microdata, OF_EVENTS))
        return frozenset(
            day[:10] for _, day, _ in self._iso(("", one) for one in texts)
        )

    def _shown(
        self, source: str, found: Iterable[Dated], *changes: str
    ) -> Iterator[_Date]:
        """The dates of some kinds of ``changes``, where "" is publication."""
        return (
            (source, day, raw)
            for day, raw, change in found
            if change in changes and day[:10] not in self._of_events
        )

    # -- the other fields

    def _site_name(self) -> Iterator[_Found]:
        yield from (("opengraph", name) for name in self._meta("og:site_name"))
        yield "json-ld", self._data.site_name()
        yield from self._at("site_name")

    def _description(self) -> Iterator[_Found]:
        return ((source, _untagged(text)) for source, text in self._at("description"))

    def _language(self) -> Iterator[_Found]:
        yield "page", self._page.language
        for source, code in self._at("language"):
            yield source, primary_tag(code)

    def _canonical_url(self) -> Iterator[_Found]:
        return ((at, self._address(url)) for at, url in self._at("canonical_url"))

    def _image(self) -> Iterator[_Found]:
        for source, images in self._declared_images():
            yield from ((source, self._address(url)) for url, *_ in images)
        yield "meta", self._address(self._links.get("image_src", ""))

    def _address(self, url: Any) -> str:
        """The absolute address, "" if it is none."""
        is_one = isinstance(url, str) and not _is_nothing(url)
        return self._addresses.image(url) if is_one else ""

    def _images(self) -> Iterator[_Found]:
        yield media_of(self._all_images(), self._address)

    def _videos(self) -> Iterator[_Found]:
        yield media_of(self._all_videos(), self._address)

    @cached_property
    def _figures(self) -> list[int]:
        return figures_in(self._page)

    def _declared_images(self) -> Iterator[tuple[str, Iterable[FoundMedia]]]:
        yield "json-ld", self._data.images()
        metas = self._metas
        urls = metas.get("og:image") or metas.get("og:image:url", [])
        alts, widths, heights = (
            metas.get(f"og:image:{name}", []) for name in ("alt", "width", "height")
        )
        yield "opengraph", zip_longest(urls, alts, widths, heights)
        others = [url for name in _IMAGES for url in metas.get(name, ())]
        yield "meta", [(url, "", 0, 0) for url in others]

    def _all_images(self) -> Iterator[tuple[str, Iterable[FoundMedia]]]:
        yield from self._declared_images()
        yield "page", images_in(self._page.blocks.walk, self._figures)

    def _all_videos(self) -> Iterator[tuple[str, Iterable[FoundMedia]]]:
        yield "json-ld", self._data.videos()
        metas = self._metas
        width, height = (
            (metas.get(f"og:video:{size}") or [""])[0] for size in ("width", "height")
        )
        for name in ("og:video:secure_url", "og:video:url", "og:video"):
            urls = metas.get(name, ())
            yield "opengraph", [(url, "", width, height) for url in urls]
        yield "page", films_in(self._page.blocks.walk, self._figures)

    def _feeds(self) -> Iterator[_Found]:
        urls = map(self._addresses.image, self._page.head.feeds)
        yield "meta", tuple(different(filter(None, urls)))

    def _breadcrumbs(self) -> Iterator[_Found]:
        yield "json-ld", self._path(self._data.breadcrumbs())
        walk = self._page.blocks.walk
        rows = BREADCRUMBS.rows(walk)[:_MAX_PATHS]
        for links in nodes_in(walk, rows, ("a",), _MAX_STEPS):
            if len(links) > 1:
                path = [
                    (beginning(a, _MAX_NAME), a.get("href") or "")
                    for a in links
                    if "aside" not in (a.getparent().get("class") or "")
                ]
                yield "page", self._path(path)

    def _path(self, steps: Iterable[tuple[str, str]]) -> tuple[Breadcrumb, ...]:
        path = (
            Breadcrumb(name, bounded("canonical_url", self._address(url)))
            for text, url in islice(steps, _MAX_STEPS)
            if (name := bounded("section", shortened(text)))
        )
        return tuple(dict.fromkeys(path))

    def _licence(self) -> Iterator[_Found]:
        yield "json-ld", self._data.licence()
        yield "meta", self._address(self._links.get("license", ""))
        yield from self._at("licence")

    def _direction(self) -> Iterator[_Found]:
        root = self._page.root
        for element in (root, *islice(root.iterchildren("body"), 1)):
            direction = (element.get("dir") or "").strip().lower()
            yield "page", direction if direction in ("ltr", "rtl") else ""
        language = self._value("language")
        if language:
            yield "page", "rtl" if language in _FROM_RIGHT else "ltr"

    def _comment_count(self) -> Iterator[_Found]:
        yield from (("json-ld", count_of(digits)) for digits in self._data.comments())

    def _tags(self) -> Iterator[_Found]:
        for source, tags in self._tag_lists():
            found = filter(None, (bounded("tags", tag) for tag in tags))
            yield source, tuple(different(found))

    def _tag_lists(self) -> Iterator[tuple[str, Iterable[str]]]:
        yield "json-ld", self._data.tags()
        yield "opengraph", self._meta("article:tag", "og:article:tag")
        for name in _TAGS:
            if name in self._metas:
                parts = (part for v in self._meta(name) for part in COMMA.split(v))
                yield "meta", map(str.strip, parts)


def _shows(heading: str, title: str, host: str) -> bool:
    """Whether a heading is the title in other words, or the title that was cut.

    A heading that has the whole title has a label beside it.  Words that are in ``host``
    name the site.
    """
    if key(title) in key(heading):
        return heading.startswith(title) and heading[len(title) :][:1].isalnum()
    one, other = (set(_WORD.findall(text.lower())) for text in (heading, title))
    fewer, more = sorted(map(len, (one, other)))
    shared = sum(word not in host for word in one & other)
    return shared >= max(fewer / 2, more / 3, 2)


def _first(field: str, found: Iterable[_Found | _Date]) -> tuple[Any, ...]:
    """The first value that can be stored, with its source."""
    for source, given, *written in found:
        value = bounded(field, given) if given and isinstance(given, str) else given
        if value and (source == "page" or not _is_nothing(value)):
            return source, value, *written
    return "", _EMPTY[field]


def _untagged(described: str) -> str:
    """A description without tags, if it begins with one, as those of shops may.

    Otherwise it is a text, which may mention a tag.
    """
    if not _TAG.match(described):
        return described
    return " ".join(_TAG.sub(" ", described).split())


def _is_nothing(value: Any) -> bool:
    return isinstance(value, str) and (value.lower() in _NOTHING or _BRACES in value)


def _without_by(value: str) -> str:
    """An author's name without markup, mail address and "by"."""
    if "<" in value:
        value = " ".join(_TAG.sub(" ", value).split())
    if "@" in value:
        # The name may stand in brackets after the mail address.
        value = _MAIL.sub("", value).strip(" ()")
    return _IN_LINE.sub("", value)
