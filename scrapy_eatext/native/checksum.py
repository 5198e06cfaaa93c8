"""The checksum of the sources of a compiled module; setup.py runs this file too."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path


def checksum(source: Path) -> int:
    """The checksum of a .pyx and of all headers of the package.

    One header is generated from columns.py, which is read instead.
    """
    return zlib.crc32(source.read_bytes(), _of_headers(source.parents[1]))


@cache
def _of_headers(package: Path) -> int:
    value = 0
    made = package / "native/columns.pxd"
    headers = {*package.glob("*/*.px[di]"), *package.glob("page/columns.py")} - {made}
    for header in sorted(headers):
        value = zlib.crc32(header.read_bytes(), value)
    return value
