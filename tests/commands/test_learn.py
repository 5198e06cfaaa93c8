"""`scrapy eatext learn`: what it writes and says."""

from __future__ import annotations

import gzip
import json

from tests.sites.test_learning import ALMANAC, odd
from tests.support.commands import run_command


def run(*arguments):
    return run_command("learn", *arguments)


def test_labels_make_a_site_file_and_before_and_after_are_told(tmp_path, capsys):
    sites = tmp_path / "sites"
    assert run(str(ALMANAC / "labels"), "--sites", str(sites)) == 0
    said = capsys.readouterr().out
    assert said.startswith("almanac.example: 2 pages, F1 0.000 -> 1.000, helps: ")
    assert [file.name for file in sites.iterdir()] == ["almanac.example.json"]


def test_a_source_that_is_not_there_is_named(tmp_path, capsys):
    nothing = str(tmp_path / "nothing")
    assert run(nothing, "--sites", str(tmp_path / "sites")) == 1
    assert nothing in capsys.readouterr().err


def test_pages_without_an_address_are_counted(tmp_path, capsys):
    (tmp_path / "a.html").write_text(odd(1).html, "utf-8")
    (tmp_path / "a.txt").write_text("Day 1, note 1: boats came in.", "utf-8")
    sites = str(tmp_path / "sites")
    assert run(str(tmp_path), "--sites", sites) == 1
    assert "1 pages have no URL" in capsys.readouterr().err
    assert run(str(tmp_path), "--sites", sites, "--host", "odd.example") == 0


def test_a_host_is_named_as_addresses_have_it(tmp_path, capsys):
    (tmp_path / "a.html").write_text(odd(1).html, "utf-8")
    (tmp_path / "a.txt").write_text("Day 1, note 1: boats came in.", "utf-8")
    arguments = str(tmp_path), "--sites", str(tmp_path / "sites"), "--host"
    for given in ("WWW.Odd.Example", "https://odd.example:81/x", "odd.example:81"):
        assert run(*arguments, given) == 0
        assert capsys.readouterr().out.startswith("odd.example: 1 page")
    assert run(*arguments, "https://") == 2
    assert "--host is 'https://'" in capsys.readouterr().err


def test_segments_are_no_labels(tmp_path, capsys):
    (tmp_path / "html").mkdir()
    rows = {}
    for number in range(2):
        (tmp_path / "html" / f"{number}.gz").write_bytes(
            gzip.compress(odd(number).html.encode())
        )
        url = f"https://odd.example/{number}"
        rows[str(number)] = {"url": url, "with": ["boats came in"], "without": []}
    (tmp_path / "truth.json").write_text(json.dumps(rows), "utf-8")
    sites = tmp_path / "sites"
    assert run(str(tmp_path), "--sites", str(sites)) == 1
    said = capsys.readouterr()
    assert "only segments are known; it is left out" in said.err
    assert not said.out
    assert not list(sites.iterdir())


def test_a_review_of_several_sources_needs_them_all(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.html").write_text("<p>One page.</p>", "utf-8")
    assert run_command("review", "a.html", "nothing", "--no-browser") == 1
    assert "nothing: there is no such file" in capsys.readouterr().err


def test_a_review_without_pages_is_an_error(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for source in ("empty", "nothing"):
        assert run_command("review", source) == 1
        assert source in capsys.readouterr().err


def test_a_port_that_is_none_is_an_error(tmp_path, capsys):
    (tmp_path / "a.html").write_text("<p>One page.</p>", "utf-8")
    arguments = [str(tmp_path / "a.html"), "--labels", str(tmp_path / "labels")]
    assert run_command("review", *arguments, "--no-browser", "--port", "99999") == 2
    assert "port 99999: " in capsys.readouterr().err
