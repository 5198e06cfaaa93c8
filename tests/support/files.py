"""A file on a disk without much room."""

from __future__ import annotations

import os
from errno import ENOSPC
from io import FileIO
from tempfile import TemporaryDirectory


class Small(FileIO):
    """A temporary file with room for some bytes; writes the part that still fits."""

    def __init__(self, room: int) -> None:
        with TemporaryDirectory() as folder:
            super().__init__(f"{folder}/file", "w+")
        self.room = room

    def write(self, data: bytes) -> int:  # type: ignore[override]
        fitting = data[: self.room - self.tell()]
        if data and not fitting:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return super().write(fitting)
