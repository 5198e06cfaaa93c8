"""MainText, and zyte-common-items' Article, as dependencies of callbacks and pages.

With scrapy-poet (the extra ``poet``) in a project, and

    SCRAPY_POET_PROVIDERS = {"scrapy_eatext.poet.MainTextProvider": 500}

a callback or page object that names ``MainText`` gets the page's result.  With
ArticleProvider beside it, and zyte-common-items installed, ``Article`` works too.
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
        "scrapy_eatext.poet needs scrapy-poet: pip install scrapy-eatext[poet]"
    ) from error
from scrapy import Request  # noqa: TC002 - scrapy-poet reads the annotations
from scrapy.http import Response, TextResponse
from web_poet.serialization import register_serialization

from scrapy_eatext.extraction import extract
from scrapy_eatext.result import MainText
from scrapy_eatext.service import attached

try:
    common: Any = import_module("zyte_common_items")
except ImportError:
    common = None


class MainTextProvider(PageObjectInputProvider):
    """Gives the MainText that the downloader middleware attached, else a new one."""

    provided_classes = {MainText}  # noqa: RUF012 - as scrapy-poet has it
    name = "eatext_main_text"

    async def __call__(
        self,
        to_provide: AbstractSet[Callable[..., Any]],
        request: Request,
        response: Response,
    ) -> Sequence[Any]:
        return [_main_text(request, response)]


class ArticleProvider(PageObjectInputProvider):
    """Gives zyte-common-items' Article, made of a page's main text and metadata."""

    provided_classes = set() if common is None else {common.Article}
    name = "eatext_article"

    async def __call__(
        self,
        to_provide: AbstractSet[Callable[..., Any]],
        request: Request,
        response: Response,
    ) -> Sequence[Any]:
        return [article(_main_text(request, response), response.url)]


def article(result: MainText, url: str) -> Any:
    """A result as an Article of zyte-common-items; unknown fields are None."""
    if common is None:
        raise ImportError(
            "Article needs zyte-common-items: pip install zyte-common-items"
        )
    found = result.metadata
    return common.Article(
        url=url,
        canonicalUrl=found.canonical_url or None,
        headline=found.title or None,
        authors=[common.Author(name=name) for name in found.authors] or None,
        datePublished=_utc(found.published),
        datePublishedRaw=found.published or None,
        dateModified=_utc(found.modified),
        dateModifiedRaw=found.modified or None,
        description=found.description or None,
        inLanguage=result.language or found.language or None,
        mainImage=common.Image(url=found.image) if found.image else None,
        articleBody=result.text or None,
        articleBodyHtml=result.html or None,
        metadata=common.ArticleMetadata(probability=result.score),
    )


def _main_text(request: Request, response: Response) -> MainText:
    if found := attached(request, response):
        return found
    if not isinstance(response, TextResponse):
        return extract(b"", url=response.url)
    return extract(response)


def _utc(date: str) -> str | None:
    """A date as zyte-common-items wants it: with a time, in UTC."""
    if not date:
        return None
    moment = datetime.fromisoformat(date)
    if moment.tzinfo is not None:
        moment = moment.astimezone(timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _stored(result: MainText) -> dict[str, bytes]:
    # The reader of the JSON has no page to compute missing attributes from.
    whole = result if result.source is None else result.detached()
    return {"json": json.dumps(whole.as_dict()).encode()}


def _restored(cls: type[MainText], data: dict[str, bytes]) -> MainText:
    return cls.from_dict(json.loads(data["json"]))


register_serialization(_stored, _restored)
