"""`scrapy eatext` inside the test's own process."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from scrapy.settings import Settings

from scrapy_eatext.commands.command import Command


def run_command(*arguments: str, settings: Mapping[str, Any] | None = None) -> int:
    """Run the command; its exit code."""
    command = Command()
    command.settings = Settings(settings or {})
    parser = ArgumentParser(conflict_handler="resolve")  # as Scrapy's
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    command.process_options(rest, options)
    command.run(rest, options)
    return command.exitcode
