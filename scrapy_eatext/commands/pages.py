"""Pages in files: compressed ones, and folders of them."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from scrapy_eatext.archive.readers.folder import is_page

_GZIP = b"\x1f\x8b"


class FileError(ValueError):
    """A file whose page cannot be read."""


def read(file: Path, most: int) -> bytes:
    """A file's page, unpacked to so many bytes at most; 0 is no limit.

    Raises FileError, which names the file.
    """
    try:
        return unpacked(file.read_bytes(), most)
    except FileError as error:
        raise FileError(f"{file}: {error}") from error
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}") from error


def unpacked(data: bytes, most: int) -> bytes:
    """A page's bytes, unpacked if their beginning shows that they are gzip."""
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            page = stream.read(most + 1 if most else -1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"damaged: {error}") from error
    if most and len(page) > most:
        raise FileError(f"it unpacks to more bytes than EATEXT_MAX_SIZE ({most:,})")
    return page


def pages_in(folder: Path) -> list[Path]:
    """The pages in a folder and its subfolders, in the order of their paths.

    Their names end in .html, .htm or .xhtml, with or without .gz.  A folder that cannot
    be listed is among them, so that reading it gives the error.
    """
    found: list[Path] = []

    def refuse(error: OSError) -> None:
        found.append(Path(error.filename))

    for root, _, names in os.walk(folder, onerror=refuse):
        files = (Path(root, name) for name in names if is_page(name))
        # Reading a pipe could wait for ever.  A link that leads nowhere is an error.
        found += (file for file in files if file.is_file() or not file.exists())
    return sorted(found)
