"""Builds the optional compiled modules.  All other settings are in setup.cfg."""

from __future__ import annotations

import os
from pathlib import Path
from runpy import run_path
from typing import Any

from setuptools import Extension, setup

PACKAGE = Path("scrapy_eatext")


def run(module: str) -> dict[str, Any]:
    """The globals of a module; its import would need the package's dependencies."""
    return run_path(str(PACKAGE / module))


def declare_columns() -> None:
    """Write the declarations of columns.py to columns.pxd."""
    text = run("page/columns.py")["declarations"]()
    declared = PACKAGE / "native/columns.pxd"
    # A new date of an equal file would make the modules be built again.
    if not declared.exists() or declared.read_text("utf-8") != text:
        declared.write_text(text, "utf-8")


def extensions() -> list[Extension]:
    """The compiled modules; none without Cython or lxml.

    setuptools passes a .pyx to Cython.  As the extensions are optional, a machine
    without a compiler gets a warning and no extension.
    """
    try:
        import Cython  # noqa: F401
        import lxml
    except ImportError:  # a build without isolation
        return []
    checksum = run("native/loading.py")["checksum"]
    has_level = "-O" in os.environ.get("CFLAGS", "")
    return [
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            # lxml's wheels contain the headers of its C API and of libxml2; nothing is
            # linked, as the process has loaded the library.
            include_dirs=lxml.get_include(),
            # Detects sources that changed after the build, see loading.py.
            define_macros=[("EATEXT_CHECKSUM", f"{checksum(source)}u")],
            depends=[header.as_posix() for header in PACKAGE.glob("*/*.px[di]")],
            # For loops over numbers; CFLAGS take precedence.
            extra_compile_args=["-O3"] if os.name != "nt" and not has_level else [],
            optional=True,
        )
        for source in sorted(PACKAGE.glob("*/*.pyx"))
    ]


declare_columns()
setup(ext_modules=extensions())
