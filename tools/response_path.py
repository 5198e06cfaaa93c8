"""The way of a response: which functions run from the middleware to the item's field.

A crawl without a network requests two pages with the add-on and the executor "inline".
Traced is the second page's way from EatextDownloaderMiddleware.process_response() until
EatextPipeline has filled its item, as what the first page starts is not started again.
Counted are the functions of the package but for the rooms that work on a page itself:
page/, tagger/, algorithms/, output/ and native/.

    python tools/response_path.py
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

import scrapy_eatext
from scrapy_eatext.result import MainText

PACKAGE = Path(scrapy_eatext.__file__).parent
_OF_THE_PAGE = {"page", "tagger", "algorithms", "output", "native"}
_TEXT = "A paragraph with enough words, and commas, to be the main text. " * 10


class TwoPages(scrapy.Spider):
    name = "two_pages"
    urls: ClassVar = [
        f"data:text/html,<title>Page {n}</title><h1>Page {n}</h1><p>{_TEXT}{n}</p>"
        for n in (1, 2)
    ]
    custom_settings: ClassVar = {
        "ADDONS": {"scrapy_eatext.Addon": 500},
        "EATEXT_ALGORITHM": "eatext",
        "EATEXT_EXECUTOR": "inline",
    }

    async def start(self) -> Any:
        yield scrapy.Request(self.urls[0])

    def start_requests(self) -> Any:  # before Scrapy 2.13
        yield scrapy.Request(self.urls[0])

    def parse(self, response: Any) -> Any:
        yield {"url": response.url}
        if "traced" not in response.meta:
            yield scrapy.Request(self.urls[1], meta={"traced": True})


class Trace:
    """The functions on the way of the second page, and the results made there.

    ``functions`` has the names of the functions by their modules, in the order of their
    first calls; what has no name, such as a generator, is part of the function in which
    it stands.
    """

    def __init__(self) -> None:
        self.functions: dict[str, list[str]] = {}
        self.results = 0
        self.item: Any = None
        self._known: set[CodeType] = set()
        self._on_way = False

    @contextmanager
    def running(self) -> Iterator[None]:
        """Trace what runs meanwhile, in threads that start meanwhile too."""
        threading.setprofile(self._handle)
        sys.setprofile(self._handle)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]

    @property
    def count(self) -> int:
        return sum(map(len, self.functions.values()))

    def _handle(self, frame: FrameType, event: str, value: Any) -> None:
        name = f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}"
        if event == "return" and name == "pipelines.process_item" and self._on_way:
            # What a coroutine gives when it waits is no item.
            if isinstance(value, dict):
                self.item = value
                self._on_way = False
        elif event == "call":
            if name == "components.process_response":
                self._on_way = "traced" in frame.f_locals["request"].meta
            if self._on_way:
                self._add(frame)

    def _add(self, frame: FrameType) -> None:
        code = frame.f_code
        if code.co_name == "__init__":
            self.results += isinstance(frame.f_locals.get("self"), MainText)
        path = Path(code.co_filename)
        if code in self._known or not path.is_relative_to(PACKAGE):
            return
        self._known.add(code)
        module = path.relative_to(PACKAGE)
        if module.parts[0] not in _OF_THE_PAGE and code.co_name[0] != "<":
            self.functions.setdefault(str(module), []).append(code.co_name)


def main() -> None:
    process = AsyncCrawlerProcess({"LOG_LEVEL": "ERROR"})
    process.crawl(TwoPages)
    trace = Trace()
    with trace.running():
        process.start()
    for module, names in trace.functions.items():
        print(f"{module} ({len(names)}): {', '.join(names)}")
    print(f"{trace.count} functions, {trace.results} MainText")


if __name__ == "__main__":
    main()
