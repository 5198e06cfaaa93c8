"""Files that are written whole, outlast a crash of the system, and have one writer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from threading import get_ident
from typing import IO

# How the names of temporary files end.
DRAFT = ".part"


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that gets its name once it is complete; else the old one stays.

    A device or a pipe is written to, not replaced.  Raises OSError with the file's name.
    """
    # Threads may write the same file.
    draft = Path(f"{path}.{os.getpid()}-{get_ident()}{DRAFT}")
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        with draft.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(
                error.errno, error.strerror or str(error), str(path)
            ) from error
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file by way of written().  Raises OSError with the file's name."""
    with written(path) as file:
        file.write(data)


def append(file: FileIO, data: bytes) -> None:
    """Write to the end of an unbuffered file: all, or else nothing with an OSError."""
    end = file.seek(0, os.SEEK_END)
    try:
        while data:
            data = data[file.write(data) :]
    except OSError:
        file.truncate(end)
        raise


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's new files outlast a crash.  Raises OSError."""
    if os.name == "nt":  # pragma: no cover - folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock(handle: int) -> None:
    """Lock an open file until it is closed; OSError if another process has locked it."""
    if sys.platform == "win32":  # pragma: no cover
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
