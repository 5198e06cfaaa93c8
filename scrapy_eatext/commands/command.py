"""`scrapy eatext`: the main text of pages, and the reasons for it."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

# Scrapy loads every command whichever is run, so this one imports its modules when it
# runs.
if TYPE_CHECKING:
    from asyncio import Future

    from scrapy import Spider
    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from scrapy_eatext.commands.show import Run
    from scrapy_eatext.crawl.settings import Config
    from scrapy_eatext.execution.choice import Choice
    from scrapy_eatext.page import Page
    from scrapy_eatext.result import MainText

logger = logging.getLogger(__name__)

_FORMATS = "text, markdown, html, json (all there is to know) or blocks (a table)"
_LEARNING = ("train", "evaluate")
_ARCHIVES = ("archive", "diff")
# Words that stand in place of a page, each with options of its own.
_TASKS = (*_LEARNING, *_ARCHIVES, "learn", "review")
# Exceptions that fail one page; a library may raise SystemExit.
_BREAKS = (Exception, SystemExit)
# What ends a process that waits.
_ENDS = (signal.SIGINT, signal.SIGTERM)


class Command(ScrapyCommand):
    """Prints the main text of a page from a URL, a file, a folder or standard input."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return (
            "[options] <url, file, folder or -> | review <source> | learn <labels>"
            " | train <folder> | evaluate <folder>"
            " | archive <input>... --output <folder> | diff <old> <new>"
        )

    def short_desc(self) -> str:
        return "Print the main text of a page"

    def long_desc(self) -> str:
        return (
            "Extract the main text of a page and print it, as text, Markdown or HTML,"
            " as JSON with all that is known of it, or as a table of the page's blocks"
            " with score and reason."
            " The page is fetched with Scrapy if a URL is given, else read from a"
            " file, or from standard input if the file is -; it may be packed with gzip."
            " Of a folder each page becomes a line of JSON. The EATEXT_* settings of"
            " the project hold; --algorithm and --options override them. `review`"
            " shows pages in the browser, to be corrected; `learn` makes site files of"
            " the corrections; `train` and `evaluate` train models and score algorithms"
            " on a folder of labelled pages; `archive` extracts the pages of archives,"
            " and `diff` compares two runs of it. `review --help` shows the options of"
            " review, and so on."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        # No action="help", as train and evaluate have a help of their own.
        parser.add_argument(
            "-h", "--help", action="store_true", help="show this help message and exit"
        )
        self._parser = parser
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
        parser.add_argument(
            "--spider-arg",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="an argument of the spider, as -a of scrapy crawl (may be repeated)",
        )

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Show the help of this command, or of the task that is named."""
        super().process_options(args, opts)
        if not opts.help:
            return
        if args and args[0] in _TASKS:
            sys.exit(self._task([args[0], "--help"], opts))
        self._parser.print_help()
        sys.exit()

    def run(self, args: list[str], opts: Namespace) -> None:
        """Extract one page, or all in a folder.

        The exit code is 1 if a page cannot be fetched or read or an algorithm fails,
        and 2 if the command line or a setting is wrong.
        """
        from scrapy_eatext.commands.pages import FileError
        from scrapy_eatext.execution.choice import SettingError

        _check_usage(args, opts)
        try:
            if args[0] in _TASKS:
                self.exitcode = self._task(args, opts)
                return
            self._run(args[0], opts)
        except SettingError as error:
            self._fail(str(error), 2)
        except FileError as error:
            self._fail(str(error))

    def _task(self, args: list[str], opts: Namespace) -> int:
        """Run one of _TASKS; the exit code."""
        if args[0] in _LEARNING:
            return _learning(args, opts)
        if args[0] in _ARCHIVES:
            return _archives(args, opts, self.settings)
        from scrapy_eatext.commands import learn, review
        from scrapy_eatext.crawl.settings import Config

        config = Config.from_settings(cast("BaseSettings", self.settings))
        prog = f"scrapy eatext {args[0]}"
        if args[0] == "learn":
            return learn.main(args[1:], prog)
        return review.main(
            args[1:],
            prog,
            limits=config.limits,
            choose=lambda url: _choice(config, opts, url),
            sites=config.site_files,
            fetch=self._fetched,
        )

    def _fetched(self, urls: Sequence[str]) -> list[Response]:
        """The responses of some URLs, by the settings of the project."""
        from scrapy import Request
        from scrapy.utils.spider import DefaultSpider

        process = cast("CrawlerProcessBase", self.crawler_process)
        found: list[Response] = []

        def lose(failure: Any) -> None:
            print(
                f"scrapy eatext: {failure.request.url}: {failure.getErrorMessage()}",
                file=sys.stderr,
            )

        async def start(self: Spider) -> AsyncIterator[Any]:
            for url in urls:
                yield Request(
                    url,
                    callback=found.append,
                    errback=lose,
                    dont_filter=True,
                    meta={"eatext": False},
                )

        spider = type("review", (DefaultSpider,), {"start": start})
        process.crawl(process.create_crawler(spider))
        handlers = {name: signal.getsignal(name) for name in _ENDS}
        process.start()
        # Scrapy's handlers would not end what follows the crawl.
        for name, handler in handlers.items():
            signal.signal(name, handler)
        return found

    def _run(self, where: str, opts: Namespace) -> None:
        from w3lib.url import is_url

        from scrapy_eatext.commands.pages import read, unpacked
        from scrapy_eatext.crawl.settings import Config

        if where != "-" and is_url(where):
            if opts.url:
                raise UsageError(f"--url is for a file, not for {where}")
            arguments = _spider_arguments(opts)
            crawler, found = self._made(where, opts)
            # Report wrong options before anything is fetched or read.
            _choice(Config.from_settings(crawler.settings), opts)
            response = self._fetch(crawler, arguments, found)
            if response is not None:
                # By now add-ons may have changed the settings.
                config = Config.from_settings(crawler.settings)
                most = config.limits.max_size
                page = self._page(where, response, most)
                if page is not None:
                    self._one(page, response.url, config, opts)
            return
        for name in ("spider", "spider-arg"):
            if _given(opts, name):
                raise UsageError(f"--{name} is for a URL, not for {where}")
        # Scrapy sets them before it runs a command.
        config = Config.from_settings(cast("BaseSettings", self.settings))
        most = config.limits.max_size
        _choice(config, opts)
        if where == "-":
            data = unpacked(sys.stdin.buffer.read(), most)
            self._one(data, opts.url, config, opts)
        elif Path(where).is_dir():
            self._folder(Path(where), config, opts)
        else:
            self._one(read(Path(where), most), opts.url, config, opts)

    def _one(self, html: Any, url: str, config: Config, opts: Namespace) -> None:
        choice = _choice(config, opts, url)
        try:
            shown = self._shown(html, url, choice, opts)
        except _BREAKS as error:
            self._fail(_told(error))
        else:
            _print(shown)

    def _shown(self, html: Any, url: str, choice: Choice, opts: Namespace) -> str:
        from scrapy_eatext.commands.show import printable, show
        from scrapy_eatext.page import Page

        page = Page.of(html, url or None)
        if opts.compare is not None:
            return _comparison(page, choice)
        form = opts.format or "text"
        shown = show(self._result(page, choice), form, _encoding())
        return shown if form == "json" else printable(shown)

    def _folder(self, folder: Path, config: Config, opts: Namespace) -> None:
        """Print a line of JSON for each page, or with its error."""
        from scrapy_eatext.commands.pages import FileError, pages_in, progress, read
        from scrapy_eatext.commands.show import TEXTS, line, line_of_error
        from scrapy_eatext.deadline import time_limit
        from scrapy_eatext.page import Page

        form = opts.format or "text"
        for name, wrong in (
            ("format", form not in (*TEXTS, "json")),
            ("compare", opts.compare is not None),
            ("url", opts.url),
        ):
            if wrong:
                value = getattr(opts, name)
                raise UsageError(f"--{name} is {value!r}: it is not for a folder")
        files = pages_in(folder)
        if not files:
            self._fail(
                f"{folder} holds no pages: .html, .htm or .xhtml, with .gz or not"
            )
            return
        choice = _choice(config, opts)
        failed = 0
        for file in progress(files):
            name = file.relative_to(folder).as_posix()
            try:
                # The time limit of a crawl, as the other pages wait.
                with time_limit(config.limits.timeout):
                    page = Page.of(read(file, config.limits.max_size))
                    result = self._result(page, choice, name)
                    shown = line(name, result, form, _encoding())
            except _BREAKS as error:
                failed += 1
                error_told = (
                    str(error) if isinstance(error, FileError) else _told(error)
                )
                shown = line_of_error(name, error_told, _encoding())
            if not _print(shown):
                return
        if failed:
            self._fail(f"{failed} of {len(files)} pages failed")

    def _result(self, page: Page, choice: Choice, name: str = "") -> MainText:
        """A page's result; standard error names the algorithms that failed."""
        from scrapy_eatext.execution.cascade import Failure, cascade

        failures: list[Failure] = []
        result, kind = cascade(choice, page, failures)
        for failure in failures:
            told = f"{name}: " if name else ""
            print(
                f"scrapy eatext: {told}an algorithm failed with {failure.name}",
                file=sys.stderr,
            )
        if kind == "below" and choice.below == "drop":
            return result.without_text()
        return result

    def _made(self, url: str, opts: Namespace) -> tuple[Crawler, list[Response]]:
        """A crawler for one page, and the list that it will put the response into.

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

        # The project's components need not extract the page too.
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
        self, crawler: Crawler, arguments: dict[str, str], found: list[Response]
    ) -> Response | None:
        """The response that a crawl of one page finds, None if there is none.

        The spider is made with the arguments given on the command line.
        """
        from scrapy_eatext.execution.choice import SettingError

        process = cast("CrawlerProcessBase", self.crawler_process)
        errors: list[BaseException] = []
        crawl: Any = process.crawl(crawler, **arguments)
        # A task or a Deferred: an error that nobody takes from it is logged as a
        # traceback.
        if hasattr(crawl, "addErrback"):
            crawl.addErrback(lambda failure: errors.append(failure.value))
        else:
            crawl.add_done_callback(lambda task: errors.extend(_error_of(task)))
        process.start()
        for error in errors:
            if isinstance(error, SettingError):
                raise error
            if crawler.spider is None:  # it is made before all else
                name = crawler.spidercls.name
                logger.info("The spider %r cannot be made", name, exc_info=error)
                raise UsageError(
                    f"the spider {name!r} cannot be made ({_told(error)});"
                    " give its arguments with --spider-arg NAME=VALUE",
                    print_help=False,
                ) from error
            logger.error("The crawl of one page failed", exc_info=error)
        if process.bootstrap_failed:
            self.exitcode = 1
        return found[0] if found else None

    def _page(self, url: str, response: Response, most: int) -> Any:
        """The page to extract from a response: itself, or its bytes unpacked."""
        from scrapy.http import TextResponse

        from scrapy_eatext.commands.pages import FileError, unpacked

        try:
            page = unpacked(response.body, most)
        except FileError as error:
            raise FileError(f"{url}: {error}") from error
        if page is not response.body:
            return page
        if isinstance(response, TextResponse):
            return response
        self._fail(f"{url}: the response is no text")
        return None

    def _fail(self, message: str, code: int = 1) -> None:
        print(f"scrapy eatext: {message}", file=sys.stderr)
        self.exitcode = code


def _check_usage(args: list[str], opts: Namespace) -> None:
    """Raise UsageError for arguments that do not go together."""
    from scrapy_eatext.commands.show import FORMATS

    strange = [arg for arg in args if arg.startswith("-") and arg != "-"]
    if args and args[0] in _TASKS:
        others = ["compare", "url", "spider", "spider-arg"]
        if args[0] != "archive":
            others.append("format")
        if args[0] == "learn":
            others += ["algorithm", "options"]
        for name in others:
            if _given(opts, name):
                raise UsageError(f"--{name} is not for {args[0]}")
    elif strange:
        raise UsageError(f"there is no option {strange[0]}")
    elif len(args) != 1 or not args[0]:  # an empty path would be this folder
        raise UsageError
    elif opts.format not in (None, *FORMATS):
        allowed = ", ".join(FORMATS)
        raise UsageError(f"--format is {opts.format!r}, it must be one of {allowed}")
    elif opts.compare and opts.format not in (None, "text"):
        raise UsageError(
            f"--format is {opts.format!r}, it must be left out with --compare"
        )


def _given(opts: Namespace, name: str) -> Any:
    """The value of an option, by the option's name on the command line."""
    return getattr(opts, name.replace("-", "_"))


def _spider_arguments(opts: Namespace) -> dict[str, str]:
    """The arguments for the spider's constructor, by their names."""
    from scrapy.utils.conf import arglist_to_dict

    try:
        return arglist_to_dict(opts.spider_arg)
    except ValueError:
        shown = " ".join(opts.spider_arg)
        message = f"--spider-arg is {shown!r}, it must be NAME=VALUE"
        raise UsageError(message, print_help=False) from None


def _choice(config: Config, opts: Namespace, url: str = "") -> Choice:
    """How to extract the page at a URL, by settings and the command line."""
    from scrapy_eatext.execution.choice import (
        SettingError,
        check_loadable,
        options_from,
    )

    # A site that is off is extracted if it is named on the command line.
    choice = of_site = config.choice_for(url) or config.choice
    key = "EATEXT_ALGORITHM"
    for name in ("algorithm", "compare"):
        if (value := getattr(opts, name)) is not None:
            key = f"--{name}"
            choice = _changed(choice, _names(value), key)
    if opts.options:
        said = {"options": options_from(opts.options, "--options")}
        try:
            choice = _changed(choice, said, "--options")
        except SettingError as error:
            where = error.key.replace("['options']", "", 1)
            raise SettingError(where, error.value, error.allowed) from error
    try:
        check_loadable(choice, key, "--options")
    except SettingError:
        # The settings may have wrong options for the command line's algorithm, which
        # were not tried before.
        site = f"EATEXT_SITES[{config.site_of(url)!r}]['options']"
        for where, by in (("EATEXT_OPTIONS", config.choice), (site, of_site)):
            check_loadable(replace(choice, options=by.options), key, where)
        raise
    return choice


def _comparison(page: Page, choice: Choice) -> str:
    from scrapy_eatext.commands.show import comparison

    texts = [page.blocks.text(i) for i in range(len(page.blocks))]
    # In its first run an algorithm loads its model, so the second run counts.
    for name in choice.algorithms:
        _timed(name, page, choice)
    return comparison([_timed(name, page, choice) for name in choice.algorithms], texts)


def _timed(name: str, page: Page, choice: Choice) -> Run:
    from scrapy_eatext.algorithms import get_algorithm
    from scrapy_eatext.commands.show import Run
    from scrapy_eatext.rendering import run

    algorithm = get_algorithm(name, choice.options.get(name))
    started = time.perf_counter()
    result = run(algorithm, page, blocks=True, rules=(choice.keep, choice.remove))
    return Run(name, result, time.perf_counter() - started)


def _changed(choice: Choice, said: object, key: str) -> Choice:
    from scrapy_eatext.execution.choice import overridden

    return cast("Choice", overridden(choice, said, key))


def _names(value: str) -> str | list[str]:
    names = [name.strip() for name in value.split(",")]
    return names if len(names) > 1 else names[0]


def _error_of(task: Future[None]) -> list[BaseException]:
    error = None if task.cancelled() else task.exception()
    return [] if error is None else [error]


def _told(error: BaseException) -> str:
    """An exception in a line: its class and its message."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _encoding() -> str:
    return sys.stdout.encoding or "utf-8"


def _print(text: str) -> bool:
    """Print a text; return whether anybody still reads the output."""
    encoding = _encoding()
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        # The reader has gone; nothing is to be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _archives(args: list[str], opts: Namespace, settings: object) -> int:
    """Extract archives or compare two outputs; the exit code."""
    from scrapy_eatext.commands.archive import main

    # Options that this command has as well, so its parser took them.
    given = ["--format", opts.format] if opts.format else []
    if opts.algorithm:
        given += ["--algorithm", opts.algorithm]
    for option in opts.options:
        given += ["--options", option]
    return main([*args, *given], settings, "scrapy eatext")


def _learning(args: list[str], opts: Namespace) -> int:
    """Train or evaluate; the exit code."""
    from scrapy_eatext.learning.cli import main

    # Options that this command has as well, so its parser took them.
    given = []
    names = opts.algorithm or ""
    # Only train takes several; evaluate would score the last alone.
    for name in names.split(",") if args[0] == "train" else [names]:
        given += ["--algorithm", name] if name else []
    for option in opts.options:
        given += ["--options", option]
    return main([*args, *given], prog="scrapy eatext")
