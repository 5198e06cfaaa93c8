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


SWITCHED = (
    "<p>one<!--googleoff: all--><p>menu<!--googleon: all--><p>two"
    "<!-- GoogleOff: index --><p>foot"
)

POST = "<div class='post-body x'>one<div><p>two <b>three</b></p></div></div>"


@pytest.mark.parametrize(
    ("marks", "html", "text"),
    [
        (
            "content",
            "<p>menu\n<!-- content -->\n<p>one\n<p>two\n<!-- /content -->\n<p>foot",
            "one\ntwo",
        ),
        ("google", SWITCHED, "one\ntwo"),
        ("google", f"{SWITCHED}<!--googleon--> end", "one\ntwo end"),
        ("div.post-body", f"<p>menu{POST}<p class=post-body>four", "one\ntwo three"),
    ],
)
def test_true_text(marks, html, text):
    assert true_text(html.encode(), marks) == text


@pytest.mark.parametrize(
    ("marks", "html", "message"),
    [
        ("content", "<p>one", "no <!-- content -->"),
        ("google", "<p>one", "googleon"),
        ("google", "<!--googleoff: all--><p>one", "leaves nothing"),
        ("div.post", "<p>one", r"div\.post"),
        ("div[", "<p>one", "no CSS selector"),
    ],
)
def test_pages_in_which_nothing_is_marked(tmp_path, marks, html, message):
    with pytest.raises(DataError, match="holds no pages"):
        read_marked(tmp_path, "content")
    (tmp_path / "a.html").write_text(html)

    with pytest.raises(DataError, match=rf"a\.html: .*{message}"):
        read_marked(tmp_path, marks)


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
