"""Which twins run: the compiled functions, or the Python ones, which do the same.

The Python function is the specification, written to be read; its compiled twin has to
give the same to the last bit (PEP 399).  The Python function is called python_NAME, its
twin NAME, and at the end of the function's module stands

    NAME = twin(python_NAME, "_module")

All callers use NAME.  Of a class, the names are PythonName and Name.  A compiled
function that reads tables is an object, made of the tables that twin() is given after
the module's name.  Tests try both functions (``both()`` in tests/support/properties.py).  A
twin is worth its lines where it saves some .1 ms a page.

The compiled modules are there where a compiler was at hand when the package was built.
With SCRAPY_EATEXT_PURE=1 in the environment they do not run.  Nor does a module whose
source has changed since it was built, as it may disagree with the Python around it, or
one that reads the structures of lxml and libxml2 and was built for older versions.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from lxml import etree

from scrapy_eatext.native.checksum import checksum

# They are built together: all of them are there, or none runs.
_MODULES = (
    "_decode",
    "_guard",
    "_nodes",
    "_tagger",
    "_text",
    "_walk",
)
_FOLDER = Path(__file__).parent
# The oldest lxml that setup.cfg allows, and that modules are built for.
_OLDEST = (6,)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def twin(python: _Function, module_name: str, *tables: object) -> _Function:
    """A function's twin in the compiled module of a name, or else the function.

    With tables, the twin is an object that the compiled class makes of them.
    """
    module = load(module_name)
    if module is None:
        return python
    name = python.__name__.removeprefix("python_").removeprefix("Python")
    compiled = getattr(module, name)
    found: _Function = compiled(*tables) if tables else compiled
    return found


@cache  # a module's fault is reported once
def load(name: str) -> ModuleType | None:
    """One of the compiled modules, if it is to run."""
    if os.environ.get("SCRAPY_EATEXT_PURE", "0") not in {"", "0"}:
        return None
    if not all(find_spec(f"{__package__}.{other}") for other in _MODULES):
        return None  # built where no compiler was at hand
    full_name = f"{__package__}.{name}"
    try:
        module = import_module(full_name)
        if hasattr(module, "check_names"):
            module.check_names()
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__}: {error}"
    else:
        reason = _fault(module, name)
    if not reason:
        return module
    _step_back(name, reason)
    return None


def _fault(module: ModuleType, name: str) -> str:
    """Why a compiled module may not run here, or nothing."""
    source = _FOLDER / f"{name}.pyx"
    # An installed package has no sources.
    if source.exists() and getattr(module, "CHECKSUM", 0) != checksum(source):
        return "its source has changed since it was built"
    if not hasattr(module, "BUILT_FOR"):
        return ""
    size: int = etree._Element.__basicsize__
    running = etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2], size
    return mismatch(module.BUILT_FOR, running)


Versions = tuple[tuple[int, ...], tuple[int, ...], int]


def mismatch(built_for: Versions, running: Versions) -> str:
    """Why a module built for some versions may not run with others, or nothing.

    Versions are those of lxml and of libxml2, major and minor, and the size of lxml's
    elements.
    """
    names = ("lxml", "libxml2")
    for name, built, found in zip(names, built_for[:2], running[:2], strict=True):
        if found[0] != built[0] or found > built:
            return f"it is for {name} {built[0]}.{built[1]}, not {found[0]}.{found[1]}"
    return "" if built_for[2] == running[2] else "it is for another build of lxml"


def _step_back(name: str, reason: str) -> None:
    root = _FOLDER.parents[1]
    # A wheel that pip finds or kept would be the same again.
    what = "--force-reinstall --no-deps --no-cache-dir --no-binary scrapy-eatext scrapy-eatext"
    if (root / "setup.py").exists():
        what = f'--editable "{root}"'
    remedy = f'To build it anew: "{sys.executable}" -m pip install {what}'
    if etree.LXML_VERSION < _OLDEST:
        remedy = (
            f'It needs a newer lxml: "{sys.executable}" -m pip install --upgrade lxml'
        )
    warnings.warn(
        f"scrapy-eatext runs slower, without its compiled module {name}: {reason}. "
        f"{remedy}",
        RuntimeWarning,
        stacklevel=3,
    )
