"""Articles that stand on several pages: where the next one is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.deadline import watched
from scrapy_eatext.page.urls import Addresses

if TYPE_CHECKING:
    from scrapy_eatext.page.page import Page

# How many links of a page are looked at, and how long they may be.
_MAX_LINKS, _LONGEST = 5000, 2000
# The number of a page at the end of its path, or in its query.
_NUMBER = re.compile(
    r"(?:(?P<mark>[?&])(?:page|p|pg|paged|pageno|page_no|pagina|seite)="
    r"|/(?:page|pagina|seite|p)[/-]?|[/_-])"
    r"(?P<number>[0-9]{1,3})(?=/?(?:\.[a-z]{2,5})?(?:[?&]|$))"
)
_NEXT = re.compile(
    r"\W*(?:next(?: page)?|nächste(?: seite)?|weiter|(?:page )?suivante?|siguiente"
    r"|(?:pagina )?successiva|próxima|volgende|nästa|далее|下一页|次へ|次のページ)\W*",
    re.IGNORECASE,
)


def next_page(page: Page, first: str, number: int) -> str:
    """The address of an article's page of a number, "" where none leads there.

    The address differs from the first one's in the number alone, and a link to it says
    that it is the next, or has this number for its text.
    """
    stems = stems_of(first)
    addresses = Addresses(page.root, page.url)
    for link in islice(_links(page.root), _MAX_LINKS):
        href = link.get("href", "")
        if str(number) not in href or len(href) > _LONGEST:
            continue
        url = addresses.link(href).partition("#")[0]
        if not any((stem, number) == page_of(url) for stem in stems):
            continue
        text = "".join(islice(link.itertext(), 20)).strip()
        rel = link.get("rel", "").lower().split()
        if "next" in rel or text == str(number) or _NEXT.fullmatch(text[:40]):
            return url
    return ""


def _links(root: Any) -> Iterator[Any]:
    yield from (link for link in watched(root.iter("link")) if link.get("rel"))
    yield from (link for link in watched(root.iter("a")) if link.get("href"))


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
