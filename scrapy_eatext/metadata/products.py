"""The product or the recipe that a page is about, from its data and its title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, groupby, islice
from typing import TYPE_CHECKING, Any

from scrapy_eatext.metadata.jsonld import text_of, unprefixed
from scrapy_eatext.metadata.offered import Offer, offer_of
from scrapy_eatext.metadata.prices import amount, currency_of
from scrapy_eatext.metadata.schema import Data
from scrapy_eatext.metadata.visible import key
from scrapy_eatext.page.urls import host_of
from scrapy_eatext.page.values import MOST_VALUES, bounded
from scrapy_eatext.result import Product, Recipe, Thing

if TYPE_CHECKING:
    from scrapy_eatext.metadata.jsonld import JsonLd
    from scrapy_eatext.output.judged import JudgedPage
    from scrapy_eatext.page.head import Metas

_TYPES = ("Product", "ProductGroup", "ProductModel", "IndividualProduct")
# The paths of properties to the value of each field, the best first.
_PRODUCT_PATHS = {
    "name": "name",
    "brand": "brand manufacturer",
    "sku": "sku offers.sku",
    "gtin": "gtin13 gtin14 gtin12 gtin8 gtin offers.gtin13 offers.gtin14 offers.gtin12 "
    "offers.gtin8 offers.gtin",
}
_RATING_PATHS = {
    "rating": "aggregateRating.ratingValue",
    "rating_count": "aggregateRating.ratingCount aggregateRating.reviewCount",
    "best_rating": "aggregateRating.bestRating",
}
_RECIPE_PATHS = {
    "name": "name",
    "prep_time": "prepTime",
    "cook_time": "cookTime",
    "total_time": "totalTime",
    "yields": "recipeYield yield",
}
_RECIPE_LISTS = {
    "ingredients": ("recipeIngredient", "ingredients", "ingredient"),
    "steps": ("recipeInstructions", "instructions"),
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
_MOST_PARTS, _MOST_CHARS, _MAX_DEPTH = 200, 50_000, 3
_BREAK = re.compile(r"<br ?/?>|</(?:p|li|div)>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,300}>")
_LETTER = re.compile(r"[^\W\d_]")


class _Fields:
    """The first value of each field, and its source."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.sources: dict[str, str] = {}

    def fill(self, source: str, found: Iterable[tuple[str, Any]]) -> None:
        for field, value in found:
            if value and field not in self.values:
                self.values[field], self.sources[field] = value, source


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
    fields = _Fields()
    for thing in things:
        fields.fill(thing.source, _values(data.json_ld, thing.values, host))
    values = fields.values
    if values.get("name") == judged.page.title:
        # Squarespace gives the title of the document, with the site's name.
        metadata = judged.readable_metadata
        if key(values["name"]) == key(metadata.title + metadata.site_name):
            values["name"] = metadata.title
    if not values.keys() >= {"name", "price", "currency"}:
        title = judged.readable_metadata.title
        shown = offer_of(page, title) if of_type else Offer(title)
        if "price" in values:
            is_same = float(values["price"]) == float(shown.price or -1)
            shown = Offer(shown.name, currency=shown.currency if is_same else "")
        elif shown.price:
            values.pop("currency", None)  # it may be that of another country
        found = shown._asdict().items()
        fields.fill("page", ((field, bounded(field, value)) for field, value in found))
    return Product(**values, sources=fields.sources)


def write_recipe(judged: JudgedPage) -> Recipe | None:
    """The recipe of a page, from the first one in each source, JSON-LD first."""
    data, fields = Data.of(judged.page), _Fields()
    for thing in data.of_types("Recipe"):
        # Another recipe of a source is one that the page links to.
        if thing.source not in fields.sources.values():
            fields.fill(thing.source, _recipe_values(data.json_ld, thing.values))
    return Recipe(**fields.values, sources=fields.sources) if fields.values else None


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


def _values(ld: JsonLd, thing: dict[str, Any], host: str) -> Iterator[tuple[str, Any]]:
    """Fields of a product with their values; for each field the best one first."""
    yield from _texts(ld, thing, _PRODUCT_PATHS)
    yield from _offered(ld, thing, host)
    yield from _texts(ld, thing, _RATING_PATHS)


def _texts(
    ld: JsonLd, thing: dict[str, Any], paths: dict[str, str]
) -> Iterator[tuple[str, Any]]:
    for field, of_field in paths.items():
        read = _NUMBERS.get(field, partial(bounded, field))
        for path in of_field.split():
            texts = list(ld.texts(thing, *path.split(".")))
            # "4 servings" is preferred to "4".
            if field == "yields":
                texts.sort(key=lambda text: not _LETTER.search(text))
            yield from ((field, read(text)) for text in texts)


def _offered(ld: JsonLd, thing: dict[str, Any], host: str) -> Iterator[tuple[str, Any]]:
    """Price and currency of the first offer with a price, and all availabilities."""
    offers = [
        offer
        for path in _OFFERS
        for offer in islice(ld.at(thing, *path), MOST_VALUES)
        if isinstance(offer, dict)
    ]
    prices = chain.from_iterable(_prices(ld, offer) for offer in offers)
    for price, currency in prices:
        code = currency_of(currency, host)
        number = amount(price, code)
        if number:
            yield "price", number
            yield "currency", code
            break
    for offer in offers:
        for text in ld.texts(offer, "availability"):
            name = unprefixed(text)
            known = _AVAILABLE.get(re.sub(r"[\W_]", "", name).lower(), name)
            yield "availability", bounded("availability", known)


def _prices(ld: JsonLd, offer: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """The prices of an offer with their currencies, without list prices."""
    specified = islice(ld.at(offer, "priceSpecification"), MOST_VALUES)
    of_offer = next(ld.texts(offer, "priceCurrency"), "")
    for priced in (offer, *specified):
        if not isinstance(priced, dict):
            continue
        if any(map(_LIST_PRICE.search, ld.texts(priced, "priceType"))):
            continue
        currency = next(ld.texts(priced, "priceCurrency"), of_offer)
        for name in ("price", "lowPrice", "minPrice"):
            for price in ld.at(priced, name):
                yield price, currency


def _number(text: str) -> float:
    """The number in a rating such as 4.5, 4,5 or "4.5 out of 5"; 0 if there is none."""
    found = _NUMBER.match(text)
    return float(found[0].replace(",", ".")) if found else 0.0


def _count(text: str) -> int:
    return int(float(amount(text) or 0))


# The functions that read fields that are numbers.
_NUMBERS = {"rating": _number, "rating_count": _count, "best_rating": _number}


def _recipe_values(ld: JsonLd, thing: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from _texts(ld, thing, _RECIPE_PATHS)
    for field, names in _RECIPE_LISTS.items():
        for value in map(thing.get, names):
            # The only item of a list may be a text that has all parts.
            only = value[0] if isinstance(value, list) and len(value) == 1 else value
            yield field, tuple(_within_bounds(field, _parts(ld, only)))


def _parts(ld: JsonLd, value: Any, depth: int = 0) -> Iterator[str]:
    """The ingredients or steps in a value: texts, steps, and sections of steps."""
    for part in ld.at(value):
        if not isinstance(part, dict):
            # If the value is a text, it has all parts, one a line.
            text = _BREAK.sub("\n", part) if isinstance(part, str) else ""
            lines = text.splitlines() if isinstance(value, str) else [text]
            yield from (t for line in lines for t in ld.texts(_TAG.sub("", line)))
        elif "itemListElement" in part and depth < _MAX_DEPTH:
            yield from _parts(ld, part["itemListElement"], depth + 1)
        else:
            name = "text" if "text" in part else "name"
            yield from islice(ld.texts(part, name), 1)


def _within_bounds(field: str, parts: Iterator[str]) -> Iterator[str]:
    left = _MOST_CHARS
    for part in islice(parts, _MOST_PARTS):
        text = bounded(field, part)
        left -= len(text)
        if left < 0:
            return
        yield text
