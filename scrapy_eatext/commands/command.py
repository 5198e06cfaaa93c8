"""`scrapy eatext`: the main text of pages, and the tasks around it."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

# Words that stand in place of a page, and names of modules beside this one.  Each module,
# and `page`, has add_arguments(parser), run(args, command) and ERRORS, the exceptions of
# inputs and outputs that fail.  Scrapy loads this module with each of its commands, so
# a task's module is imported when it is run.
TASKS = ("archive", "diff", "evaluate", "learn", "review", "site", "train")


class Command(ScrapyCommand):
    """Prints the main text of a page from a URL, a file, a folder or standard input."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {
        "LOG_LEVEL": "WARNING",
        # A page that cannot be fetched is reported in a line of the command's own.
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
        # No action="help", as each task has a help of its own.
        parser.add_argument(
            "-h", "--help", action="store_true", help="show this help message and exit"
        )
        super().add_options(parser)
        self._parser = parser

    def process_options(self, args: list[str], opts: Namespace) -> None:
        """Parse what is not among Scrapy's own options, by the arguments of the task."""
        from scrapy_eatext.archive.record import MissingError
        from scrapy_eatext.commands.terminal import fail

        super().process_options(args, opts)
        named = bool(args) and args[0] in TASKS
        if args and not named and not Path(args[0]).exists():
            for near in get_close_matches(args[0], TASKS, n=1):
                missing = f"there is no file, folder or task {args[0]!r}"
                sys.exit(fail(f"{missing}; do you mean {near}?", 2))
        name = args[0] if named else "page"
        try:
            opts.task = import_module(f"scrapy_eatext.commands.{name}")
        except MissingError as error:
            sys.exit(fail(error))
        parser = ArgumentParser(
            prog=f"scrapy eatext {name}" if named else "scrapy eatext",
            usage=None if named else f"scrapy eatext {self.syntax()}",
            parents=[self._parser],
            add_help=False,
            # --url is no --url-column.
            allow_abbrev=False,
        )
        opts.task.add_arguments(parser)
        if opts.help or not any(args):
            parser.print_help()
            sys.exit(0 if opts.help else 2)
        parser.parse_args(args[1:] if named else args, opts)

    def run(self, args: list[str], opts: Namespace) -> None:
        """Run the task; what fails is a line on standard error.

        The exit code is 1 if a page or another input cannot be fetched or read or an
        algorithm fails, and 2 if the command line or a setting is wrong.
        """
        from scrapy.exceptions import UsageError

        from scrapy_eatext.commands.terminal import close_output, fail
        from scrapy_eatext.declared import OptionError

        try:
            self.exitcode = opts.task.run(opts, self)
            sys.stdout.flush()
        except BrokenPipeError:
            close_output()
        except (OptionError, UsageError) as error:
            self.exitcode = fail(error, 2)
        except opts.task.ERRORS as error:
            self.exitcode = fail(error)
