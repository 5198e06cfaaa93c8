"""Main-text extraction for Scrapy crawls."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_eatext.crawl.components import (
        Addon,
        ChunkItemExporter,
        EatextDownloaderMiddleware,
        EatextSpiderMiddleware,
    )
    from scrapy_eatext.crawl.pipelines import EatextPipeline
    from scrapy_eatext.crawl.service import main_text
    from scrapy_eatext.extraction import extract
    from scrapy_eatext.feeds import ParquetItemExporter
    from scrapy_eatext.page.walk import compiled
    from scrapy_eatext.result import Block, MainText

__all__ = [
    "Addon",
    "Block",
    "ChunkItemExporter",
    "EatextDownloaderMiddleware",
    "EatextPipeline",
    "EatextSpiderMiddleware",
    "MainText",
    "ParquetItemExporter",
    "compiled",
    "extract",
    "main_text",
]
__version__ = "0.1.0"

# numpy's OpenBLAS starts threads that look for work without pause before they sleep.
# That takes nearly as much processor time as all imports of a crawl's start.  So they
# sleep at once, unless the user has set the variable.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

# The module of each public name.  Modules are loaded on first use, so that importing
# the package, as `scrapy` does with every command, costs nothing.
_HOMES = {
    "Addon": "crawl.components",
    "Block": "result",
    "ChunkItemExporter": "crawl.components",
    "EatextDownloaderMiddleware": "crawl.components",
    "EatextPipeline": "crawl.pipelines",
    "EatextSpiderMiddleware": "crawl.components",
    "MainText": "result",
    "ParquetItemExporter": "feeds",
    "compiled": "page.walk",
    "extract": "extraction",
    "main_text": "crawl.service",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
