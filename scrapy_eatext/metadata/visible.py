"""Metadata that a page shows to its readers: headings, bylines, dates.

They serve where the data for machines are silent.  Of the many dates and names on a page,
those near the title are taken to be the page's.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import compress, islice, pairwise, tee
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_eatext.native.loading import twin
from scrapy_eatext.page import dates
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import BYLINES, COMMENTS, DATELINES
from scrapy_eatext.page.tables import rows_with, values_of
from scrapy_eatext.page.tags import CODE, HEADING, TAG_ID
from scrapy_eatext.page.values import BOUNDS, COMMA, COMMAS, beginning, shortened
from scrapy_eatext.page.walk import attribute_values, nodes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from scrapy_eatext.page import Page

_TAG, _FIRST, _LAST = (
    ElementColumn.TAG,
    ElementColumn.FIRST_BLOCK,
    ElementColumn.LAST_BLOCK,
)
_START, _END, _ELEMENT, _KIND, _LEVEL, _CHARS = (
    BlockColumn.START,
    BlockColumn.END,
    BlockColumn.ELEMENT,
    BlockColumn.KIND,
    BlockColumn.LEVEL,
    BlockColumn.CHARS,
)
_TIME_TAG, _LINK_TAG = TAG_ID["time"], TAG_ID["a"]

# The page's own dates and names stand in so many blocks before and behind the title.
_BEFORE, _BEHIND = 12, 30
# Longer blocks are text.
_SHORT = 200
# The characters read of an element for a short text, white space included.
_MAX_READ = 20 * _SHORT
_MAX_NAME = 60
# How many names are read of one element.
_MOST_NAMES = 10
_MAX_LOOKED_AT = 40
_MAX_BLOCKS = 12
_MAX_HEADINGS = 20
_DATE_ALONE = 20
# How many words a sentence has at least beside a date in it.
_SENTENCE = 5
# What parts place and date of a report from its first sentence.
_BEHIND_DATELINE = frozenset("-–—/(")
# How many dates at the end of a page may be that of its last change.
_MAX_IN_FOOT = 5
# How many links near the title are asked whether they lead to an author.
_MAX_LINKS = 200
# How many places are tried where the title's words stand.
_MAX_PLACES = 20
# How many elements around a byline are looked at for a menu or a card.
_AROUND = 6
# How many characters before a date may say what it is the date of.
_LABEL = 60
_DIGIT = re.compile(r"\d")
_YEAR_DIGITS = 4

# Words before a "by" in some languages, with which it is a byline's.
_MADE = (
    r"(?:geschrieben|verfasst|erstellt|veröffentlicht|artikel|beitrag|publié|écrit|rédigé"
    r"|publicad[ao]|escrit[ao]|redactad[ao]|postado|geschreven|geplaatst|gepubliceerd"
    r"|skrevet|skriven|publicerad|publisert|diposting|ditulis)"
)
_BY = re.compile(
    r"^(?:(?:(?:article|post|posted|published|reported|reviewed|story|submitted|text|words"
    r"|written)\s+)?by|"
    rf"(?:(?:ein\s)?{_MADE}\s)?(?:von|par|por|door|av|af|oleh)|di|scritto\sda"
    r"|author(?:ed by|s)?|autor|auteur|written\s+by|מאת|بقلم)\b\s*:?(?:\s+|$)"
    # Words that are a byline's only before a colon.
    r"|^(?:авторы?|текст|te(?:xte?|kst)(?:\s(?:och|og|und|en)\s[^\W\d_]{4,9})?|yazar|yazan"
    r"|penulis|tác giả|írta|kirjoittaja|συντάκτης|الكاتب|كتبت?|نویسنده|کתب|כתבה?|लेखक|โดย|ผู้เขียน"
    r"|作者|记者|記者|编辑|著者|執筆者?|筆者|撰文|文|글|기자)\s?[:：＝]\s*"
    # In Chinese a reporter, before a name.
    r"|^(?:本报|本報)?(?:作者|记者|記者|文|撰文)[\s/／|]{1,3}(?=[\u4e00-\u9fff]{2,4}(?:[\s／/|]|$))",
    re.IGNORECASE,
)
# The first letters of _BY; those at the end equal others where case is ignored.
_BY_BEGINS = frozenset(
    "abdegkoprstvwyéABDEGKOPRSTVWYÉатАТבכמبانكलโผíÍσΣ作记記编著執筆撰文글기本ſςK"
)
# In Korean a name stands before what its bearer is.
_REPORTER = re.compile(r"([\uac00-\ud7a3]{2,4})\s?(?:기자|특파원)(?![\uac00-\ud7a3])")
# Where a name ends in a byline; runs of spaces are bounded, for linear time.  In Chinese, Japanese and Korean the next label may
# follow behind a space.
_NAME_END = re.compile(
    r"\s{0,9}(?:[|•·⋅»—–;:：،\n(\[（<／]|(?<!\s)/(?!\s)|\s[\u3400-\u9fff\uac00-\ud7a3]{1,6}[:：]"
    r"|\s-\s|\s\d|\s@|[^\s@]{0,40}@[^\s@]{1,40}\.|\bon\s|\b(?:in|for|at)\s|\ben\s(?!\S+\s{1,9}\S)"
    r"|(?-i:\s(?:le|el|am|op|il)\s{0,9}(?:\d|$))"
    r"|\bupdated\b|\b(?:re)?publi(?:shed\b|é|cad|cerad|sert)|\bposted\b|\bcomments?\b"
    r"|\breviewed\b|\bread more\b|\bwritten\b|\blast\s|(?-i:(?<=[a-z])(?:Publish|Updated|Posted)))",
    re.IGNORECASE,
)
# A byline in the middle of a line: the name begins with a capital.
_BY_INSIDE = re.compile(
    r"(?:^|[|·•—–\d,-]\s{0,3}|\b(?:article|asked|authored|created|post|posted|published"
    r"|started|story|submitted|text|words|written)\s{1,3})by:?\s+(?=[^\W\d_])"
    r"|\bposted in [^,.]{1,40}? by\s+(?=[^\W\d_])"
    rf"|(?:\b{_MADE}|(?P<dated>\b(?:19|20)\d\d,?|:\d\d))\s(?:von|par|por|door|av|af)\s"
    r"(?=[^\W\d_])"
    r"|(?<=\s)(?:作者|记者|記者|著者|執筆者|筆者)\s?[:：]\s?",
    re.IGNORECASE,
)
# Words of which each line has one that _BY_INSIDE is in, or it has "by" or 者.
_BYS = frozenset(("von", "par", "por", "door", "av", "af"))
# A line in which somebody changed the page.
_EDITOR = re.compile(r"\b(?:last|edited|revised|reviewed|checked)\b", re.IGNORECASE)
# A first name, or an initial, and so on.
_CAPITAL = re.compile(r"[^\W\d_][\w.'’-]*")
_PARTS = re.compile(r"\s{0,9}[|·•⋅—–,\n/]\s{0,9}|\s{1,9}-\s{1,9}")
# What stands between names.  Some words for "and" are parts of names too, and "en" has
# another meaning in Spanish: they count before a full name.
_AND = re.compile(
    r",?\s{1,9}(?:and|&|und|et|och|og|with)\s{1,9}"
    r"|,?\s{1,9}(?:y|e|i|en|и)\s{1,9}(?=[^\W\d_]\S*\s{1,9}[^\W\d_])"
    r"|\s?[，、]\s?|\s/\s",
    re.IGNORECASE,
)
_LIST_COMMA = re.compile(r",\s*")
# Words that begin a name in small letters.
_PARTICLES = frozenset(
    "af al av bin da das de del den der di do dos du el ibn la le o st. ter ten the van von "
    "zu zur".split()
)
# What people are called behind their names.
_JOBS = frozenset(
    "analyst bureau ceo chief columnist contributing contributor correspondent cto deputy "
    "desk director editor editors expert founder freelance freelancer intern journalist "
    "lecturer manager managing officer photographer photojournalist president producer "
    "professor redakteur redakteurin reporter reporters researcher senior special staff "
    "writer writers".split()
)
# Degrees, and agencies, count behind a comma alone: there are people called Ma.
_BEHIND_COMMA = frozenset(
    "afp ap ba bsc dpa esq ma mba md mph msc phd reuters rn".split()
)
# What stands behind a comma for what somebody has learned, as CPA and M.Ed. do.
_DEGREES = re.compile(
    r"[A-Z]{2,6}[®™]?|(?:[A-Z][a-z]{0,2}\.){1,3}[A-Z]?[a-z]{0,2}\.?[®™]?"
)
# What stands behind a comma and is part of the name before.
_SUFFIXES = frozenset("co corp gmbh ii iii inc jr llc ltd sr".split())
# What stands between the names in a value for machines.
_BETWEEN = re.compile(
    rf"\s{{0,9}}[{COMMAS}]\s{{0,9}}(?:(?:and|und|et|&)\s{{1,9}})?"
    r"|\s{0,9}[|&]\s{0,9}|\s(?:and|und|et)\s"
)
_NO_NAME = frozenset(
    "about admin administrator advertisement all anonymous author authors bio by "
    "category comments contributor correspondent default desk details edit editor "
    "editorial editors featured follow guest home info information interest more n/a "
    "nan nobody none null our post posts profile read reporter senior share special "
    "staff super team the this undefined unknown updated user view web website writer "
    "writers written".split()
)
# Addresses, of a site or of mail, and what is left of templates.
_ADDRESS = re.compile(r"://|^www\.|\S@\S+\.\S|[{}\[\]<>]|%%")
# The ASCII characters that key() leaves out; most texts have no others.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
# The date of an update may stand for that of publication; one of an edit or a review may
# not.  All are sought in folded case: where each alternative begins with a letter of one
# case, the search passes over the others.
_UPDATED = re.compile(
    r"updat|modif|aktuali[sz]|mis(?:e)? à jour|stand(?<=\bstand)\b|aggiorna|actualiz|atualiza"
    r"|bijgewerkt|gewijzigd|u?ppdater|opdater|päivitet|frissít|güncel|ažurir|diperbarui"
    r"|cập nhật|обновл|оновл|актуал|ενημερ|עודכן|تحديث|अपडेट|更新|수정"
)
_EDITED = re.compile(
    r"edit(?:ed|ó|ad[ao]|\b)|review|revis|amend|checked|geändert|bearbeitet"
    r"|last (?:ch|sav|touch)|ändrad|измен|編集(?![部者長])"
)
_ISSUED = re.compile(
    r"pubb?li|posted|created|veröffentlicht|erschienen|first|date|written|geplaatst"
    r"|vydán|megjelen|yayın|julkais|udgivet|terbit|đăng|опубл|δημοσ|פורסם|نشر|प्रकाशित|เผยแพร่"
    r"|发布|發[布佈]|発表|公開|投稿|입력|등록"
)
# What else a date may be of: a reader who joined, a source that was looked at.
_OTHER = re.compile(
    r"born|birth|died|joined|member since|regist|retrieved|access|expir|due|deadline|valid"
    r"|event|taken on|abgerufen|geboren|consulté|inscrit"
)
# What the foot of a page has beside the date of its last change.
_OF_PAGE = re.compile(
    r"\blast (?:updat|edit|modif|chang|revis)|\bpage|\bseite|\bpágina|\bpagina|страниц|ページ"
)


def _at_begin(words: str) -> str:
    """A pattern for any of some words where a name, or a part of one, begins.

    What is before a word is looked at behind it, so that the search goes from letter to
    letter that a word begins with.
    """
    return "|".join(rf"{word}(?<![^\s_-]{word})" for word in words.split())


# Names of logos, and of the elements around them, in folded case.
_LOGO = re.compile(
    _at_begin("logo branding navbar-brand sitetitle site-title sitename site-name")
)
# Elements, and names of elements, that hold no byline of the page: menus and logins.
_MENUS = frozenset(("nav", "aside", "form", "dialog"))
_MENU_NAMES = _at_begin(
    "nav navbar navigation menu login account related sidebar topbar teaser teasers"
)
_MENU = re.compile(rf"(?:{_MENU_NAMES})(?![^\s_-])")
_HOME = ("/", "./", "/index.html")
_CARDS = frozenset(("article", "li"))
_LONGEST_CARD = 2000
# Properties of microdata whose values are what readers say, with names and dates of
# their own.
_READERS_PROPS = frozenset(
    ("review", "reviews", "comment", "comments", "suggestedanswer", "acceptedanswer")
)
_CARD_HEADINGS = ("h2", "h3", "h4", "h5")


class Dated(NamedTuple):
    """A date that a page shows, in ISO 8601 and as it is written.

    ``change`` is "updated" or "edited" for the date of such a change, else "".
    """

    day: str
    written: str
    change: str


def python_dated(text: bytes, blocks: npt.NDArray[np.int32], longest: int) -> list[int]:
    """The blocks of at most ``longest`` characters with a year and digits for a day."""
    years = np.array(_years_in(text), dtype=np.int32)
    numbers = blocks[:, _START].searchsorted(years, side="right") - 1
    there = years + 4 <= blocks[numbers, _END]
    there &= blocks[numbers, _CHARS] <= longest
    found = dict.fromkeys(numbers[there].tolist())
    bounds = {i: blocks[i, [_START, _END]].tolist() for i in found}
    return [
        i
        for i, (start, end) in bounds.items()
        if len(_DIGIT.findall(text[start:end].decode())) > _YEAR_DIGITS
    ]


def _years_in(text: bytes) -> list[int]:
    """The places of what may be years in a text, in order.

    A plain search is many times faster than a pattern with two beginnings.
    """
    found = []
    for century in (b"19", b"20"):
        at = text.find(century)
        while at >= 0:
            if text[at + 2 : at + 4].isdigit() and at + 4 <= len(text):
                found.append(at)
            at = text.find(century, at + 2)
    return sorted(found)


dated = twin(python_dated, "_text")


class Visible:
    """The title, the bylines and the dates that a page shows."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._blocks = page.blocks
        self._walk = page.blocks.walk
        self._title = title
        # What one reader has read is kept for the next.
        self._times = self._read_times()
        self._written = self._read_written()

    @cached_property
    def _home(self) -> tuple[str, ...]:
        """How a link to the site's first page may be written."""
        scheme, _, rest = (self._page.url or "").partition("://")
        host = rest.partition("/")[0]
        whole = f"{scheme}://{host}"
        return (*_HOME, whole, f"{whole}/") if host else _HOME

    @cached_property
    def headings(self) -> list[tuple[int, str, str]]:
        """The first headings of level 1: block, text, and the text's key().

        A site's name in its logo is no heading of the page.
        """
        blocks = self._walk.blocks
        written_large = rows_with(blocks, _KIND, HEADING)
        levels, rows = values_of(blocks, written_large, (_LEVEL, _ELEMENT))
        is_top = [level == 1 for level in levels]
        rows = list(islice(compress(rows, is_top), _MAX_HEADINGS))
        nodes = nodes_of(self._walk, rows)
        numbers = [
            i
            for i, node in zip(compress(written_large, is_top), nodes, strict=False)
            if not _is_logo(node, self._home)
        ]
        most = BOUNDS["title"].most
        texts = [shortened(text, most) for text in self._blocks.texts(numbers)]
        return [(i, text, key(text)) for i, text in zip(numbers, texts, strict=True)]

    def heading_of(self, parts: list[str], behind: int = -1) -> str:
        """The first heading behind a block that has all the words of these parts.

        Of its site's name in a logo, a heading of the page may be of any level.
        """
        wanted = key("".join(parts))
        rows = rows_with(self._walk.blocks, _KIND, HEADING)
        numbers = list(islice((i for i in rows if i > behind), _MAX_HEADINGS))
        for i, text in zip(numbers, self._blocks.texts(numbers), strict=True):
            # A label may stand before it, as in "Thread: Boats".
            for said in (text, text.rpartition(": ")[2]):
                if key(said) == wanted:
                    is_logo = _is_logo(self._blocks.element(i), self._home)
                    return "" if is_logo else said
        return ""

    @cached_property
    def _start(self) -> int:
        """The block of the title, or of the first heading; -1 if there is neither."""
        wanted = key(self._title)
        for i, _, found in self.headings:
            if found and found in wanted:
                return i
        if self.headings:
            return self.headings[0][0]
        return self._block_of(self._title)

    def _block_of(self, text: str) -> int:
        """The first block whose text is this one, -1 if there is none."""
        wanted, said = text.encode(), self._walk.text
        starts = self._walk.blocks[:, _START]
        at = said.find(wanted) if wanted else -1
        for _ in range(_MAX_PLACES):
            if at < 0:
                break
            i = int(starts.searchsorted(at, side="right")) - 1
            if self._blocks.place(i) == (at, at + len(wanted)):
                return i
            at = said.find(wanted, at + 1)
        return -1

    @cached_property
    def _near(self) -> tuple[int, int]:
        """The blocks near the title: the first, and the one after the last."""
        start = self._start
        if start < 0:
            return 0, _BEFORE + _BEHIND
        return max(0, start - _BEFORE), start + _BEHIND

    @cached_property
    def _said(self) -> frozenset[int]:
        """The blocks of readers' comments behind the title, as far as they are near."""
        start, (_, end) = self._start, self._near
        cell = self._walk.elements.item
        rows = COMMENTS.rows(self._walk)
        said: set[int] = set()
        at = bisect_left(rows, start + 1, key=lambda row: cell(row, _FIRST))
        done = 0
        for row in rows[at:]:
            # Comments may be nested, and no block is looked at twice.
            first = max(cell(row, _FIRST), done)
            if first >= end:
                break
            done = max(min(cell(row, _LAST), end), done)
            said.update(range(first, done))
        return frozenset(said)

    def _tagged(self, tag: int) -> list[int]:
        """The rows of the elements of a tag."""
        return rows_with(self._walk.elements, _TAG, tag)

    def _rows_near(self, rows: list[int]) -> list[int]:
        """The rows of the elements that begin near the title, among those of ``rows``."""
        cell = self._walk.elements.item
        begin, end = self._near

        def first(row: int) -> int:
            return cell(row, _FIRST)

        # Rows in the order of the page are in the order of their blocks too.
        at = bisect_left(rows, begin, key=first)
        return rows[at : bisect_left(rows, end, at, key=first)]

    def _those_near(self, rows: list[int]) -> Iterator[tuple[Any, int, int]]:
        """The elements near the title among those of ``rows``, with their blocks.

        Blocks are given as the first, and the one after the last.
        """
        if not rows:
            return
        cell = self._walk.elements.item
        found: list[tuple[int, int, int]] = []
        for row in self._rows_near(rows):
            first, last = cell(row, _FIRST), cell(row, _LAST)
            if len(found) == _MAX_LOOKED_AT:
                break
            if last - first < _MAX_BLOCKS and first not in self._said:
                found.append((row, first, last))
        nodes = nodes_of(self._walk, [row for row, _, _ in found])
        for node, (_, first, last) in zip(nodes, found, strict=True):
            yield node, first, last

    @cached_property
    def _dated(self) -> list[int]:
        """The short blocks that have the digits of a date in them."""
        return dated(self._walk.text, self._walk.blocks, _SHORT)

    def _text(self, node: Any, first: int, last: int) -> str:
        """The text of an element: its blocks, or its part of a block."""
        if last > first:
            return "\n".join(self._blocks.texts(list(range(first, last))))
        return " ".join(beginning(node, _MAX_READ).split())

    # -- names

    def authors(self) -> list[str]:
        """The authors that a byline near the title names."""
        named: list[str] = []
        parent = None
        for node, first, last in self._signed():
            around = node.getparent()
            if named and around is not parent:
                break
            text = self._text(node, first, last)
            if 0 < len(text) <= _SHORT:
                names = _each(node) or names_in(text)
                if names and not self._is_elsewhere(node):
                    # Other authors' names stand beside the first.
                    parent = around
                    named += (name for name in names if name not in named)
        if named:
            return named
        numbers = self._short_near()
        texts = self._blocks.texts(numbers)
        lines = [
            (i, line)
            for i, text in zip(numbers, texts, strict=True)
            for line in text.split("\n")
        ]
        for (i, line), (_, following) in pairwise([*lines, (-1, "")]):
            names = _names_by(line, following)
            if names and not self._is_elsewhere(self._blocks.element(i)):
                return names
        may_be_dated = frozenset(self._dated)
        return _beside_a_date(texts, [i in may_be_dated for i in numbers])

    def _short_near(self) -> list[int]:
        """The short blocks near the title that are neither code nor readers' comments."""
        begin, end = self._near
        near = list(range(begin, min(end, len(self._blocks))))
        chars, kinds = values_of(self._walk.blocks, near, (_CHARS, _KIND))
        said = self._said
        return [
            i
            for i, count, kind in zip(near, chars, kinds, strict=True)
            if count <= _SHORT and kind != CODE and i not in said
        ]

    def _signed(self) -> Iterator[tuple[Any, int, int]]:
        """The elements near the title that are marked as the author's name."""
        links = self._rows_near(self._tagged(_LINK_TAG))[:_MAX_LINKS]
        relations = attribute_values(self._walk, links, "rel")
        yield from self._those_near(
            [
                row
                for row, rel in zip(links, relations, strict=True)
                if rel and "author" in rel.lower().split()
            ]
        )
        yield from self._those_near(BYLINES.rows(self._walk))

    def _is_elsewhere(self, node: Any) -> bool:
        """Whether an element is in a menu, or tells of another article."""
        title = self._blocks.element(max(self._start, 0))
        own = {title, *title.iterancestors()} if self._start >= 0 else set()
        for around in islice(node.iterancestors(), _AROUND):
            if around in own:
                return False
            called = (around.get("class") or "").casefold()
            if around.tag in _MENUS or _MENU.search(called) or is_of_readers(around):
                return True
            if around.tag in _CARDS and _is_card(around):
                return True
        return False

    # -- dates

    def times(self) -> Iterator[Dated]:
        """The dates in time elements near the title."""
        self._times, times = tee(self._times)
        return times

    def _read_times(self) -> Iterator[Dated]:
        for node, first, last in self._those_near(self._tagged(_TIME_TAG)):
            if any(map(is_of_readers, islice(node.iterancestors(), _AROUND))):
                continue
            given = node.get("datetime") or node.get("title") or ""
            day = self._iso(given)
            if not day:
                given = self._text(node, first, last)
                day = self._iso(given)
            if day:
                told = f"{node.get('class') or ''} {node.get('itemprop') or ''}"
                yield Dated(day, given, _change(told) or _change(_before(node)))

    def written(self) -> Iterator[Dated]:
        """The dates in short texts near the title.

        First come dates beside a word such as "published", then dates in elements with
        such a name.
        """
        self._written, written = tee(self._written)
        return written

    def _read_written(self) -> Iterator[Dated]:
        plain: list[Dated] = []
        begin, end = self._near
        for i in self._dated:
            if begin <= i < end and i not in self._said:
                text = self._blocks.text(i)
                for issued, found in self._in(text, i):
                    if found.change or issued:
                        yield found
                    elif not _is_sentence(text, found.written):
                        plain.append(found)
        for node, first, last in self._those_near(DATELINES.rows(self._walk)):
            # An element without a date in its text may have it for a tooltip.
            given = (node.get("title") or "")[:_SHORT]
            day = self._iso(given)
            if day:
                yield Dated(day, given, _change(_before(node)))
            for _, found in self._in(self._text(node, first, last)[:_SHORT]):
                yield found
        yield from (found._replace(change="") for found in plain)

    def far(self) -> Iterator[Dated]:
        """The dates further away, in short texts with little else.

        Such a text has a word such as "published", or is the date alone.
        """
        blocks = self._blocks
        begin, end = self._near
        for i in self._dated:
            if blocks.chars[i] > _SHORT // 2 or begin <= i < end:
                continue
            text = blocks.text(i)
            for issued, found in self._in(text, i):
                if found.change or issued or len(text) <= _DATE_ALONE:
                    yield found

    def foot(self) -> Iterator[Dated]:
        """The dates of changes that the foot of the page tells of, as wikis have them."""
        for i in self._dated[: -_MAX_IN_FOOT - 1 : -1]:
            if i >= self._near[1]:
                text = self._blocks.text(i)
                change = _change(text) if _OF_PAGE.search(text.casefold()) else ""
                if change:
                    for _, found in self._in(text):
                        yield found._replace(change=change)

    def _label(self, block: int) -> str:
        """The text of a block if it is a label of the date behind it, else ""."""
        label = self._blocks.text(block) if self._blocks.chars[block] <= _LABEL else ""
        if _has_date(label):
            return ""  # of which its words tell
        words = label.split()
        is_label = label.endswith(":") or (len(words) <= 3 and "by" not in words)
        return label if is_label else ""

    @property
    def _day_first(self) -> bool:
        return self._page.is_day_first

    def _iso(self, text: str) -> str:
        return dates.iso(text, day_first=self._day_first) if text else ""

    def _in(self, text: str, block: int = -1) -> Iterator[tuple[bool, Dated]]:
        """The dates in a text, each with whether a word calls it a date of publication.

        ``block`` is the block that the text is from, if the block before it may have the
        label of a date.
        """
        text = dates.unglued(text)
        done = 0
        for day, begin, end in dates.found(text, day_first=self._day_first):
            before = text[done:end][-_LABEL:]
            if not text[:begin].strip() and block > 0:
                before = self._label(block - 1) + before
            done = end
            said = before.casefold()
            issued = _ISSUED.search(said) is not None
            change = _change(said)
            if issued or change or not _OTHER.search(said):
                yield issued, Dated(day, text[begin:end], change)


def _is_sentence(text: str, written: str) -> bool:
    """Whether a short text with a date is a sentence, which may tell of anything."""
    if not text.endswith((".", "!", "?")) or text[-4:].lower() in ("a.m.", "p.m."):
        return False
    if text.partition(written)[2].lstrip()[:1] in _BEHIND_DATELINE:
        return False
    return text.count(" ") - written.count(" ") >= _SENTENCE


def _change(words: str) -> str:
    """The change that words tell of: "updated", "edited" or ""."""
    words = words.casefold()
    if _UPDATED.search(words):
        return "updated"
    return "edited" if _EDITED.search(words) else ""


def _before(node: Any) -> str:
    """The end of the text right before an element, or else before its parent.

    The search ends at another time element, as a text before that is of that date.
    """
    for _ in range(2):
        text = ""
        siblings = list(islice(node.itersiblings(preceding=True), 2))
        for sibling in siblings:
            if isinstance(sibling.tag, str):
                if next(sibling.iter("time"), None) is not None:
                    return text
                text = beginning(sibling, _LABEL) + (sibling.tail or "") + text
            else:
                text = (sibling.tail or "") + text
        parent = node.getparent()
        if parent is None:
            break
        if len(siblings) < 2:
            text = (parent.text or "")[-_LABEL:] + text
        if text.strip():
            return text[-_LABEL:]
        node = parent
    return ""


def is_of_readers(element: Any) -> bool:
    """Whether an element is marked as a comment, a review or an answer."""
    prop = element.get("itemprop")
    return bool(prop) and prop[:_LABEL].lower() in _READERS_PROPS


def _is_card(element: Any) -> bool:
    """Whether an element is small and its heading is a link, so that it is about another
    page.
    """
    heading = next(element.iter(*_CARD_HEADINGS), None)
    if heading is None or len(beginning(element, _LONGEST_CARD)) == _LONGEST_CARD:
        return False
    around = heading.getparent()
    return around.tag == "a" or next(heading.iter("a"), None) is not None


def _is_logo(node: Any, home: tuple[str, ...]) -> bool:
    """Whether a heading is the site's name, by its names or a link to the first page."""
    names = [
        f"{one.get('class') or ''} {one.get('id') or ''}"[:_SHORT]
        for one in (node, *islice(node.iterancestors(), 2))
    ]
    if _LOGO.search(" ".join(names).casefold()):
        return True
    link = next(node.iter("a"), None)
    return link is not None and link.get("href") in home


def _each(node: Any) -> list[str]:
    """The names in an element that holds several, with nothing between them."""
    children = list(islice(node.iterchildren(), _MOST_NAMES))
    if len(children) < 2 or any(
        child.tag != children[0].tag
        or child.get("class") != children[0].get("class")
        or (child.tail or "").strip()
        for child in children
    ):
        return []
    texts = [" ".join(beginning(child, _MAX_NAME).split()) for child in children]
    return texts if all(map(_is_whole, texts)) else []


def key(text: str) -> str:
    """A text in the form in which texts are compared: letters and digits in lower case."""
    text = text.lower()
    if text.isascii():
        return text.encode().translate(None, _SIGNS).decode()
    return "".join(filter(str.isalnum, text))


def _names_by(line: str, following: str) -> list[str]:
    """The names behind a "by" in a line, or on the next line if the "by" is alone."""
    # The first letter saves many lines the pattern, which takes longer.
    if line[:1] in _BY_BEGINS and _BY.match(line) is not None:
        # A name in small letters is a user name.
        return [
            name
            for name in names_in(f"{line}\n{following}")
            if not (name.isalpha() and name.islower())
        ]
    said = line.lower()
    if "by" in said or "者" in said or not _BYS.isdisjoint(said.split()):
        match = _BY_INSIDE.search(line)
        if match is None or _EDITOR.search(line[: match.start()]):
            return []
        name = line[match.end() :]
        if match["dated"] and not _has_date(line[: match.end("dated")]):
            return []
        if name[:1].isupper() or "者" in match[0]:
            return names_in(name)
    elif "기자" in line or "특파원" in line:
        match = _REPORTER.match(line)
        return [match[1]] if match is not None else []
    return []


def _beside_a_date(texts: list[str], may_be_dated: list[bool]) -> list[str]:
    """The name that stands beside a date, if there is one."""
    texts = [
        dates.unglued(text) if may_be else text
        for text, may_be in zip(texts, may_be_dated, strict=True)
    ]
    have_date = [
        may_be and next(dates.found(text), None) is not None
        for text, may_be in zip(texts, may_be_dated, strict=True)
    ]
    for number, text in enumerate(texts):
        if not any(have_date[max(0, number - 2) : number + 3]):
            continue
        parts = _PARTS.split(text) if have_date[number] else [text]
        for part in parts:
            if _is_whole(part):
                return [part]
    return []


def _is_whole(text: str) -> bool:
    """Whether a text looks like a first and a family name."""
    words = text.split()
    return 2 <= len(words) <= 4 and _is_full_name(words)


def _is_full_name(words: list[str]) -> bool:
    return all(
        _CAPITAL.fullmatch(word)
        and word[0].isupper()
        and not word.isupper()
        and not dates.is_month(word)
        and word.lower() not in _NO_NAME
        for word in words
    )


def names_in(text: str) -> list[str]:
    """The names in a byline, none if it does not look like a byline."""
    first, *others = _BY.sub("", text.strip(), count=1).split("\n")
    names = _names_on(first)
    if names or not (_is_label(first) or _has_date(first)):
        return names
    # A label, or a date, may stand above the name.
    for line in others[:2]:
        names = _names_on(_BY.sub("", line.strip(), count=1))
        if names:
            return names if all(_is_full_name(name.split()) for name in names) else []
    return []


def _is_label(line: str) -> bool:
    return all(word.strip(":").lower() in _NO_NAME for word in line.split())


def _has_date(line: str) -> bool:
    return bool(_DIGIT.search(line)) and next(dates.found(line), None) is not None


def _names_on(line: str) -> list[str]:
    line = dates.unglued(line)
    if _DIGIT.search(line):
        _, begin, _ = next(dates.found(line), ("", len(line), 0))
        line = line[:begin]
    end = _NAME_END.search(line)
    names = []
    for part in _listed(line[: end.start()] if end else line):
        name = without_job(part.strip(" .*@●\t"))
        if is_name(name):
            names.append(name)
    return names


def _listed(line: str) -> list[str]:
    """The names in a list; what else stands behind a comma is a job, a place, an agency."""
    first, *others = _AND.split(line)
    named, *behind = _LIST_COMMA.split(first)
    parts = [named]
    if others and all(map(_is_whole, behind)):
        # In "A, B and C" there are names behind commas too.
        parts += [*behind, *(_LIST_COMMA.split(part)[0] for part in others)]
    return parts


def people_in(text: str) -> list[str]:
    """The names in a value for machines, which may hold several and what they do.

    What does not look like several names stays as it is, as may the name of a company.
    """
    parts = [part for part in _BETWEEN.split(text) if part]
    if len(parts) < 2:
        return [text]
    if any(part.lower().strip(".") in _SUFFIXES for part in parts):
        return [text]
    names = [without_job(part) for part in parts]
    whole = [name for name in names if _may_be_one(name)]
    others = [name for name in names if not _may_be_one(name)]
    if not others or "|" in text:
        return whole or names[:1]
    if whole[:1] == names[:1] and all(map(_is_job, others)):
        return whole
    if all(map(_DEGREES.fullmatch, parts[1:])):
        return [text]
    if COMMA.search(text) and (whole or len(parts) > 2 or text.islower()):
        return parts
    return [text]  # Food and Drug Administration; Smith, John


def _may_be_one(name: str) -> bool:
    """Whether a text looks like one whole name, by its words or its script."""
    words = name.split()
    if any(word.lower() in _JOBS or word.lower() in _NO_NAME for word in words):
        return False
    if name.upper() == name.lower():
        return any(c.isalpha() for c in name)
    return 2 <= len(words) <= 5 and words[-1][0].isupper()


def _is_job(text: str) -> bool:
    words = text.replace(".", "").lower().split()
    return any(word in _JOBS or word in _BEHIND_COMMA for word in words)


def without_job(name: str) -> str:
    """A name without what its bearer does, where that stands behind the name."""
    words = name.split()
    for number, word in enumerate(words):
        if number > 1 and word.lower() in _JOBS and _is_full_name(words[:number]):
            return " ".join(words[:number])
    return name


def is_name(text: str) -> bool:
    """Whether a text may be a name."""
    words = text.split()
    if not words or len(text) > _MAX_NAME or len(words) > 6:
        return False
    if _ADDRESS.search(text) or all(word.lower() in _NO_NAME for word in words):
        return False
    if dates.is_month(words[0]) and (
        len(words) == 1 or not words[-1][0].isupper() or _DIGIT.search(text)
    ):
        # A date; but there are people called Jan, May and August.
        return False
    if len(words) > 1 and not any(word[0].isupper() for word in words):
        # In scripts without capitals any words may be a name.
        return not any(c.islower() for c in text)
    first = words[0]
    if len(words) > 1 and first.isalpha() and first.islower():
        return first in _PARTICLES
    return any(c.isalpha() for c in text)
