"""Reads pages from files, gzipped or not, and finds those in folders."""

from __future__ import annotations

import os
from pathlib import Path

from scrapy_eatext.archive import packed
from scrapy_eatext.archive.readers.folder import is_page
from scrapy_eatext.page.decode import is_binary


class FileError(ValueError):
    """A page that cannot be read; the message names its file."""


def read(file: Path, max_size: int) -> bytes:
    """The bytes of a file, unpacked if they are gzip.

    Raises FileError if the file cannot be read or unpacks to more than ``max_size``
    bytes; 0 is no limit.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}") from error
    return unpacked(data, max_size, str(file))


def unpacked(data: bytes, max_size: int, name: str) -> bytes:
    """A page's bytes, unpacked if they begin as gzip does.  Raises FileError."""
    try:
        page = packed.unpacked(data, "gzip", max_size)
    except packed.PackedError as error:
        raise FileError(f"{name}: damaged: {error}") from error
    if max_size and len(page) > max_size and page is not data:
        limit = f"EATEXT_MAX_SIZE ({max_size:,})"
        raise FileError(f"{name}: it unpacks to more bytes than {limit}")
    return page


def check_page(data: bytes, name: str) -> None:
    """Raise FileError if bytes are empty or binary."""
    if not data.strip():
        raise FileError(f"{name}: the page is empty")
    if is_binary(data):
        raise FileError(f"{name}: binary data, not a page")


def pages_in(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders that hold pages, sorted by path.

    Their names end in .html, .htm or .xhtml, with or without .gz.  A subfolder that
    cannot be listed is included, so that reading it gives the error.
    """
    pages: list[Path] = []
    errors: list[OSError] = []
    for root, _, names in os.walk(folder, onerror=errors.append):
        files = (Path(root, name) for name in names if is_page(name))
        # Reading a pipe could block forever.  Reading a broken link gives an error.
        pages += (file for file in files if file.is_file() or not file.exists())
    return sorted([*pages, *(Path(error.filename) for error in errors)])
