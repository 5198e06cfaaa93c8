"""`scrapy eatext` inside the test's own process, and `scrapy` in another one."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scrapy.settings import Settings

from scrapy_eatext.commands.command import Command
from tests import ROOT
from tests.support.crawling import PATIENCE


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


def run_scrapy(
    cwd: Path,
    *arguments: str,
    path: tuple[Path, ...] = (ROOT,),
    settings: str = "",
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run `scrapy` in a folder, with modules from a path, and a module of settings."""
    paths = [*map(str, path), os.environ.get("PYTHONPATH", "")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    env |= environment
    if settings:
        env["SCRAPY_SETTINGS_MODULE"] = settings
    return subprocess.run(
        [sys.executable, "-m", "scrapy", *arguments],
        cwd=cwd,
        env=env,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
