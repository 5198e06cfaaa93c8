"""The add-on, which enables all components of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_eatext.crawl.downloadermiddleware import EatextDownloaderMiddleware
from scrapy_eatext.crawl.pipelines import EatextPipeline
from scrapy_eatext.crawl.spidermiddleware import EatextSpiderMiddleware

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_COMPONENTS = (
    # Below RetryMiddleware (550), and above the middlewares of project templates and
    # scrapy-poet (543), so that these can read the text.
    ("DOWNLOADER_MIDDLEWARES", EatextDownloaderMiddleware, 545),
    # Next to the engine, after every middleware that makes or replaces items.
    ("SPIDER_MIDDLEWARES", EatextSpiderMiddleware, 40),
    # Before pipelines that check or store items.
    ("ITEM_PIPELINES", EatextPipeline, 100),
)


class Addon:
    """``ADDONS = {"scrapy_eatext.Addon": 500}`` enables everything.

    A component that is in the project's settings keeps the priority given there.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        for key, component, priority in _COMPONENTS:
            settings.setdefault_in_component_priority_dict(key, component, priority)
