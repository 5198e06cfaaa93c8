"""Folders of HTML files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from scrapy_eatext.archive.files import content, joined
from scrapy_eatext.archive.packed import PackedError, unpacked
from scrapy_eatext.archive.record import Record, unreadable

_PAGE = re.compile(r"\.x?html?(\.gz)?$", re.IGNORECASE)


def is_page(name: str) -> bool:
    """Whether a file is HTML, by its name."""
    return bool(_PAGE.search(name))


def read(folder: str, names: Iterable[str], most: int) -> Iterator[Record]:
    """The pages in files of a folder; their addresses are unknown."""
    return (read_page(joined(folder, name), name, most) for name in names)


def read_page(path: str, name: str, most: int) -> Record:
    """The page in a file, with ``name`` as its id."""
    try:
        data = content(path, most)
        return Record(name, "", unpacked(data, "gzip", most))
    except PackedError as error:
        # A file over the limit is cut off here, and so not damaged.
        message = "" if most and len(data) > most else str(error)
        return Record(name, "", error.data, error=message)
    except OSError as error:
        return unreadable(name, error.strerror or error)
