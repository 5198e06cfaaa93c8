"""Yield raw HTML and let the pipeline turn it into main text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.http import HtmlResponse

from example.spiders.pages import PagesSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request
    from scrapy.http import Response


class RawSpider(PagesSpider):
    """Items have their page in ``html``, which the pipeline removes."""

    name = "raw"
    custom_settings: ClassVar[dict[str, Any]] = {"EATEXT_HTML_FIELD": "html"}

    async def start(self) -> AsyncIterator[Request]:
        async for request in super().start():
            # Nothing is extracted from responses, only from items.
            request.meta["eatext"] = False
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield {
            "url": response.url,
            "title": response.css("title::text").get(""),
            "main_text": "",
            "html": response.text,
        }
        yield from response.follow_all(
            self.links.extract_links(response), meta={"eatext": False}
        )
