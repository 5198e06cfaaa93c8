"""Pages in files: compressed ones, and folders of them."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path

from w3lib.encoding import read_bom

from scrapy_eatext.archive.readers.folder import is_page

_GZIP = b"\x1f\x8b"
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
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            page = stream.read(most + 1 if most else -1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{name}: damaged: {error}") from error
    if most and len(page) > most:
        limit = f"EATEXT_MAX_SIZE ({most:,})"
        raise FileError(f"{name}: it unpacks to more bytes than {limit}")
    return page


def check_page(data: bytes, name: str) -> None:
    """Raise FileError if bytes are empty or binary."""
    if not data.strip():
        raise FileError(f"{name}: the page is empty")
    beginning = data[:_BEGINNING]
    binary = len(beginning) - len(beginning.translate(None, _BINARY))
    # UTF-16 has such bytes, too.
    encoding, _ = read_bom(data)
    is_binary = encoding is None and binary > _MOST_BINARY * len(beginning)
    if is_binary or data.startswith(b"%PDF-"):
        raise FileError(f"{name}: this is binary data, and no page")


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
