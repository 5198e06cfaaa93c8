"""MainText, and items of zyte-common-items, as dependencies of callbacks and pages.

With scrapy-poet (the extra ``poet``) in a project, and

    SCRAPY_POET_PROVIDERS = {"scrapy_eatext.poet.MainTextProvider": 500}

a callback or page object that names ``MainText`` gets the page's result.  With
ArticleProvider beside it, and zyte-common-items installed, ``Article`` works too, and
so do ``Product``, ``ForumThread``, ``ArticleList`` and ``ProductList``.

Importing this module lets web-poet store results, in SCRAPY_POET_CACHE and in fixtures
of tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime, timezone
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

from scrapy_eatext.crawl.callbacks import main_text
from scrapy_eatext.crawl.extractor import attached
from scrapy_eatext.metadata.prices import amount, sign_of
from scrapy_eatext.result import Entry, MainText, Media, Metadata, Product

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
# Kinds of a product's number by its length.
_GTINS = {8: "gtin8", 12: "upc", 13: "gtin13", 14: "gtin14"}


def page_object(result: MainText, url: str) -> Any:
    """A result as the item of zyte-common-items that is for its kind of page."""
    return _FOR_TYPES.get(result.page_type, article)(result, url)


def article(result: MainText, url: str) -> Any:
    """A result as an Article of zyte-common-items; unknown fields are None."""
    made = _items()
    found = result.metadata
    return made.Article(
        **_of_page(result, url),
        headline=found.title or None,
        authors=[made.Author(name=name) for name in found.authors] or None,
        datePublished=_utc(found.published),
        datePublishedRaw=found.published_raw or found.published or None,
        dateModified=_utc(found.modified),
        dateModifiedRaw=found.modified_raw or found.modified or None,
        description=found.description or None,
        inLanguage=result.language or found.language or None,
        videos=_of_media(made.Video, found.videos),
        articleBody=result.text or None,
        articleBodyHtml=result.html or None,
        metadata=made.ArticleMetadata(dateDownloaded=_now(), probability=result.score),
    )


def product(result: MainText, url: str) -> Any:
    """A result as a Product; without one in it, with its title and text alone."""
    made = _items()
    found = result.metadata
    sold = result.product or Product()
    rated = made.AggregateRating(
        ratingValue=sold.rating or None,
        bestRating=sold.best_rating or None,
        reviewCount=sold.rating_count or None,
    )
    return made.Product(
        **_of_page(result, url),
        name=sold.name or found.title or None,
        price=sold.price or None,
        currency=sold.currency or None,
        availability=_AVAILABLE.get(sold.availability),
        brand=made.Brand(name=sold.brand) if sold.brand else None,
        sku=sold.sku or None,
        gtin=[made.Gtin(type=_GTINS[len(sold.gtin)], value=sold.gtin)]
        if len(sold.gtin) in _GTINS
        else None,
        aggregateRating=rated if sold.rating else None,
        description=result.text or found.description or None,
        descriptionHtml=result.html or None,
        metadata=made.ProductMetadata(dateDownloaded=_now(), probability=result.score),
    )


def job_posting(result: MainText, url: str) -> Any:
    """A result as a JobPosting: its title and text, and what its data say of the job."""
    made = _items()
    found = result.metadata
    job = _job(result)

    def of(*path: str) -> str | None:
        return _at(job, path)

    employer = of("hiringOrganization", "name") or of("hiringOrganization")
    place = ("jobLocation", "address")
    parts = ("streetAddress", "addressLocality", "addressRegion", "addressCountry")
    where = ", ".join(filter(None, (of(*place, part) for part in parts))) or of(*place)
    until = of("validThrough")
    return made.JobPosting(
        url=url,
        jobTitle=of("title") or found.title or None,
        headline=found.title or None,
        datePublished=_utc(found.published),
        datePublishedRaw=found.published_raw or found.published or None,
        description=result.text or None,
        descriptionHtml=result.html or None,
        employmentType=of("employmentType"),
        hiringOrganization=made.HiringOrganization(name=employer) if employer else None,
        jobLocation=made.JobLocation(raw=where) if where else None,
        validThrough=_utc(until or ""),
        validThroughRaw=until,
        metadata=made.JobPostingMetadata(
            dateDownloaded=_now(), probability=result.score
        ),
    )


def _job(result: MainText) -> Any:
    """The first job among a page's things, also those in a graph."""
    for thing in result.structured_data:
        graph = thing.values.get("@graph")
        for one in [thing.values, *(graph if isinstance(graph, list) else ())]:
            if isinstance(one, dict) and "JobPosting" in str(one.get("@type")):
                return one
    return None


def _at(value: Any, path: Sequence[str]) -> str | None:
    """The first text at a path of properties."""
    for name in (*path, ""):
        if isinstance(value, list):
            value = value[0] if value else None
        if name:
            value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None


def forum_thread(result: MainText, url: str) -> Any:
    """A result as a ForumThread: its posts, else one with the whole text."""
    made = _items()
    found = result.metadata
    thread = result.posts if result.page_type == "forum" else ()
    said = [(post.text, post.time) for post in thread if post.text]
    media = None if said else _of_media(made.Url, found.images)
    posts = [
        made.SocialMediaPost(
            url=url, text=text, datePublished=_utc(date), mediaUrls=media
        )
        for text, date in said or [(result.text, found.published)]
        if text
    ]
    return made.ForumThread(
        url=url,
        topic=made.Topic(name=found.title) if found.title else None,
        posts=posts or None,
        metadata=made.ForumThreadMetadata(dateDownloaded=_now()),
    )


def article_list(result: MainText, url: str) -> Any:
    """A result as an ArticleList: its entries."""
    made = _items()
    articles = [
        made.ArticleFromList(
            url=entry.url or None,
            headline=entry.title,
            articleBody=entry.text or None,
            datePublished=_utc(entry.date),
            authors=[made.Author(name=entry.author)] if entry.author else None,
            mainImage=_image(entry),
        )
        for entry in result.entries
    ]
    return made.ArticleList(
        url=url,
        canonicalUrl=result.canonical_url or None,
        articles=articles or None,
        metadata=made.ArticleListMetadata(dateDownloaded=_now()),
    )


def product_list(result: MainText, url: str) -> Any:
    """A result as a ProductList: its entries."""
    made = _items()
    products = [
        made.ProductFromList(
            url=entry.url or None,
            name=entry.title,
            price=amount(entry.price) or None,
            currencyRaw=sign_of(entry.price) or None,
            mainImage=_image(entry),
        )
        for entry in result.entries
    ]
    return made.ProductList(
        url=url,
        canonicalUrl=result.canonical_url or None,
        products=products or None,
        metadata=made.ProductListMetadata(dateDownloaded=_now()),
    )


def _list(result: MainText, url: str) -> Any:
    """A result as a ProductList if most of its entries have prices, or an ArticleList."""
    priced = sum(bool(entry.price) for entry in result.entries)
    make = product_list if priced * 2 > len(result.entries) else article_list
    return make(result, url)


_MAKERS = {
    "Article": article,
    "Product": product,
    "ForumThread": forum_thread,
    "JobPosting": job_posting,
    "ArticleList": article_list,
    "ProductList": product_list,
}
# The makers for types of pages.
_FOR_TYPES = {"product": product, "forum": forum_thread,
              "collection": _list, "listing": _list}  # fmt: skip


class _Provider(PageObjectInputProvider):
    async def __call__(
        self,
        to_provide: AbstractSet[Callable[..., Any]],
        request: Request,
        response: Response,
    ) -> Sequence[Any]:
        result = attached(request, response) or main_text(response)
        return [
            result if cls is MainText else _MAKERS[cls.__name__](result, response.url)
            for cls in to_provide
        ]


class MainTextProvider(_Provider):
    """Gives the MainText that the downloader middleware attached, else a new one.

    The new one is made by the settings of the crawl, as main_text() makes it.
    """

    provided_classes = {MainText}  # noqa: RUF012 - as scrapy-poet has it
    name = "eatext_main_text"


class ArticleProvider(_Provider):
    """Gives zyte-common-items' items, made of a page's main text and metadata.

    They are Article and, as far as a page has it, Product, ForumThread, ArticleList
    and ProductList.
    """

    provided_classes = (
        set() if common is None else {getattr(common, name) for name in _MAKERS}
    )
    name = "eatext_article"


def _items() -> Any:
    if common is None:
        raise ImportError("this needs zyte-common-items: pip install zyte-common-items")
    return common


def _of_media(kind: Any, media: Sequence[Media]) -> list[Any] | None:
    return [kind(url=one.url) for one in media] or None


def _of_page(result: MainText, url: str) -> dict[str, Any]:
    """The fields that an Article and a Product have alike."""
    found = result.metadata
    path = [
        common.Breadcrumb(name=one.name, url=one.url or None)
        for one in found.breadcrumbs
    ]
    return {
        "url": url,
        "canonicalUrl": found.canonical_url or None,
        "breadcrumbs": path or None,
        "mainImage": _image(found),
        "images": _of_media(common.Image, found.images),
    }


def _image(found: Metadata | Entry) -> Any:
    return common.Image(url=found.image) if found.image else None


def _now() -> str:
    return datetime.now(timezone.utc).strftime(_UTC)


def _utc(date: str) -> str | None:
    """A date as zyte-common-items wants it: with a time, in UTC if it has a zone."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:  # "", or a time as the page writes it
        return None
    if moment.tzinfo is None:
        return moment.isoformat(timespec="seconds")
    return moment.astimezone(timezone.utc).strftime(_UTC)


def _stored(result: MainText) -> dict[str, bytes]:
    # The reader of the JSON has no page to compute missing attributes from.
    whole = result if result.source is None else result.detached()
    return {"json": json.dumps(whole.as_dict()).encode()}


def _restored(cls: type[MainText], data: dict[str, bytes]) -> MainText:
    return cls.from_dict(json.loads(data["json"]))


register_serialization(_stored, _restored)
