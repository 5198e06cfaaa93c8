"""Pages in files: compressed ones, and folders of them."""

from __future__ import annotations

import os
from pathlib import Path

from w3lib.encoding import read_bom

from scrapy_eatext.archive import packed
from scrapy_eatext.archive.readers.folder import is_page

# The bytes that no text has, by the rules for sniffing of MIME types, which leave out the
# signs of ISO-2022-JP.  A page may have a few of them by mistake.
_BINARY = bytes({*range(32)} - {*b"\t\n\f\r\x1b"})
_BEGINNING = 5000
_MOST_BINARY = 0.01


class FileError(ValueError):
    """A page that cannot be read; the message names its file."""


def read(file: Path, most: int) -> bytes:
    """A file's page, unpacked to so many bytes at most; 0 is no limit.

    Raises FileError.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}") from error
    return unpacked(data, most, str(file))


def unpacked(data: bytes, most: int, name: str) -> bytes:
    """A page's bytes, unpacked if their beginning shows that they are gzip."""
    try:
        page = packed.unpacked(data, "gzip", most)
    except packed.PackedError as error:
        raise FileError(f"{name}: damaged: {error}") from error
    if most and len(page) > most and page is not data:
        limit = f"EATEXT_MAX_SIZE ({most:,})"
        raise FileError(f"{name}: it unpacks to more bytes than {limit}")
    return page


def check_page(data: bytes, name: str) -> None:
    """Raise FileError if bytes are empty or binary."""
    if not data.strip():
        raise FileError(f"{name}: the page is empty")
    beginning = data[:_BEGINNING]
    binary = len(beginning) - len(beginning.translate(None, _BINARY))
    is_utf_16 = read_bom(data)[0] is not None  # which has such bytes too
    is_binary = binary > _MOST_BINARY * len(beginning) and not is_utf_16
    if is_binary or data.startswith(b"%PDF-"):
        raise FileError(f"{name}: this is binary data, and no page")


def pages_in(folder: Path) -> list[Path]:
    """The pages in a folder and its subfolders, in the order of their paths.

    Their names end in .html, .htm or .xhtml, with or without .gz.  A folder that cannot
    be listed is among them, so that reading it gives the error.
    """
    found: list[Path] = []
    unlisted: list[OSError] = []
    for root, _, names in os.walk(folder, onerror=unlisted.append):
        files = (Path(root, name) for name in names if is_page(name))
        # Reading a pipe could wait for ever.  A link that leads nowhere is an error.
        found += (file for file in files if file.is_file() or not file.exists())
    return sorted([*found, *(Path(error.filename) for error in unlisted)])
