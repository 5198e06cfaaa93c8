"""Arguments that several commands have: --algorithm and --options, and numbers."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.execution.choice import (
    SettingError,
    check_loadable,
    options_from,
    overridden,
)

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand
    from scrapy.settings import BaseSettings

    from scrapy_eatext.execution.choice import Choice


def add_choice_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-a",
        "--algorithm",
        metavar="NAMES",
        help="the algorithm, or several with commas between: the first whose text"
        " passes",
    )
    parser.add_argument(
        "--options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the algorithm (may be repeated), or JSON with options",
    )


def project_config(command: ScrapyCommand) -> Config:
    """The EATEXT_* settings of the project.  Raises SettingError."""
    # Scrapy sets them before it runs a command.
    return Config.from_settings(cast("BaseSettings", command.settings))


def choice_for(args: Namespace, config: Config, url: str = "") -> Choice:
    """How to extract the page at a URL, by settings and the command line."""
    # A site that is off is extracted if it is named on the command line.
    choice = of_site = config.choice_for(url) or config.choice
    key = "EATEXT_ALGORITHM"
    for name in ("algorithm", "compare"):
        value = getattr(args, name, None)
        if value is not None:
            key = f"--{name}"
            choice = cast("Choice", overridden(choice, value, key))
    if args.options:
        given = {"options": options_from(args.options, "--options")}
        try:
            choice = cast("Choice", overridden(choice, given, "--options"))
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


def number(kind: Callable[[str], Any], low: float, high: float = float("inf")) -> Any:
    """The type of an argument that is a number between two."""

    def checked(given: str) -> Any:
        value = kind(given)
        if not low <= value <= high:
            raise ArgumentTypeError(f"{given} is not from {low} to {high}")
        return value

    checked.__name__ = "number"
    return checked
