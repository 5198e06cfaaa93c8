"""Every engine gives the rows of the local one; each test starts the real engine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests import ROOT

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet

from scrapy_eatext.archive import core
from scrapy_eatext.archive.local import Plan, Run
from scrapy_eatext.archive.manifest import outputs
from tests.support.archives import URL, page, warc

pytestmark = [pytest.mark.slow, pytest.mark.apart]

SETTINGS = {"EATEXT_MIN_CHARS": 10}
COUNT = 60


def in_order(rows):
    return sorted(rows, key=lambda row: row["url"])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Rows in Parquet, some of which are no pages."""
    path = tmp_path_factory.mktemp("pages") / "pages.parquet"
    html = [page(i) for i in range(COUNT)]
    html[7], html[9], html[11] = None, b"", b"<p>\xff\xfe"
    table = pa.table(
        {
            "url": [URL.format(f"{i:03}") for i in range(COUNT)],
            "html": html,
            "id": range(COUNT),
            "day": [date(2024, 1, 1 + i % 9) for i in range(COUNT)],
            "tags": [["a", f"b{i}"] for i in range(COUNT)],
        }
    )
    parquet.write_table(table, path, row_group_size=20)
    return path


def local_rows(source, output):
    done = Run(Plan([str(source)], output, SETTINGS, workers=2, part_size=1)).go()
    assert not done.errors
    return [
        row for file in outputs(output) for row in parquet.read_table(file).to_pylist()
    ]


@pytest.fixture(scope="module")
def expected(pages, tmp_path_factory):
    rows = in_order(local_rows(pages, tmp_path_factory.mktemp("out") / "out"))
    assert len(rows) == COUNT
    assert {row["outcome"] for row in rows} >= {"extracted", "unreadable", "empty"}
    assert [row["id"] for row in rows] == [str(i) for i in range(COUNT)]
    assert json.loads(rows[11]["input"]) == {"day": "2024-01-03", "tags": ["a", "b11"]}
    return rows


def test_the_core(pages, expected):
    batches = parquet.read_table(pages).to_batches()
    found = core.extract_batches(batches, SETTINGS)
    assert in_order([row for one in found for row in one.to_pylist()]) == expected


# Ray uses what it deprecates itself, and warns of few pages for many actors.
@pytest.mark.filterwarnings("default")
def test_ray(pages, expected, monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    from scrapy_eatext.archive.on_ray import extract

    path = os.pathsep.join([str(Path.cwd()), *filter(None, sys.path)])
    env = {"env_vars": {"PYTHONPATH": path}}
    ray.init(num_cpus=3, include_dashboard=False, runtime_env=env, log_to_driver=False)
    try:
        dataset = ray.data.read_parquet(str(pages))
        found = extract(dataset, SETTINGS, actors=2).take_all()
    finally:
        ray.shutdown()
    assert in_order(found) == expected


# PySpark warns of versions of pandas that it was not tried with.
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_spark(pages, expected, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    from scrapy_eatext.archive.on_spark import extract

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    path = os.pathsep.join([str(Path.cwd()), *filter(None, sys.path)])
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.executorEnv.PYTHONPATH", path)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    try:
        frame = session.read.parquet(str(pages)).repartition(3)
        found = [row.asDict() for row in extract(frame, SETTINGS).collect()]
    finally:
        session.stop()
    assert in_order(found) == expected


def test_datatrove(tmp_path):
    pytest.importorskip("datatrove")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from scrapy_eatext.archive.on_datatrove import ArchiveReader, Extract

    archive = tmp_path / "pages.warc.gz"
    archive.write_bytes(warc(COUNT)[:-40])
    executor = LocalPipelineExecutor(
        pipeline=[
            ArchiveReader(str(archive)),
            Extract(SETTINGS),
            JsonlWriter(str(tmp_path / "out"), compression=None),
        ],
        logging_dir=str(tmp_path / "logs"),
        tasks=2,
    )
    executor.run()
    found = []
    for file in (tmp_path / "out").glob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            said = json.loads(line)
            row = {"text": said["text"], **said["metadata"]}
            found.append({name: row[name] for name in core.schema().names})
    assert len(found) == COUNT
    assert in_order(found) == in_order(local_rows(archive, tmp_path / "local"))


def run_recipe(word, folder):
    """Run the recipe of the docs that has a word, as it is, in a folder with pages."""
    said = (ROOT / "docs" / "archives.md").read_text("utf-8")
    recipes = re.findall(r"```python\n(.*?)```", said, re.DOTALL)
    (recipe,) = (code for code in recipes if word in code)
    (folder / "recipe.py").write_text(recipe, "utf-8")
    pages = folder / "pages"
    pages.mkdir()
    for number in range(2):
        (pages / f"{number}.warc.gz").write_bytes(warc(10 + number))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    subprocess.run([sys.executable, "recipe.py"], check=True, cwd=folder, env=env)


def test_datatrove_as_the_docs_have_it(tmp_path):
    pytest.importorskip("datatrove")
    run_recipe("datatrove", tmp_path)
    found = [
        row
        for file in (tmp_path / "texts").iterdir()
        for row in parquet.read_table(file).to_pylist()
    ]
    assert len(found) == 21
    assert {row["metadata"]["outcome"] for row in found} == {"extracted"}


def test_dask_as_the_docs_have_it(tmp_path):
    pytest.importorskip("dask.bag")
    run_recipe("dask", tmp_path)
    files = sorted((tmp_path / "texts").iterdir())
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines]
    local = local_rows(tmp_path / "pages", tmp_path / "out")
    assert len(rows) == 21
    assert sorted(row["text"] for row in rows) == sorted(row["text"] for row in local)
