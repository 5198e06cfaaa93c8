"""Files are written whole or not at all, and errors have their names."""

from __future__ import annotations

import os
from io import FileIO
from pathlib import Path

import pytest

from scrapy_eatext.durable import append, written
from tests.support.files import Small


def test_a_device_or_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with FileIO(os.open(pipe, os.O_RDWR)) as reader:
        with written(pipe) as file:
            file.write(b"text")
        assert reader.read(9) == b"text"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_an_error_has_the_name_of_the_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(OSError, match=f"{path}'$"), written(path):
            pass


def test_data_without_room_are_not_appended_in_part() -> None:
    with Small(9) as file:
        append(file, b"first")
        with pytest.raises(OSError, match="No space left"):
            append(file, b"second")
        append(file, b"two")
        file.seek(0)
        assert file.readall() == b"firsttwo"
