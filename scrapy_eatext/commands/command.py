"""`scrapy eatext`: prints the main text of a page, or runs one of its tasks."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

# Each task is a module in this folder.  These modules and `page` have
# add_arguments(parser), run(args, command), and ERRORS: exceptions that are reported
# without a traceback.  They are imported when needed, as every command of Scrapy loads
# this module.
TASKS = ("archive", "diff", "evaluate", "learn", "review", "site", "train")


class Command(ScrapyCommand):
    """Prints the main text of a page from a URL, a file, a folder or standard input."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {
        "LOG_LEVEL": "WARNING",
        # The command itself reports a page that cannot be fetched.
        "RETRY_GIVE_UP_LOG_LEVEL": "INFO",
    }

    def syntax(self) -> str:
        return (
            "[options] <url, file, folder or -> | review <source> | learn <labels>"
            " | train <folder> | evaluate <folder>"
            " | archive <input>... --output <folder> | diff <old> <new>"
            " | site <url>... -O <feed>"
        )

    def short_desc(self) -> str:
        return "Print the main text of a page"

    def add_options(self, parser: ArgumentParser) -> None:
        # action="help" would not print the help of a task.
        parser.add_argument(
            "-h", "--help", action="store_true", help="show this help message and exit"
        )
        super().add_options(parser)
        self._parser = parser

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Parse the arguments of the task, which Scrapy's parser has left."""
        from scrapy_eatext.archive.record import MissingError
        from scrapy_eatext.commands.terminal import fail

        super().process_options(args, opts)
        is_task = bool(args) and args[0] in TASKS
        near = get_close_matches(args[0], TASKS, n=1) if args and not is_task else []
        if near and not Path(args[0]).exists():
            missing = f"there is no file, folder or task {args[0]!r}"
            sys.exit(fail(f"{missing}; do you mean {near[0]}?", 2))
        name = args[0] if is_task else "page"
        try:
            opts.task = import_module(f"scrapy_eatext.commands.{name}")
        except MissingError as error:
            sys.exit(fail(error))
        parser = ArgumentParser(
            prog=f"scrapy eatext {name}" if is_task else "scrapy eatext",
            usage=None if is_task else f"scrapy eatext {self.syntax()}",
            parents=[self._parser],
            add_help=False,
            # --url must not be read as --url-column.
            allow_abbrev=False,
        )
        opts.task.add_arguments(parser)
        if opts.help or not any(args):
            parser.print_help()
            sys.exit(0 if opts.help else 2)
        parser.parse_args(args[1:] if is_task else args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Run the task, and report an error in a line on standard error.

        The exit code is 1 if an input cannot be fetched or read or an algorithm fails,
        and 2 if the command line or a setting is wrong.
        """
        from scrapy.exceptions import UsageError

        from scrapy_eatext.commands.terminal import close_output, fail, open_streams
        from scrapy_eatext.declared import OptionError

        open_streams()
        try:
            self.exitcode = opts.task.run(opts, self)
            sys.stdout.flush()
        except BrokenPipeError:
            close_output()
        except (OptionError, UsageError) as error:
            self.exitcode = fail(error, 2)
        except opts.task.ERRORS as error:
            self.exitcode = fail(error)
