"""`scrapy eatext evaluate`; see learning/cli.py."""

from __future__ import annotations

from argparse import Namespace

from scrapy_eatext.learning.cli import ERRORS, run_evaluate
from scrapy_eatext.learning.cli import add_evaluate_arguments as add_arguments

__all__ = ["ERRORS", "add_arguments", "run"]


def run(args: Namespace, command: object) -> int:
    return run_evaluate(args)
