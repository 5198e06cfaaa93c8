"""Chooses which twins run: compiled functions, or equivalent Python functions.

The Python function is the readable specification; its compiled twin must have exactly
the same results (PEP 399).  The Python function is called python_NAME, its twin NAME,
and the module of the Python function ends with

    NAME = twin(python_NAME, "_module")

All callers use NAME.  For a class, the names are PythonName and Name.  A compiled
function that needs tables is an object, made of the tables that are given to twin()
after the module's name.  Tests run both functions (``both()`` in
tests/support/properties.py).  A twin is worth its lines if it saves about 0.1 ms per
page.

The compiled modules exist if there was a compiler when the package was built.  They do
not run with SCRAPY_EATEXT_PURE=1 in the environment.  Nor does a module whose source
changed after it was built, as it may disagree with the Python code, or a module that
reads the structures of lxml and libxml2 and was built for older versions.
"""

from __future__ import annotations

import os
import sys
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from lxml import etree

# Unless all exist, none runs.
_MODULES = ("_nodes", "_source", "_tagger", "_text", "_walk")
_FOLDER = Path(__file__).parent
# The oldest lxml that setup.cfg allows and for which modules are built.
_OLDEST = (6,)
_Function = TypeVar("_Function", bound=Callable[..., Any])


def twin(python: _Function, module_name: str, *tables: object) -> _Function:
    """A function's twin in a compiled module, or else the function.

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
    """A compiled module, None if it must not run."""
    if os.environ.get("SCRAPY_EATEXT_PURE", "0") not in {"", "0"}:
        return None
    if not all(find_spec(f"{__package__}.{other}") for other in _MODULES):
        return None  # built without a compiler
    full_name = f"{__package__}.{name}"
    try:
        module = import_module(full_name)
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__}: {error}"
    else:
        reason = _fault(module, name)
    if not reason:
        return module
    _warn(name, reason)
    return None


def _fault(module: ModuleType, name: str) -> str:
    """Why a compiled module must not run here, or ""."""
    source = _FOLDER / f"{name}.pyx"
    # An installed package has no sources.
    if source.exists() and getattr(module, "CHECKSUM", 0) != checksum(source):
        return "its source has changed since it was built"
    if not hasattr(module, "BUILT_FOR"):
        return ""
    size: int = etree._Element.__basicsize__
    running = etree.LXML_VERSION[:2], etree.LIBXML_VERSION[:2], size
    return mismatch(module.BUILT_FOR, running)


def checksum(source: Path) -> int:
    """The checksum of a .pyx and of all headers of the package, for setup.py too."""
    return zlib.crc32(source.read_bytes(), _of_headers(source.parents[1]))


@cache
def _of_headers(package: Path) -> int:
    value = 0
    # One header is generated from columns.py, which is read instead.
    made = package / "native/columns.pxd"
    headers = {*package.glob("*/*.px[di]"), *package.glob("page/columns.py")} - {made}
    for header in sorted(headers):
        value = zlib.crc32(header.read_bytes(), value)
    return value


Versions = tuple[tuple[int, ...], tuple[int, ...], int]


def mismatch(built_for: Versions, running: Versions) -> str:
    """Why a module built for some versions must not run with others, or "".

    Versions are those of lxml and of libxml2, major and minor, and the size of lxml's
    elements.
    """
    names = ("lxml", "libxml2")
    for name, built, found in zip(names, built_for[:2], running[:2], strict=True):
        if found[0] != built[0] or found > built:
            return f"it is for {name} {built[0]}.{built[1]}, not {found[0]}.{found[1]}"
    return "" if built_for[2] == running[2] else "it is for another build of lxml"


def _warn(name: str, reason: str) -> None:
    """Warn that a compiled module does not run, and name the remedy."""
    root = _FOLDER.parents[1]
    pip = f'"{sys.executable}" -m pip install'
    if etree.LXML_VERSION < _OLDEST:
        remedy = f"It needs a newer lxml: {pip} --upgrade lxml"
    elif (root / "setup.py").exists():
        remedy = f'To build it anew: {pip} --editable "{root}"'
    else:
        # Without these options pip would find or reuse the same wheel.
        remedy = (
            f"To build it anew: {pip} --force-reinstall --no-deps --no-cache-dir "
            "--no-binary scrapy-eatext scrapy-eatext"
        )
    warnings.warn(
        f"scrapy-eatext runs slower, without its compiled module {name}: {reason}. "
        f"{remedy}",
        RuntimeWarning,
        stacklevel=3,
    )
