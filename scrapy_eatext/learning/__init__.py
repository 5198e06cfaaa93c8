"""Labels, training and evaluation.  Their dependencies are in the extra "train"."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class DataError(ValueError):
    """Training or test data that can't be used; the message names the file."""


def check_classes(main: Any, other: Any, unit: str) -> None:
    """Raise DataError unless some units are main text and some are not, by their flags."""
    for verb, flags in (("is", main), ("is not", other)):
        if not any(flags):
            raise DataError(f"no {unit} of the data {verb} main text")


def need(module: str) -> Any:
    """A module of the extra "train".  Raises ImportError, naming the extra."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.partition(".")[0]
        raise ImportError(
            f'training needs {name}: pip install "scrapy-eatext[train]"'
        ) from error
