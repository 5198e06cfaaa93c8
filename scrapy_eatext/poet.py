"""MainText, and items of zyte-common-items, as dependencies of callbacks and pages.

With scrapy-poet (the extra ``poet``) in a project, and

    SCRAPY_POET_PROVIDERS = {"scrapy_eatext.poet.MainTextProvider": 500}

a callback or page object that names ``MainText`` gets the page's result.  With
ArticleProvider beside it, and zyte-common-items installed, ``Article``, ``Product``,
``ForumThread``, ``JobPosting``, ``ArticleList`` and ``ProductList`` work too.

Importing this module lets web-poet store results, in SCRAPY_POET_CACHE and in fixtures
of tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timezone
from functools import partial
from importlib import import_module
from typing import Any

try:
    from scrapy_poet.page_input_providers import PageObjectInputProvider
except ImportError as error:
    raise ImportError(
        'scrapy_eatext.poet needs scrapy-poet: pip install "scrapy-eatext[poet]"'
    ) from error
from scrapy import Request  # noqa: TC002 - scrapy-poet reads the annotations
from scrapy.http import Response  # noqa: TC002
from web_poet.serialization import register_serialization

from scrapy_eatext.crawl.extractor import attached
from scrapy_eatext.crawl.service import main_text
from scrapy_eatext.metadata.jsonld import listed, types_of
from scrapy_eatext.metadata.prices import amount, sign_of
from scrapy_eatext.result import MainText, Media, Metadata, Product

try:
    common: Any = import_module("zyte_common_items")
except ImportError:
    common = None


# zyte-common-items' form of a time.
_UTC = "%Y-%m-%dT%H:%M:%SZ"
# The availabilities that zyte-common-items has, by schema.org's.
_AVAILABLE = {
    **dict.fromkeys(
        ("InStock", "InStoreOnly", "LimitedAvailability", "OnlineOnly", "PreOrder",
         "PreSale", "BackOrder"), "InStock"),
    **dict.fromkeys(("OutOfStock", "SoldOut", "Discontinued"), "OutOfStock"),
}  # fmt: skip
# The types of rates that zyte-common-items has, by schema.org's units.
_RATES = {
    "HOUR": "hourly", "DAY": "daily", "WEEK": "weekly", "MONTH": "monthly", "YEAR": "annual",
}  # fmt: skip
# Kinds of a product's number by its length.
_GTINS = {8: "gtin8", 12: "upc", 13: "gtin13", 14: "gtin14"}


def page_object(result: MainText, url: str) -> Any:
    """A result as the item of zyte-common-items that is for its kind of page."""
    name = {"product": "Product", "forum": "ForumThread"}.get(result.page_type)
    if result.page_type in ("collection", "listing"):
        priced = sum(bool(entry.price) for entry in result.entries)
        is_shop = priced * 2 > len(result.entries)
        name = "ProductList" if is_shop else "ArticleList"
    elif name != "Product" and _job(result) is not None:
        name = "JobPosting"
    return item(name or "Article", result, url)


def item(name: str, result: MainText, url: str) -> Any:
    """A result as an item of one of _VALUES; unknown fields are None."""
    metadata = _class(f"{name}Metadata")()
    metadata.dateDownloaded = datetime.now(timezone.utc).strftime(_UTC)
    if hasattr(metadata, "probability"):
        metadata.probability = result.score
    made = _class(name)(url=url, metadata=metadata)
    for field, value in _VALUES[name](result, url).items():
        setattr(made, field, value or None)
    return made


def _class(name: str) -> Any:
    if common is None:
        raise ImportError("this needs zyte-common-items: pip install zyte-common-items")
    return getattr(common, name)


def _part(class_name: str, **values: Any) -> Any:
    """A part of an item, with None for empty values; None if all are empty."""
    given = {name: value for name, value in values.items() if value}
    return _class(class_name)(**given) if given else None


def _media(class_name: str, media: Sequence[Media]) -> list[Any]:
    return [_part(class_name, url=one.url) for one in media]


# The values of items' fields; empty ones become None.


def _article(result: MainText, url: str) -> dict[str, Any]:
    found = result.metadata
    return {
        **_of_page(found),
        **_published(found),
        "headline": found.title,
        "authors": [_part("Author", name=name) for name in found.authors],
        "dateModified": _utc(found.modified),
        "dateModifiedRaw": found.modified_raw or found.modified,
        "description": found.description,
        "inLanguage": result.language or found.language,
        "videos": _media("Video", found.videos),
        "articleBody": result.text,
        "articleBodyHtml": result.html,
    }


def _product(result: MainText, url: str) -> dict[str, Any]:
    """A product's data; without these, its title and text alone."""
    found = result.metadata
    sold = result.product or Product()
    gtin = _GTINS.get(len(sold.gtin))
    rating = _part(
        "AggregateRating",
        ratingValue=sold.rating,
        bestRating=sold.best_rating,
        reviewCount=sold.rating_count,
    )
    return {
        **_of_page(found),
        "name": sold.name or found.title,
        "price": sold.price,
        "currency": sold.currency,
        "availability": _AVAILABLE.get(sold.availability),
        "brand": _part("Brand", name=sold.brand),
        "sku": sold.sku,
        "gtin": gtin and [_part("Gtin", type=gtin, value=sold.gtin)],
        "aggregateRating": sold.rating and rating,
        "description": result.text or found.description,
        "descriptionHtml": result.html,
    }


def _job_posting(result: MainText, url: str) -> dict[str, Any]:
    """A job's title, text and structured data."""
    found = result.metadata
    of = partial(_at, _job(result))
    place = ("jobLocation", "address")
    parts = ("streetAddress", "addressLocality", "addressRegion", "addressCountry")
    where = ", ".join(filter(None, (of(*place, part) for part in parts)))
    employer = of("hiringOrganization", "name") or of("hiringOrganization")
    return {
        **_published(found),
        "jobTitle": of("title") or found.title,
        "headline": found.title,
        "description": result.text,
        "descriptionHtml": result.html,
        "employmentType": of("employmentType"),
        "baseSalary": _salary(partial(of, "baseSalary")),
        "hiringOrganization": _part("HiringOrganization", name=employer),
        "jobLocation": _part("JobLocation", raw=where or of(*place)),
        "validThrough": _utc(of("validThrough")),
        "validThroughRaw": of("validThrough"),
    }


def _salary(of: Callable[..., str]) -> Any:
    """A job's salary: a text, a number, or a range."""
    exact = of("value", "value") or of("value")
    least, most = (of("value", name) or exact for name in ("minValue", "maxValue"))
    raw = of()
    salary = _part(
        "BaseSalary",
        raw=raw,
        valueMin=amount(least),
        valueMax=amount(most),
        rateType=_RATES.get(of("value", "unitText").upper()),
        currency=of("currency"),
    )
    return (raw or least or most) and salary


def _job(result: MainText) -> Any:
    """The first JobPosting of a page's structured data, also one in a graph."""
    for thing in result.structured_data:
        for one in (thing.values, *listed(thing.values.get("@graph"))):
            if isinstance(one, dict) and "JobPosting" in types_of(one):
                return one
    return None


def _at(value: Any, *path: str) -> str:
    """The first text or number at a path of properties, "" for none."""
    for name in (*path, ""):
        value = next(iter(listed(value)), None)
        if name:
            value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else amount(value)


def _forum_thread(result: MainText, url: str) -> dict[str, Any]:
    """A thread's posts; without these, one post with the whole text."""
    found = result.metadata
    thread = result.posts if result.page_type == "forum" else ()
    posts = [
        _part("SocialMediaPost", url=url, text=post.text, datePublished=_utc(post.time))
        for post in thread
        if post.text
    ]
    if not posts and result.text:
        date, media = _utc(found.published), _media("Url", found.images)
        values = {"text": result.text, "datePublished": date, "mediaUrls": media}
        posts = [_part("SocialMediaPost", url=url, **values)]
    return {"topic": _part("Topic", name=found.title), "posts": posts}


def _article_list(result: MainText, url: str) -> dict[str, Any]:
    articles = [
        _part(
            "ArticleFromList",
            url=entry.url,
            headline=entry.title,
            articleBody=entry.text,
            datePublished=_utc(entry.date),
            authors=entry.author and [_part("Author", name=entry.author)],
            mainImage=_part("Image", url=entry.image),
        )
        for entry in result.entries
    ]
    return {"canonicalUrl": result.canonical_url, "articles": articles}


def _product_list(result: MainText, url: str) -> dict[str, Any]:
    products = [
        _part(
            "ProductFromList",
            url=entry.url,
            name=entry.title,
            price=amount(entry.price),
            currencyRaw=sign_of(entry.price),
            mainImage=_part("Image", url=entry.image),
        )
        for entry in result.entries
    ]
    return {
        "canonicalUrl": result.canonical_url,
        "paginationNext": _part("Link", url=result.next_page),
        "products": products,
    }


def _of_page(found: Metadata) -> dict[str, Any]:
    """The fields that an Article and a Product have alike."""
    path = [_part("Breadcrumb", name=b.name, url=b.url) for b in found.breadcrumbs]
    return {
        "canonicalUrl": found.canonical_url,
        "breadcrumbs": path,
        "mainImage": _part("Image", url=found.image),
        "images": _media("Image", found.images),
    }


def _published(found: Metadata) -> dict[str, Any]:
    return {
        "datePublished": _utc(found.published),
        "datePublishedRaw": found.published_raw or found.published,
    }


def _utc(date: str) -> str | None:
    """A date in the form of zyte-common-items: with a time, in UTC if it has a zone."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:  # "", or a time as the page writes it
        return None
    if moment.tzinfo is None:
        return moment.isoformat(timespec="seconds")
    return moment.astimezone(timezone.utc).strftime(_UTC)


_VALUES = {
    "Article": _article,
    "Product": _product,
    "ForumThread": _forum_thread,
    "JobPosting": _job_posting,
    "ArticleList": _article_list,
    "ProductList": _product_list,
}


class _Provider(PageObjectInputProvider):
    async def __call__(
        self,
        to_provide: AbstractSet[Callable[..., Any]],
        request: Request,
        response: Response,
    ) -> Sequence[Any]:
        result = attached(request, response) or main_text(response)
        return [
            result if cls is MainText else item(cls.__name__, result, response.url)
            for cls in to_provide
        ]


class MainTextProvider(_Provider):
    """Gives the MainText that the downloader middleware attached, or else main_text()."""

    provided_classes = {MainText}  # noqa: RUF012 - as scrapy-poet has it
    name = "eatext_main_text"


class ArticleProvider(_Provider):
    """Gives items of zyte-common-items, made of a page's main text and metadata."""

    provided_classes = (
        set() if common is None else {getattr(common, name) for name in _VALUES}
    )
    name = "eatext_article"


def _stored(result: MainText) -> dict[str, bytes]:
    # The reader of the JSON has no page to compute missing attributes from.
    whole = result if result.source is None else result.detached()
    return {"json": json.dumps(whole.as_dict()).encode()}


def _restored(cls: type[MainText], data: dict[str, bytes]) -> MainText:
    return cls.from_dict(json.loads(data["json"]))


register_serialization(_stored, _restored)
