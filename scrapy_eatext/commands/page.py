"""`scrapy eatext PAGE`: prints the main text of a page, or of all pages in a folder."""

from __future__ import annotations

import codecs
import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError
from scrapy.http import TextResponse
from w3lib.url import is_url

from scrapy_eatext.archive import packed
from scrapy_eatext.archive.readers import is_archive
from scrapy_eatext.archive.readers.folder import is_page
from scrapy_eatext.commands import choosing, terminal
from scrapy_eatext.commands.fetching import OnePage
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.deadline import time_limit
from scrapy_eatext.declared import OptionError
from scrapy_eatext.execution.cascade import BREAKS, cascade, describe_error, run_one
from scrapy_eatext.page import Page
from scrapy_eatext.page.decode import is_binary
from scrapy_eatext.result import ATTRIBUTES, MainText, to_json
from scrapy_eatext.review.labels import kept_blocks

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand

    from scrapy_eatext.execution.cascade import Failure
    from scrapy_eatext.execution.choice import Choice

_STDIN = "standard input"
_TEXTS = ("text", "markdown", "html")
_FORMATS = (*_TEXTS, "json", "blocks")
# The attributes that a line of JSON has beside the text, which are computed fast.
_SHORT = ("title", "algorithm", "version", "score", "page_type", "language", "origin")
_TEXT_WIDTH = 60


class FileError(ValueError):
    """A page that cannot be read; the message names its file."""


ERRORS = (FileError, OSError)


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = (
        "Extract the main text of a page and print it as text, Markdown or HTML, as"
        " JSON with all attributes of the result, or as a table of the page's blocks"
        " with score and reason. The page is fetched with Scrapy if a URL is given,"
        " else read from a file, or from standard input if the file is -; it may be"
        " gzipped. Each page of a folder becomes a line of JSON. The EATEXT_* settings of"
        " the project apply; --algorithm and --options override them."
        " `review` shows pages in the browser, to be corrected; `learn` makes site"
        " files of the corrections; `train` and `evaluate` train models and score"
        " algorithms on a folder of labelled pages; `archive` extracts the pages of"
        " archives, and `diff` compares two runs of it; `site` crawls whole sites."
        " `review --help` shows the options of review, and so on."
    )
    parser.add_argument("page", help="a URL, a file, a folder, or - (standard input)")
    choosing.add_choice_arguments(parser)
    meanings = {
        "-f --format FORMAT": "text, markdown, html, json (all attributes) or blocks (a"
        " table) (default: text)",
        "--compare NAMES": "comma-separated algorithms, to be shown side by side",
        "--url URL": "the URL of the page in a file or standard input",
        "--spider SPIDER": "fetch the URL with this spider",
        "--spider-arg NAME=VALUE": "an argument of the spider, as -a of scrapy crawl"
        " (may be repeated)",
    }
    choosing.add_options(parser, meanings, format="text", url="", spider_arg=[])


def run(args: Namespace, command: ScrapyCommand) -> int:
    """Extract a page, or all in a folder.  Raises OptionError, UsageError, FileError."""
    if args.format not in _FORMATS:
        raise OptionError("--format", args.format, f"one of {', '.join(_FORMATS)}")
    if args.compare and args.format != "text":
        raise OptionError("--format", args.format, "left out with --compare")
    if args.page != "-" and is_url(args.page):
        return _fetched(args, command)
    return _stored(args, choosing.project_config(command))


def _fetched(args: Namespace, command: ScrapyCommand) -> int:
    _refuse(args, "url", f"for a file, not for {args.page}")
    crawl = OnePage(command, args.page, args.spider, args.spider_arg)
    # Report wrong options before anything is fetched.
    choosing.choice_for(args, Config.from_settings(crawl.crawler.settings))
    response = crawl.fetch()
    if response is None:
        return 1
    # By now add-ons may have changed the settings.
    config = Config.from_settings(crawl.crawler.settings)
    body = _unpacked(response.body, config.limits.max_size, args.page)
    is_packed = body is not response.body
    if not is_packed and not isinstance(response, TextResponse):
        return terminal.fail(f"{args.page}: the response is not text")
    return _one(body if is_packed else response, response.url, config, args)


def _stored(args: Namespace, config: Config) -> int:
    for name in ("spider", "spider_arg"):
        _refuse(args, name, f"for a URL, not for {args.page}")
    choice = choosing.choice_for(args, config)
    path = Path(args.page)
    if args.page != "-" and path.is_dir():
        return _folder(path, choice, config, args)
    if is_archive(args.page) and path.is_file():
        task = f"scrapy eatext archive {args.page} --output FOLDER"
        raise UsageError(f"{args.page} is an archive: {task}")
    page = sys.stdin.buffer.read() if args.page == "-" else _read(path)
    page = _unpacked(page, config.limits.max_size, _name(args))
    return _one(page, args.url, config, args)


def _refuse(args: Namespace, name: str, why: str) -> None:
    if value := getattr(args, name):
        raise UsageError(f"--{name.replace('_', '-')} is {value!r:.200}: it is {why}")


def _one(html: Any, url: str, config: Config, args: Namespace) -> int:
    """Print the result of one page, or an error, and return the exit code."""
    choice = choosing.choice_for(args, config, url)
    name = _name(args)
    if not getattr(html, "body", html).strip():
        raise FileError(f"{name}: the page is empty")
    _refuse_binary(html, name)
    try:
        output = _output(Page.of(html, url or None), choice, args)
    except BREAKS as error:
        return terminal.fail(describe_error(error))
    terminal.print_text(output)
    return 0


def _refuse_binary(html: Any, name: str) -> None:
    """Raise FileError if bytes or a response are binary data."""
    if is_binary(getattr(html, "body", html), getattr(html, "encoding", "")):
        raise FileError(f"{name}: binary data, not a page")


def _output(page: Page, choice: Choice, args: Namespace) -> str:
    """The text to print for a page, by --compare or --format."""
    if args.compare is not None:
        return _comparison(page, choice)
    result = _result(page, choice)
    output = _show(result, args.format)
    if not output.strip():
        wall = "" if result.origin == "page" else f" (origin: {result.origin})"
        terminal.fail(f"{_name(args)}: no main text found{wall}")
    return output if args.format == "json" else terminal.printable(output)


def _folder(folder: Path, choice: Choice, config: Config, args: Namespace) -> int:
    """Print a line of JSON for each page, with its result or its error."""
    for name in ("compare", "url", *["format"] * (args.format == "blocks")):
        _refuse(args, name, "not for a folder")
    files = _pages_in(folder)
    if not files:
        return terminal.fail(
            f"{folder} has no pages: .html, .htm or .xhtml, with .gz or not"
        )
    failed = 0
    for file in terminal.progress(files, unless_printed=True):
        name = file.relative_to(folder).as_posix()
        try:
            # So that one page does not delay the others.
            with time_limit(config.limits.timeout):
                html = _unpacked(_read(file), config.limits.max_size, str(file))
                _refuse_binary(html, str(file))
                page = Page.of(html)
                output = _line(_result(page, choice, name), args.format, name)
        except BREAKS as error:
            failed += 1
            is_file_error = isinstance(error, FileError)
            message = str(error) if is_file_error else describe_error(error)
            output = _as_json({"file": name, "error": message})
        if not terminal.print_text(output):
            return 0
    return terminal.fail(f"{failed} of {len(files)} pages failed") if failed else 0


def _result(page: Page, choice: Choice, name: str = "") -> MainText:
    """A page's result; standard error names the algorithms that failed."""
    failures: list[Failure] = []
    result, kind = cascade(choice, page, failures)
    for failure in failures:
        prefix = f"{name}: " if name else ""
        terminal.fail(f"{prefix}an algorithm failed with {failure.name}")
    if kind == "below" and choice.below == "drop":
        return result.without_text()
    return result


# -- files


def _name(args: Namespace) -> str:
    return _STDIN if args.page == "-" else str(args.page)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}") from error


def _unpacked(data: bytes, max_size: int, name: str) -> bytes:
    """A page, unpacked if gzipped.  Raises FileError if it is damaged or too large."""
    try:
        page = packed.unpacked(data, "gzip", max_size)
    except packed.PackedError as error:
        raise FileError(f"{name}: damaged: {error}") from error
    if max_size and len(page) > max_size and page is not data:
        limit = f"EATEXT_MAX_SIZE ({max_size:,})"
        raise FileError(f"{name}: it unpacks to more bytes than {limit}")
    return page


def _pages_in(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders that hold pages, sorted by path.

    Their names end in .html, .htm or .xhtml, with or without .gz.  A subfolder that
    cannot be listed is included, so that reading it gives the error.
    """
    pages: list[Path] = []
    errors: list[OSError] = []
    for root, _, names in os.walk(folder, onerror=errors.append):
        files = (Path(root, name) for name in names if is_page(name))
        # Reading a pipe could block forever.  Reading a broken link gives an error.
        pages += (file for file in files if file.is_file() or not file.exists())
    return sorted([*pages, *(Path(error.filename) for error in errors)])


# -- forms


def _show(result: MainText, form: str) -> str:
    """A result in one of _FORMATS."""
    if form == "json":
        return _as_json(_values(result, ATTRIBUTES), indent=2)
    return _blocks(result) if form == "blocks" else str(result.value(form))


def _line(result: MainText, form: str, file: str) -> str:
    """A result as a line of JSON: a form of _TEXTS and _SHORT, or all with "json"."""
    names = ATTRIBUTES if form == "json" else (form, *_SHORT)
    return _as_json({"file": file, **_values(result, names)})


def _as_json(values: object, indent: int | None = None) -> str:
    # Other encodings than UTF lack characters: JSON escapes them.
    is_utf = codecs.lookup(terminal.encoding()).name.startswith("utf")
    return json.dumps(values, ensure_ascii=not is_utf, indent=indent, default=str)


def _values(result: MainText, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_json(result.value(name)) for name in names}


def _blocks(result: MainText) -> str:
    rows = [
        (
            "+" if block.kept else "-",
            f"{block.score:.2f}",
            f"{block.kind} {block.level}" if block.level else block.kind,
            block.reason,
            terminal.cut(block.text, _TEXT_WIDTH),
            block.xpath,
        )
        for block in result.blocks
    ]
    return terminal.table(("", "score", "kind", "reason", "text", "xpath"), rows)


def _comparison(page: Page, choice: Choice) -> str:
    """A table of the algorithms, and one of which of the page's blocks each keeps."""
    texts = page.blocks.texts()
    figures, marks = [], []
    for name in choice.algorithms:
        # The first run of an algorithm loads its model, so the second one is timed.
        for _ in range(2):
            started = time.perf_counter()
            result = run_one(choice, name, page)
            result.value("blocks")
            seconds = time.perf_counter() - started
        marks.append(kept_blocks(result, texts))
        numbers = f"{len(result.text):,}", f"{len(result.text.split()):,}"
        score, milliseconds = f"{result.score:.2f}", f"{1000 * seconds:.1f}"
        figures.append((name, *numbers, score, result.language, milliseconds))
    head = ("algorithm", "characters", "words", "score", "language", "milliseconds")
    rows = [
        (
            *("+" if is_kept else "-" for is_kept in kept_by),
            terminal.cut(text, _TEXT_WIDTH),
        )
        for text, *kept_by in zip(texts, *marks, strict=True)
    ]
    names = (*choice.algorithms, "text")
    return f"{terminal.table(head, figures)}\n\n{terminal.table(names, rows)}"
