"""Extract every page with two algorithms, chosen request by request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.http import HtmlResponse

from example.items import JudgedItem
from example.spiders.pages import PagesSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request
    from scrapy.http import Response


class CompareSpider(PagesSpider):
    """Two items a page, by two algorithms: ``-a algorithms=justext,eatiht``."""

    name = "compare"
    custom_settings: ClassVar[dict[str, Any]] = {
        "EATEXT_FIELDS": {
            "main_text": "text",
            "algorithm": "algorithm",
            "version": "version",
            "score": "score",
        },
    }

    def __init__(
        self, *args: Any, algorithms: str = "justext,eatiht", **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.first, _, self.second = algorithms.partition(",")

    async def start(self) -> AsyncIterator[Request]:
        async for request in super().start():
            request.meta["eatext"] = {"algorithm": self.first}
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        if not isinstance(response, HtmlResponse):
            return
        yield JudgedItem(response.url)
        # Request the page again, for the other algorithm.
        yield response.request.replace(
            url=response.url,
            callback=self.parse_again,
            meta={"eatext": {"algorithm": self.second}},
            dont_filter=True,
        )
        yield from response.follow_all(
            self.links.extract_links(response),
            meta={"eatext": {"algorithm": self.first}},
        )

    def parse_again(self, response: Response) -> Iterator[JudgedItem]:
        yield JudgedItem(response.url)
