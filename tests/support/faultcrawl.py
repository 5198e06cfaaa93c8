"""A crawl in a process of its own, for tests that interrupt it.

``python -m tests.support.faultcrawl FOLDER SETTINGS URL...`` appends the URL of each
callback to FOLDER/callbacks, items to FOLDER/items.jsonl, and writes its stats
to FOLDER/stats.json at the end.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess

from tests.support.crawling import UrlSpider


class FaultSpider(UrlSpider):
    name = "fault"

    def parse(self, response):
        with (self.folder / "callbacks").open("a") as file:
            file.write(f"{response.url}\n")
        yield from super().parse(response)

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.write_stats, signals.engine_stopped)
        return spider

    def write_stats(self):
        stats = self.crawler.stats.get_stats()
        (self.folder / "stats.json").write_text(json.dumps(stats, default=str))


def main(folder: str, settings: str, *urls: str) -> None:
    # A process, as this one, may be started without `__name__` being "__main__".
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"scrapy_eatext.Addon": 500},
            "EATEXT_ALGORITHM": "tests.support.algorithms.Slow",
            "FEEDS": {f"{folder}/items.jsonl": {"format": "jsonlines"}},
            "REMOTE_CONTROL_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            **json.loads(settings),
        }
    )
    process.crawl(FaultSpider, folder=Path(folder), urls=urls)
    process.start()


main(*sys.argv[1:])
