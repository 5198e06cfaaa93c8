"""A product's name and price as its page shows them to readers.

A page shows many prices: of related products, of delivery, of instalments, from before
a sale.  The product's own stands near its name, where the smallest element around both
has few blocks, and in elements that are named after prices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from math import log2
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from scrapy_eatext.metadata.prices import amount, currency_of, prices_in
from scrapy_eatext.metadata.visible import Visible, key
from scrapy_eatext.page.columns import BlockColumn, ElementColumn
from scrapy_eatext.page.names import BREADCRUMBS
from scrapy_eatext.page.tables import rows_around
from scrapy_eatext.page.tags import HEADING, SKIP
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.values import beginning
from scrapy_eatext.page.walk import nodes_of

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.walk import Walk

# How many blocks before and after the name are searched, and how many prices are read.
_BEFORE, _BEHIND, _MAX_PRICES = 60, 250, 150
# Longer blocks are text; how many elements in a block and around it are looked at.
_LONGEST, _MAX_INSIDE, _MAX_AROUND = 150, 60, 40
# How many characters of an element's names are read, and how many a label has.
_MAX_NAMES, _LABEL = 200, 30
# How many paths of breadcrumbs are read, and how many characters of each.
_MAX_PATHS, _MAX_PATH = 4, 1_000
_BETWEEN = " /|:·→>›»-–—"
# How near two prices are side by side, in blocks and in score.
_BESIDE, _CLOSE = 2, 3
# Prices of a lower score are other products', unless the page has one price alone.
_LEAST = -8

# Words before and behind a price that is not the one asked for, casefolded.
_NOT_AFTER = re.compile(
    r"(?:\b(?:over|above|under|below|sav(?:e|ings?)|was|were|rrp|msrp|list|list price|"
    r"retail(?: price)?|original price|reduced from|value|worth|shipping|delivery|"
    r"postage|up to|total|more than|minimum|earn|used|both|points|gift card|x|coupon|"
    r"deposit|(?:payments?|installments?) of|get it for|"
    r"uvp|statt|versand\w*|spar\w*|rabatt|rat[ea]n?|anzahlung|ohne mwst|netto|"
    r"livraison|au lieu de|économi\w*|remise|ht|risparmi\w*|sconto|spedizione|"
    r"iva esclusa|ahorr\w*|envío|antes|descuento|cuotas de|frete|economi\w*|desconto|"
    r"parcelas de|korting|bez dph|brez ddv|excl\w*|ex\.? vat|доставк\w*|скидк\w*"
    r")|建議售價|原價|每期|運費|折抵|定価|送料)\W{0,4}$|[+=]\s?$|[−–-]$"
)
_NOT_BEFORE = re.compile(
    r"\s*(?:(?:/|per|a|pro|par|al)\s?(?:[0-9]{1,4}\s?)?(?:mo|months?|monat|mois|"
    r"mes|mese|mês|week|yr|year|kg|g|ml|cl|l|m|oz|lb)\b|per [^\W\d_]|off\b|discount|"
    r"shipping|delivery|or more|(?:x|every) [0-9]|\(?(?:ex|excl|without)\b|bez dph|ht\b|netto|"
    r"versand|gift|運費)"
)

# Attributes with names of elements, and the words in these.
_NAMES_IN = frozenset(
    "class id itemprop data-test data-testid data-test-id data-aut-id data-qa".split()
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# A value in a utility class, as in h-[calc(100vh-var(--nav-height))], is no name.
_VALUE = re.compile(r"\[[^\]]*\]?")
_PRICES = frozenset(
    "price prices pricing preis prix prezzo precio preco cena cijena hinta fiyat harga "
    "pris prijs money amount cost".split()
)
_OLD = frozenset(
    "old was strike strikethrough striked through crossed compare rrp msrp uvp before "
    "original previous former barre antes saving savings save".split()
)
_OTHERS = frozenset(
    "related recommend recommended recommendation recommendations recs upsell upsells "
    "crosssell crosssells similar also viewed recently basket minicart addon addons "
    "accessories bundle bundles installment installments instalment financing footer "
    "nav announcement banner sponsored".split()
)
# Words for taxes in Japanese prices.
_TAX = re.compile("税[込抜別]")
_CENTS = frozenset("cents cent decimal decimals fraction".split())
_STRUCK = frozenset(("del", "s", "strike"))
_ELSEWHERE = frozenset(("header", "nav", "footer", "aside", "dialog", *_STRUCK))
_TWO_DIGITS = re.compile("[0-9]{2}")
_DIGIT = re.compile("[0-9]")
_TOKEN = re.compile(r"\w+")

_FIRST, _LAST = ElementColumn.FIRST_BLOCK, ElementColumn.LAST_BLOCK
_PARENT = ElementColumn.PARENT
_ELEMENT, _INNER = BlockColumn.ELEMENT, BlockColumn.INNER


class Offer(NamedTuple):
    """A product's name, price and currency; "" is what the page does not show."""

    name: str
    price: str = ""
    currency: str = ""


class _Price(NamedTuple):
    block: int
    price: str
    currency: str
    # Whether elements are named after prices, and after prices before a sale.
    named: tuple[bool, bool]
    score: float


def offer_of(page: Page, title: str) -> Offer:
    """What a product's page shows of it; ``title`` is the page's title."""
    name, block = _name_of(page, title)
    found = _best(list(_Prices(page, block).read()))
    return Offer(name, found.price, found.currency) if found else Offer(name)


def _name_of(page: Page, title: str) -> tuple[str, int]:
    """The product's name and its block, -1 if it is not shown.

    It is the heading that shares most words with the titles but is not the site's name,
    without what follows the words at the end of the breadcrumbs.
    """
    visible = Visible(page, title)
    wanted = {*_tokens(page.title), *_tokens(title)}
    host = key(host_of(page.url or ""))
    name, start, shared = title, visible.start, 0
    for headings in (visible.headings, visible.lower_headings):
        for block, text, text_key in headings:
            tokens = _tokens(text)
            common = len(tokens & wanted)
            if shared and block == start + 1 and tokens <= wanted:
                # Of a name in two headings the second has the kind, the size and so on.
                if text_key not in key(name):
                    name, shared = f"{name} {text}", shared + common
            elif common > shared and 2 * common >= len(tokens) and text_key not in host:
                name, start, shared = text, block, common
        if shared:
            break
    for step in _last_steps(page):
        # A category, with which a name may begin too, has fewer words.
        is_most = 2 * len(_tokens(step)) > len(_tokens(name))
        end = name[len(step) - 1 : len(step) + 1]
        in_word = len(end) > 1 and (end.isalpha() or end.isdigit())
        if is_most and not in_word and key(name).startswith(key(step)):
            return step, start
    return name, start


def _last_steps(page: Page) -> Iterator[str]:
    """What stands behind the last link of each path of breadcrumbs."""
    walk = page.blocks.walk
    for path in nodes_of(walk, BREADCRUMBS.rows(walk)[:_MAX_PATHS]):
        shown = beginning(path, _MAX_PATH, " ")
        for link in islice(path.iter("a"), _MAX_INSIDE):
            if text := beginning(link, _MAX_PATH, " "):
                shown = shown.partition(text)[2]
        yield " ".join(shown.split()).strip(_BETWEEN)


def _tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(text[:_LONGEST].casefold()))


def _best(prices: list[_Price]) -> _Price | None:
    """The best price, or a lower one beside it: of a sale, or where a range begins."""
    best = max(prices, key=lambda one: one.score, default=None)
    if best is None:
        return None
    is_named, is_old = best.named
    is_only = is_named and not is_old and len({one.price for one in prices}) == 1
    if best.score < _LEAST and not is_only:
        return None
    beside = [
        one
        for one in prices
        if abs(one.block - best.block) <= _BESIDE
        and (one.named, one.currency) == (best.named, best.currency)
        and one.score > best.score - _CLOSE
    ]
    return min(beside, key=lambda one: float(one.price))


class _Prices:
    """The prices near the block of a product's name."""

    def __init__(self, page: Page, start: int) -> None:
        self._blocks = page.blocks
        self._walk = page.blocks.walk
        self._host, self._language = host_of(page.url or ""), page.language
        self._start = max(start, 0)
        self._cell = self._walk.elements.item
        # The rows of the elements around the name.
        row = self._walk.blocks.item(start, _ELEMENT) if start >= 0 else 0
        elements = self._walk.elements
        self._around = {0, *rows_around(elements, row, len(elements))}

    def read(self) -> Iterator[_Price]:
        begin = max(0, self._start - _BEFORE)
        near = self._walk.blocks[begin : self._start + _BEHIND]
        is_short = near[:, BlockColumn.CHARS] <= _LONGEST
        has_digits = near[:, BlockColumn.DIGITS] > 0
        numbers = [begin + i for i in (is_short & has_digits).nonzero()[0].tolist()]
        texts = zip(numbers, self._blocks.texts(numbers), strict=True)
        priced = islice((i for i, text in texts if any(prices_in(text))), _MAX_PRICES)
        for i in priced:
            yield from self._in_block(i)

    def _in_block(self, i: int) -> Iterator[_Price]:
        row = priced_row(self._walk, i)
        node = self._walk.node(row)
        inside = list(islice(node.iter(etree.Element), _MAX_INSIDE))
        names: set[str] = set()
        text, is_old = self._blocks.text(i), False
        if len(inside) < _MAX_INSIDE:
            names.update(*map(_names, inside))
            asked = asked_text(node)
            if any(prices_in(asked)):
                text = asked
            else:  # a shop may name all prices after old ones
                is_old = any(map(_is_old, inside))
        score = self._score(i, row, node, names)
        if score is None:
            return
        text = f"{self._label(i)} {text}"
        for before, number, sign, _ in asked_prices(text):
            language = "ja" if _TAX.search(text) else self._language
            code = currency_of(sign, self._host, language)
            price = amount(number, code)
            if float(price or 0):
                named = not _PRICES.isdisjoint({*names, *_tokens(before)}), is_old
                yield _Price(i, price, code, named, score + 3 * named[0] - 5 * is_old)

    def _label(self, i: int) -> str:
        """The text of the block before a price if it may be its label."""
        block, before = self._walk.blocks.item, max(i - 1, 0)
        parent, around = (self._cell(block(n, _ELEMENT), _PARENT) for n in (before, i))
        is_label = parent == around and block(before, BlockColumn.CHARS) <= _LABEL
        label = self._blocks.text(before) if is_label else ""
        return label if label.strip("+−–- ") and not _DIGIT.search(label) else ""

    def _score(self, i: int, row: int, node: Any, names: set[str]) -> float | None:
        """How near a block is to the name, None if it is of something else.

        The names of elements around the block are added to ``names``.
        """
        for _ in range(_MAX_AROUND):
            if row in self._around:
                break
            around = _names(node)
            if node.tag in _ELSEWHERE or around & _OTHERS:
                return None
            names |= around
            row, node = self._cell(row, _PARENT), node.getparent()
        block = self._walk.blocks.item
        is_link = block(i, BlockColumn.LINK_CHARS) == block(i, BlockColumn.CHARS)
        kinds = self._walk.blocks[self._start + 1 : i, BlockColumn.KIND]
        headings = int((kinds == HEADING).sum())
        is_before = i < self._start
        return -log2(1 + _size(self._walk, row)) - headings - 3 * is_link - is_before


def _size(walk: Walk, row: int) -> int:
    """The number of blocks in an element."""
    return walk.elements.item(row, _LAST) - walk.elements.item(row, _FIRST)


def priced_row(walk: Walk, i: int) -> int:
    """The element of a block, or its first one if the element has other blocks too."""
    row = walk.blocks.item(i, _ELEMENT)
    if _size(walk, row) > 1:
        around, row = row, walk.blocks.item(i, _INNER)
        while row != around and (outer := walk.elements.item(row, _PARENT)) != around:
            row = outer
    return row


def asked_prices(text: str) -> Iterator[tuple[str, str, str, str]]:
    """The prices that may be asked for: text before, number, sign, price as written."""
    done = 0
    for begin, end, number, sign in prices_in(text):
        before, behind = text[done:begin].casefold(), text[end:].casefold()
        done = end
        if not (_NOT_AFTER.search(before) or _NOT_BEFORE.match(behind)):
            yield before, number, sign, text[begin:end]


def asked_text(node: Any) -> str:
    """The text of an element in one line, without prices from before a sale."""
    return " ".join(_asked(node)[: 2 * _LONGEST].split())


def _asked(node: Any) -> str:
    asked = node.text or ""
    for child in node:
        if isinstance(child.tag, str) and child.tag not in SKIP and not _is_old(child):
            text, before = _asked(child), asked.rstrip()
            if text[:1].isdigit() and before[-1:].isdigit():
                is_cents = child.tag == "sup" or not _CENTS.isdisjoint(_names(child))
                is_cents = is_cents and _TWO_DIGITS.fullmatch(text.strip()) is not None
                asked = before + ("." if is_cents else " ")
            asked += text
        asked += child.tail or ""
    return asked


def _names(node: Any) -> frozenset[str]:
    """The words in an element's names."""
    named = (value for name, value in node.items() if name in _NAMES_IN)
    return frozenset().union(*(_words(value[:_MAX_NAMES]) for value in named))


@lru_cache(maxsize=4096)
def _words(names: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(_VALUE.sub("", names)))


def _is_old(node: Any) -> bool:
    return node.tag in _STRUCK or not _OLD.isdisjoint(_names(node))
