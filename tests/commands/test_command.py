from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from socket import socket

import pytest
from scrapy.settings import default_settings

from scrapy_eatext.commands.terminal import (
    StatusLine,
    cut,
    fail,
    printable,
    table,
    width,
)
from tests import ROOT
from tests.sites.test_learning import ALMANAC, odd
from tests.support.commands import run_command, run_scrapy
from tests.support.crawling import BROKEN, PATIENCE
from tests.support.labelled import write_own, write_segments
from tests.support.mockserver import text_of
from tests.support.passages import PROSE, UNSPACED_PROSE
from tests.support.suites import table_of

pytestmark = pytest.mark.slow

ENGLISH = PROSE["en"]
PAGE = (
    "<title>Bridge</title><ul><li><a href=/>Home</a></ul><h1>Bridge opened</h1>"
    f"<p>{ENGLISH}</p><p>Contact us\x1b[31m now.</p>"
)


@pytest.fixture
def run(capsys):
    """Runs the command: its exit code, and what it says on both outputs."""

    def run(*arguments, **settings):
        return run_command(*arguments, **settings), *capsys.readouterr()

    return run


@pytest.fixture
def ended(capsys):
    """Runs a command that ends early."""

    def ended(*arguments):
        with pytest.raises(SystemExit) as end:
            run_command(*arguments)
        return end.value.code, *capsys.readouterr()

    return ended


@pytest.fixture
def piped(monkeypatch):
    """Puts bytes into standard input."""

    def piped(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return piped


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


def test_json(page, run):
    code, out, _ = run(page, "-a", "justext", "-f", "json")
    found = json.loads(out)
    assert code == 0
    assert found["title"] == "Bridge"
    assert found["algorithm"] == "justext"
    assert found["text"] == f"Bridge opened\n\n{ENGLISH}"
    assert found["blocks"][1] == {
        "text": "Bridge opened",
        "kind": "heading",
        "level": 1,
        "xpath": "/html/body/h1",
        "score": 0.6,
        "kept": True,
        "reason": "short, beside good text",
    }


def test_blocks(page, run):
    code, out, _ = run(page, "-a", "justext", "-f", "blocks")
    head, *rows = out.splitlines()
    assert code == 0
    assert head.split() == ["score", "kind", "reason", "text", "xpath"]
    assert [row[0] for row in rows] == ["-", "+", "+", "-"]
    assert rows[1].startswith("+  0.60   heading 1")
    assert "short, beside good text" in rows[1]
    assert rows[1].endswith("/html/body/h1")
    assert "…" in rows[2]
    assert "\x1b" not in rows[3]
    assert len({row.index("/html/body") for row in rows}) == 1


def test_compare(page, run):
    code, out, _ = run(page, "--compare", "justext,eatiht,density")
    figures, blocks = out.split("\n\n")
    names = [row.split()[0] for row in figures.splitlines()]
    assert (code, names) == (0, ["algorithm", "justext", "eatiht", "density"])
    head, *rows = blocks.splitlines()
    assert head.split() == ["justext", "eatiht", "density", "text"]
    marks = ["".join(row.split()[:3]) for row in rows]
    assert marks == ["---", "+--", "+++", "---"]


def test_compare_with_an_algorithm_that_has_units_of_its_own(page, run):
    options = json.dumps({"eatiht": {"reference": True}})
    _, out, _ = run(page, "--compare", "justext,eatiht", "--options", options)
    rows = out.split("\n\n")[1].splitlines()[1:]
    assert [row.split()[1] for row in rows] == ["-", "-", "+", "-"]


def test_compare_in_a_language_without_spaces(tmp_path, run):
    path = tmp_path / "page.html"
    text = UNSPACED_PROSE["zh"]
    path.write_text(
        f"<html lang=zh><p>首页<p>{text}<p>{text}<p>{text[::-1]}</p></html>",
        encoding="utf-8",
    )
    options = json.dumps({"justext": {"reference": True, "length_high": 110}})
    arguments = ["--compare", "justext,density", "--options", options]
    code, out, _ = run(str(path), *arguments, "--url", "http://example.com")
    rows = out.split("\n\n")[1].splitlines()[1:]
    assert (code, [row.split()[0] for row in rows]) == (0, ["-", "+", "+", "+"])


SETTINGS = {
    "EATEXT_ALGORITHM": "eatiht",
    "EATEXT_OPTIONS": {"eatiht": {"min_length": 10_000}},
    "EATEXT_SITES": {"example.com": "justext", "example.org": False},
}
JUSTEXT = ["-a", "justext", "--options", "language=English"]


@pytest.mark.parametrize(
    ("arguments", "settings", "text"),
    [
        ([], SETTINGS, ""),
        (["--options", "min_length=20"], SETTINGS, ENGLISH),
        (["--options", '{"min_length": 20, "version": 2}'], SETTINGS, ENGLISH),
        (
            ["--url", "https://www.example.com/a"],
            SETTINGS,
            f"Bridge opened\n\n{ENGLISH}",
        ),
        (["--url", "https://example.org/a"], SETTINGS, ""),
        # Options are JSON or words.
        ([*JUSTEXT, "--options", "no_headings=true"], {}, ENGLISH),
    ],
)
def test_settings_hold_and_may_be_overridden(page, run, arguments, settings, text):
    assert run(page, *arguments, settings=settings)[1] == f"{text}\n"


def test_options_that_begin_with_a_point(page, run):
    assert run(page, "--options", "threshold=.99", "--options", "model=")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "-f", "pdf"], "--format is 'pdf', it must be one of text"),
        (["a", "--spider", "b"], "--spider is .* for a URL, not for a"),
        (["a", "--spider-arg", "b=c"], "--spider-arg is .* for a URL, not for a"),
        (["http://a.org/", "--spider-arg", "b"], "--spider-arg is 'b', .* NAME=VALUE"),
        (["http://a.org/", "--url", "b"], "--url is .* for a file, not for http:"),
        (["a", "--compare", "eatext", "-f", "json"], "--format is 'json', .* left out"),
    ],
)
def test_wrong_usage(arguments, message, run):
    code, _, err = run(*arguments)
    assert code == 2
    assert re.match(f"scrapy eatext: {message}", err)


@pytest.mark.parametrize(
    ("arguments", "unknown"),
    [
        (["a", "b"], "b"),
        (["a", "--nope"], "--nope"),
        (["train", "a", "--models", "b", "--spider-arg", "b=c"], "--spider-arg b=c"),
        (["train", "a", "--models", "b", "-f", "json"], "-f json"),
        (["evaluate", "a", "--url", "b"], "--url b"),
        (["learn", "a", "--sites", "b", "-a", "justext"], "-a justext"),
        (["review", "a", "--format", "json"], "--format json"),
        (["diff", "a", "b", "--html"], "--html"),
    ],
)
def test_arguments_of_another_task(arguments, unknown, ended):
    code, _, err = ended(*arguments)
    assert code == 2
    assert err.endswith(f"error: unrecognized arguments: {unknown}\n")


@pytest.mark.parametrize("arguments", [[], [""]])
def test_without_a_page_the_help_is_shown(arguments, ended):
    code, out, _ = ended(*arguments)
    assert code == 2
    assert "--compare" in out


KLINGON = {"justext": {"language": "klingon"}}
NO_MODEL = {"dragnet": {"model": "none.model"}}


@pytest.mark.parametrize(
    ("arguments", "settings", "said"),
    table_of("tables/wrong_command_lines.txt"),
)
def test_what_is_wrong_is_one_line_with_the_right_key(
    page, run, arguments, settings, said
):
    code, out, err = run(page, *eval(arguments), settings=eval(settings))
    assert (code, out) == (2, "")
    assert re.fullmatch(f"scrapy eatext: {said}.*\n", err)


@pytest.mark.parametrize(
    "arguments",
    [
        ("{}",),
        ("review", "{}"),
        ("learn", "{}", "--sites", "s"),
        ("train", "{}", "--models", "m"),
        ("evaluate", "{}"),
        ("archive", "{}", "--output", "o"),
        ("diff", "{}", "{}"),
    ],
)
def test_an_input_that_is_not_there(tmp_path, monkeypatch, run, arguments):
    monkeypatch.chdir(tmp_path)
    missing = str(tmp_path / "none.html")
    code, out, err = run(*(argument.format(missing) for argument in arguments))
    assert (code, out) == (1, "")
    assert re.fullmatch(f"scrapy eatext: {re.escape(missing)}.* [Nn]o .*\n", err)


def test_an_input_with_a_name_that_is_too_long(run):
    code, _, err = run("x" * 5000)
    assert code == 1
    assert err.startswith("scrapy eatext: [Errno 36] File name too long")


@pytest.mark.parametrize(("word", "task"), [("lern", "learn"), ("archives", "archive")])
def test_a_task_that_is_misspelt(word, task, ended):
    code, _, err = ended(word, "a", "--sites", "b")
    assert code == 2
    assert err.endswith(f"do you mean {task}?\n")


# The beginning of a picture, a PDF, and nothing.
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0", "binary data, not a page"),
        (b"%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj", "binary data, not a page"),
        (b" \n", "the page is empty"),
    ],
)
def test_a_file_that_is_no_page(tmp_path, piped, run, data, said):
    file = tmp_path / "a.html"
    file.write_bytes(data)
    piped(data)
    for name, shown in ((str(file), str(file)), ("-", "standard input")):
        code, out, err = run(name)
        assert (code, out) == (1, "")
        assert re.fullmatch(f"scrapy eatext: {re.escape(shown)}: .*{said}\n", err)


def test_an_archive_is_for_another_task(tmp_path, run):
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(b"")
    code, _, err = run(str(path))
    assert (code, "scrapy eatext archive" in err) == (2, True)


@pytest.mark.parametrize("encoding", ["utf-16", "iso2022_jp"])
def test_text_with_signs_of_binary_data_is_a_page(tmp_path, run, encoding):
    file = tmp_path / "a.html"
    head = "<meta charset=iso-2022-jp>" * (encoding == "iso2022_jp")
    file.write_bytes(f"{head}<p>{UNSPACED_PROSE['ja']}".encode(encoding, "ignore"))
    code, _, err = run(str(file), "-a", "density")
    assert (code, err) == (0, "")


LOGIN = "<title>Log in</title><h1>Log in</h1><form><input type=password></form>"


@pytest.mark.parametrize(
    ("html", "algorithm", "code", "out", "said"),
    [
        ("<p></p>", "eatext", 0, "\n", "{}: no main text found"),
        (LOGIN, "eatext", 0, "\n", "{}: no main text found (origin: login)"),
        ("<p>broken</p>", BROKEN, 1, "", "ZeroDivisionError: a page broke it"),
    ],
)
def test_pages_without_a_text(tmp_path, run, html, algorithm, code, out, said):
    file = tmp_path / "a.html"
    file.write_text(html)
    expected = (code, out, f"scrapy eatext: {said.format(file)}\n")
    assert run(str(file), "-a", algorithm) == expected


def test_outside_a_project(page, tmp_path):
    done = run_scrapy(tmp_path, "eatext", page, "-a", "justext")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == f"Bridge opened {ENGLISH}".split()


@pytest.mark.parametrize("packed", [gzip.compress, lambda page: page])
def test_pages_that_are_packed(tmp_path, piped, run, packed):
    data = packed(PAGE.encode())
    # By what is in it, whatever its name.
    names = [str(tmp_path / name) for name in ("page.html.gz", "page.html")]
    for name in names:
        Path(name).write_bytes(data)
    piped(data)
    for name in (*names, "-"):
        assert run(name, "-a", "eatiht") == (0, f"{ENGLISH}\n", "")


def test_a_packed_page_is_bounded(tmp_path, run):
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<p>" + b"0" * 1_000_000))
    for size in (1_000_003, 0):
        assert run(str(path), settings={"EATEXT_MAX_SIZE": size})[0] == 0
    code, out, err = run(str(path), settings={"EATEXT_MAX_SIZE": 1_000_002})
    assert (code, out) == (1, "")
    limit = "EATEXT_MAX_SIZE (1,000,002)"
    assert f"page.html.gz: it unpacks to more bytes than {limit}" in err
    path.write_bytes(path.read_bytes()[:-20])
    code, _, err = run(str(path))
    assert (code, "page.html.gz: damaged" in err) == (1, True)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "pages"
    (folder / "more").mkdir(parents=True)
    (folder / "b.html").write_text(PAGE, encoding="utf-8")
    (folder / "a.HTM").write_text("<p>broken</p>")
    (folder / "more" / "é.xhtml.gz").write_bytes(gzip.compress(PAGE.encode()))
    (folder / "notes.txt").write_text("no page")
    return folder


def test_a_folder(folder, run):
    code, out, err = run(str(folder), "-a", "eatiht")
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["file"] for line in lines] == ["a.HTM", "b.html", "more/é.xhtml.gz"]
    assert [line["text"] for line in lines] == ["", ENGLISH, ENGLISH]
    assert lines[1]["title"] == "Bridge"
    assert "html" not in lines[1]
    _, out, _ = run(str(folder), "-a", "eatiht", "-f", "markdown")
    line = json.loads(out.splitlines()[1])
    assert line["markdown"] == ENGLISH.replace("\x1b", "")
    assert "text" not in line
    _, out, _ = run(str(folder), "-f", "json")
    assert json.loads(out.splitlines()[1])["blocks"]


def test_a_folder_with_pages_that_fail(folder, run):
    (folder / "c.html.gz").write_bytes(b"\x1f\x8b\x08no gzip")
    (folder / "d.html").symlink_to(folder / "none.html")
    (folder / "e.html").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "f.html")
    (folder / "g.html").write_bytes(b"%PDF-1.7\n1 0 obj")
    code, out, err = run(str(folder), "-a", BROKEN)
    assert (code, err) == (1, "scrapy eatext: 4 of 6 pages failed\n")
    lines = {line.pop("file"): line for line in map(json.loads, out.splitlines())}
    names = ["a.HTM", "b.html", "c.html.gz", "d.html", "g.html", "more/é.xhtml.gz"]
    assert list(lines) == names
    assert lines["a.HTM"] == {"error": "ZeroDivisionError: a page broke it"}
    assert "c.html.gz: damaged" in lines["c.html.gz"]["error"]
    assert "d.html: No such file" in lines["d.html"]["error"]
    assert "g.html: binary data" in lines["g.html"]["error"]
    assert lines["more/é.xhtml.gz"]["text"].endswith("now.")


def test_a_page_of_a_folder_may_take_its_time_only(folder, run):
    (folder / "a.HTM").write_text("<p>endless")
    arguments = [str(folder), "-a", "tests.support.algorithms.Endless"]
    code, out, _ = run(*arguments, settings={"EATEXT_TIMEOUT": 0.2})
    first, second, _ = map(json.loads, out.splitlines())
    assert (code, first) == (1, {"file": "a.HTM", "error": "TimeLimitError"})
    assert second["text"]


def test_an_algorithm_of_several_that_fails_is_told(folder, run):
    names = f"{BROKEN},tests.support.algorithms.Plain"
    code, out, err = run(str(folder), "-a", names)
    assert code == 0
    assert json.loads(out.splitlines()[0])["algorithm"] == "plain"
    said = "an algorithm failed with ZeroDivisionError\n"
    assert err == f"scrapy eatext: a.HTM: {said}"
    page = run(str(folder / "a.HTM"), "-a", names)
    assert page == (0, "broken\n", f"scrapy eatext: {said}")


def test_a_folder_without_pages(tmp_path, run):
    code, _, err = run(str(tmp_path))
    assert (code, "has no pages: .html" in err) == (1, True)


@pytest.mark.parametrize(
    "arguments", [["-f", "blocks"], ["--compare", "eatext"], ["--url", "http://a.org"]]
)
def test_what_is_not_for_a_folder(folder, arguments, run):
    code, _, err = run(str(folder), *arguments)
    assert code == 2
    said = rf"scrapy eatext: --{arguments[0].strip('-')[0]}.* is not for a folder"
    assert re.match(said, err)


def test_lines_lose_nothing_in_a_narrow_encoding(folder):
    narrow = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run_scrapy(folder, "eatext", str(folder), **narrow)
    assert done.stdout.isascii()
    assert json.loads(done.stdout.splitlines()[-1])["file"] == "more/é.xhtml.gz"


def test_a_bar_shows_how_far_a_folder_is(folder, monkeypatch, run):
    main, other = pytest.importorskip("pty").openpty()
    with os.fdopen(other, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        code, out, _ = run(str(folder))
    assert (code, "2/3" in out) == (0, False)
    # A terminal gives what was written piece by piece, and an error at its end.
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(main, 10_000):
            shown += piece
    os.close(main)
    assert "] 2/3" in shown.decode()
    assert shown.endswith(b"\r\x1b[K")


@pytest.mark.parametrize("reader_stops", [True, False])
def test_a_folder_whose_reader_has_read_enough(folder, monkeypatch, reader_stops):
    seen = []
    monkeypatch.setattr(
        "scrapy_eatext.commands.terminal.print_text",
        lambda line: seen.append(line) or not reader_stops,
    )
    assert run_command(str(folder)) == 0
    assert len(seen) == (1 if reader_stops else 3)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("train", ["--models", "--skip-bad"]),
        ("evaluate", ["--json"]),
        ("archive", ["--algorithm", "--options"]),
    ],
)
@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_help_of_a_task(name, options, asked, ended):
    for arguments in ([name, asked], [asked, name], [name, "folder", asked]):
        code, out, _ = ended(*arguments)
        assert not code
        assert f"scrapy eatext {name} [-h]" in out
        assert "--compare" not in out
        assert all(option in out for option in options)


def test_help_names_the_command(tmp_path):
    done = run_scrapy(tmp_path, "-h")
    assert "eatext        Print the main text of a page" in done.stdout
    assert done.returncode == 0


LONG_TEXT = (
    "from scrapy_eatext.commands.terminal import print_text; print_text('x' * 100_000)"
)
DIFF = "from scrapy.cmdline import execute; execute('scrapy eatext diff r.jl r.jl'.split())"


def test_a_stream_that_the_caller_has_closed(page, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert run_command(page) == 0
    sys.stdout.close()


@pytest.mark.parametrize("code", [LONG_TEXT, DIFF])
def test_a_reader_that_has_read_enough(tmp_path, code):
    (tmp_path / "r.jl").write_text('{"url": "a", "text": "b"}\n' * 50)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_at_standard_output(page):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "scrapy", "eatext", page],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"scrapy eatext: [Errno 28]")
    assert done.stderr.endswith(b"'standard output'\n")


@pytest.mark.parametrize("name", ["gzip", "xhtml+xml"])
def test_url_of_a_packed_page(server, tmp_path, name):
    done = run_scrapy(tmp_path, "eatext", server(f"/packed/{name}"), "-a", "eatiht")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == text_of(name)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/packed/gzip", "EATEXT_MAX_SIZE (100)"),
        ("/missing", "404"),
        (f"/missing?{'x' * 3000}", "404"),
        ("/image.png", "the response is not text"),
    ],
)
def test_urls_without_a_page(server, tmp_path, path, said):
    done = run_scrapy(tmp_path, "eatext", server(path), "-sEATEXT_MAX_SIZE=100")
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


@pytest.mark.parametrize("task", [(), ("review",)])
def test_a_url_that_is_none_is_one_line(tmp_path, task):
    done = run_scrapy(tmp_path, "eatext", *task, "http://[::1")
    said = r"scrapy eatext: http://\[::1: .*\r?\n"
    assert done.returncode == 2
    assert re.fullmatch(said, done.stderr)


@pytest.mark.skipif(
    not hasattr(default_settings, "RETRY_GIVE_UP_LOG_LEVEL"),
    reason="this Scrapy always reports a page that it gave up",
)
def test_a_refused_connection_is_one_line(tmp_path):
    with closing(socket()) as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/"
        done = run_scrapy(tmp_path, "eatext", url, "-sROBOTSTXT_OBEY=1")
    assert done.returncode == 1
    said = rf"scrapy eatext: {url}: Connection was refused.*\r?\n"
    assert re.fullmatch(said, done.stderr)


def test_inside_a_project(server, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project.settings\n")
    (project / "__init__.py").write_text("")
    (project / "settings.py").write_text(
        "ADDONS = {'scrapy_eatext.Addon': 500}\n"
        "SPIDER_MODULES = ['project']\n"
        "EATEXT_ALGORITHM = 'eatiht'\n"
        "LOG_LEVEL = 'ERROR'\n"
    )
    (project / "spider.py").write_text(
        "import scrapy\n\n"
        "class Agent(scrapy.Spider):\n"
        "    name = 'agent'\n"
        "    custom_settings = {'EATEXT_ALGORITHM': 'density'}\n"
    )
    fetch = partial(run_scrapy, tmp_path, "eatext", server("/page/a"))
    # The project's settings, and those of one of its spiders, which come first.
    for spider, algorithm in (([], "eatiht"), (["--spider", "agent"], "density")):
        done = fetch("-f", "json", *spider)
        assert done.stderr == ""
        found = json.loads(done.stdout)
        assert (found["algorithm"], found["text"]) == (algorithm, text_of("a"))
    # What an add-on sets is known when the crawl starts.
    (project / "wrong.py").write_text(
        "class Addon:\n"
        "    def update_settings(self, settings):\n"
        "        settings.set('EATEXT_TIMEOUT', 'soon', 'addon')\n"
    )
    with (project / "settings.py").open("a") as file:
        file.write("ADDONS['project.wrong.Addon'] = 1\n")
    for given, said in (
        ([], "EATEXT_TIMEOUT is 'soon', it must be .*"),
        (["-sFORCE_CRAWLER_PROCESS=True"], "EATEXT_TIMEOUT is 'soon', it must be .*"),
        (["--spider", "none"], ".*there is no such spider"),
    ):
        done = fetch(*given)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.fullmatch(f"scrapy eatext: {said}\n", done.stderr)


def test_a_spider_that_needs_arguments(server, tmp_path):
    spiders = "import scrapy\n"
    for name, needed in (("city", "city, **more"), ("any", "**more")):
        spiders += (
            f"class {name.title()}(scrapy.Spider):\n"
            f"    name = {name!r}\n"
            f"    def __init__(self, {needed}):\n"
            "        super().__init__(**more)\n"
            "        if more.get('year', '2024') != '2024':\n"
            "            raise ValueError('no such year')\n"
        )
    (tmp_path / "spiders.py").write_text(spiders)
    command = ["eatext", server("/page/a"), "-a", "eatiht"]
    command += ["-sSPIDER_MODULES=spiders", "--spider"]
    for arguments, said in (
        (["any", "--spider-arg", "year=1"], r"'any' .*\(ValueError: no such year\)"),
        (["city", "-sFORCE_CRAWLER_PROCESS=1"], r"'city' .*\(TypeError: .*'city'\)"),
    ):
        done = run_scrapy(tmp_path, *command, *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert re.search(said, done.stderr)
        assert done.stderr.endswith("with --spider-arg NAME=VALUE\n")
        assert "Traceback" not in done.stderr
    given = ["--spider-arg", "city=Rome", "--spider-arg", "year=2024"]
    done = run_scrapy(tmp_path, *command, "city", *given)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == text_of("a")


# --- learn and review: what they write and say --------------------------------


@pytest.fixture
def learn(tmp_path):
    """Runs the command on a source, with a folder for site files."""

    def learn(source, *arguments):
        sites = str(tmp_path / "sites")
        return run_command("learn", str(source), "--sites", sites, *arguments)

    return learn


@pytest.fixture
def nameless(tmp_path):
    """A folder with a labelled page that has no address."""
    write_own(tmp_path / "in", "a", odd(1).html, "Day 1, note 1: boats came in.")
    return tmp_path / "in"


def test_labels_make_a_site_file_and_before_and_after_are_told(tmp_path, learn, capsys):
    assert learn(ALMANAC / "labels") == 0
    said = capsys.readouterr().out
    assert said.startswith("almanac.example: 2 pages, F1 0.000 -> 1.000, helps: ")
    files = [file.name for file in (tmp_path / "sites").iterdir()]
    assert files == ["almanac.example.json"]


def test_pages_without_an_address_are_counted(nameless, learn, capsys):
    assert learn(nameless) == 1
    assert "1 pages have no URL" in capsys.readouterr().err


def test_a_host_is_named_as_addresses_have_it(nameless, learn, capsys):
    for given in ("WWW.Odd.Example", "https://odd.example:81/x", "odd.example:81"):
        assert learn(nameless, "--host", given) == 0
        assert capsys.readouterr().out.startswith("odd.example: 1 page")
    assert learn(nameless, "--host", "https://") == 2
    assert "--host is 'https://'" in capsys.readouterr().err


def test_segments_are_no_labels(tmp_path, learn, capsys):
    row = {"with": ["boats came in"], "without": []}
    urls = [f"https://odd.example/{number}" for number in range(2)]
    rows = {url[-1]: (odd(url[-1]).html, {**row, "url": url}) for url in urls}
    assert learn(write_segments(tmp_path / "in", rows)) == 1
    said = capsys.readouterr()
    assert "only segments are known; it is left out" in said.err
    assert not said.out
    assert not list((tmp_path / "sites").iterdir())


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["empty"], 1, "empty"),
        (["a.html", "nothing"], 1, "nothing: there is no such file"),
        (["a.html", "--port", "99999"], 2, "port 99999: "),
    ],
)
def test_a_review_that_does_not_start(
    tmp_path, capsys, monkeypatch, arguments, code, said
):
    """Each of its sources has to have pages."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_text("<p>One page.</p>", "utf-8")
    (tmp_path / "empty").mkdir()
    assert run_command("review", *arguments, "--no-browser") == code
    assert said in capsys.readouterr().err


# --- how it is shown ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("river", 10, "river"),
        ("a river\n runs", 20, "a river runs"),
        ("a river runs", 8, "a river…"),
        ("川の水は静か", 12, "川の水は静か"),
        ("川の水は静か", 8, "川の水…"),
        ("", 8, ""),
        (" " * 100, 8, "…"),
    ],
)
def test_cut(text, columns, shown):
    assert cut(text, columns) == shown
    assert width(shown) <= columns


def test_table():
    assert table(("a", "bb"), [("川", "1"), ("x", "2")]) == "a   bb\n川  1\nx   2"
    assert table(("a",), []) == "a"


def test_printable():
    assert printable("a\x1b[0m\tb\n\x07\u202ec") == "a[0m\tb\nc"


def test_errors_and_status_lines_hold_no_escapes(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    StatusLine().show("3 \x1b]0;title\x07pages")
    assert fail("no \x1b[31mfile\x07\nhere") == 1
    assert capsys.readouterr().err == (
        "\r\x1b[K3 ]0;titlepagesscrapy eatext: no [31mfile here\n"
    )
