"""Every engine gives the rows of the local one; each test starts the real engine.

The programs of docs/engines run as they are.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet

from scrapy_eatext.archive import core
from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.shards import Plan
from tests.support.archives import URL, page, record, response, warc, written

pytestmark = [pytest.mark.slow, pytest.mark.apart]

SETTINGS = {"EATEXT_MIN_CHARS": 10}
COUNT = 60
# What each recipe is run with, and needs.
ENGINES = {"ray": "ray", "spark": "pyspark", "datatrove": "datatrove", "dask": "dask"}


def rows_in(folder):
    files = sorted(Path(folder).glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


def local_rows(source, output, **how):
    made = Plan([str(source)], output, SETTINGS, workers=2, part_size=2000, **how)
    assert not Run(made).go().errors
    return written(output)


def program(name, folder, **env):
    """Run a program of the docs, as it is, in a folder."""
    path = os.pathsep.join([str(folder), str(ROOT), *filter(None, sys.path)])
    more = {
        "PYTHONPATH": path,
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        **env,
    }
    script = ROOT / "docs" / "engines" / f"{name}.py"
    done = subprocess.run(
        [sys.executable, str(script)],
        check=False,
        cwd=folder,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-5000:]


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """Two WARC files, one that is cut into several parts and is damaged at its end."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(warc(COUNT)[:-40])
    more = [record(response(page(i)), URL.format(f"more{i}")) for i in range(20)]
    other = record(response(b"x", "image/png"), URL.format("x"))
    (folder / "b.warc").write_bytes(b"".join([*more, other]))
    return folder


def in_order(rows):
    """The default columns of rows, in the order of written()."""
    some = [{name: row[name] for name in core.DEFAULT_COLUMNS} for row in rows]
    return sorted(some, key=lambda row: (row["url"], row["id"]))


# Python runs it as it starts: the first process to extract dies after a while.
KILLED = """
import os, signal
from pathlib import Path
from scrapy_eatext.archive import core
row, count = core.Extractor.row, []
def killed(self, record):
    count.append(record)
    mark = Path(os.environ["KILLED"])
    if len(count) == 5 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return row(self, record)
core.Extractor.row = killed
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_the_programs_of_the_docs(engine, pages, tmp_path):
    """Ray and Spark do the work of a process that dies once more."""
    pytest.importorskip(ENGINES[engine])
    mark = tmp_path / "killed"
    if engine in {"ray", "spark"}:
        (tmp_path / "sitecustomize.py").write_text(KILLED)
    program(f"on_{engine}", tmp_path, KILLED=str(mark))
    assert mark.exists() == (engine in {"ray", "spark"})
    if engine == "dask":
        files = sorted((tmp_path / "texts").iterdir())
        lines = [line for f in files for line in f.read_text("utf-8").splitlines()]
        found = [json.loads(line) for line in lines]
    else:
        found = rows_in(tmp_path / "texts")
    if engine == "datatrove":
        found = [{"text": row["text"], **row["metadata"]} for row in found]
    where = ("outcome=extracted",)
    os.chdir(tmp_path)
    expected = local_rows("pages", tmp_path / "local", where=where)
    assert len(found) == len(expected) >= COUNT + 18
    assert {row["content_type"] for row in found} == {"text/html; charset=utf-8"}
    assert {row["fetched"] for row in found} == {"2024-05-01T00:00:00Z"}
    assert in_order(found) == expected


@pytest.mark.parametrize("engine", ["spark", "datatrove"])
def test_duplicates(engine, tmp_path):
    pytest.importorskip(ENGINES[engine])
    at_random = random.Random(1)
    # datatrove takes all numbers for one.
    letters = ["".join(at_random.choices("abcdefghij", k=6)) for _ in range(4000)]
    sentences = [" ".join(letters[at : at + 10]) for at in range(0, 4000, 10)]
    words = [". ".join(sentences[at : at + 20]) for at in range(0, 400, 20)]
    # Each fifth page is there again as it is, and again with a word of its own.
    words += words[::5]
    words += [f"{text} more" for text in words[:20:5]]
    pages = [f"<p>{text}".encode() for text in words]
    (tmp_path / "in.warc").write_bytes(
        b"".join(record(response(p), URL.format(i)) for i, p in enumerate(pages))
    )
    local_rows(tmp_path / "in.warc", tmp_path / "texts")
    program(f"duplicates_{engine}", tmp_path)
    texts = [row["text"] for row in rows_in(tmp_path / "unique")]
    assert len(texts) == 20
    assert {text.removesuffix(" more") for text in texts} == set(words[:20])
