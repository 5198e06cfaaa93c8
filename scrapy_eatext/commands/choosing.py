"""Arguments of several tasks: --algorithm, --options, texts, bounded numbers."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.execution.choice import (
    check_loadable,
    options_from,
    overridden,
    taken,
)

if TYPE_CHECKING:
    from scrapy.commands import ScrapyCommand
    from scrapy.settings import BaseSettings

    from scrapy_eatext.execution.choice import Choice


def add_options(
    parser: ArgumentParser, meanings: Mapping[str, str], **settings: Any
) -> None:
    """Add options by the meanings of "--flag METAVAR"; one without METAVAR is a switch.

    ``settings`` has the defaults of some options, or dicts of add_argument()'s
    arguments.  An option may be repeated if its default is a list, and takes a whole
    number if it is one.
    """
    for option, meaning in meanings.items():
        *flags, metavar = option.split()
        if metavar.startswith("-"):
            parser.add_argument(*flags, metavar, action="store_true", help=meaning)
            continue
        given = settings.get(flags[-1].strip("-").replace("-", "_"))
        values = given if isinstance(given, dict) else {"default": given}
        default = values.get("default")
        how: dict[str, Any] = {"type": int if isinstance(default, int) else str}
        if isinstance(default, list):
            how = {"action": "append"}
        parser.add_argument(*flags, metavar=metavar, help=meaning, **how | values)


def add_choice_arguments(parser: ArgumentParser) -> None:
    meanings = {
        "-a --algorithm NAMES": "the algorithm, or a comma-separated cascade: the next"
        " one is used if the text of one is too poor",
        "--options NAME=VALUE": "an option of the algorithm (may be repeated), or a JSON"
        " object of some",
    }
    add_options(parser, meanings, options=[])


def project_config(command: ScrapyCommand) -> Config:
    """The EATEXT_* settings of the project.  Raises SettingError."""
    # Scrapy sets command.settings before it runs a command.
    return Config.from_settings(cast("BaseSettings", command.settings))


def choice_for(args: Namespace, config: Config, url: str = "") -> Choice:
    """How to extract a page, by settings and command line.  Raises SettingError."""
    # choice_for() is None for a site that is off: the command line overrides that.
    choice = config.choice_for(url) or config.choice
    key = "EATEXT_ALGORITHM"
    for name in ("algorithm", "compare"):
        value = getattr(args, name, None)
        if value is not None:
            key = f"--{name}"
            choice = cast("Choice", overridden(choice, value, key))
    if args.options:
        given = {"options": options_from(args.options, "--options")}
        choice = replace(choice, **taken(choice, given, lambda name: "--options"))
    # They may be from --options, EATEXT_OPTIONS or EATEXT_SITES.
    check_loadable(choice, key, "options")
    return choice


def number(kind: Callable[[str], Any], low: float, high: float = float("inf")) -> Any:
    """An argparse type: a number from ``low`` to ``high``."""

    def checked(text: str) -> Any:
        value = kind(text)
        if not low <= value <= high:
            raise ArgumentTypeError(f"{text} is not from {low} to {high}")
        return value

    checked.__name__ = "number"
    return checked
