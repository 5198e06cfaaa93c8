"""Files of this machine and of every file system that pyarrow or fsspec names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from scrapy_eatext.archive.record import MissingError


@dataclass(frozen=True, slots=True)
class Stat:
    """A file's size and the time of its last change, by which a change is noticed."""

    size: int
    changed: int


def is_remote(path: str) -> bool:
    """Whether a path names a file system, as s3://bucket/file does."""
    return "://" in path


def real(path: str) -> str:
    """The one name of a file or folder, in whichever way its path is written."""
    scheme, is_address, inside = path.partition("://")
    if not is_address:
        return os.path.realpath(path)
    if scheme == "file":
        return os.path.realpath(unquote(inside))
    return f"{scheme}://{re.sub(r'/(?:[.]?/)*', '/', inside).rstrip('/')}"


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Raise whatever another file system raises as OSError, in one line."""
    try:
        yield
    except (OSError, MissingError):
        raise
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise OSError(message) from error


def open_file(path: str) -> BinaryIO:
    """A file, open for reading from any place in it.  Raises OSError."""
    if not is_remote(path):
        return Path(path).open("rb")
    with _as_os_error():
        system, inside = _system(path)
        return cast("BinaryIO", system.open_input_file(inside))


def content(path: str, most: int) -> bytes:
    """A file's bytes, up to so many and one more; 0 is no limit.  Raises OSError."""
    with open_file(path) as file:
        return file.read(most + 1) if most else file.read()


def stat(path: str) -> Stat:
    """A file's size and time.  Raises OSError."""
    if not is_remote(path):
        found = Path(path).stat()
        return Stat(found.st_size, found.st_mtime_ns)
    info = _info(path)
    return Stat(info.size or 0, info.mtime_ns or 0)


def is_folder(path: str) -> bool:
    """Whether a path is a folder's.  Raises FileNotFoundError if there is nothing."""
    if is_remote(path):
        from pyarrow.fs import FileType

        kind = _info(path).type
        exists, is_one = kind != FileType.NotFound, kind == FileType.Directory
    else:
        exists, is_one = Path(path).exists(), Path(path).is_dir()
    if not exists:
        raise FileNotFoundError(2, "there is no such file or folder", path)
    return bool(is_one)


def _info(path: str) -> Any:
    with _as_os_error():
        system, inside = _system(path)
        return system.get_file_info(inside)


def walk(folder: str) -> Iterator[tuple[str, list[str]]]:
    """A folder and those in it, in order: their paths inside it, and names of files.

    Files that are no regular ones are left out: reading a pipe could wait for ever.
    Raises OSError for a folder that cannot be listed.
    """
    if is_remote(folder):
        yield from _walk_remote(folder)
        return

    def refuse(error: OSError) -> None:
        raise error

    for root, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        # A link to a folder above leads round for ever.
        folders[:] = sorted(n for n in folders if not _leads_back(root, n, folder))
        inside = Path(root).relative_to(folder).as_posix()
        files = [name for name in sorted(names) if Path(root, name).is_file()]
        yield "" if inside == "." else inside, files


def _leads_back(root: str, name: str, top: str) -> bool:
    """Whether a link in a folder leads to one of those on the way to it from the top."""
    path = Path(root, name)
    if not path.is_symlink():
        return False
    steps = Path(root).relative_to(top).parts
    above = [Path(top, *steps[:i]).resolve() for i in range(len(steps) + 1)]
    return path.resolve() in above


def joined(folder: str, *names: str) -> str:
    return "/".join([folder.rstrip("/"), *filter(None, names)])


def _walk_remote(folder: str) -> Iterator[tuple[str, list[str]]]:
    from pyarrow.fs import FileSelector, FileType

    with _as_os_error():
        system, top = _system(folder)
        listed = system.get_file_info(FileSelector(top, recursive=True))
    found: dict[str, list[str]] = {}
    for info in listed:
        if info.type == FileType.File:
            inside = info.path.removeprefix(top).lstrip("/")
            parent, _, name = inside.rpartition("/")
            found.setdefault(parent, []).append(name)
    for parent in sorted(found):
        yield parent, sorted(found[parent])


def _system(path: str) -> tuple[Any, str]:
    """The file system that a path names, and the path there."""
    try:
        from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem
    except ImportError:
        raise MissingError(path, "archive", "pyarrow") from None
    scheme = path.partition("://")[0]
    try:
        system, inside = FileSystem.from_uri(path)
    except ValueError:  # pyarrow's own systems are few
        try:
            from fsspec.core import url_to_fs

            system, inside = url_to_fs(path)
        except (ImportError, ValueError) as error:
            raise OSError(f"no file system for {scheme}:// ({error})") from error
        return PyFileSystem(FSSpecHandler(system)), inside
    return system, inside
