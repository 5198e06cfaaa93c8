"""Finds the next page of a list, a thread or an article.

A link counts only if its URL agrees: it differs from the page's own in the page number
alone, or it has a page number and stands in a row of numbers.  So neither a slider's
arrow nor a blog's next article is a next page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.events import events
from scrapy_eatext.page.urls import SESSION_PARAMETERS, Addresses

if TYPE_CHECKING:
    from scrapy_eatext.page.page import Page

# The maximum number of links, length of their URLs, number and length of the parts of
# their texts, distance to the number before a link, and number of a link's nodes.
_MAX_LINKS, _LONGEST, _PARTS, _LABEL, _FAR, _NODES = 5000, 2000, 20, 80, 8, 100
# The number of an article's page at the end of its path, or in its query.
_NUMBER = re.compile(
    r"(?:(?P<mark>[?&])(?:page|p|pg|paged|pageno|page_no|pagina|seite)="
    r"|/(?:page|pagina|seite|p)[/-]?|[/_-])"
    r"(?P<number>[0-9]{1,3})(?=/?(?:\.[a-z]{2,5})?(?:[?&]|$))"
)
_LONG = "page|pagina|seite|strona|strana|stran|sida|sivu"
_WORDS = f"{_LONG}|pag|pg|pn|p"
# Query parameters with a page number, and with the number of a page's first entry.
_PAGE_NAME = re.compile(
    rf"(?!per|items|home)\w{{0,12}}(?:{_LONG})(?:d|id|_?no|_?num|number|index)?"
    "|pag|pagen_[0-9]{1,2}|_?pgn?|pn|p",
    re.IGNORECASE,
)
_OFFSET_NAME = re.compile(
    r"\w{0,20}offset|(?:limit)?start(?:at)?|skip|from|first|st|n|o|debut\w{0,20}",
    re.IGNORECASE,
)
# Blogs also identify a page by the time of its first entry.
_TIME_NAME, _TIME = "updated-max", 10**9
# Query parameters that do not distinguish pages: empty ones, referrers, posts of a
# thread, sessions.
_NO_MATTER = re.compile(
    rf"|(?:{SESSION_PARAMETERS}|ref)=.*|p=[0-9]{{4,}}|\w{{1,20}}=(?:\w:)?[0-9a-f]{{20,99}}",
    re.IGNORECASE,
)
_INDEX = re.compile(r"/(?:(?:index|default)\.\w{2,5})?$|\.(?:s?html?|php|aspx?)$")
# A page number that may be inserted into a URL, or replace another one.
_STEP = re.compile(
    rf"(?P<mark>[/_.;,-]?(?:(?:{_WORDS}|index|[os]|\w{{1,20}}=)[/_-]?)?)"
    r"(?P<number>[0-9]{1,6})(?P<rest>(?:[^0-9].*)?)",
    re.IGNORECASE,
)
_MARKED = re.compile(rf"(?:^|[/_.;-])(?:{_WORDS}|index)[/_-]?$", re.IGNORECASE)
# Readers' comments have pages of their own.
_COMMENTS = re.compile(r"comment|\bcpage=", re.IGNORECASE)
_ENTRY_MARKED = re.compile(r"[/_.-][os][_-]?$", re.IGNORECASE)
_PAGED = re.compile(rf"[/_-](?:{_WORDS})[/_-]?([0-9]{{1,6}})$", re.IGNORECASE)
_DATED = re.compile(r"/(?:19|20)\d\d[/-](?:\d\d?[/-])?$")
_NEXT = re.compile(
    r"\b(?:next|older|nächst|weiter|ältere|suivant|siguiente|seguinte|próxim"
    r"|proxim|antigu|successiv|avanti|volgende|oudere|nästa|äldre|neste|næste"
    r"|seuraav|dalej|następn|další|ďalši|starší|következő|următo|sljede|sonraki|tiếp"
    r"|berikut|επόμεν|далее|дальше|след|впер[её]д|наступн|далі)"
    r"|التالي|بعدی|הבא|अगल|下一|下页|下頁|次|다음|ถัดไป",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:more|mehr|mais|más|plus|meer|ещё|еще)\b", re.IGNORECASE)
_ARROW = re.compile(r"[<>«»‹›←→❮❯◀▶►]")
_ONWARD = re.compile(r"\W*[>»›→❯▶►]\W*")
# The number of a page, or of its first and its last entry.
_ENTRY = re.compile(r"(?:\D{0,20}\W)?([0-9]{1,6})(?:\s?[–-]\s?[0-9]{1,6})?\W{0,3}")
_CURRENT = re.compile(r"current|(?:\b|_)(?:active|selected|highlight)", re.IGNORECASE)
_LAST = re.compile(r"(?<!\d)([0-9]{1,6})\W{0,3}$")
_NO_TEXT = re.compile(r"[\W_]*")
_DIGIT, _DIGITS = re.compile(r"[0-9]"), re.compile(r"[0-9]{1,30}")
_PARTING = re.compile(r"[/_.;,?&-]")
_PARTED = re.compile(r"[&;]+")
_ON_WEB = re.compile(r"https?://(?:www\.)?([^/?#]+)([^?#]*)\??([^#]*)", re.IGNORECASE)

# The signs of a next link as bits, the strongest first: it stands in a row of numbers
# behind the current one; rel=next; a word or arrow for next; its number, or a weak word
# or arrow.
_IN_ROW, _REL, _ONWARDS, _WEAK = 8, 4, 2, 1
_ANY, _CLEAR = 15, 14
_UNFIT = (0, 0, 0)
# How much longer or shorter the URL of another page may be.
_LONGEST_STEP = 20


class _Address(NamedTuple):
    """A URL without parts that do not distinguish pages; empty if it is not HTTP."""

    host: str = ""
    path: str = ""
    query: Mapping[str, str] = MappingProxyType({})

    def __str__(self) -> str:
        return f"{self.path}?{'&'.join(map('='.join, self.query.items()))}"


class _Step(NamedTuple):
    """How the number in another page's URL differs from that in a page's own.

    ``kind`` is what the number counts: "page", "entry" (of a list), or "bare" for a
    number without a name.  ``old`` is "" if the page's own URL has no number.  If
    ``alone``, the URLs differ in nothing else.
    """

    kind: str
    old: str
    new: int
    alone: bool = True


def write_next_page(judged: Any) -> str:
    return next_page(judged.page)


def next_page(page: Page, first: str = "", number: int = 0) -> str:
    """The URL of a page's next page, "" if no link leads there.

    Given ``first``, the URL of an article's first page, it is the URL of the article's
    page ``number``, which differs from ``first`` in the number alone.
    """
    own = _address(page.url or "")
    if not own.host:
        return ""
    addresses = Addresses(page.root, page.url)
    wanted = {(stem, number) for stem in stems_of(first)} if first else set()
    next_url, best = "", (1, 0)
    for link in _links(page.root):
        url = addresses.link(link.get("href")).partition("#")[0]
        if first:
            fit = (3, _ANY, number) if page_of(url) in wanted else _UNFIT
        else:
            fit = _fit(own, _address(url))
        rank, enough, of_page = fit
        if rank < best[0]:
            continue
        signs = _signs(link, of_page, addresses, own)
        if signs & enough and (rank, signs) > best:
            next_url, best = url, (rank, signs)
    return next_url


def _links(root: Any) -> Iterator[Any]:
    """The links whose URLs have a number, those of the head first."""
    in_head = filter(_is_next, watched(root.iter("link")))
    for links in (in_head, watched(root.iter("a"))):
        yield from islice(filter(_has_number, links), _MAX_LINKS)


def _has_number(link: Any) -> bool:
    href = link.get("href", "")
    return len(href) <= _LONGEST and _DIGIT.search(href) is not None


def _is_next(link: Any) -> bool:
    return "next" in link.get("rel", "")[:_LABEL].lower().split()


# -- addresses


def _address(url: str) -> _Address:
    match = _ON_WEB.match(url[:_LONGEST])
    if match is None:
        return _Address()
    host, path, query = match.groups()
    parts = (part for part in _PARTED.split(query) if not _NO_MATTER.fullmatch(part))
    values = dict(part.partition("=")[::2] for part in parts)
    return _Address(host.lower(), _INDEX.sub("", path.rstrip("/")), values)


def _fit(own: _Address, other: _Address) -> tuple[int, int, int]:
    """How well another URL fits as the next page's.

    Returns a rank from 0 (it does not fit), the signs of which a link needs one, and
    the page number.
    """
    if own.host != other.host or (
        _COMMENTS.search(str(other)) and not _COMMENTS.search(str(own))
    ):
        return _UNFIT
    if _TIME_NAME in other.query:
        return 2, _CLEAR, 0
    step = _step_in_query(own, other) or _step_between(str(own), str(other))
    if step is None and (paged := _PAGED.search(other.path)):
        step = _Step("page", "", int(paged[1]), alone=False)
    if step is None:
        return _UNFIT
    old, new = int(step.old or 0), step.new
    is_second = not step.old and new == 2
    from_0 = not step.old and new == 1
    if not step.alone:
        is_numbered = _PAGED.search(own.path) or any(
            map(_PAGE_NAME.fullmatch, own.query)
        )
        is_near = own.path.rpartition("/")[2] in other.path.split("/")
        is_likely = is_second or from_0 or step.kind == "entry"
        if is_numbered or not is_likely:
            return _UNFIT
        return 1, _CLEAR if is_near else _REL, 0
    if step.kind == "page" and (is_second or (step.old and new == old + 1)):
        return 3, _ANY, new
    if new <= old < _TIME or (step.kind == "page" and step.old):
        return _UNFIT
    if step.kind == "bare":  # it may be an article's
        return 2, _CLEAR if is_second else _IN_ROW, 0
    # A page number may count entries, too.
    return 2, _CLEAR if from_0 or step.kind == "entry" else _IN_ROW | _REL, 0


def _step_in_query(own: _Address, other: _Address) -> _Step | None:
    for kind, names in (("page", _PAGE_NAME), ("entry", _OFFSET_NAME)):
        for name, new in other.query.items():
            old = own.query.get(name, "")
            if new != old and names.fullmatch(name) and _DIGITS.fullmatch(old + new):
                replaced = {**other.query, name: old}
                alone = all(replaced.get(k) == v for k, v in own.query.items())
                return _Step(kind, old, int(new), alone and own.path == other.path)
    return None


def _step_between(own: str, other: str) -> _Step | None:
    """The step if a number is inserted into a URL or replaced, and nothing else."""
    if abs(len(other) - len(own)) > _LONGEST_STEP:
        return None
    pairs = enumerate(zip(own, other, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(own), len(other)))
    while _DIGIT.match(own[at - 1 : at]) and _DIGIT.search(
        own[at : at + 1] + other[at : at + 1]
    ):
        at -= 1
    match = _STEP.match(other, at)
    if match is None:
        return None
    rest, before = match["rest"], other[: match.start("number")]
    old = "" if rest[1:] == own[at:] else own[at:].removesuffix(rest)
    is_put = not old and _PARTING.search(other[at - 1 : at] + match["mark"])
    is_other = (
        _DIGITS.fullmatch(old) and not match["mark"] and own == own[:at] + old + rest
    )
    if _DATED.search(before) or not (is_put or is_other):
        return None
    marks = (("page", _MARKED), ("entry", _ENTRY_MARKED))
    kind = next((kind for kind, mark in marks if mark.search(before)), "bare")
    return _Step(kind, old, int(match["number"]))


# -- links


def _signs(link: Any, number: int, addresses: Addresses, own: _Address) -> int:
    """The signs that a link leads to the page ``number``, as the sum of their bits."""
    if link.tag == "link":
        return _REL
    if "disabled" in link.get("class", ""):
        return 0
    text = _text(link)
    names = [link.get(name, "")[:_LABEL] for name in ("aria-label", "title", "class")]
    images = (node for node in islice(link.iter(), _NODES) if node.tag == "img")
    names += [image.get("alt", "")[:_LABEL] for image in islice(images, 1)]
    about = " ".join((text, *names))
    entry = _ENTRY.fullmatch(text or names[0])
    in_row = entry and _is_in_row(link, int(entry[1]), addresses, own)
    onward = bool(_ONWARD.fullmatch(text) or _NEXT.search(about))
    weak = onward or bool(_ARROW.search(about) or _MORE.search(about))
    if entry:
        weak = int(entry[1]) == number
    shown = (_IN_ROW, in_row), (_REL, _is_next(link)), (_ONWARDS, onward), (_WEAK, weak)
    return sum(sign for sign, is_shown in shown if is_shown)


def _is_in_row(link: Any, number: int, addresses: Addresses, own: _Address) -> bool:
    """Whether the number before a link is one less, and is that of the current page."""
    node = link
    for _ in range(_FAR):
        before = node.getprevious()
        node = node.getparent() if before is None else before
        if node is None:
            return False
        text = ((node.text if before is None else node.tail) or "")[-_LABEL:]
        is_blank = _NO_TEXT.fullmatch(text)
        if is_blank and before is not None and isinstance(node.tag, str):
            text = _text(node)
            is_blank = _NO_TEXT.fullmatch(text)
            if not (is_blank or _is_current(node, addresses, own)):
                return False
        if not is_blank:
            last = _LAST.search(text)
            return last is not None and int(last[1]) + 1 == number
    return False


def _is_current(node: Any, addresses: Addresses, own: _Address) -> bool:
    """Whether an element links to the page itself or nowhere, or is marked current."""
    links = (each for each in islice(node.iter(), _PARTS) if each.get("href"))
    link = next(links, None)
    if link is None or link.get("aria-current"):
        return True
    classes = node.get("class", "")[:_LABEL] + " " + link.get("class", "")[:_LABEL]
    url = addresses.link(link.get("href"))
    return bool(_CURRENT.search(classes)) or _address(url) in (own, _Address())


def _text(element: Any) -> str:
    # Unlike itertext() this stops after _NODES nodes without text.
    walked = islice(events(element), _NODES)
    texts = (
        node.text if event == "start" else node.tail
        for event, node in walked
        if event == "start" or node is not element
    )
    parts = islice(filter(None, texts), _PARTS)
    return " ".join("".join(part[:_LABEL] for part in parts).split())[:_LABEL]


# -- the pages of an article


def stems_of(first: str) -> set[str]:
    """The URLs that an article's later pages may have, without their numbers."""
    url = first.partition("#")[0]
    stem, number = page_of(url)
    return {_bare(url), stem} if number == 1 else {_bare(url)}


def page_of(url: str) -> tuple[str, int]:
    """A URL without its page number, and the page number, 1 by default."""
    numbers = list(_NUMBER.finditer(url[:_LONGEST]))
    if not numbers:
        return _bare(url), 1
    last = numbers[-1]
    before, behind = url[: last.start()], url[last.end() :]
    if last["mark"] == "?" and behind.startswith("&"):
        behind = "?" + behind[1:]
    return _bare(before + behind), int(last["number"])


def _bare(url: str) -> str:
    path, mark, query = url.partition("?")
    return path.rstrip("/") + mark + query
