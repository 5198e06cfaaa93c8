"""Scrapy's HTTPCACHE, in files or in a DBM database, of Scrapy 2.15 to 2.19."""

from __future__ import annotations

import dbm
import io
import pickle
import pickletools
import re
import sqlite3
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrapy.http import Headers
from w3lib.http import headers_raw_to_dict

from scrapy_eatext.archive.files import content, joined, open_file
from scrapy_eatext.archive.packed import PackedError, unpacked
from scrapy_eatext.archive.record import Record, recorded, unreadable, with_response

# The files in a response's folder; the last is of Scrapy 2.19.
_META, _HEADERS, _BODY = "meta", "response_headers", "response_body"
_DETAILS = "response_data"
# How a response's key ends in a database.
_SUFFIX = "_data"
_HTML_RESPONSE = "scrapy.http.response.html.HtmlResponse"
_SQLITE = b"SQLite format 3\0"
# The number of columns of the table that are stored in the file.
_STORED = """
    SELECT count(*) FROM sqlite_master AS made, pragma_table_info('Dict') AS column
    WHERE made.name = 'Dict' AND made.rootpage AND column.name IN ('key', 'value')
"""
# A database's name, and the endings that modules of dbm add.
_DATABASE = re.compile(r"(.*?\.db)(?:\.(?:db|dat|dir|bak|pag))?\Z", re.DOTALL)


def is_entry(names: Iterable[str]) -> bool:
    """Whether a folder with these files holds a cached response."""
    # One file may be missing, or all but two if the crawl was killed.
    return len({_META, "pickled_meta", _HEADERS, _BODY} & set(names)) > 1


def read(folder: str, names: Iterable[str], most: int) -> Iterator[Record]:
    """The pages of cached responses, each a folder in ``folder``."""
    for name in names:
        where = name.rpartition("/")[2]
        yield recorded(where, _of_folder, where, joined(folder, name), most)


def _of_folder(where: str, folder: str, most: int) -> Record:
    try:
        # A Python literal, and safe; another file has the same dict as a pickle.
        meta = literal_eval(_content(folder, _META).decode())
        about = _about(where, meta["response_url"], meta["status"])
        headers = headers_raw_to_dict(_content(folder, _HEADERS)) or {}
    except OSError as error:
        return unreadable(where, error)
    details = None
    try:
        body = _content(folder, _BODY, most)
    except PackedError as damaged:
        body, about = damaged.data, replace(about, error=str(damaged))
    except OSError as error:
        return unreadable(where, error, about.url)
    with suppress(OSError, ValueError):
        details = builtin_values(_content(folder, _DETAILS))
    return _record(about, headers, body, most, details)


def _content(folder: str, name: str, most: int = 1 << 20) -> bytes:
    """A file of a response, which may be packed by HTTPCACHE_GZIP."""
    return unpacked(content(joined(folder, name), most), "gzip", most)


def keys(path: str) -> list[str]:
    """The names of the responses in a database, in order.  Raises OSError."""
    with closing(_database(path)) as database:
        names = (name.decode("latin-1") for name in database.keys())  # noqa: SIM118
        return sorted(n.removesuffix(_SUFFIX) for n in names if n.endswith(_SUFFIX))


def read_database(path: str, names: Iterable[str], most: int) -> Iterator[Record]:
    """The pages of cached responses in a database.  Raises OSError."""
    with closing(_database(path)) as database:
        for name in names:
            if not name:
                keys(path)  # raises why they could not be listed
            yield recorded(name, _of_database, name, database, most)


def _of_database(name: str, database: Any, most: int) -> Record:
    stored = builtin_values(database[(name + _SUFFIX).encode("latin-1")])
    about = _about(name, stored["url"], stored["status"])
    body = stored["body"]
    if not isinstance(body, bytes):
        raise TypeError("the body is not bytes")
    return _record(about, dict(stored["headers"]), body, most, stored)


def _about(where: str, url: object, status: Any) -> Record:
    """The record of a response.  Raises TypeError or ValueError for other values."""
    if not isinstance(url, str) or int(status) not in range(1000):
        raise ValueError("it has no address or no status")
    return Record(where, url, status=int(status))


def databases(names: Iterable[str]) -> list[str]:
    """The names of the databases that files belong to, without dbm's endings."""
    matches = map(_DATABASE.match, names)
    return sorted({match[1] for match in matches if match})


def _database(path: str) -> Any:
    with suppress(FileNotFoundError), open_file(path) as opened:
        if opened.read(len(_SQLITE)) == _SQLITE:
            return _Sqlite(Path(path))
    try:
        return dbm.open(path, "r")
    except Exception as error:  # dbm.dumb raises many types
        raise OSError(str(error) or type(error).__name__) from error


class _Sqlite:
    """A database of dbm.sqlite3, which Pythons before 3.13 do not have."""

    def __init__(self, file: Path) -> None:
        address = f"{file.resolve().as_uri()}?mode=ro"
        try:
            self._of = sqlite3.connect(address, uri=True)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        try:
            # Rows of a view, and generated columns, may be endless.
            if self._rows(_STORED) != [(2,)]:
                raise OSError("no such table: Dict")
        except OSError:
            self.close()
            raise

    def keys(self) -> list[bytes]:
        rows = self._rows("SELECT CAST(key AS BLOB) FROM Dict")
        return [key for (key,) in rows if key]

    def __getitem__(self, key: bytes) -> bytes:
        query = "SELECT CAST(value AS BLOB) FROM Dict WHERE key = CAST(? AS BLOB)"
        return self._rows(query, key)[0][0] or b""

    def _rows(self, query: str, *values: bytes) -> list[Any]:
        try:
            return self._of.execute(query, values).fetchall()
        except sqlite3.Error as error:
            if values and type(error) is sqlite3.DatabaseError:
                raise  # damage of a single value
            raise OSError(str(error)) from error

    def close(self) -> None:
        self._of.close()


class _Nothing:
    """Replaces an object of any class; it is empty and does nothing."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        pass


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return _Nothing


def builtin_values(data: bytes) -> Any:
    """The values of built-in types in a pickle; other objects are replaced.

    No class of the pickle is looked up, and nothing is called.  Raises ValueError for
    data that are no pickle.
    """
    try:
        for opcode, number, _ in pickletools.genops(data):
            # The unpickler has room for as many values as this number says.
            if opcode.name.endswith("PUT") and (number or 0) > len(data):
                raise ValueError("a number is too large")
        return _Unpickler(io.BytesIO(data)).load()
    except Exception as error:  # damaged pickles raise many types
        raise ValueError(f"no pickle: {error!r}") from error


def _record(
    about: Record, headers: Mapping[Any, Any], body: bytes, most: int, details: Any
) -> Record:
    """A cached response's record; ``details`` is a dict in Scrapy 2.19, else None."""
    details = details if isinstance(details, dict) else {}
    is_page = details.get("_class") == _HTML_RESPONSE
    identified = "text/html" if is_page else ""
    record = with_response(about, Headers(headers), body, most, identified)
    encoding = details.get("encoding")
    if is_page and isinstance(encoding, str):
        return replace(record, encoding=encoding)
    return record
