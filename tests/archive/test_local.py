"""Archives on one machine: each page once, whatever stops a run, and however often."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from tests import ROOT

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet

from scrapy_eatext.algorithms.base import Algorithm
from scrapy_eatext.archive import core, local
from scrapy_eatext.archive.conditions import Conditions
from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.manifest import NAME, OutputError, outputs
from scrapy_eatext.archive.progress import Progress, UnderWay
from scrapy_eatext.archive.readers import ArchiveError
from scrapy_eatext.archive.shards import Plan
from scrapy_eatext.commands.archive import bar, summary
from scrapy_eatext.crawl.settings import KEYS
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.extraction import extract
from scrapy_eatext.result import ATTRIBUTES, to_json
from scrapy_eatext.sites.evidence import Site
from scrapy_eatext.sites.files import SiteFile
from tests.support.archives import (
    INLINE,
    URL,
    article,
    filled,
    line,
    page,
    record,
    response,
    warc,
    written,
)
from tests.support.commands import run_command
from tests.support.passages import PROSE

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _of_processes(request):
    """Tests of the long archive do things to processes; the others need none."""
    if "long_archive" not in request.fixturenames:
        request.getfixturevalue("in_threads")


def batch(**columns):
    return pa.record_batch({name: pa.array(c) for name, c in columns.items()})


def rows_of(*batches, settings=INLINE, **how):
    """The rows of the texts of some batches of pages."""
    found = core.extract_batches(batches, settings, **how)
    return [row for one in found for row in one.to_pylist()]


# -- the core


def test_a_row_in_is_a_row_out():
    pages = [page(0), None, b"", b"<p>\xff\x00", page(1)]
    urls = [URL.format(0), "b", None, "d", URL.format(1)]
    rows = rows_of(batch(url=urls, html=pages), batch(html=["<p>x"]), settings=None)
    assert (*rows[0],) == core.DEFAULT_COLUMNS
    assert [row["url"] for row in rows] == [*(url or "" for url in urls), ""]
    assert [rows[i]["text"] for i in (0, 4)] == [article(0), article(1)]
    assert [rows[i]["title"] for i in (0, 4)] == ["Page 0", "Page 1"]
    outcomes = [row["outcome"] for row in rows[:3]]
    assert outcomes == ["extracted", "unreadable", "empty"]
    assert rows[0]["algorithm"] == "eatext"
    assert rows[0]["score"] > 0.5
    assert rows[0]["version"]
    assert rows[1]["error"] == "there is no 'html'"
    assert rows_of(batch(html=pa.array([], pa.string()))) == []


def test_columns_and_conditions_on_request():
    columns = ("html", "url")
    given = batch(html=[page(0), b"", None], url=["a", "b", "c"])
    how = {"columns": columns, "where": ["outcome=extracted"]}
    (one,) = core.extract_batches([given], INLINE, **how)
    assert one.schema == core.schema(columns)
    assert one.to_pylist() == [{"html": f"<p>{article(0)}</p>", "url": "a"}]


def test_every_attribute_of_a_result_may_be_a_column():
    tags = b"<meta name=keywords content='a, \xc3\xa9'>"
    html = page(0).replace(b"</title>", b"</title>" + tags)
    result = extract(html, url=URL.format(0))
    given = batch(html=[html, b""], url=[URL.format(0), "b"])
    row, empty = rows_of(given, columns=core.COLUMNS)
    assert set(ATTRIBUTES) <= {*row}
    for name in ATTRIBUTES:
        value = to_json(result.value(name))
        if isinstance(value, list | dict) and not isinstance(row[name], list):
            assert json.loads(row[name]) == json.loads(json.dumps(value)), name
        else:
            assert row[name] == value, name
    assert row["tags"] == ["a", "\u00e9"]
    assert len(json.loads(row["chunks"])) == 1
    assert (empty["chunks"], empty["tags"], empty["product"]) == ("[]", [], None)


def test_columns_of_other_names_and_types():
    odd = [
        pa.record_batch({"body": pa.array([page(0).decode()], pa.large_string())}),
        pa.record_batch({"body": pa.array([page(0)], pa.large_binary())}),
        batch(body=[7]),
    ]
    rows = rows_of(*odd, html_column="body")
    assert [row["text"] for row in rows] == [article(0), article(0), ""]
    assert rows[2]["error"] == "int is no text in 'body'"


def test_the_encoding_of_the_transport_counts():
    html = "<p>Gr\u00f6\u00dfe und \u00dcbermut, " + "noch ein Wort " * 9
    columns = {"html": [html.encode("cp1252")] * 2, "encoding": ["cp1252", None]}
    rows = rows_of(batch(**columns))
    assert rows[0]["text"].startswith("Gr\u00f6\u00dfe und \u00dcbermut")


def test_all_that_a_row_has_comes_along():
    rows = batch(
        url=["http://a.org/", "http://b.org/"],
        html=[page(0), None],
        id=[7, None],
        price=[1.5, float("nan")],
        raw=[b"\xff", None],
        day=[date(2024, 5, 1), None],
    )
    found = rows_of(rows)
    assert [row["id"] for row in found] == ["7", ""]
    assert [json.loads(row["input"]) for row in found] == [
        {"price": 1.5, "raw": "\ufffd", "day": "2024-05-01"},
        {"raw": None, "day": None},
    ]


def test_rows_come_along_from_files_as_from_batches(tmp_path):
    rows = [{"url": f"u{i}", "html": page(i).decode(), "id": i, "n": i} for i in (1, 2)]
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_bytes(b"".join(line(**row) for row in rows))
    given = rows_of(*table.to_batches())
    for name in ("a.parquet", "b.jsonl"):
        out = tmp_path / f"out {name}"
        Run(plan(tmp_path / name, out)).go()
        rows = [{**row, "source": "", "offset": None} for row in written(out)]
        assert rows == given
    assert [row["id"] for row in given] == ["1", "2"]
    assert [row["input"] for row in given] == ['{"n": 1}', '{"n": 2}']


@pytest.mark.parametrize(
    ("url", "address", "error"),
    [(5, "", "int is no text in 'url'"), (b"u", "u", ""), ("\ud800", "?", "")],
)
def test_an_address_that_is_no_text_is_an_error_of_its_row(url, address, error):
    if isinstance(url, str):  # half a character, which a batch cannot have
        html = f"<p>A \ud800 text of a page.<p>{PROSE['en']}"
        batches = core.batches_of([core.Record("i", url, html)])
    else:
        batches = [batch(url=[url], html=[page(0)])]
    (row,) = rows_of(*batches)
    assert (row["outcome"], row["url"], row["error"]) == ("extracted", address, error)


def test_settings_of_a_crawl_hold():
    settings = {
        **INLINE,
        "EATEXT_ALGORITHM": ["justext", "eatext"],
        "EATEXT_SITES": {
            "off.example": False,
            "other.example": "tests.support.algorithms.Plain",
        },
        "EATEXT_MAX_SIZE": 3000,
    }
    urls = ["http://off.example/", "http://www.other.example/", "http://a.example/"]
    pages = [page(0), page(1), page(2) * 9]
    rows = rows_of(batch(url=urls, html=pages), settings=settings)
    assert [(row["outcome"], row["algorithm"]) for row in rows] == [
        ("skipped_off", ""),
        ("extracted", "plain"),
        ("too_large", "last resort"),
    ]


def test_settings_that_rows_do_not_depend_on_are_left_out():
    own = {"EATEXT_MAX_SIZE": 3000, "EATEXT_ALGORITHM": [Algorithm]}
    # Only a crawl has a use for the objects of a browser.
    others = {"EATEXT_WEAK": {"meta": {"methods": [object()]}}, "EATEXT_PAGES": 3}
    assert core.settings_for_rows({**own, **others}) == {
        "EATEXT_MAX_SIZE": 3000,
        "EATEXT_ALGORITHM": ["scrapy_eatext.algorithms.base.Algorithm"],
    }
    assert set(KEYS) > core._OF_CRAWLS


def test_a_page_that_ends_its_process_costs_no_other():
    settings = {
        "EATEXT_SITES": {"bad.example": "tests.support.algorithms.Killed"},
        "EATEXT_TIMEOUT": 2.0,
    }
    urls = [URL.format(0), "http://bad.example/", URL.format(2)]
    pages = batch(url=urls, html=[page(0), b"<p>killed", page(2)])
    rows = rows_of(pages, settings=settings)
    assert [row["outcome"] for row in rows] == ["extracted", "worker_died", "extracted"]


# -- the engine


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Pages in archives of several kinds."""
    lines = [line(url=f"j{i}", html=page(i).decode()) for i in range(20)]
    files = {"a.warc.gz": warc(60), "b.jsonl": b"".join(lines)}
    files |= {f"{i}.html": page(i) for i in range(5)}
    return filled(tmp_path_factory.mktemp("archive"), files)


def plan(archive, output, **changes):
    made = Plan([str(archive)], Path(output), INLINE, part_size=8000)
    return replace(made, **changes)


@pytest.fixture(scope="module")
def expected(archive, tmp_path_factory):
    output = tmp_path_factory.mktemp("expected") / "out"
    done = Run(plan(archive, output, workers=2)).go()
    assert not done.errors
    assert done.counts == {"extracted": 85}
    assert done.parts > 8
    return written(output)


def test_every_page_once(expected):
    found = Counter(row["text"] for row in expected)
    assert found == Counter(
        [*map(article, range(60)), *map(article, range(20)), *map(article, range(5))]
    )


def test_another_format_has_the_same_rows(archive, expected, tmp_path):
    Run(plan(archive, tmp_path / "out", form="jsonl")).go()
    assert written(tmp_path / "out") == expected


def test_a_second_run_does_nothing(archive, expected, tmp_path):
    first = Run(plan(archive, tmp_path / "out"))
    with pytest.raises(OutputError, match="another run is writing"):
        Run(plan(archive, tmp_path / "out"))
    first.go()
    done = Run(plan(archive, tmp_path / "out")).go()
    assert (done.parts, done.counts, done.errors) == (0, Counter(), {})
    assert done.share() > 0.99
    assert written(tmp_path / "out") == expected
    assert summary(done).startswith("Nothing to do")


def test_only_what_changed_is_done_again(archive, expected, tmp_path):
    inputs = shutil.copytree(archive, tmp_path / "in")
    made = plan(inputs, tmp_path / "out")
    Run(made).go()
    (inputs / "b.jsonl").write_bytes(line(url="new", html="<p>new"))
    (inputs / "c.jsonl").write_bytes(line(url="more", html="<p>more"))
    done = Run(made).go()
    assert done.parts == 2
    urls = [row["url"] for row in written(tmp_path / "out")]
    assert sorted({"new", "more"} & set(urls)) == ["more", "new"]
    # The parts that the shorter file no longer has are gone.
    assert not [url for url in urls if url.startswith("j")]
    assert len(urls) == len(expected) - 20 + 2
    files = list((tmp_path / "out").glob("*.parquet"))
    assert len(outputs(str(tmp_path / "out"))) == len(files)


def command(*args):
    code = "from scrapy.cmdline import execute; execute()"
    # The order of arguments is that of the command line.
    return [sys.executable, "-c", code, "eatext", "archive", *map(str, args)]


def run_to_end(arguments):
    return subprocess.run(
        arguments, check=False, cwd=ROOT, capture_output=True, text=True
    )


def killed_after(seconds, *args):
    """Run the command, and kill it after so many seconds; whether it was still there."""
    process = subprocess.Popen(
        command(*args), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, errors.decode()
    return False


@pytest.mark.apart
def test_killed_at_random_and_started_again(tmp_path):
    files = {f"{i}.warc.gz": warc(50, 400 + i) for i in range(8)}
    archives = filled(tmp_path / "in", files)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    args = (archives, "-o", killed, "-j", 2, "-s", "EATEXT_EXECUTOR=inline")
    at_random = random.Random(5)
    kills = 0
    # The first time ends before a run has begun on any machine; on a slow one a run needs
    # longer to get anywhere.
    while killed_after(at_random.uniform(0, 1 + kills), *args):
        kills += 1
        assert kills < 100
    assert kills
    Run(Plan([str(archives)], whole, INLINE, workers=2)).go()
    assert written(killed) == written(whole)
    assert len(written(whole)) == 400


@pytest.mark.parametrize("at", [1, 37, 350])
def test_a_manifest_that_ends_in_the_midst_of_a_line(archive, expected, tmp_path, at):
    output = tmp_path / "out"
    Run(plan(archive, output)).go()
    lines = (output / NAME).read_bytes()
    (output / NAME).write_bytes(lines[: len(lines) - at])
    Run(plan(archive, output)).go()
    assert written(output) == expected


def test_an_output_of_other_options_or_another_version(archive, tmp_path, monkeypatch):
    output = tmp_path / "out"
    Run(plan(archive, output)).go()
    more = {**INLINE, "EATEXT_MIN_CHARS": 5}
    for other, message in (
        ({"settings": more}, "EATEXT_MIN_CHARS: none then, 5 now"),
        ({"sample": 0.5}, "sample: 1.0 then, 0.5 now"),
        ({"form": "jsonl"}, "form: parquet then, jsonl now"),
    ):
        with pytest.raises(OutputError, match=message):
            Run(plan(archive, output, **other))
    monkeypatch.setattr("scrapy_eatext.__version__", "99")
    with pytest.raises(OutputError, match=r"scrapy-eatext: .* then, 99 now"):
        Run(plan(archive, output))


def test_an_output_of_other_site_files(tmp_path):
    inputs = filled(tmp_path / "in", {"a.html": page(0)})
    taught = tmp_path / "sites"
    taught.mkdir()
    settings = {**INLINE, "EATEXT_SITE_FILES": taught}
    made = plan(inputs, tmp_path / "out", settings=settings)
    assert Run(made).go().parts == 1
    assert Run(made).go().parts == 0
    file = SiteFile("site.example", Site((), (), 1), (), pages=1)
    (taught / file.name).write_text(file.as_json(), "utf-8")
    with pytest.raises(OutputError, match=r"site files .*sites: \w+ then, \w+ now"):
        Run(made)


def test_an_output_folder_with_something_else(archive, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match="is not empty"):
        Run(plan(archive, tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "mine.txt").unlink()
    made_by = json.dumps({"made_by": plan(archive, tmp_path).made_by()})
    for damaged in (
        "damaged\nand more\n",
        "[" * 100_000 + "\n{}\n",
        f"{made_by}\n{{}}\n",
        f'{made_by}\n{{"part": "a", "input": "b", "output": 5}}\n',
        f'{made_by}\n{{"source": "a", "state": "b", "places": 5}}\n',
    ):
        (tmp_path / NAME).write_text(damaged)
        with pytest.raises(OutputError, match="is damaged"):
            Run(plan(archive, tmp_path))
    (tmp_path / NAME).write_text('{"made_by": 5}\n')
    with pytest.raises(OutputError, match="other versions"):
        Run(plan(archive, tmp_path))


class StopIt(BaseException):
    pass


def children():
    """The processes of this one that extract."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            mine = state != "Z" and int(parent) == os.getpid()
            if mine and b"archive.shards" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@pytest.fixture(scope="module")
def long_archive(tmp_path_factory):
    """Pages for some seconds."""
    archive = tmp_path_factory.mktemp("long") / "pages.warc.gz"
    archive.write_bytes(warc(300, 1500))
    return archive


LONG = {"part_size": 50_000, "workers": 2}


@pytest.mark.apart
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_is_killed_or_hangs(long_archive, tmp_path, monkeypatch, how):
    monkeypatch.setattr(local, "_PATIENCE", 10.0)
    monkeypatch.setattr(local, "_PAGES", 0)
    most = {signal.SIGKILL: 2, signal.SIGSTOP: 1}[how]
    ended = []

    def end(progress: Progress) -> None:
        is_time = len(ended) < most and progress.totals().total() > 20
        if is_time and (found := children()):
            os.kill(found[0], how)
            ended.append(found[0])

    done = Run(plan(long_archive, tmp_path / "out", **LONG)).go(end)
    assert ended
    assert not done.errors
    found = Counter(row["text"] for row in written(tmp_path / "out"))
    assert found == Counter(article(i, 1500) for i in range(300))
    assert not children()


def test_a_part_whose_process_dies_again_and_again(long_archive, tmp_path):
    def kill(progress: Progress) -> None:
        for child in children() if progress.under_way else ():
            os.kill(child, signal.SIGKILL)

    done = Run(plan(long_archive, tmp_path / "out", part_size=10**9)).go(kill)
    assert list(done.errors.values()) == ["its process died 3 times"]
    assert not Run(plan(long_archive, tmp_path / "out", part_size=10**9)).go().errors
    assert len(written(tmp_path / "out")) == 300


def test_processes_that_cannot_start_stop_the_run(long_archive, tmp_path, monkeypatch):
    ends = [sys.executable, "-c", "raise SystemExit(3)"]
    monkeypatch.setattr(local, "command", lambda _: ends)
    done = Run(plan(long_archive, tmp_path / "out", **LONG)).go()
    assert done.errors == {"the run stopped": "processes end at their start"}


def test_a_run_that_is_interrupted_leaves_no_process(long_archive, tmp_path):
    def interrupt(progress: Progress) -> None:
        if progress.totals():
            raise StopIt

    with pytest.raises(StopIt):
        Run(plan(long_archive, tmp_path / "out", **LONG)).go(interrupt)
    assert not children()
    done = Run(plan(long_archive, tmp_path / "out", **LONG)).go()
    assert not done.errors
    assert len(written(tmp_path / "out")) == 300
    assert not list((tmp_path / "out").glob("*.part"))


@pytest.mark.apart
def test_out_of_room(tmp_path):
    archive = tmp_path / "pages.warc.gz"
    archive.write_bytes(warc(30, 3000))
    args = (archive, "--output", tmp_path / "out", "-f", "jsonl", "-j", 1)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000)); "
    arguments = command(*args)
    arguments[2] = limit + arguments[2]
    done = run_to_end(arguments)
    assert done.returncode == 1
    assert "File too large" in done.stderr
    assert not list((tmp_path / "out").glob("*.part"))
    assert outputs(str(tmp_path / "out")) == []
    done = run_to_end(command(*args))
    assert done.returncode == 0, done.stderr
    assert len(written(tmp_path / "out")) == 30


def test_bad_archives_cost_no_other(archive, tmp_path, capfd):
    # A database of something else is one too.
    bad = {"bad.parquet": b"no parquet", "Thumbs.db": b"no database" * 99}
    inputs = [archive, filled(tmp_path / "in", bad)]
    done = Run(plan(archive, tmp_path / "out", inputs=[*map(str, inputs)])).go()
    assert len(written(tmp_path / "out")) == 85
    errors = sorted(done.errors.values())
    assert "Thumbs.db: " in errors[0]
    assert "bad.parquet: it is no Parquet" in errors[1]
    # Each failed part has one error.
    assert (len(errors), capfd.readouterr().err) == (2, "")
    with pytest.raises(ArchiveError, match="no such file"):
        Run(plan(tmp_path / "none", tmp_path / "other"))


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_the_output_may_be_inside_the_input(tmp_path, monkeypatch, form):
    filled(tmp_path, {"a.html": page(0), "b.jsonl": line(html=page(1).decode())})
    monkeypatch.chdir(tmp_path)
    made = plan(".", "texts", form=form, columns=core.COLUMNS)
    for parts in (2, 0):
        done = Run(made).go()
        assert (done.parts, done.errors) == (parts, {})
    assert len(written("texts")) == 2
    # Readers of folders take a file whose name begins with a point for none.
    assert not any(file.name.startswith(".") for file in Path("texts").iterdir())
    with pytest.raises(ArchiveError, match="cannot be the input too"):
        Run(plan("texts", "texts", form=form, columns=core.COLUMNS))


PAGES = ("0.html", "1.html", "2.html", "3.htm")


def test_pages_that_are_named_one_by_one(tmp_path):
    filled(tmp_path, {name: page(i) for i, name in enumerate(PAGES)})
    inputs = [str(tmp_path / name) for name in PAGES[:3]]
    made = plan(tmp_path, tmp_path / "out", inputs=inputs)
    assert Run(made).go().counts == {"extracted": 3}
    rows = written(tmp_path / "out")
    assert [row["id"] for row in rows] == made.inputs
    assert [row["text"] for row in rows] == [article(i) for i in range(3)]
    assert Run(made).go().counts == {}
    # Others come to them.
    Run(replace(made, inputs=[str(tmp_path / PAGES[3])])).go()
    assert len(written(tmp_path / "out")) == 4


def test_where_and_sample(tmp_path):
    records = [
        record(response(page(i)), f"http://{'www.' * (i % 2)}site{i % 3}.example/{i}")
        for i in range(90)
    ]
    archive = tmp_path / "pages.warc"
    archive.write_bytes(b"".join([*records, record(response(b"x", "image/png"), "p")]))
    made = plan(archive, tmp_path / "out", where=("host=site1.example", "score>=0.1"))
    done = Run(made).go()
    assert done.counts["skipped_type"] == 1
    assert done.counts["left_out"] == 60
    hosts = {row["url"].split("/")[2] for row in written(tmp_path / "out")}
    assert {host.removeprefix("www.") for host in hosts} == {"site1.example"}
    texts = []
    for name, share in (("a", 0.3), ("b", 0.3), ("c", 0.6)):
        size = 5000 * len(texts) or 3000
        Run(plan(archive, tmp_path / name, sample=share, part_size=size)).go()
        texts.append({row["text"] for row in written(tmp_path / name)})
    assert texts[0] == texts[1] < texts[2]
    assert 10 < len(texts[0]) < 45


@pytest.mark.parametrize(
    "condition",
    [
        *("colour=red", "score>=much", "host>a", "host", "", "page_type=artikle"),
        *("outcome=extract", "host=http://a.org/"),
    ],
)
def test_wrong_conditions(condition):
    with pytest.raises(SettingError, match="--where"):
        Conditions([condition])


@pytest.mark.parametrize("outcome", ["below", "login", "too_large", "skipped_status"])
def test_conditions_on_outcomes(outcome):
    Conditions([f"outcome={outcome},unreadable"])


def test_the_bar_and_the_summary():
    done = Progress(size=1000, skipped=100)
    done.counts.update({"extracted": 300, "worker_died": 20})
    done.started -= 60
    done.under_way[0] = UnderWay()
    done.note(60.0)
    assert done.remaining() is None
    done.done, done.parts = 320, 3
    done.under_way[0] = UnderWay(320, 0.25, Counter({"extracted": 80}))
    done.note(120.0)
    # 400 of 900 in a minute.
    assert done.remaining() == pytest.approx(75)
    line = bar(done)
    assert line.startswith(
        "[##########          ] 50 %, 7 pages a second, 0:01:15 left: "
    )
    assert line.endswith("380 extracted, 20 worker died")
    assert "400 pages in 0:01:00, 7 a second: 380 extracted" in summary(done)


def simulated(
    sizes: list[int], workers: int, pace: Callable[[float], float]
) -> tuple[list[tuple[float, float | None]], float]:
    """A run of some processes over parts, at a pace that depends on the time.

    The estimates of the remaining time, with their times, and the time of the end.
    """
    progress = Progress(size=sum(sizes))
    todo = iter(sizes)
    # What each process works on: bytes, and bytes done.
    at = [[size, 0.0] for _, size in zip(range(workers), todo, strict=False)]
    estimates, now, tick = [], 0.0, 0.25
    while any(size for size, _ in at):
        now += tick
        for number, one in enumerate(at):
            if now < 2 or not one[0]:  # processes start
                continue
            one[1] += tick * pace(now)
            if one[1] >= one[0]:
                progress.done += one[0]
                one[:] = next(todo, 0), one[1] - one[0]
            if one[0]:
                # A process reads ahead, so that its share rises in steps.
                share = one[1] // 30 * 30 / one[0]
                progress.under_way[number] = UnderWay(one[0], share)
            else:
                del progress.under_way[number]
        progress.note(now)
        estimates.append((now, progress.remaining()))
    return estimates, now


def steady(now: float) -> float:
    return 100.0


RUNS = {
    "uneven parts": ([1500, 400, 400, 300] * 14, 3, steady),
    "one part that is longer than all others": ([300] * 20 + [14_000], 2, steady),
    "more processes than parts": ([9000, 9500], 8, steady),
    "a machine with other work": (
        [1000] * 40,
        2,
        lambda now: 100.0 if now % 14 < 7 else 50.0,
    ),
    "a machine that became busy": (
        [1000] * 24,
        2,
        lambda now: 100.0 if now < 20 else 50.0,
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_remaining_time_after_a_minute(name):
    estimates, end = simulated(*RUNS[name])
    assert end > 75
    # Then what is left are a few parts, which processes do not share.
    late = [(now, left) for now, left in estimates if 60 <= now <= max(60, end - 30)]
    for now, left in late:
        assert left == pytest.approx(end - now, rel=0.2), now


def test_a_single_part_tells_how_far_it_is(tmp_path):
    # Several looks long, on a fast machine too.
    archive = tmp_path / "pages.warc.gz"
    archive.write_bytes(warc(400, 1500))
    shares = []

    def look(progress: Progress) -> None:
        if progress.remaining() is not None:
            shares.append(progress.share())

    output = tmp_path / "out"
    Run(plan(archive, output, part_size=10**9)).go(look)
    assert any(0.0 < share < 1.0 for share in shares)
    assert shares == sorted(shares)


def test_the_command(archive, tmp_path):
    names = "tests.support.algorithms.Plain,eatext"
    # A file that is named twice is read once.
    file = archive / "a.warc.gz"
    args = (file, archive, file, "-o", tmp_path / "out", "-j", 1, "-a", names)
    done = run_to_end(
        command(*args, "--where", "host!=x", "-s", "EATEXT_EXECUTOR=inline")
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("85 pages in ")
    assert {row["algorithm"] for row in written(tmp_path / "out")} == {"plain"}


def test_what_is_wrong_is_named(archive, tmp_path, capsys):
    Run(plan(archive, tmp_path / "out", where=("host=none.example",))).go()
    for wrong, code, message in (
        (["--where", "x=y"], 2, "--where is 'x=y'"),
        (["-a", "no"], 2, "--algorithm is 'no'"),
        (["-o", str(tmp_path / "out")], 1, "where: host=none.example then, none now"),
        (["--columns", "text,colour"], 2, "--columns is 'text,colour'"),
    ):
        new = str(tmp_path / "new")
        assert run_command("archive", str(archive), "-o", new, *wrong) == code
        assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        run_command("archive", str(archive), "-o", "new", "--url", "x")
    assert end.value.code == 2
    assert "unrecognized arguments: --url x" in capsys.readouterr().err


def test_a_missing_extra_is_named():
    arguments = command("x.html", "-o", "out")
    arguments[2] = f"import sys; sys.modules['pyarrow'] = None; {arguments[2]}"
    done = run_to_end(arguments)
    assert done.returncode == 1
    assert "pip install 'scrapy-eatext[archive]'" in done.stderr
    assert "Traceback" not in done.stderr
