"""Labels of pages that were read once more."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.corrections import corrected, hashes, read_corrections
from scrapy_eatext.learning.data import Dataset
from scrapy_eatext.learning.train import silent, take_samples, trainer
from tests.support.labelled import labelled

PAGE = "<body><p>Menu</p><p>First post.</p><p>Answer.</p><p>Thanks!</p><p>Answer.</p>"
BLOCKS = "Menu", "First post.", "Answer.", "Thanks!", "Answer."


def read_once_more(folder: Path, row: dict[str, object]) -> Dataset:
    """A thread of whose posts the true text has the first one alone, corrected."""
    page = labelled(folder, "thread", PAGE, kind="article", text="First post.")
    corrections = read_corrections(written(folder, {page.digest: row}))
    return corrected(Dataset([page], "threads"), corrections)


def written(folder: Path, rows: object) -> Path:
    file = folder / "corrections.json"
    file.write_text(json.dumps(rows))
    return file


def test_equal_blocks_have_a_number_each() -> None:
    first, *others = hashes(["a  b", "c", "a b"])
    assert first.endswith(".1")
    assert others == [hashes(["c"])[0], first[:-1] + "2"]


def test_a_page_is_learned_from_as_it_was_read(tmp_path: Path) -> None:
    pytest.importorskip("catboost")
    _, first, answer, thanks, again = hashes(BLOCKS)
    row = {"kind": "forum", "main": [first, answer, again], "comments": [thanks]}
    read = read_once_more(tmp_path, row)
    (sample,) = take_samples(
        trainer("eatext"), read.pages, skip=False, progress=silent
    ).data
    assert sample.kind == "forum"
    assert sample.by_block
    assert sample.share.tolist() == [0, 1, 1, 0, 1]
    assert np.flatnonzero(sample.comments).tolist() == [3]
    assert sample.true == {"first": 1, "post": 1, "answer": 2}
    # Its score is by the data's own text.
    assert (read.pages[0].text, read.pages[0].kind) == ("First post.", "article")


def test_a_page_in_doubt_teaches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("catboost")
    read = read_once_more(tmp_path, {"doubt": "it is cut off"})
    with pytest.raises(DataError, match="it is cut off"):
        take_samples(trainer("eatext"), read.pages, skip=False, progress=silent)


@pytest.mark.parametrize("rows", [[], {"00": 1}, {"00": {"main": 1}}])
def test_a_file_that_holds_something_else(tmp_path: Path, rows: object) -> None:
    file = written(tmp_path, rows)
    for text in (file.read_text("utf-8"), "[" * 100_000):
        file.write_text(text, "utf-8")
        with pytest.raises(DataError, match=f"{file.name} holds no corrections"):
            read_corrections(file)
