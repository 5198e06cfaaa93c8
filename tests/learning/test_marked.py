from __future__ import annotations

import gzip

import pytest

from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.marked import marked_lines, read_marked, true_text
from tests.support.commands import run_command
from tests.support.passages import NOTICE, STORY


def test_lines_between_the_comments():
    html = (
        "a\n<!-- content -->b\r\nc\r<!-- /content -->d\n"
        "e<!--content-->\n<!-- /content --> f <!-- content -->\ng"
    )

    assert list(marked_lines(html)) == [
        ("a", False),
        ("<!-- content -->b", True),
        ("c", True),
        # A line with the comment is already what the comment says.
        ("<!-- /content -->d", False),
        ("e<!--content-->", False),
        ("<!-- /content --> f <!-- content -->", True),
        ("g", True),
    ]


def test_true_text_by_comments():
    html = b"<p>menu\n<!-- content -->\n<p>one\n<p>two\n<!-- /content -->\n<p>foot"

    assert true_text(html, "content") == "one\ntwo"


def test_true_text_by_what_google_was_told():
    html = (
        b"<p>one<!--googleoff: all--><p>menu<!--googleon: all--><p>two"
        b"<!-- GoogleOff: index --><p>foot"
    )

    assert true_text(html, "google") == "one\ntwo"
    assert true_text(html + b"<!--googleon--> end", "google") == "one\ntwo end"


def test_true_text_by_a_selector():
    html = (
        b"<div class=menu>menu</div><div class='post-body x'>one<div><p>two <b>three"
        b"</b></p></div></div><p>foot <span class=post-body>four</span></p>"
    )

    assert true_text(html, "div.post-body") == "one\ntwo three"


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ("content", "no <!-- content -->"),
        ("google", "googleon"),
        ("div.post", r"div\.post"),
        ("div[", "no CSS selector"),
    ],
)
def test_pages_in_which_nothing_is_marked(tmp_path, marks, message):
    (tmp_path / "a.html").write_text("<p>one")

    with pytest.raises(DataError, match=rf"a\.html: .*{message}"):
        read_marked(tmp_path, marks)


def test_everything_switched_off():
    with pytest.raises(DataError, match="leaves nothing"):
        true_text(b"<!--googleoff: all--><p>one", "google")


def test_a_folder_without_pages(tmp_path):
    with pytest.raises(DataError, match="holds no pages"):
        read_marked(tmp_path, "content")


def test_a_model_trained_on_marked_pages(tmp_path, capsys):
    for n in range(4):
        page = (
            f"<html><body><p>{NOTICE}</p>\n<div class=post>"
            + f"<p>{STORY}</p>" * (n + 1)
            + "</div></body></html>"
        )
        (tmp_path / f"{n}.html.gz").write_bytes(gzip.compress(page.encode()))
    models = tmp_path / "models"

    how = ["--marks", "div.post", "--algorithm", "ngram", "--folds", "0"]
    done = run_command("train", str(tmp_path), *how, "--models", str(models))

    assert done == 0
    assert "ngram.model" in capsys.readouterr().out
    options = {"model": str(models / "ngram.model")}
    page = f"<html><body><p>{NOTICE}</p><p>{STORY}</p></body></html>"
    assert extract(page, algorithm="ngram", options=options).text == STORY
