"""Metadata that a page shows to its readers: headings, bylines, dates.

It is used if the data for machines have none.  Of the many dates and names on a page,
those near the title are the page's own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import compress, islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_eatext.metadata.people import (
    has_date,
    is_full_name,
    is_job,
    names_by,
    names_in,
    without_by,
)
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import BYLINES, COMMENTS, DATELINES, READERS, RELATED
from scrapy_eatext.page.tables import covered, rows_with, values_of
from scrapy_eatext.page.tags import CODE, HEADING, TAG_ID
from scrapy_eatext.page.values import BOUNDS, beginning, shortened
from scrapy_eatext.page.walk import attribute_values, nodes_in, nodes_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from scrapy_eatext.page import Page
    from scrapy_eatext.page.names import Names

_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_BOUNDS = [_FIRST, _LAST]
_START, _END = BlockColumn.START, BlockColumn.END
_LINK_CHARS = BlockColumn.LINK_CHARS
_KIND, _LEVEL, _CHARS = BlockColumn.KIND, BlockColumn.LEVEL, BlockColumn.CHARS
_MAY_HAVE_DATE = _CHARS, BlockColumn.DIGITS, _START, _END
_TIME_TAG, _LINK_TAG = TAG_ID["time"], TAG_ID["a"]

# In how many blocks before and after the title the page's own dates and names stand.
_BEFORE, _BEHIND = 12, 30
# In how many blocks behind the title a byline needs no date on the page.
_DIRECTLY = 3
# Longer blocks are text.
_SHORT = 200
# The most characters of a heading as a title.
_LONGEST = BOUNDS["title"].most
# The characters read of an element for a short text, white space included.
_MAX_READ = 20 * _SHORT
_MAX_LOOKED_AT = 40
_MAX_BLOCKS = 12
# How many elements of a byline may have names.
_MAX_PARTS = 30
_MAX_HEADINGS = 20
# How many blocks at the end of a page may have the date of its last change.
_FOOT = 30
# How many links near the title may be marked as the author's.
_MAX_LINKS = 200
# How many elements around a byline may be a menu.
_AROUND = 6
# The fewest digits of a date: a year and the day.
_FEWEST_DIGITS = 5
# How many characters before a date may be its label.
_LABEL = 60
# The ASCII characters that key() leaves out; most texts have no others.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
# Words for an update, whose date may stand for that of publication, and for an edit or
# a review, whose date may not.  Texts are casefolded first, as the search is faster if
# each alternative begins with a single letter.
_UPDATED = re.compile(
    r"updat|modif|aktuali[sz]|mis(?:e)? à jour|stand(?<=\bstand)\b|aggiorna|actualiz|atualiza"
    r"|bijgewerkt|gewijzigd|u?ppdater|opdater|päivitet|frissít|güncel|ažurir|diperbarui"
    r"|cập nhật|обновл|оновл|актуал|ενημερ|עודכן|تحديث|अपडेट|更新|수정|ажурир|actualitz|atnaujin"
    r"|atjauno|posodob|uuendat|به.?روز.?رس|อั[ปพ]เด[ตท]|আপডেট|হালনাগাদ|புதுப்பி|განახლ|թարմաց"
)
_EDITED = re.compile(
    r"edit(?:ed|ó|ad[ao]|\b)|review(?!s)|revis|amend|checked|geändert|bearbeitet"
    r"|last (?:ch|sav|touch)|ändrad|измен|編集(?![部者長])"
)
# Words directly before the date of something else: of an event, a deadline, a beginning.
_OF_ELSE = re.compile(
    r"(?:\b(?:when|wann|wanneer|quand|cuándo|quando|när|når|kiedy|kdy|когда"
    r"|until|till|through|deadline|due|starts?|starting|begins?|beginning|ends?|ending|event"
    r"|expir(?:es|y|ed)|valid|closes|closing|opens|opening|since|joined|founded|born|died"
    r"|bis|ab|seit|(?:\w{0,20})frist|(?:\w{0,20})schluss|beginn|start|ende|veranstaltung|termin"
    r"|gültig|jusqu['’]au|date limite|début|fin|depuis|événement|hasta|plazo|fecha límite|inicio"
    r"|comienza|desde|evento|fino al?|scadenza|inizio|até|prazo|início|tot|vanaf|aanvang|evenement"
    r"|retrieved|accessed|abgerufen|consulté|senast|startar|starter|sista dag|wydarzenie|początek|до|начало|срок|son tarih|başlangıç)"
    r"\b(?:(?:\s[^\W\d_]{1,12}){0,2}\s?[:：])?|日時|일시|締切|締め切り|開催日?|截止(?:日期)?|마감)"
    r"[\s:：(–-]{0,3}(?:(?:on|am|at|den|the|le|el|il|em|op|zum)\s)?(?:[^\W\d_]{2,10}[.,]{0,2}\s)?$"
)
_VERSION = re.compile(r"\d\.\d")
# In running text this many words in small letters stand around a date, one of them
# before it, unless the sentence tells when the page was published.
_RUNNING = 5
_STRETCH = re.compile(r"[|•·⋅–—:/\n]|\.\s")
_PUBLISHED = re.compile(r"\bby\b|post|publi|writ|submit|veröffent|опубл")
# How a byline below the text begins, with the name on the same line; and beginnings of
# words for publication.  The whole text of the page is searched, which is faster for each
# of them than for a pattern.
_SIGNED = tuple(
    (word + end).encode()
    for words, end in (
        ("written text story words article posted post", " by "),
        ("by author authors", ":"),
    )
    for word in words.split()
)
_ISSUED = tuple(map(str.encode, "publi posted veröffent gepubl опубл".split()))
# A part of the address of an author's page.
_OF_AUTHOR = re.compile("/(?:author|contributor)s?/")
# Words in the foot of a page beside the date of its last change.
_OF_PAGE = re.compile(
    r"\blast (?:updat|edit|modif|chang|revis)|\bpage|\bseite|\bpágina|\bpagina|страниц|ページ"
)


# Class names and ids of logos and of elements around them, casefolded, after a space.
_LOGO = re.compile(r"[\s_-](?:logo|branding|navbar-brand|site-?title|site-?name)")
# Elements that do not hold the page's byline, as menus and logins.
_MENUS = frozenset(("nav", "aside", "form", "dialog"))
_HOME = ("/", "./", "/index.html")
# The host of a page's address, the rest of the site's address if it is in an archive, and
# a query, which links to the home page for telephones have too.
_SITE = re.compile(r"(https?://[^/?#]+)([^?#]*/https?://[^/?#]+)?[^?#]*(\?[^#]+)?")


class Dated(NamedTuple):
    """A date that a page shows, in ISO 8601 and as it is written.

    ``change`` is "updated" or "edited" for the date of such a change, "else" for a date
    that is not the page's, and "" for others.
    """

    day: str
    written: str
    change: str


class Visible:
    """The title, the bylines and the dates that a page shows."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._blocks = page.blocks
        self._walk = page.blocks.walk
        self._title = title

    @cached_property
    def _home(self) -> tuple[str, ...]:
        return _home_of(self._page)

    @cached_property
    def headings(self) -> list[tuple[int, str, str]]:
        """The first headings of level 1 but logos: block, text, the text's key()."""
        return self._headings_of(range(1, 2))

    @property
    def lower_headings(self) -> list[tuple[int, str, str]]:
        """The same of levels 2 and 3."""
        return self._headings_of(range(2, 4))

    def _headings_of(self, levels: range, begin: int = 0) -> list[tuple[int, str, str]]:
        near = self._walk.blocks[begin:]
        kind, level = near[:, _KIND], near[:, _LEVEL]
        is_one = (kind == HEADING) & (level >= levels.start) & (level < levels.stop)
        found = is_one.nonzero()[0][:_MAX_HEADINGS].tolist()
        numbers = [begin + i for i in found]
        nodes = self._blocks.elements(numbers)
        numbers = list(compress(numbers, (not self._is_logo(node) for node in nodes)))
        texts = [shortened(text, _LONGEST) for text in self._blocks.texts(numbers)]
        return [(i, text, key(text)) for i, text in zip(numbers, texts, strict=True)]

    def _is_logo(self, node: Any) -> bool:
        """Whether a heading is the site's logo, by class, id or link."""
        names = [
            f"{element.get('class') or ''} {element.get('id') or ''}"[:_SHORT]
            for element in (node, *islice(node.iterancestors(), 2))
        ]
        if _LOGO.search(f" {' '.join(names)}".casefold()):
            return True
        link = next(node.iter("a"), None)
        return link is not None and link.get("href") in self._home

    def _element(self, block: int) -> Any:
        return self._blocks.elements([block])[0]

    def heading_of(self, parts: list[str], behind: int = -1) -> str:
        """The first heading of any level with the words of ``parts``, after a block."""
        wanted = key("".join(parts))
        for _, text, _ in self._headings_of(range(1, 7), behind + 1):
            # A label may stand before it, as in "Thread: Boats".
            for title in (text, text.rpartition(": ")[2]):
                if key(title) == wanted:
                    return title
        return ""

    @cached_property
    def start(self) -> int:
        """The block of the title, or of the first heading; -1 if there is neither."""
        wanted = key(self._title)
        for i, _, heading_key in self.headings:
            if heading_key and heading_key in wanted:
                return i
        if self.headings:
            return self.headings[0][0]
        return self._block_of(self._title)

    def _block_of(self, text: str) -> int:
        """The first block with exactly this text, -1 if there is none."""
        place = self._walk.blocks[:, _START], self._walk.blocks[:, _END]
        is_as_long = place[1] - place[0] == (len(text.encode()) or -1)
        numbers = is_as_long.nonzero()[0].tolist()
        texts = zip(numbers, self._blocks.texts(numbers), strict=True)
        return next((i for i, found in texts if found == text), -1)

    @cached_property
    def _near(self) -> tuple[int, int]:
        """The blocks near the title: the first, and the one after the last."""
        start = self.start
        if start < 0:
            return 0, _BEFORE + _BEHIND
        return max(0, start - _BEFORE), start + _BEHIND

    def _tagged(self, tag: int) -> list[int]:
        return rows_with(self._walk.elements, ElementColumn.TAG, tag)

    def _rows_near(self, rows: list[int]) -> list[int]:
        """The ``rows`` of elements that begin near the title."""
        # Rows in the order of the page are in the order of their blocks too.
        begin, end = (bisect_left(rows, at, key=self._first) for at in self._near)
        return [row for row in rows[begin:end] if not self._beside[self._first(row)]]

    def _first(self, row: int) -> int:
        """The block with which an element begins."""
        return self._walk.elements.item(row, _FIRST)

    @cached_property
    def _beside(self) -> npt.NDArray[np.bool_]:
        """Of each block, and of the end, whether it is one of another text.

        That is a reader's or another page's, whose names and dates are not this page's.
        """
        start, end = self.start + 1, self._near[1]
        near = self._walk.blocks[start:end]
        read = (near[:, _CHARS] - near[:, _LINK_CHARS]).cumsum()
        # Before any text they are the page's own, or those of a thread's first post.
        below = start + 1 + int(read.searchsorted(_SHORT))
        return self._in_others((READERS,), start) | self._in_others(
            (COMMENTS, RELATED), below
        )

    def _in_others(self, names: tuple[Names, ...], least: int) -> npt.NDArray[np.bool_]:
        """Of each block, and of the end, whether an element with some names has it.

        The elements are those that begin at the block ``least`` or behind it.
        """
        rows = [row for each in names for row in each.rows(self._walk)]
        first, last = self._walk.elements[rows][:, _BOUNDS].T
        is_one = first >= least
        return covered(first[is_one], last[is_one], len(self._blocks) + 1)

    def _elements_near(self, rows: list[int]) -> Iterator[tuple[Any, int, int]]:
        """Of the elements of some rows, the small ones near the title.

        For each: the element, its first block, and the block after its last.
        """
        cell = self._walk.elements.item
        small = [
            row
            for row in self._rows_near(rows)
            if cell(row, _LAST) - cell(row, _FIRST) < _MAX_BLOCKS
        ][:_MAX_LOOKED_AT]
        for row, node in zip(small, nodes_of(self._walk, small), strict=True):
            yield node, cell(row, _FIRST), cell(row, _LAST)

    def _text(self, node: Any, first: int, last: int) -> str:
        """The text of an element: that of its blocks, or its own within a block.

        Within a block, a name and a date may be side by side in elements of their own.
        """
        if last > first:
            return "\n".join(self._blocks.texts(list(range(first, last))))
        return " ".join(beginning(node, _MAX_READ, " ").split())

    # -- names

    def authors(self, *, is_dated: bool) -> list[str]:
        """The authors that a byline near the title names.

        On a page without a date, a name after "by" is seldom an author's, unless it is a
        full name directly behind the title.
        """
        start, near = self.start, self._short_near
        named: list[str] = []
        directly: list[tuple[int, str]] = []
        if start >= 0:
            lines = self._lines([i for i in near if 0 < i - start <= _DIRECTLY])
            directly = [(i, line) for i, line in lines if _change(line) != "edited"]
            named = self._named_by(directly)
        if is_dated:
            named = named or self._marked() or self._named_by(self._lines(near))
            return named or self._before_date(directly)
        if start >= 0:
            named = named or self._marked(start + _DIRECTLY)
        return named if all(map(is_full_name, named)) else []

    def _lines(self, units: list[int]) -> list[tuple[int, str]]:
        """The lines of some blocks, each with its block."""
        texts = zip(units, self._blocks.texts(units), strict=True)
        return [(i, line) for i, text in texts for line in text.split("\n")]

    def _named_by(self, lines: list[tuple[int, str]]) -> list[str]:
        """The names behind the first "by" in some lines, given with their blocks."""
        for (i, line), (_, following) in pairwise([*lines, (-1, "")]):
            names = names_by(line, following)
            if names and not self._is_elsewhere(node := self._element(i)):
                return _in_elements(names, node)
        return []

    def _before_date(self, lines: list[tuple[int, str]]) -> list[str]:
        """The full name that stands alone before a date in one of some lines."""
        for i, line in lines:
            for _, begin, _ in islice(dates.found(line), 1):
                name = line[:begin].strip(" ,.|•·⋅–—-")
                if is_full_name(name) and not self._is_elsewhere(self._element(i)):
                    return [name]
        return []

    def _marked(self, last_block: int | None = None) -> list[str]:
        """The names in the first elements that are marked as the author's name.

        With ``last_block`` the elements are those between the title and this block.
        """
        named: list[str] = []
        parent = None
        for node, first, last in self._marked_names():
            if last_block is not None and not self.start < first <= last_block:
                continue
            around = node.getparent()
            if named and around is not parent:
                break
            text = self._text(node, first, last)
            if 0 < len(text) <= _SHORT:
                names = names_in(_formatted_name(node) or text)
                if names and not self._is_elsewhere(node):
                    # The names of further authors have the same parent.
                    parent = around
                    names = _in_elements(names, node)
                    named += (name for name in names if name not in named)
        return named

    @cached_property
    def _short_near(self) -> list[int]:
        """The short blocks near the title, without code."""
        begin, end = self._near
        near = self._walk.blocks[begin:end]
        is_short = (near[:, _CHARS] <= _SHORT) & (near[:, _KIND] != CODE)
        short = (begin + i for i in is_short.nonzero()[0].tolist())
        return [block for block in short if not self._beside[block]]

    def _marked_names(self) -> Iterator[tuple[Any, int, int]]:
        """The elements near the title that are marked as the author's name."""
        links = self._rows_near(self._tagged(_LINK_TAG))[:_MAX_LINKS]
        relations = attribute_values(self._walk, links, "rel")
        marked = ("author" in (rel or "").lower().split() for rel in relations)
        yield from self._elements_near(list(compress(links, marked)))
        yield from self._elements_near(BYLINES.rows(self._walk))

    def signed(self) -> list[str]:
        """The authors that a byline far from the title names, as below the text.

        Other texts on the page have authors too, so all such bylines must name the same
        full names, or else all links to pages of authors the same one.
        """
        lines = self._lines(self._short_with(_SIGNED))
        names = {
            tuple(names_by(line, ""))
            for _, line in lines
            if line.lower().encode().startswith(_SIGNED)
        }
        for named in (names - {()}, set(self._linked())):
            if len(named) == 1 and all(map(is_full_name, first := next(iter(named)))):
                return list(first)
        return []

    def _linked(self) -> Iterator[tuple[str]]:
        """The full names that are links to pages of authors."""
        links = self._tagged(_LINK_TAG)
        hrefs = attribute_values(self._walk, links, "href")
        rows = compress(links, (_OF_AUTHOR.search(href or "") for href in hrefs))
        for node in nodes_of(self._walk, list(islice(rows, _MAX_LOOKED_AT))):
            if is_full_name(name := shortened(beginning(node, _MAX_READ))):
                yield (name,)

    def _is_elsewhere(self, node: Any) -> bool:
        """Whether an element is in a menu."""
        return any(at.tag in _MENUS for at in islice(node.iterancestors(), _AROUND))

    # -- dates

    @cached_property
    def times(self) -> list[Dated]:
        """The dates in time elements near the title."""
        made: list[Dated] = []
        for node, first, last in self._elements_near(self._tagged(_TIME_TAG)):
            written = node.get("datetime") or node.get("title") or ""
            day = self._iso(written)
            if not day:
                written = self._text(node, first, last)
                day = self._iso(written)
            if day:
                names = f"{node.get('class') or ''} {node.get('itemprop') or ''}"
                made.append(Dated(day, written, _change(names)))
        return made

    @cached_property
    def written(self) -> list[Dated]:
        """The dates in short texts near the title.

        First come dates beside a word such as "updated", then dates in elements whose
        class names them, then all others.
        """
        shown = [
            found
            for i, text in self._with_digits(self._short_near)
            for found in self._dates_in(text, i)
        ]
        others = {found.written for found in shown if found.change == "else"}
        named: list[Dated] = []
        for node, first, last in self._elements_near(DATELINES.rows(self._walk)):
            # An element without a date in its text may have one in its tooltip.
            tooltip = (node.get("title") or "")[:_SHORT]
            day = self._iso(tooltip)
            if day:
                named.append(Dated(day, tooltip, ""))
            dated = self._dates_in(self._text(node, first, last)[:_SHORT])
            named += (found for found in dated if found.written not in others)
        labelled = [found for found in shown if found.change]
        return [*labelled, *named, *(found for found in shown if not found.change)]

    def issued(self) -> Iterator[Dated]:
        """The dates far from the title that are said to be those of publication.

        If there is none, the date of the only time element.
        """
        found = self._short_with(_ISSUED)
        # The word may be the label of the block behind it.
        behind = (block + 1 for block in found if block + 1 < len(self._blocks))
        for block, text in self._with_digits(sorted({*found, *behind})):
            yield from (one for one in self._dates_in(text, block) if not one.change)
        times = self._tagged(_TIME_TAG)
        if len(times) == 1 and not self._of_others[self._first(times[0])]:
            node = nodes_of(self._walk, times)[0]
            written = node.get("datetime") or shortened(beginning(node, _MAX_READ))
            yield Dated(self._iso(written), written, "")

    @cached_property
    def _lower(self) -> bytes:
        return self._walk.text.lower()

    def _short_with(self, words: tuple[bytes, ...]) -> list[int]:
        """The short blocks that have one of some words, as many as are read."""
        text, places = self._lower, []
        for word in words:
            place = text.find(word)
            while place >= 0:
                places.append(place)
                place = text.find(word, place + len(word))
        places.sort()
        blocks = self._walk.blocks[:, _START].searchsorted(places, "right") - 1
        short = self._blocks.chars
        distinct = dict.fromkeys(i for i in blocks.tolist() if short[i] <= _SHORT)
        own = (block for block in distinct if not self._of_others[block])
        return list(islice(own, _MAX_LOOKED_AT))

    @cached_property
    def _of_others(self) -> npt.NDArray[np.bool_]:
        """Of each block, and of the end, whether it is a reader's or of another page."""
        return self._in_others((COMMENTS, READERS, RELATED), 0)

    def foot(self) -> Iterator[Dated]:
        """The dates of changes in the foot of the page, as on wikis."""
        count = len(self._blocks)
        last = range(max(count - _FOOT, self._near[1]), count)
        for _, text in self._with_digits(list(reversed(last))):
            shown = list(self._dates_in(text))  # few have any
            change = _change(text) if shown and _OF_PAGE.search(text.casefold()) else ""
            if change:
                yield from (found._replace(change=change) for found in shown)

    def _with_digits(self, numbers: list[int]) -> Iterator[tuple[int, str]]:
        """Of some blocks the short ones that may have a date, and their texts."""
        columns = values_of(self._walk.blocks, numbers, _MAY_HAVE_DATE)
        # In a text that is not ASCII there may be digits that the walk does not count.
        dated = [
            i
            for i, chars, digits, start, end in zip(numbers, *columns, strict=True)
            if chars <= _SHORT and (digits >= _FEWEST_DIGITS or end - start > chars)
        ]
        return zip(dated, self._blocks.texts(dated), strict=True)

    def _label(self, block: int) -> str:
        """The text of a block if it is a label of the date after it, else ""."""
        label = self._blocks.text(block) if self._blocks.chars[block] <= _LABEL else ""
        if block == self.start or has_date(label):
            return ""  # it is the title, or the label of its own date
        words = label.split()
        is_label = label.endswith(":") or (len(words) <= 3 and "by" not in words)
        return label if is_label else ""

    def _is_of_release(self, block: int, before: str) -> bool:
        """Whether a date stands behind a version in a heading below the title."""
        is_below = block > self.start and _VERSION.search(before) is not None
        return is_below and self._walk.blocks.item(block, _KIND) == HEADING

    def _iso(self, text: str) -> str:
        return dates.iso(text, day_first=self._page.is_day_first) if text else ""

    def _dates_in(self, text: str, block: int = -1) -> Iterator[Dated]:
        """The dates in a text.

        If ``block`` is the text's block, the block before it may be a date's label.
        """
        done = 0
        for day, begin, end in dates.found(text, day_first=self._page.is_day_first):
            before = text[done:end][-_LABEL:]
            if not text[:begin].strip() and block > 0:
                before = self._label(block - 1) + before
            # The label is before the date, words such as "updated" may be behind it.
            change = _change(before)
            label = before[: len(before) + begin - end]
            if not change and (
                _is_else(label, text[:begin], text[end:])
                or self._is_of_release(block, text[:begin])
            ):
                change = "else"
            done = end
            yield Dated(day, text[begin:end], change)


def _home_of(page: Page) -> tuple[str, ...]:
    """The addresses with which links to the site's home page may be written."""
    url = page.url or ""
    match = _SITE.match(url)
    if match is None:
        return _HOME
    host, archived, query = match.groups("")
    whole = f"{host}{archived}"
    mobile = f"{whole}/{query}"
    homes = whole, f"{whole}/", archived or whole, f"{archived}/"
    return (*_HOME, *homes) if mobile == url else (*_HOME, *homes, mobile)


def names_at_home(page: Page) -> frozenset[str]:
    """The texts of links to the site's home page, and of logos in them, by key()."""
    walk, home = page.blocks.walk, _home_of(page)
    links = rows_with(walk.elements, ElementColumn.TAG, _LINK_TAG)
    hrefs = zip(links, attribute_values(walk, links, "href"), strict=True)
    rows = [row for row, href in hrefs if href in home][:_MAX_HEADINGS]
    texts = (
        part.get("alt") if part.tag == "img" else beginning(part, _SHORT)
        for parts in nodes_in(walk, rows, ("a", "img"), 2)
        for part in parts
    )
    return frozenset(key(text) for text in texts if text)


def _formatted_name(node: Any) -> str:
    """The only name in an hCard or in microdata, without the words around it."""
    names: set[str] = set()
    for part in islice(node.iter(etree.Element), _MAX_PARTS):
        if "fn" in (part.get("class") or "").split():
            return shortened(beginning(part, _SHORT))
        if part is not node and part.get("itemprop") == "name":
            names.add(shortened(beginning(part, _SHORT)))
    return names.pop() if len(names) == 1 else ""


def _in_elements(names: list[str], node: Any) -> list[str]:
    """The names of a byline without what stands beside the elements that have them."""
    texts: list[tuple[Any, str]] = []
    bylines: list[str] = []
    for part in islice(node.iter(etree.Element), _MAX_PARTS):
        text = shortened(beginning(part, _SHORT))
        texts.append((part, text))
        # A job may stand in an element within that of the name.
        own = shortened((part.text or "")[:_SHORT])
        texts += [(part, own)] if is_full_name(own) else []
        if part is not node and (name := without_by(text)) != text and " " in name:
            bylines.append(name)
    parted = [
        next(filter(name.startswith, bylines), "") or _parted(name, texts)
        for name in names
    ]
    # Links with names may be listed with commas alone.
    is_next = False
    for part, text in texts:
        if is_next and is_full_name(text) and text not in parted:
            parted.append(text)
        is_next = (
            part.tag == "a" and (part.tail or "").strip() == "," and text in parted
        )
    return parted


def _parted(name: str, texts: list[tuple[Any, str]]) -> str:
    """A name without what follows the element that has it."""
    for part, text in texts:
        behind = name[len(text) :]
        if not text or not name.startswith(text):
            continue
        is_parted = part.tag == "a" or (behind and is_job(behind))
        is_glued = text[-1].islower() and behind[:1].isupper()
        if is_glued or (is_parted and is_full_name(text)):
            return text
    return name


def _change(words: str) -> str:
    """The change that words name: "updated", "edited" or ""."""
    words = words.casefold()
    if _UPDATED.search(words):
        return "updated"
    return "edited" if _EDITED.search(words) else ""


def _is_else(label: str, line: str, behind: str) -> bool:
    """Whether the words around a date make it that of something else."""
    if _OF_ELSE.search(label.casefold()):
        return True
    before, after = _STRETCH.split(line)[-1], _STRETCH.split(behind, 1)[0]
    count = _small_words(before)
    is_running = count and count + _small_words(after) >= _RUNNING
    return bool(is_running) and not _PUBLISHED.search((before + after).casefold())


def _small_words(text: str) -> int:
    return sum(word[0].islower() for word in text.split())


def key(text: str) -> str:
    """A text reduced for comparison: its letters and digits, in lower case."""
    text = text.lower()
    if text.isascii():
        return text.encode().translate(None, _SIGNS).decode()
    return "".join(filter(str.isalnum, text))
