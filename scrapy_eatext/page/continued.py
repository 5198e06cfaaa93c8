"""Where the next page of a list, a thread or an article is.

Only what the page links to counts, and only where the address agrees: it differs from the
page's own in the number of a page alone, or it has such a number and a row of numbers
leads there.  So neither a slider's arrow nor a blog's next article is a next page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from os.path import commonprefix
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.urls import Addresses, host_of

if TYPE_CHECKING:
    from scrapy_eatext.page.page import Page

# How many links of a page are looked at, how long their addresses may be, how many parts
# and characters of their texts are read, and how far the number before one is looked for.
_MAX_LINKS, _LONGEST, _PARTS, _LABEL, _FAR = 5000, 2000, 20, 80, 8
# The number of an article's page at the end of its path, or in its query.
_NUMBER = re.compile(
    r"(?:(?P<mark>[?&])(?:page|p|pg|paged|pageno|page_no|pagina|seite)="
    r"|/(?:page|pagina|seite|p)[/-]?|[/_-])"
    r"(?P<number>[0-9]{1,3})(?=/?(?:\.[a-z]{2,5})?(?:[?&]|$))"
)
_LONG = "page|pagina|seite|strona|strana|stran|sida|sivu"
_WORDS = f"{_LONG}|pag|pg|pn|p"
# Names in a query that have the number of a page, or of its first entry.
_PAGE_NAME = re.compile(
    rf"(?!per|items|home|comment)\w{{0,12}}(?:{_LONG})(?:d|id|_?no|_?num|number|index)?"
    "|pag|pg|pn|p",
    re.IGNORECASE,
)
_OFFSET_NAME = re.compile(
    r"\w{0,20}offset|(?:limit)?start|skip|from|first|st|o", re.IGNORECASE
)
# Blogs count by the time of an entry, too.
_TIME_NAME, _TIME = "updated-max", 10**9
# Where a reader comes from, and sessions, say nothing of what is on a page.
_NO_MATTER = re.compile(
    r"(?:utm_\w+|srsltid|ref|gclid|fbclid|sid|phpsessid)=.*|\w{1,20}=(?:\w:)?[0-9a-f]{20,99}",
    re.IGNORECASE,
)
_INDEX = re.compile(r"/(?:(?:index|default)\.\w{2,5})?$|\.(?:s?html?|php|aspx?)$")
# What may be put into an address, or be another number there.
_STEP = re.compile(
    rf"(?P<mark>[/_.;,-]?(?:(?:{_WORDS}|index|o)[/_-]?)?)(?P<number>[0-9]{{1,6}})"
    r"(?P<rest>(?:[^0-9].*)?)",
    re.IGNORECASE,
)
_MARKED = re.compile(rf"(?:^|[/_.;-])(?:{_WORDS})[/_-]?$", re.IGNORECASE)
_PAGED = re.compile(rf"[/_-](?:{_WORDS})[/_-]?([0-9]{{1,6}})$", re.IGNORECASE)
_DATED = re.compile(r"/(?:19|20)\d\d[/-](?:\d\d?[/-])?$")
_NEXT = re.compile(
    r"\b(?:next|older|more|nächst|weiter|ältere|mehr|suivant|siguiente|seguinte|próxim"
    r"|proxim|antigu|mais|successiv|avanti|volgende|oudere|nästa|äldre|neste|næste"
    r"|seuraav|dalej|następn|další|ďalši|starší|következő|următo|sljede|sonraki|tiếp"
    r"|berikut|επόμεν|далее|дальше|след|впер[её]д|наступн|далі)"
    r"|التالي|بعدی|הבא|अगल|下一|下页|下頁|次|다음|ถัดไป",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"prev|newer|neuer|vorig|vorher|précéd|récent|nieuw|anterior|föregå|forrige|назад"
    r"|предыд|новее|上一|前|이전|[<«‹←]",
    re.IGNORECASE,
)
_ARROW = re.compile(r"[<>«»‹›←→❮❯◀▶►]")
_ONWARD = re.compile(r"\W*[>»›→❯▶►]\W*")
# The number of a page, or of its first and its last entry.
_ENTRY = re.compile(r"(?:\D{0,20}\W)?([0-9]{1,6})(?:\s?[–-]\s?[0-9]{1,6})?\W{0,3}")
_CURRENT = re.compile(r"current|\b(?:active|selected|highlight)", re.IGNORECASE)
_LAST = re.compile(r"(?<!\d)([0-9]{1,6})\W{0,3}$")
_NO_TEXT = re.compile(r"[\W_]*")
_DIGIT = re.compile(r"[0-9]")
_COUNTS = re.compile(r"[0-9]{1,30}")
_PARTING = re.compile(r"[/_.;,-]")
_PARTED = re.compile(r"[&;]+")
_ON_WEB = re.compile(r"https?://", re.IGNORECASE)


class _Address(NamedTuple):
    """An address without what does not tell pages apart; empty if it is not on the web."""

    host: str = ""
    path: str = ""
    query: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.path}?{'&'.join(map('='.join, self.query.items()))}"


class _Step(NamedTuple):
    """The number that two addresses differ in, and whether in nothing else.

    It is of the kind ``page``, ``entry`` (of a list) or ``bare``.
    """

    is_alone: bool
    kind: str
    old: str
    new: int


class _Signs(NamedTuple):
    """What says that a link leads to the next page, the strongest first."""

    is_rel: bool = False
    is_in_row: bool = False
    is_forward: bool = False
    is_pager: bool = False


class _Fit(NamedTuple):
    """How well an address fits, among how many signs one is needed, and the page."""

    rank: int
    signs: int = 0
    number: int = 0


_UNFIT, _ROW, _LIKELY, _ANY = _Fit(0), 2, 3, 4
_SECOND = 2


def write_next_page(judged: Any) -> str:
    """The address of a page's next page, as an output."""
    return next_page(judged.page)


def next_page(page: Page, first: str = "", number: int = 0) -> str:
    """The address of a page's next page, "" where no link leads there.

    With the address of an article's first page and a number, it is the page of this
    number, and its address differs from the first one's in the number alone.
    """
    own = _address(page.url or "")
    if not own.host:
        return ""
    addresses = Addresses(page.root, page.url)
    wanted = {(stem, number) for stem in stems_of(first)} if first else set()
    found, best = "", (1, _Signs())
    for link in _links(page.root):
        url = addresses.link(link.get("href")).partition("#")[0]
        if first:
            fit = _Fit(3, _ANY, number) if page_of(url) in wanted else _UNFIT
        else:
            fit = _fit(own, _address(url))
        if fit.rank < best[0]:
            continue
        signs = _signs(link, fit.number, addresses, own)
        if any(signs[: fit.signs]) and (fit.rank, signs) > best:
            found, best = url, (fit.rank, signs)
    return found


def _links(root: Any) -> Iterator[Any]:
    """The links whose addresses have a number, those of the head first."""
    for name in ("link", "a"):
        links = watched(root.iter(name))
        if name == "link":
            links = filter(_is_next, links)
        yield from islice(filter(_has_number, links), _MAX_LINKS)


def _has_number(link: Any) -> bool:
    href = link.get("href", "")
    return len(href) <= _LONGEST and _DIGIT.search(href) is not None


def _is_next(link: Any) -> bool:
    return "next" in link.get("rel", "")[:_LABEL].lower().split()


# -- addresses


def _address(url: str) -> _Address:
    if len(url) > _LONGEST or not _ON_WEB.match(url):
        return _Address()
    before, _, query = url.partition("#")[0].partition("?")
    path = before.partition("//")[2].partition("/")[2].rstrip("/")
    parts = (part for part in _PARTED.split(query) if not _NO_MATTER.fullmatch(part))
    values = {name: value for name, _, value in (part.partition("=") for part in parts)}
    values.pop("", None)
    host = host_of(url).removeprefix("www.")
    return _Address(host, _INDEX.sub("", "/" + path), values)


def _fit(own: _Address, other: _Address) -> _Fit:
    """How well another address continues a page's own."""
    if own.host != other.host:
        return _UNFIT
    if _TIME_NAME in other.query:
        return _Fit(2, _LIKELY)
    step = _step_in_query(own, other) or _step_between(str(own), str(other))
    if step is None and (paged := _PAGED.search(other.path)):
        step = _Step(False, "page", "", int(paged[1]))
    if step is None:
        return _UNFIT
    old, new = int(step.old or 0), step.new
    is_second = not step.old and new == _SECOND
    if not step.is_alone:
        is_second = is_second or new < _SECOND or step.kind == "entry"
        is_below = is_second and other.path.startswith(own.path)
        return _Fit(1, _LIKELY) if is_below and not _is_numbered(own) else _UNFIT
    if step.kind == "page" and (is_second or (step.old and new == old + 1)):
        return _Fit(3, _ANY, new)
    if new <= old < _TIME or (step.kind == "page" and step.old):
        return _UNFIT
    # Pages may be counted from 0, or by entries; a bare number may be an article's.
    is_likely = step.kind == "entry" or is_second or (step.kind == "page" and new == 1)
    return _Fit(2, _LIKELY if is_likely else _ROW)


def _is_numbered(own: _Address) -> bool:
    return bool(_PAGED.search(own.path) or any(map(_PAGE_NAME.fullmatch, own.query)))


def _step_in_query(own: _Address, other: _Address) -> _Step | None:
    for kind, names in (("page", _PAGE_NAME), ("entry", _OFFSET_NAME)):
        for name, new in other.query.items():
            old = own.query.get(name, "")
            if new == old or not (names.fullmatch(name) and _COUNTS.fullmatch(old + new)):
                continue
            kept = {**other.query, name: old}
            is_alone = all(kept.get(k) == v for k, v in own.query.items())
            return _Step(is_alone and own.path == other.path, kind, old, int(new))
    return None


def _step_between(own: str, other: str) -> _Step | None:
    """The number that is put into an address, or is another one there."""
    at = len(commonprefix((own, other)))
    while _DIGIT.fullmatch(own[at - 1 : at]) and (
        _DIGIT.match(own, at) or _DIGIT.match(other, at)
    ):
        at -= 1
    found = _STEP.match(other, at)
    if found is None:
        return None
    rest, before = found["rest"], other[: found.start("number")]
    if rest[1:] == own[at:]:  # what parts the number from the rest came with it
        old = ""
    elif own.endswith(rest, at):
        old = own[at : len(own) - len(rest)]
    else:
        return None
    is_parted = _PARTING.search(other[at - 1 : at] + found["mark"])
    if _DATED.search(before) or not (
        _COUNTS.fullmatch(old) and not found["mark"] if old else is_parted
    ):
        return None
    kind = "page" if _MARKED.search(before) else "bare"
    return _Step(True, kind, old, int(found["number"]))


# -- links


def _signs(link: Any, number: int, addresses: Addresses, own: _Address) -> _Signs:
    if link.tag == "link":
        return _Signs(is_rel=True)
    text = _text(link)
    names = [link.get(name, "")[:_LABEL] for name in ("aria-label", "title", "class")]
    names += [image.get("alt", "")[:_LABEL] for image in islice(link.iter("img"), 1)]
    about = " ".join((text, *names, _classes(link.getparent())))
    entry = _ENTRY.fullmatch(text or names[0])
    is_forward = bool(_ONWARD.fullmatch(text) or _NEXT.search(about))
    return _Signs(
        is_rel=_is_next(link),
        is_in_row=entry is not None and _is_in_row(link, int(entry[1]), addresses, own),
        is_forward=is_forward and not _BACK.search(about),
        is_pager=int(entry[1]) == number if entry else bool(_ARROW.search(about)) or is_forward,
    )


def _is_in_row(link: Any, number: int, addresses: Addresses, own: _Address) -> bool:
    """Whether the number of the page itself stands before a link with the next one."""
    node = link
    for _ in range(_FAR):
        before = node.getprevious()
        node = node.getparent() if before is None else before
        if node is None:
            return False
        text = ((node.text if before is None else node.tail) or "")[-_LABEL:]
        if _NO_TEXT.fullmatch(text):
            if before is None:
                continue
            text = _text(node) if isinstance(node.tag, str) else ""
            if _NO_TEXT.fullmatch(text):
                continue
            if not _is_current(node, addresses, own):
                return False
        last = _LAST.search(text)
        return last is not None and int(last[1]) + 1 == number
    return False


def _is_current(node: Any, addresses: Addresses, own: _Address) -> bool:
    """Whether an element leads nowhere else, or is marked as the current page's."""
    link = next((one for one in islice(node.iter(), _PARTS) if one.get("href")), None)
    if link is None or "aria-current" in link.keys():
        return True
    if _CURRENT.search(f"{_classes(node)} {_classes(link)}"):
        return True
    href = addresses.link(link.get("href")[:_LONGEST])
    return href == "" or _address(href) == own


def _classes(element: Any) -> str:
    return "" if element is None else element.get("class", "")[:_LABEL]


def _text(element: Any) -> str:
    parts = islice(element.itertext(), _PARTS)
    return " ".join("".join(part[:_LABEL] for part in parts).split())[:_LABEL]


# -- the pages of an article


def stems_of(first: str) -> set[str]:
    """What addresses of the pages behind a first one are without their numbers."""
    url = first.partition("#")[0]
    stem, number = page_of(url)
    return {_bare(url), stem} if number == 1 else {_bare(url)}


def page_of(url: str) -> tuple[str, int]:
    """An address without the number of its page, and the number, 1 where it has none."""
    numbers = list(_NUMBER.finditer(url[:_LONGEST]))
    if not numbers:
        return _bare(url), 1
    found = numbers[-1]
    before, behind = url[: found.start()], url[found.end() :]
    if found["mark"] == "?" and behind.startswith("&"):
        behind = "?" + behind[1:]
    return _bare(before + behind), int(found["number"])


def _bare(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.rstrip("/") + mark + query
