"""`scrapy eatext learn` and `review`: what they write and say."""

from __future__ import annotations

import pytest

from tests.sites.test_learning import ALMANAC, odd
from tests.support.commands import run_command
from tests.support.labelled import write_own, write_segments


@pytest.fixture
def run(tmp_path):
    """Runs the command on a source, with a folder for site files."""

    def run(source, *arguments):
        sites = str(tmp_path / "sites")
        return run_command("learn", str(source), "--sites", sites, *arguments)

    return run


@pytest.fixture
def nameless(tmp_path):
    """A folder with a labelled page that has no address."""
    write_own(tmp_path / "in", "a", odd(1).html, "Day 1, note 1: boats came in.")
    return tmp_path / "in"


def test_labels_make_a_site_file_and_before_and_after_are_told(tmp_path, run, capsys):
    assert run(ALMANAC / "labels") == 0
    said = capsys.readouterr().out
    assert said.startswith("almanac.example: 2 pages, F1 0.000 -> 1.000, helps: ")
    files = [file.name for file in (tmp_path / "sites").iterdir()]
    assert files == ["almanac.example.json"]


def test_pages_without_an_address_are_counted(nameless, run, capsys):
    assert run(nameless) == 1
    assert "1 pages have no URL" in capsys.readouterr().err


def test_a_host_is_named_as_addresses_have_it(nameless, run, capsys):
    for given in ("WWW.Odd.Example", "https://odd.example:81/x", "odd.example:81"):
        assert run(nameless, "--host", given) == 0
        assert capsys.readouterr().out.startswith("odd.example: 1 page")
    assert run(nameless, "--host", "https://") == 2
    assert "--host is 'https://'" in capsys.readouterr().err


def test_segments_are_no_labels(tmp_path, run, capsys):
    row = {"with": ["boats came in"], "without": []}
    urls = [f"https://odd.example/{number}" for number in range(2)]
    rows = {url[-1]: (odd(url[-1]).html, {**row, "url": url}) for url in urls}
    assert run(write_segments(tmp_path / "in", rows)) == 1
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
