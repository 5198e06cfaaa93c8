"""The product that a page is about, from its data and its title."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.metadata.jsonld import text_of
from scrapy_eatext.metadata.offered import Offer, offer_of
from scrapy_eatext.metadata.prices import amount, currency_of
from scrapy_eatext.metadata.schema import Data
from scrapy_eatext.metadata.visible import key
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.values import MOST_VALUES, bounded
from scrapy_eatext.result import Product, Thing

if TYPE_CHECKING:
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.head import Metas

_TYPES = ("Product", "ProductGroup", "ProductModel", "IndividualProduct")
# The paths of each text in a product, the best first.
_PATHS: dict[str, tuple[tuple[str, ...], ...]] = {
    "name": (("name",),),
    "brand": (("brand",), ("manufacturer",)),
    "sku": (("sku",), ("offers", "sku")),
    "gtin": tuple(
        (*around, f"gtin{digits}")
        for around in ((), ("offers",))
        for digits in ("13", "14", "12", "8", "")
    ),
}
# The paths of a product's offers.
_OFFERS = (("offers",), ("offers", "offers"), ("hasVariant", "offers"))
_LIST_PRICE = re.compile("ListPrice|Strikethrough|SRP|MSRP")
_NUMBER = re.compile(r"[0-9]{1,5}(?:[.,][0-9]{1,9})?")
# Properties of OpenGraph for each property of schema.org.
_OPENGRAPH = {
    "price": ("product:price:amount", "og:price:amount", "product:sale_price:amount"),
    "priceCurrency": ("product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id",),
    "gtin": ("product:gtin", "product:ean", "product:upc"),
}
_AVAILABLE = {
    "instock": "InStock", "available": "InStock", "outofstock": "OutOfStock",
    "oos": "OutOfStock", "preorder": "PreOrder", "backorder": "BackOrder",
}  # fmt: skip


def write_product(judged: JudgedPage) -> Product | None:
    """The product of a page, None without one in its data or a page type "product"."""
    page, data = judged.page, Data.of(judged.page)
    of_type = judged.verdict.page_type == "product"
    things = _about(list(data.of_types(*_TYPES)), judged, first=of_type)
    shared = _opengraph(page.head.metas)
    if shared.values and (things or "offers" in shared.values):
        things.append(shared)
    if not (things or of_type):
        return None
    host = host_of(page.url or "")
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for thing in things:
        for field, value in _values(data, thing.values, host):
            if value and field not in values:
                values[field], sources[field] = value, thing.source
    if not values.keys() >= {"name", "price", "currency"}:
        title = judged.readable_metadata.title
        shown = offer_of(page, title) if of_type else Offer(title)
        if "price" in values:
            is_same = float(values["price"]) == float(shown.price or -1)
            shown = Offer(shown.name, currency=shown.currency if is_same else "")
        elif shown.price:
            values.pop("currency", None)  # it may be that of another country
        for field, value in shown._asdict().items():
            if value and field not in values:
                values[field], sources[field] = bounded(field, value), "page"
    return Product(**values, sources=sources)


def _about(things: list[Thing], judged: JudgedPage, *, first: bool) -> list[Thing]:
    """For each source the thing that the page is about.

    Of several things it is the first one whose name is in the page's title; if there is
    none, it is the first thing, but only if ``first``: other pages list products.
    """
    about = []
    for _, group in groupby(things, key=lambda thing: thing.source):
        candidates = list(group)
        if len(candidates) > 1:
            titles = key(f"{judged.page.title} {judged.readable_metadata.title}")
            named = [thing for thing in candidates if _is_named(thing, titles)]
            candidates = named or (candidates if first else [])
        about += candidates[:1]
    return about


def _is_named(thing: Thing, titles: str) -> bool:
    name = key(text_of(thing.values.get("name")))
    return bool(name) and name in titles


def _opengraph(metas: Metas) -> Thing:
    """OpenGraph's properties of a product, as a thing of schema.org."""
    values: dict[str, Any] = {
        name: value
        for name, metas_of_name in _OPENGRAPH.items()
        if (value := next((metas[m][0] for m in metas_of_name if m in metas), ""))
    }
    if "price" in values:
        offer = ("price", "priceCurrency", "availability")
        values["offers"] = {name: values.pop(name) for name in offer if name in values}
    return Thing("opengraph", values)


def _values(data: Data, thing: dict[str, Any], host: str) -> Iterator[tuple[str, Any]]:
    """Fields of a product with their values; for each field the best one first."""
    for field, paths in _PATHS.items():
        for path in paths:
            for text in data.texts(thing, *path):
                yield field, bounded(field, text)
    yield from _offered(data, thing, host)
    for rating in islice(data.at(thing, "aggregateRating"), MOST_VALUES):
        for field, (names, read) in _RATING.items():
            for name in names:
                for text in data.texts(rating, name):
                    yield field, read(text)


def _offered(data: Data, thing: dict[str, Any], host: str) -> Iterator[tuple[str, Any]]:
    """Price and currency of the first offer with a price, and all availabilities."""
    offers = [
        offer
        for path in _OFFERS
        for offer in islice(data.at(thing, *path), MOST_VALUES)
        if isinstance(offer, dict)
    ]
    prices = chain.from_iterable(_prices(data, offer) for offer in offers)
    for price, currency in prices:
        code = currency_of(currency, host)
        number = amount(price, code)
        if number:
            yield "price", number
            yield "currency", code
            break
    for offer in offers:
        for text in data.texts(offer, "availability"):
            name = text.rpartition("/")[2].rpartition(":")[2]
            known = _AVAILABLE.get(re.sub(r"[\W_]", "", name).lower(), name)
            yield "availability", bounded("availability", known)


def _prices(data: Data, offer: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """The prices of an offer with their currencies, without list prices."""
    specified = islice(data.at(offer, "priceSpecification"), MOST_VALUES)
    for priced in (offer, *specified):
        if not isinstance(priced, dict):
            continue
        if any(map(_LIST_PRICE.search, data.texts(priced, "priceType"))):
            continue
        currency = next(data.texts(priced, "priceCurrency"), "")
        currency = currency or next(data.texts(offer, "priceCurrency"), "")
        for name in ("price", "lowPrice", "minPrice"):
            for price in data.at(priced, name):
                yield price, currency


def _number(text: str) -> float:
    """The number in a rating such as 4.5, 4,5 or "4.5 out of 5"; 0 if there is none."""
    found = _NUMBER.match(text)
    return float(found[0].replace(",", ".")) if found else 0.0


def _count(text: str) -> int:
    return int(float(amount(text) or 0))


# The properties of each part of a rating, and the function that reads them.
_RATING: dict[str, tuple[tuple[str, ...], Any]] = {
    "rating": (("ratingValue",), _number),
    "rating_count": (("ratingCount", "reviewCount"), _count),
    "best_rating": (("bestRating",), _number),
}
