"""The optional compiled modules.  Everything else about the package is in setup.cfg."""

from __future__ import annotations

import os
from pathlib import Path
from runpy import run_path
from typing import Any

from setuptools import Extension, setup

PACKAGE = Path("scrapy_eatext")


def run(module: str) -> dict[str, Any]:
    """What a module has; importing it would need what the package depends on."""
    return run_path(str(PACKAGE / module))


def declare_columns() -> None:
    """Write the columns of the walk's tables down for Cython."""
    text = run("page/columns.py")["declarations"]()
    declared = PACKAGE / "native/columns.pxd"
    # One that is as it should be keeps its date, and nothing is built anew.
    if not declared.exists() or declared.read_text("utf-8") != text:
        declared.write_text(text, "utf-8")


def extensions() -> list[Extension]:
    """The compiled twins, where they can be built; the Python ones serve elsewhere.

    setuptools hands a .pyx to Cython by itself, and because the extensions are
    optional, a machine without a compiler gets a warning and no extension.
    """
    try:
        import Cython  # noqa: F401
        import lxml
    except ImportError:  # built without isolation, and without these
        return []
    checksum = run("native/loading.py")["checksum"]
    # What CFLAGS say of optimisation counts.
    chosen = "-O" in os.environ.get("CFLAGS", "")
    return [
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            # lxml's wheels bring the headers of its C API and of libxml2;
            # nothing is linked, as the library is in the process already.
            include_dirs=lxml.get_include(),
            # Tells sources that have changed since, see loading.py.
            define_macros=[("EATEXT_CHECKSUM", f"{checksum(source)}u")],
            depends=[header.as_posix() for header in PACKAGE.glob("*/*.px[di]")],
            # Where loops over numbers are what takes the time.
            extra_compile_args=["-O3"] if os.name != "nt" and not chosen else [],
            optional=True,
        )
        for source in sorted(PACKAGE.glob("*/*.pyx"))
    ]


declare_columns()
setup(ext_modules=extensions())
