"""`scrapy eatext`: the main text of one page, and how it was decided on."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

# Scrapy loads every command whichever is run: what this one needs is imported
# when it runs.
if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_eatext.choice import Choice
    from scrapy_eatext.commands.show import Run
    from scrapy_eatext.page import Page

_FORMATS = "text, markdown, html, json (all there is to know) or blocks (a table)"


class Command(ScrapyCommand):
    """Prints the main text of a page from a URL, a file or standard input."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] <url, file or -> | train <folder> | evaluate <folder>"

    def short_desc(self) -> str:
        return "Print the main text of a page"

    def long_desc(self) -> str:
        return (
            "Extract the main text of a page and print it, as text, Markdown or HTML,"
            " as JSON with all that is known of it, or as a table of the page's blocks"
            " with score and reason."
            " The page is fetched with Scrapy if a URL is given, else read from a"
            " file, or from standard input if the file is -. The EATEXT_* settings of"
            " the project hold; --algorithm and --options override them. `train` and"
            " `evaluate` train models and score algorithms on a folder of labelled"
            " pages; the documentation's page on training has their options."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "-a",
            "--algorithm",
            metavar="NAME",
            help="the algorithm, or several with commas between: the first whose"
            " text passes",
        )
        parser.add_argument(
            "--options",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an option of the algorithm (may be repeated), or JSON with options",
        )
        parser.add_argument(
            "-f",
            "--format",
            default="text",
            metavar="FORMAT",
            help=f"{_FORMATS} (default: text)",
        )
        parser.add_argument(
            "--compare",
            metavar="NAMES",
            help="algorithms with commas between, to be shown side by side",
        )
        parser.add_argument(
            "--url", default="", help="the URL that a file or standard input is from"
        )
        parser.add_argument("--spider", help="fetch the URL with this spider")

    def run(self, args: list[str], opts: Namespace) -> None:
        """Extract one page; the exit code is 1 where there is none."""
        from scrapy_eatext.choice import SettingError
        from scrapy_eatext.commands.show import FORMATS

        if args and args[0] in ("train", "evaluate"):
            self.exitcode = _learning(args, opts)
            return
        if len(args) != 1:
            raise UsageError
        if opts.format not in FORMATS:
            allowed = ", ".join(FORMATS)
            raise UsageError(
                f"--format is {opts.format!r}, it must be one of {allowed}"
            )
        if opts.compare and opts.format != "text":
            raise UsageError(
                f"--format is {opts.format!r}, it must be left out with --compare",
                print_help=False,
            )
        try:
            self._run(args[0], opts)
        except SettingError as error:
            raise UsageError(str(error), print_help=False) from error

    def _run(self, where: str, opts: Namespace) -> None:
        from w3lib.url import is_url

        # Scrapy sets them before it runs a command.
        settings = cast("BaseSettings", self.settings)
        page: Any
        # Wrong options are told before anything is fetched or read.
        if where != "-" and is_url(where):
            crawler, found = self._made(where, opts)
            settings = crawler.settings
            _choice("", opts, settings)
            page = self._fetch(where, crawler, found)
            url = page.url if page is not None else ""
        else:
            _choice("", opts, settings)
            page, url = self._read(where), opts.url
        if page is None:
            self.exitcode = 1
            return
        choice = _choice(url, opts, settings)
        try:
            shown = _extracted(page, url, choice, opts)
        except Exception as error:  # noqa: BLE001
            self._fail(f"{type(error).__name__}: {error}")
        else:
            _print(shown)

    def _read(self, where: str) -> bytes | None:
        if where == "-":
            return sys.stdin.buffer.read()
        try:
            return Path(where).read_bytes()
        except OSError as error:
            self._fail(f"{where}: {error.strerror or error}")
            return None

    def _made(self, url: str, opts: Namespace) -> tuple[Crawler, list[Response]]:
        """A crawler that is to get one page, and where it will put the response.

        Its settings are those of the project and of a spider.
        """
        from scrapy import Request
        from scrapy.utils.spider import DefaultSpider, spidercls_for_request

        process = cast("CrawlerProcessBase", self.crawler_process)
        found: list[Response] = []

        def keep(response: Response) -> None:
            found.append(response)

        def lose(failure: Any) -> None:
            response = getattr(failure.value, "response", None)
            status = "" if response is None else f" ({response.status})"
            self._fail(f"{url}: {failure.getErrorMessage()}{status}")

        # The components of a project need not extract it too.
        request = Request(
            url, callback=keep, errback=lose, dont_filter=True, meta={"eatext": False}
        )
        loader = process.spider_loader
        spider: type[Spider]
        if opts.spider:
            try:
                spider = loader.load(opts.spider)
            except KeyError:
                message = f"--spider is {opts.spider!r}: there is no such spider"
                raise UsageError(message, print_help=False) from None
        else:
            spider = spidercls_for_request(loader, request, DefaultSpider)

        async def start(self: Spider) -> AsyncIterator[Any]:
            yield request

        one_page = type(spider.__name__, (spider,), {"start": start})
        return process.create_crawler(one_page), found

    def _fetch(
        self, url: str, crawler: Crawler, found: list[Response]
    ) -> Response | None:
        """The response from a URL, None where there is none."""
        from scrapy.http import TextResponse

        process = cast("CrawlerProcessBase", self.crawler_process)
        process.crawl(crawler)
        process.start()
        if process.bootstrap_failed:
            self.exitcode = 1
        for response in found:
            if isinstance(response, TextResponse):
                return response
            self._fail(f"{url}: the response is no text")
        return None

    def _fail(self, message: str) -> None:
        print(f"scrapy eatext: {message}", file=sys.stderr)
        self.exitcode = 1


def _choice(url: str, opts: Namespace, settings: BaseSettings) -> Choice:
    """How to extract the page at a URL, by settings and the command line."""
    from scrapy_eatext.choice import SettingError, check_loadable
    from scrapy_eatext.settings import Config

    config = Config.from_settings(settings)
    # A site that is off is extracted where it is asked for by hand.
    choice = config.choice_for(url) or config.choice
    if opts.algorithm is not None:
        choice = _changed(choice, _names(opts.algorithm), "--algorithm")
    if opts.compare is not None:
        choice = _changed(choice, _names(opts.compare), "--compare")
    if opts.options:
        said = {"options": _options(opts.options)}
        try:
            choice = _changed(choice, said, "--options")
        except SettingError as error:
            key = error.key.replace("['options']", "", 1)
            raise SettingError(key, error.value, error.allowed) from error
    check_loadable(choice, "--algorithm", "--options")
    return choice


def _extracted(html: Any, url: str, choice: Choice, opts: Namespace) -> str:
    from scrapy_eatext.commands.show import comparison, printable, show
    from scrapy_eatext.page import Page

    page = Page.of(html, url or None)
    if opts.compare is not None:
        texts = [page.blocks.text(i) for i in range(len(page.blocks))]
        # The first time an algorithm loads what it needs, so the second counts.
        for name in choice.algorithms:
            _timed(name, page, choice)
        runs = [_timed(name, page, choice) for name in choice.algorithms]
        return comparison(runs, texts)
    for name in choice.algorithms:
        result = _timed(name, page, choice).result
        if choice.passes(result.text, result.score):
            break
    else:
        if choice.below != "keep":
            result = result.without_text()
    shown = show(result, opts.format)
    return shown if opts.format == "json" else printable(shown)


def _timed(name: str, page: Page, choice: Choice) -> Run:
    from scrapy_eatext.algorithms import get_algorithm
    from scrapy_eatext.commands.show import Run
    from scrapy_eatext.rendering import run

    algorithm = get_algorithm(name, choice.options.get(name))
    started = time.perf_counter()
    result = run(algorithm, page, blocks=True, rules=(choice.keep, choice.remove))
    return Run(name, result, time.perf_counter() - started)


def _changed(choice: Choice, said: object, key: str) -> Choice:
    from scrapy_eatext.choice import overridden

    return cast("Choice", overridden(choice, said, key))


def _names(value: str) -> str | list[str]:
    names = [name.strip() for name in value.split(",")]
    return names if len(names) > 1 else names[0]


def _options(given: list[str]) -> dict[str, Any]:
    """Options from NAME=VALUE, in which values are JSON or else words, or from JSON."""
    options: dict[str, Any] = {}
    for part in given:
        if part.lstrip().startswith("{"):
            try:
                options |= json.loads(part)
            except ValueError as error:
                raise UsageError(f"--options is no JSON: {error}") from error
            continue
        name, sign, value = part.partition("=")
        if not sign:
            raise UsageError(f"--options is {part!r}, it must be NAME=VALUE or JSON")
        options[name.strip()] = value
        with suppress(ValueError):
            # JSON's numbers have a digit before the point.
            options[name.strip()] = json.loads(re.sub(r"^\.(?=\d)", "0.", value))
    return options


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        # Whoever reads it has read enough; nothing is to be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _learning(args: list[str], opts: Namespace) -> int:
    """Train or evaluate; the exit code."""
    from scrapy_eatext.learning.cli import main

    # Options that this command has as well, so its parser took them.
    given = []
    for name in (opts.algorithm or "").split(","):
        given += ["--algorithm", name] if name else []
    for option in opts.options:
        given += ["--options", option]
    return main([*args, *given], prog="scrapy eatext")
