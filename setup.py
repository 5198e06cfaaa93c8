"""The optional compiled modules.  Everything else about the package is in setup.cfg."""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup


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
    # What CFLAGS say of optimisation counts.
    chosen = "-O" in os.environ.get("CFLAGS", "")
    return [
        Extension(
            ".".join(source.with_suffix("").parts),
            [source.as_posix()],
            # lxml's wheels bring the headers of its C API and of libxml2;
            # nothing is linked, as the library is in the process already.
            include_dirs=lxml.get_include(),
            # Where loops over numbers are what takes the time.
            extra_compile_args=["-O3"] if os.name != "nt" and not chosen else [],
            optional=True,
        )
        for source in sorted(Path("scrapy_eatext").glob("*/*.pyx"))
    ]


setup(ext_modules=extensions())
