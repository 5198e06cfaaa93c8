"""Files of this machine, and of all file systems of pyarrow and fsspec."""

from __future__ import annotations

import io
import os
import re
import shutil
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from errno import EINVAL
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from tempfile import TemporaryFile
from typing import IO, Any, BinaryIO, cast
from urllib.parse import unquote
from zipfile import ZIP_STORED, ZipFile

from scrapy_eatext import durable
from scrapy_eatext.archive.packed import BEFORE
from scrapy_eatext.archive.record import MissingError, needed


@dataclass(frozen=True, slots=True)
class Stat:
    """A file's size and the time of its last change, to detect changes."""

    size: int
    changed: int

    @classmethod
    def of(cls, info: Any) -> Stat:
        """From the result of os.stat(), or from a FileInfo of pyarrow."""
        if isinstance(info, os.stat_result):
            return cls(info.st_size, info.st_mtime_ns)
        return cls(info.size or 0, info.mtime_ns or 0)


# The state of a file that is looked up later, or cannot be.
UNKNOWN = Stat(-1, 0)


def is_remote(path: str) -> bool:
    """Whether a path names a file system, as s3://bucket/file does."""
    return "://" in path


def local_path(path: str) -> str:
    """A path without file://, and with its percent-encoding decoded if it had it."""
    scheme, is_address, inside = path.partition("://")
    return unquote(inside) if is_address and scheme == "file" else path


def canonical(path: str) -> str:
    """The canonical path of a file or folder."""
    scheme, is_address, inside = path.partition("://")
    if not is_address or scheme == "file":
        return os.path.realpath(local_path(path))
    return f"{scheme}://{re.sub(r'/(?:[.]?/)*', '/', inside).rstrip('/')}"


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Convert any exception of a remote file system to OSError, with one line."""
    try:
        yield
    except (OSError, MissingError):
        raise
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        raise OSError(message) from error


# The most bytes of a request to a remote file system, and the bytes read after a part,
# in which most last records end.
_REQUEST_BYTES = 1 << 24
_BYTES_AFTER = 1 << 18
# The timeout of a request: pyarrow's default of 3 s is too short for a busy store.
_REQUEST_SECONDS = 60
# The bytes at a file's start that show how it is packed.
_BYTES_AT_START = 1 << 16
# What separates the path of a WACZ from that of a file in it; "#" is the mark.
INSIDE = ".wacz#"


def open_file(path: str) -> BinaryIO:
    """A file opened for reading, with seek().  Raises OSError.

    A device may be endless, and opening a pipe could wait for ever.
    """
    if not is_remote(path):
        mode = Path(path).stat().st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode)):
            raise OSError(EINVAL, "it is no regular file", path)
        return Path(path).open("rb")
    with _remote(path) as (system, inside):
        if hasattr(system, "handler"):
            # Without a cache fsspec reads no more than it is asked for.
            opened = system.handler.fs.open(inside, "rb", cache_type="none")
        else:
            opened = system.open_input_file(inside)
        return cast("BinaryIO", opened)


def open_part(path: str, start: int, stop: int) -> BinaryIO:
    """A file, or one stored in a WACZ, opened to read a part of it.  Raises OSError."""
    path, is_inside, name = path.partition(INSIDE)
    if not is_inside and not is_remote(path):
        return open_file(path)
    file = open_file(path + is_inside[:-1])
    try:
        begin, end = 0, file.seek(0, os.SEEK_END)
        if is_inside:
            begin, end = _stored(file, name)
    except BaseException:
        file.close()
        raise
    return io.BufferedReader(_Range(file, begin, end, start, stop), _REQUEST_BYTES)


def _stored(file: BinaryIO, name: str) -> tuple[int, int]:
    """The offsets at which a stored file begins and ends in a zip file."""
    with _as_os_error(), ZipFile(file) as packed:
        info = packed.getinfo(name)
        if info.compress_type != ZIP_STORED:
            raise OSError(f"{name} is packed, where a WACZ has to store it")
        # The lengths of the name and of the extra field stand in the local header.
        file.seek(info.header_offset + 26)
        lengths = struct.unpack("<HH", file.read(4))
    begin = info.header_offset + 30 + sum(lengths)
    return begin, begin + info.file_size


def stored_in(path: str) -> Iterator[tuple[str, int]]:
    """The names of the files in a zip file, and their sizes.  Raises OSError."""
    with _as_os_error(), closing(open_file(path)) as file, ZipFile(file) as packed:
        for info in packed.infolist():
            yield f"{path}#{info.filename}", info.file_size


class _Range(io.RawIOBase):
    """The bytes from ``begin`` to ``end`` of a file, to read a part of them.

    From ``start`` and ``stop``, the part's offsets, it decides how much to request.
    """

    def __init__(
        self, file: BinaryIO, begin: int, end: int, start: int, stop: int
    ) -> None:
        self._file = file
        self._begin, self._end = begin, end
        self._start, self._stop = start, stop
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        after = {os.SEEK_CUR: self._at, os.SEEK_END: self._end - self._begin}
        self._at = after.get(whence, 0) + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        place = self._begin + self._at
        until = max(self._at, self._stop) + _BYTES_AFTER
        if self._at < self._start - BEFORE:
            until = self._at + _BYTES_AT_START
        size = min(until - self._at, self._end - place, len(buffer))
        if size <= 0:
            return 0
        with _as_os_error():
            self._file.seek(place)
            data = self._file.read(size)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def content(path: str, most: int) -> bytes:
    """A file's bytes, up to ``most`` and one more; 0 is no limit.  Raises OSError."""
    with open_file(path) as file:
        return file.read(most + 1) if most else file.read()


@contextmanager
def written(path: str) -> Iterator[IO[bytes]]:
    """A file to write; it gets its name when it is complete.  Raises OSError."""
    if is_remote(path):
        with TemporaryFile() as file, _remote(path) as (system, inside):
            yield file
            file.seek(0)
            with system.open_output_stream(inside) as out:
                shutil.copyfileobj(file, out, _REQUEST_BYTES)
        return
    with durable.written(Path(path)) as file:
        yield file
    with suppress(OSError):
        durable.sync_folder(Path(path).parent)


def delete(path: str) -> None:
    """Delete a file if it exists.  Raises OSError."""
    if not is_remote(path):
        Path(path).unlink(missing_ok=True)
        return
    with suppress(FileNotFoundError), _remote(path) as (system, inside):
        system.delete_file(inside)


def names_in(folder: str) -> list[str]:
    """The names in a folder; a local folder is created if missing.  Raises OSError."""
    if not is_remote(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        return sorted(path.name for path in Path(folder).iterdir())
    fs = needed("pyarrow.fs", folder, "archive")
    with _remote(folder) as (system, inside):
        infos = system.get_file_info(fs.FileSelector(inside, allow_not_found=True))
        return sorted(info.base_name for info in infos)


def stat(path: str) -> Stat:
    """A file's Stat.  Raises OSError."""
    return Stat.of(_info(path) if is_remote(path) else Path(path).stat())


def known(path: str) -> Stat:
    """A file's Stat, UNKNOWN if it cannot be looked up."""
    try:
        return stat(path)
    except OSError:
        return UNKNOWN


def look(path: str) -> Stat | None:
    """A file's Stat, None for a folder.  Raises OSError if the path does not exist."""
    if is_remote(path):
        types = needed("pyarrow.fs", path, "archive").FileType
        info = _info(path)
        if info.type != types.NotFound:
            return None if info.type == types.Directory else Stat.of(info)
    elif Path(path).exists():
        return None if Path(path).is_dir() else stat(path)
    raise FileNotFoundError(2, "there is no such file or folder", path)


def _info(path: str) -> Any:
    with _remote(path) as (system, inside):
        return system.get_file_info(inside)


def walk(folder: str) -> Iterator[tuple[str, dict[str, Stat]]]:
    """The relative paths of a folder and all folders in it, in order, with their files.

    Only regular files are included, as reading a pipe could wait for ever, and those
    that cannot be looked up.  Raises OSError for a folder that cannot be listed.
    """
    if is_remote(folder):
        yield from _walk_remote(folder)
        return

    def refuse(error: OSError) -> None:
        raise error

    for root, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        # A link to a parent folder would be followed for ever.
        folders[:] = sorted(n for n in folders if not _leads_back(root, n, folder))
        inside = Path(root).relative_to(folder).as_posix()
        stats = {}
        for name in sorted(names):
            try:
                result = Path(root, name).stat()
            except OSError:  # reading the file raises it again
                stats[name] = UNKNOWN
                continue
            if S_ISREG(result.st_mode):
                stats[name] = Stat.of(result)
        yield "" if inside == "." else inside, stats


def _leads_back(root: str, name: str, top: str) -> bool:
    """Whether a name in a folder is a link to a folder between ``top`` and itself."""
    path = Path(root, name)
    if not path.is_symlink():
        return False
    steps = Path(root).relative_to(top).parts
    above = [Path(top, *steps[:i]).resolve() for i in range(len(steps) + 1)]
    return path.resolve() in above


def joined(folder: str, *names: str) -> str:
    """The path of a file in a folder; empty names are left out."""
    return "/".join([folder.rstrip("/"), *filter(None, names)])


def _walk_remote(folder: str) -> Iterator[tuple[str, dict[str, Stat]]]:
    fs = needed("pyarrow.fs", folder, "archive")
    with _remote(folder) as (system, top):
        listed = system.get_file_info(fs.FileSelector(top, recursive=True))
    files_by_folder: dict[str, dict[str, Stat]] = {}
    for info in sorted(listed, key=lambda info: info.path):
        if info.type == fs.FileType.File:
            inside = info.path.removeprefix(top).lstrip("/")
            parent, _, name = inside.rpartition("/")
            files_by_folder.setdefault(parent, {})[name] = Stat.of(info)
    yield from sorted(files_by_folder.items())


@contextmanager
def _remote(path: str) -> Iterator[tuple[Any, str]]:
    """The file system of a path, and the path in it.  Raises OSError."""
    with _as_os_error():
        yield _system(path)


def _system(path: str) -> tuple[Any, str]:
    fs = needed("pyarrow.fs", path, "archive")
    scheme = path.partition("://")[0]
    try:
        system, inside = fs.FileSystem.from_uri(path)
    except ValueError:  # not one of pyarrow's own file systems
        try:
            from fsspec.core import url_to_fs

            system, inside = url_to_fs(path)
        except (ImportError, ValueError) as error:
            raise OSError(f"no file system for {scheme}:// ({error})") from error
        return fs.PyFileSystem(fs.FSSpecHandler(system)), inside
    if scheme == "s3" and "?" not in path:
        # pyarrow does not read these variables.
        names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        endpoint = next(filter(None, map(os.environ.get, names)), "")
        system = fs.S3FileSystem(
            region=system.region,
            endpoint_override=endpoint.partition("://")[2] or None,
            scheme=endpoint.partition("://")[0] or "https",
            request_timeout=_REQUEST_SECONDS,
        )
    return system, inside
