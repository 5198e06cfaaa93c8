from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from scrapy_eatext.commands.eatext import Command
from scrapy_eatext.commands.show import cut, printable, table, width
from tests.crawling import PATIENCE
from tests.mockserver import text_of
from tests.passages import PROSE, UNSPACED_PROSE

ENGLISH = PROSE["en"]
PAGE = (
    "<title>Bridge</title><ul><li><a href=/>Home</a></ul><h1>Bridge opened</h1>"
    f"<p>{ENGLISH}</p><p>Contact us\x1b[31m now.</p>"
)
ROOT = Path(__file__).parent.parent


def run(*arguments, settings=None):
    """Run the command inside this process: its exit code."""
    command = Command()
    command.settings = Settings(settings or {})
    parser = ArgumentParser()
    command.add_options(parser)
    options, rest = parser.parse_known_args(arguments)
    command.run(rest, options)
    return command.exitcode


def scrapy(*arguments, cwd=ROOT, stdin=None, **environment):
    """Run `scrapy` in a process of its own."""
    code = (
        "from scrapy.cmdline import execute\n"
        "from scrapy.utils.project import get_project_settings\n"
        "settings = get_project_settings()\n"
        "settings.set('COMMANDS_MODULE', 'scrapy_eatext.commands')\n"
        f"execute(['scrapy', *{list(arguments)!r}], settings)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **environment},
    )


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


def test_text_of_a_file(page, capsys):
    assert run(page, "-a", "justext") == 0
    assert capsys.readouterr() == (f"Bridge opened\n\n{ENGLISH}\n", "")


def test_text_of_standard_input(monkeypatch, capsys):
    stdin = io.TextIOWrapper(io.BytesIO(PAGE.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run("-", "-a", "eatiht") == 0
    assert capsys.readouterr().out == f"{ENGLISH}\n"


def test_json(page, capsys):
    assert run(page, "-a", "justext", "-f", "json") == 0
    found = json.loads(capsys.readouterr().out)
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


def test_blocks(page, capsys):
    assert run(page, "-a", "justext", "-f", "blocks") == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["score", "kind", "reason", "text", "xpath"]
    assert [row[0] for row in rows] == ["-", "+", "+", "-"]
    assert rows[1].startswith("+  0.60   heading 1")
    assert "short, beside good text" in rows[1]
    assert rows[1].endswith("/html/body/h1")
    assert "…" in rows[2]
    assert "\x1b" not in rows[3]
    assert len({row.index("/html/body") for row in rows}) == 1


def test_compare(page, capsys):
    assert run(page, "--compare", "justext,eatiht,density") == 0
    figures, blocks = capsys.readouterr().out.split("\n\n")
    assert [row.split()[0] for row in figures.splitlines()] == [
        "algorithm",
        "justext",
        "eatiht",
        "density",
    ]
    head, *rows = blocks.splitlines()
    assert head.split() == ["justext", "eatiht", "density", "text"]
    assert [row.split()[:3] for row in rows] == [
        ["-", "-", "-"],
        ["+", "-", "-"],
        ["+", "+", "+"],
        ["-", "-", "-"],
    ]


def test_compare_with_an_algorithm_that_has_units_of_its_own(page, capsys):
    options = json.dumps({"eatiht": {"reference": True}})
    run(page, "--compare", "justext,eatiht", "--options", options)
    rows = capsys.readouterr().out.split("\n\n")[1].splitlines()[1:]
    assert [row.split()[1] for row in rows] == ["-", "-", "+", "-"]


def test_compare_in_a_language_without_spaces(tmp_path, capsys):
    path = tmp_path / "page.html"
    text = UNSPACED_PROSE["zh"]
    path.write_text(
        f"<html lang=zh><p>首页<p>{text}<p>{text}<p>{text[::-1]}</p></html>",
        encoding="utf-8",
    )
    options = json.dumps({"justext": {"reference": True, "length_high": 110}})
    arguments = ["--compare", "justext,density", "--options", options]
    assert run(str(path), *arguments, "--url", "http://example.com") == 0
    rows = capsys.readouterr().out.split("\n\n")[1].splitlines()[1:]
    assert [row.split()[0] for row in rows] == ["-", "+", "+", "+"]


def test_settings_hold_and_may_be_overridden(page, capsys):
    settings = {
        "EATEXT_ALGORITHM": "eatiht",
        "EATEXT_OPTIONS": {"eatiht": {"min_length": 10_000}},
        "EATEXT_SITES": {"example.com": "justext", "example.org": False},
    }
    run(page, settings=settings)
    assert capsys.readouterr().out == "\n"
    run(page, "--options", "min_length=20", settings=settings)
    assert capsys.readouterr().out == f"{ENGLISH}\n"
    run(page, "--options", '{"min_length": 20, "version": 2}', settings=settings)
    assert capsys.readouterr().out == f"{ENGLISH}\n"
    run(page, "--url", "https://www.example.com/a", settings=settings)
    assert capsys.readouterr().out == f"Bridge opened\n\n{ENGLISH}\n"
    run(page, "--url", "https://example.org/a", settings=settings)
    assert capsys.readouterr().out == "\n"


def test_options_are_json_or_words(page, capsys):
    options = ["--options", "language=English", "--options", "no_headings=true"]
    run(page, "-a", "justext", *options)
    assert capsys.readouterr().out == f"{ENGLISH}\n"


def test_options_that_begin_with_a_point(page, capsys):
    run(page, "--options", "threshold=.99", "--options", "model=")
    assert capsys.readouterr().out


def test_an_option_that_shows_to_be_wrong_when_it_is_used(page):
    said = r"--options\['justext'\]\['language'\] is 'klingon', it must be a language"
    with pytest.raises(UsageError, match=said):
        run(page, "-a", "justext", "--options", "language=klingon")


def test_cascade(page, capsys):
    run(page, "-a", "eatiht,justext", settings={"EATEXT_MIN_CHARS": len(ENGLISH) + 5})
    assert capsys.readouterr().out == f"Bridge opened\n\n{ENGLISH}\n"
    few = {"EATEXT_MIN_CHARS": 10_000}
    run(page, "-a", "eatiht,justext", settings=few)
    assert capsys.readouterr().out == f"Bridge opened\n\n{ENGLISH}\n"
    run(page, "-a", "eatiht", settings=few | {"EATEXT_BELOW": "empty"})
    assert capsys.readouterr().out == "\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "^$"),
        (["a", "b"], "^$"),
        (["a", "-f", "pdf"], "--format is 'pdf', it must be one of text"),
        (["a", "-a", "nope"], "--algorithm is 'nope', it must be one of"),
        (["a", "--compare", "justext,nope"], "--compare is .*, it must be one of"),
        (["a", "--compare", "eatext", "-f", "json"], "--format is 'json', .* left out"),
        (["a", "--options", "nope=1"], r"--options\['nope'\] is 1, it must be left"),
        (["a", "--options", "nope"], "--options is 'nope', it must be NAME=VALUE"),
        (["a", "--options", "{"], "--options is no JSON"),
        (["a", "-a", "justext", "--options", "language=Klingon"], "Klingon"),
        (["a", "-a", "justext,eatiht", "--options", "version=1"], "--options"),
    ],
)
def test_wrong_usage(arguments, said):
    with pytest.raises(UsageError, match=said):
        run(*arguments)


def test_wrong_setting():
    with pytest.raises(UsageError, match="EATEXT_ALGORITHM is 'nope'"):
        run("a", settings={"EATEXT_ALGORITHM": "nope"})


def test_file_that_is_not_there(tmp_path, capsys):
    assert run(str(tmp_path / "none.html")) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "none.html: No such file" in err


def test_algorithm_that_fails(tmp_path, capsys):
    path = tmp_path / "page.html"
    path.write_text("<p>broken</p>")
    assert run(str(path), "-a", "tests.algorithms.Broken") == 1
    said = "scrapy eatext: ZeroDivisionError: a page broke it\n"
    assert capsys.readouterr() == ("", said)


def test_outside_a_project(page, tmp_path):
    done = scrapy("eatext", page, "-a", "justext", cwd=tmp_path)
    assert done.stderr == b""
    assert done.stdout.decode().split() == f"Bridge opened {ENGLISH}".split()
    assert done.returncode == 0


def test_help_names_the_command(tmp_path):
    done = scrapy("-h", cwd=tmp_path)
    assert b"eatext        Print the main text of a page" in done.stdout
    done = scrapy("eatext", "-h", cwd=tmp_path)
    assert b"--compare" in done.stdout


def test_reader_that_has_read_enough(page, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from scrapy_eatext.commands.eatext import _print\n"
        "_print('x' * 100_000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(ROOT)],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_url(server, tmp_path):
    done = scrapy("eatext", f"{server.url}/page/a", "-a", "eatiht", cwd=tmp_path)
    assert done.stderr == b""
    assert done.stdout.decode().strip() == text_of("a")
    assert done.returncode == 0


def test_urls_without_a_page(server, tmp_path):
    for path, said in (("/missing", b"404"), ("/image.png", b"no text")):
        done = scrapy("eatext", server.url + path, cwd=tmp_path)
        assert done.returncode == 1, path
        assert done.stdout == b""
        assert said in done.stderr


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
        "    custom_settings = {'USER_AGENT': 'an agent'}\n"
    )
    url = f"{server.url}/page/a"
    done = scrapy("eatext", url, "-f", "json", "--spider", "agent", cwd=tmp_path)
    assert done.stderr == b""
    found = json.loads(done.stdout)
    assert (found["algorithm"], found["text"]) == ("eatiht", text_of("a"))
    with (project / "spider.py").open("a") as file:
        file.write("    custom_settings['EATEXT_ALGORITHM'] = 'density'\n")
    done = scrapy("eatext", url, "-f", "json", "--spider", "agent", cwd=tmp_path)
    assert json.loads(done.stdout)["algorithm"] == "density"
    done = scrapy("eatext", url, "--spider", "none", cwd=tmp_path)
    assert done.returncode == 2
    assert b"there is no such spider" in done.stderr


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
