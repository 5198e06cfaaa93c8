"""Files that are written whole, outlast a crash of the system, and have one writer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import IO

# How the names of temporary files end.
DRAFT = ".part"


@contextmanager
def written(path: Path) -> Iterator[IO[bytes]]:
    """A temporary file that gets its name once it is complete; else the old one stays.

    Raises OSError.
    """
    # Threads may write the same file.
    draft = Path(f"{path}.{os.getpid()}-{get_ident()}{DRAFT}")
    try:
        with draft.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file by way of written().  Raises OSError with the file's name."""
    try:
        with written(path) as file:
            file.write(data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


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
