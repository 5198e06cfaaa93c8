"""Main-text extraction for Scrapy crawls."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_eatext.extraction import extract
    from scrapy_eatext.result import Block, MainText

__all__ = ["Block", "MainText", "extract"]
__version__ = "0.1.0"

# Where each public name lives.  They are loaded when first used, so that
# importing the package costs nothing, as `scrapy` does with every command.
_HOMES = {
    "Block": "result",
    "MainText": "result",
    "extract": "extraction",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
