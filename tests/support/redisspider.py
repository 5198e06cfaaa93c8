"""A crawl that shares its queue with others through Redis, as a program.

``python -m tests.support.redisspider SETTINGS FILE URL ...`` writes its items to standard
output.  It begins when the file is there.  The module is also a SCHEDULER_SERIALIZER of
scrapy-redis, which queues requests in JSON; docs/howto.md has its two functions.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import DontCloseSpider

PAGES = 24
# Seconds that a process without requests waits for those of the others.
WAIT = 4.0


def dumps(request: dict[str, Any]) -> str:
    headers = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in request["headers"].items()
    }
    body = request["body"].decode("latin-1")
    return json.dumps({**request, "headers": headers, "body": body})


def loads(data: bytes) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(data)
    return {**request, "body": request["body"].encode("latin-1")}


class TreeSpider(scrapy.Spider):
    """Follows a tree of pages, with the whole meta of each response."""

    name = "tree"
    start_urls: list[str]
    idle_since = 0.0

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.wait, scrapy.signals.spider_idle)
        return spider

    def wait(self):
        self.idle_since = self.idle_since or time.monotonic()
        if time.monotonic() - self.idle_since < WAIT:
            raise DontCloseSpider

    go: str

    async def start(self):
        # Processes that start together crawl together.
        print(json.dumps({"ready": True}), flush=True)
        while not Path(self.go).exists():  # noqa: ASYNC110, ASYNC240
            await asyncio.sleep(0.05)
        for url in self.start_urls:
            again = self.settings.getbool("TREE_AGAIN")
            meta = {"eatext": {"min_chars": 5}}
            yield scrapy.Request(url, meta=meta, dont_filter=again)

    def parse(self, response):
        self.idle_since = 0.0
        yield {"url": response.url, "keys": sorted(response.meta)}
        number = int(response.url.rpartition("/")[2])
        for child in (2 * number + 1, 2 * number + 2):
            if child < PAGES:
                url = response.urljoin(f"/word/{child}")
                yield scrapy.Request(url, meta=response.meta)


def main() -> None:
    settings, go, *urls = sys.argv[1:]
    said = {
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        **json.loads(settings),
    }
    process = AsyncCrawlerProcess(said)
    crawler = process.create_crawler(TreeSpider)

    def scraped(item: object) -> None:
        print(json.dumps({"item": item}), flush=True)

    def closed() -> None:
        stats = {k: v for k, v in crawler.stats.get_stats().items() if "eatext" in k}
        print(json.dumps({"stats": stats}), flush=True)

    crawler.signals.connect(scraped, scrapy.signals.item_scraped)
    crawler.signals.connect(closed, scrapy.signals.spider_closed)
    process.crawl(crawler, start_urls=urls, go=go)
    process.start()


if __name__ == "__main__":
    main()
