"""The optional compiled walk.  Everything else about the package is in setup.cfg."""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension, setup

WALK = Path("scrapy_eatext", "page", "_walk.pyx")


def extensions() -> list[Extension]:
    """The compiled walk, where it can be built; its Python twin serves elsewhere.

    setuptools hands the .pyx to Cython by itself, and because the extension is
    optional, a machine without a compiler gets a warning and no extension.
    """
    try:
        import Cython  # noqa: F401
        import lxml
    except ImportError:  # built without isolation, and without these
        return []
    if not WALK.exists():
        return []
    return [
        Extension(
            "scrapy_eatext.page._walk",
            [WALK.as_posix()],
            # lxml's wheels bring the headers of its C API and of libxml2;
            # nothing is linked, as the library is in the process already.
            include_dirs=lxml.get_include(),
            optional=True,
        )
    ]


setup(ext_modules=extensions())
