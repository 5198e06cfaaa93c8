"""Crawlers that go from a site's address to its pages, each as its documentation says.

    pip install 'trafilatura>=2' newspaper4k py3langid Scrapy

``python -m benchmarks.crawlers NAME START KINDS LANGUAGE LIMIT`` prints the address of
each page as it is yielded.  The environment's ``http_proxy`` answers for all hosts, and
nobody waits between requests.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import urlsplit


class Task(NamedTuple):
    start: str
    kinds: str
    language: str
    limit: int  # of requests

    @classmethod
    def of(cls, start: str, kinds: str, language: str, limit: str) -> Task:
        return cls(start, kinds, language, int(limit))


def _crawl(spider: Any, **arguments: Any) -> None:
    from scrapy import signals
    from scrapy.crawler import CrawlerProcess

    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "AUTOTHROTTLE_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "ERROR",
        }
    )
    crawler = process.create_crawler(spider)

    def scraped(item: Any) -> None:
        print(item["url"], flush=True)

    crawler.signals.connect(scraped, signals.item_scraped)
    process.crawl(crawler, **arguments)
    process.start()


def eatext(task: Task) -> None:
    spider = import_module("scrapy_eatext.spiders").SiteSpider
    _crawl(spider, urls=task.start, kinds=task.kinds, language=task.language)


def plain(task: Task) -> None:
    """Scrapy's CrawlSpider, which follows each link of the host and yields each page."""
    from scrapy.linkextractors import LinkExtractor
    from scrapy.spiders import CrawlSpider, Rule

    class Plain(CrawlSpider):
        name = "plain"
        start_urls = (task.start,)
        allowed_domains = (urlsplit(task.start).hostname,)
        rules = (Rule(LinkExtractor(), callback="page", follow=True),)

        def page(self, response: Any) -> Iterator[dict[str, str]]:
            yield {"url": response.url}

    _crawl(Plain)


def trafilatura(task: Task) -> None:
    """The links of sitemaps and of the focused crawler, each downloaded and extracted.

    Half of the requests are for each of the two.  Pages are yielded that have text.
    """
    # It takes a proxy for one of SOCKS.
    proxy = urlsplit(os.environ.pop("http_proxy"))
    resolve = socket.getaddrinfo
    socket.getaddrinfo = lambda host, port, *rest, **named: resolve(
        proxy.hostname, proxy.port, *rest, **named
    )
    package = import_module("trafilatura")
    config = import_module("trafilatura.settings").DEFAULT_CONFIG
    config["DEFAULT"]["SSRF_PROTECTION"] = "off"
    config["DEFAULT"]["SLEEP_TIME"] = "0"
    language = task.language or None
    links = import_module("trafilatura.sitemaps").sitemap_search(
        task.start, target_lang=language, sleep_time=0
    )
    _, known = import_module("trafilatura.spider").focused_crawler(
        task.start, max_seen_urls=task.limit // 2, lang=language
    )
    for link in dict.fromkeys([*links, *known]):
        page = package.fetch_url(link)
        if page and package.extract(page, url=link, target_language=language):
            print(link, flush=True)


def newspaper(task: Task) -> None:
    """The articles that newspaper4k's source has, each downloaded and parsed."""
    source = import_module("newspaper").Source(
        task.start,
        memorize_articles=False,
        disable_category_cache=True,
        honor_robots_txt=True,
        number_threads=4,
        **({"language": task.language} if task.language else {}),
    )
    source.build()
    for article in source.download_articles():
        article.parse()
        if article.text:
            print(article.url, flush=True)


# Each crawler with the package that holds it.
CRAWLERS: dict[str, tuple[str, Callable[[Task], None]]] = {
    "eatext": ("scrapy-eatext", eatext),
    "trafilatura": ("trafilatura", trafilatura),
    "newspaper4k": ("newspaper4k", newspaper),
    "CrawlSpider": ("Scrapy", plain),
}

if __name__ == "__main__":
    CRAWLERS[sys.argv[1]][1](Task.of(*sys.argv[2:]))
