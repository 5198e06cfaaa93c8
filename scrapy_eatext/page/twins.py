"""Which twins run: the compiled ones, or those in Python, which do the same.

The compiled ones are there where a compiler was at hand when the package was
built.  SCRAPY_EATEXT_PURE=1 in the environment makes Python's run all the same.
The compiled walk reads the structures of lxml and libxml2, so it is for versions
of the two whose headers it was built with, or that came before them.  A module
whose source has changed since it was built does not run, as it may disagree with
the Python around it.
"""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from lxml import etree

from scrapy_eatext.page.checksum import checksum
from scrapy_eatext.page.walk import Walk
from scrapy_eatext.page.walk import attribute_values as python_values
from scrapy_eatext.page.walk import child_values as python_child_values
from scrapy_eatext.page.walk import nodes_of as python_nodes_of
from scrapy_eatext.page.walk import walk as python_walk


class Walker(Protocol):
    """What walks a tree, see walk.walk()."""

    def __call__(self, root: Any, lenient: bool = False) -> Walk: ...


class Reader(Protocol):
    """What reads an attribute, see walk.attribute_values()."""

    def __call__(self, walk: Walk, rows: list[int], name: str) -> list[str | None]: ...


# They are built together: all of them run or none.
_MODULES = (
    "output._markdown",
    "output._text",
    "page._decode",
    "page._guard",
    "page._walk",
    "tagger._tagger",
)
_PACKAGE = __package__.partition(".")[0]
_FOLDER = Path(__file__).parents[1]


@cache  # what is wrong with a module is said once
def load(name: str) -> ModuleType | None:
    """One of the compiled modules, if it is to run."""
    if os.environ.get("SCRAPY_EATEXT_PURE", "0") not in {"", "0"}:
        return None
    if not all(find_spec(f"{_PACKAGE}.{other}") for other in _MODULES):
        return None  # built where no compiler was at hand
    full_name = f"{_PACKAGE}.{name}"
    try:
        module = import_module(full_name)
        if hasattr(module, "check_names"):
            module.check_names()
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__}: {error}"
    else:
        if not _is_stale(module, name):
            return module
        reason = "its source has changed since it was built"
    _step_back(name, reason)
    return None


def _is_stale(module: ModuleType, name: str) -> bool:
    """Whether a compiled module's source is here, and is not what it was built from."""
    source = _FOLDER.joinpath(*name.split(".")).with_suffix(".pyx")
    # In an installed package there is none.
    return source.exists() and getattr(module, "CHECKSUM", 0) != checksum(source)


def load_walk() -> ModuleType | None:
    """The compiled walk, if it is to run and knows this lxml."""
    module = load("page._walk")
    if module is None:
        return None
    reason = mismatch(
        module.BUILT_FOR,
        (
            etree.LXML_VERSION[:2],
            etree.LIBXML_VERSION[:2],
            etree._Element.__basicsize__,
        ),
    )
    if reason:
        _step_back("page._walk", reason)
        return None
    return module


Versions = tuple[tuple[int, ...], tuple[int, ...], int]


def mismatch(built_for: Versions, running: Versions) -> str:
    """Why what was built for some versions may not run with others, or nothing.

    Versions are those of lxml and of libxml2, major and minor, and the size of an
    element of lxml's.
    """
    names = ("lxml", "libxml2")
    for name, built, found in zip(names, built_for[:2], running[:2], strict=True):
        if found[0] != built[0] or found > built:
            return f"it is for {name} {built[0]}.{built[1]}, not {found[0]}.{found[1]}"
    return "" if built_for[2] == running[2] else "it is for another build of lxml"


def _step_back(name: str, reason: str) -> None:
    root = _FOLDER.parent
    remedy = "Install the package again to build it anew."
    if (root / "setup.py").exists():
        command = f'"{sys.executable}" -m pip install --editable "{root}"'
        remedy = f"To build it anew: {command}"
    warnings.warn(
        f"scrapy-eatext runs slower, without its compiled module {name}: {reason}. "
        f"{remedy}",
        RuntimeWarning,
        stacklevel=3,
    )


class ChildReader(Protocol):
    """What reads attributes of children, see walk.child_values()."""

    def __call__(
        self,
        walk: Walk,
        rows: list[int],
        places: list[int],
        tag: str,
        names: tuple[str, ...],
    ) -> list[list[str | None] | None]: ...


class NodeReader(Protocol):
    """What finds the elements of rows, see walk.nodes_of()."""

    def __call__(self, walk: Walk, rows: list[int]) -> list[Any]: ...


_compiled_walk = load_walk()
# Whether the compiled modules run.
compiled = _compiled_walk is not None
walk: Walker = python_walk if _compiled_walk is None else _compiled_walk.walk
child_values: ChildReader = (
    python_child_values if _compiled_walk is None else _compiled_walk.child_values
)
attribute_values: Reader = (
    python_values if _compiled_walk is None else _compiled_walk.attribute_values
)
nodes_of: NodeReader = (
    python_nodes_of if _compiled_walk is None else _compiled_walk.nodes_of
)
