"""Training, cross-validation and the commands, on small sets of made pages."""

from __future__ import annotations

import json
import random
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrapy_eatext import extract
from scrapy_eatext.algorithms.modelfile import SHIPPED, load_card, load_model
from scrapy_eatext.learning import DataError, dragnet, labels
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.dragnet import choose_tokens
from scrapy_eatext.learning.logistic import Regression
from scrapy_eatext.learning.train import (
    TRAINERS,
    save,
    silent,
    take_samples,
    temporary,
    train,
    trainer,
)
from tests.support.commands import run_command
from tests.support.labelled import (
    make_page,
    sentences,
    write_own,
    write_page,
    write_segments,
    write_wcxb,
)
from tests.support.suites import values_of

pytestmark = pytest.mark.slow

pytest.importorskip("sklearn")


def run_train(
    models: Path, *folders: Path, folds: int = 0, more: tuple[str, ...] = ()
) -> int:
    """Run the command for `dragnet`; its exit code."""
    how = ["--algorithm", "dragnet", "--folds", str(folds), "--models", str(models)]
    return run_command("train", *map(str, folders), *how, *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_wcxb(tmp_path_factory.mktemp("data") / "wcxb", 12, comments=True)


@pytest.fixture(scope="module")
def trained(folder):
    return train("dragnet", read_folder(folder), count=3)


def test_a_model_that_finds_the_text(trained, tmp_path):
    model, card = trained
    assert card["scores"]["mean"]["f1"] > 0.9
    assert set(card["scores"]["kinds"]) == {"article", "forum"}
    html, text, _ = make_page(99)
    write_own(tmp_path, "a", html, text)
    with temporary("dragnet", model) as run:
        found = run(LabelledPage("a", tmp_path / "a.html")).text
    assert found.replace("\n\n", "\n") == text


def test_the_card(trained, folder, monkeypatch):
    model, card = trained
    told = {
        "algorithm": "dragnet",
        "model": "dragnet.model",
        "version": model.version,
        "data": "wcxb",
        "pages": 12,
        "sites": 6,
        "kinds": {"article": 6, "forum": 6},
        "features": ["shallow", "tokens", "cetr", "clusters", "readability"],
    }
    assert card == card | told
    assert card["comments"]["pages with weak labels"] == 12
    assert "around article" in card["tokens"]
    json.dumps(card, allow_nan=False)
    # Its date can be set.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    _, card = train("dragnet", read_folder(folder), count=0)
    assert card["date"] == "1970-01-02"
    assert "scores" not in card


def test_training_again_gives_the_same_bytes(trained, folder, tmp_path):
    model, card = trained
    again, same_card = train("dragnet", read_folder(folder), count=3)
    one = save("dragnet", model, tmp_path)
    before = one.read_bytes()
    assert save("dragnet", again, tmp_path, same_card).read_bytes() == before
    assert card == same_card
    assert json.loads(one.with_suffix(".json").read_text()) == card


def test_own_pages_with_comments(tmp_path):
    for number in range(6):
        write_own(tmp_path, str(number), *make_page(number, comments=True))
    model, card = train("dragnet", read_folder(tmp_path), count=0)
    assert card["comments"]["pages with labels"] == 6
    assert card["comments"]["pages with weak labels"] == 0
    path = save("dragnet", model, tmp_path)
    page, text, _ = make_page(7, comments=True)
    options = {"model": str(path), "content": "comments"}
    found = extract(page, algorithm="dragnet", options=options).text
    assert found
    assert text not in found


@pytest.mark.parametrize(
    ("html", "text", "why"),
    [
        (make_page(3)[0], "wholly other matters " * 20, ": its true text is not in it"),
        ("<p>one</p>", "one", " has fewer than three blocks"),
    ],
)
def test_a_page_that_teaches_nothing(tmp_path, html, text, why):
    data = write_wcxb(tmp_path / "wcxb", 6)
    write_page(data, "0003", html, {"ground_truth": {"main_content": text}})
    with pytest.raises(DataError, match=r"0003\.html\.gz" + why):
        train("dragnet", read_folder(data), count=0)
    _, card = train("dragnet", read_folder(data), count=0, skip=True)
    assert (card["pages"], card["skipped"]) == (5, 1)


def test_labels_that_contradict_each_other(tmp_path):
    data = write_wcxb(tmp_path / "wcxb", 6)
    html = data / "html"
    (html / "0001.html.gz").write_bytes((html / "0004.html.gz").read_bytes())
    with pytest.raises(DataError, match="0004 is the same page as 0001, with another"):
        train("dragnet", read_folder(data), count=0)
    samples = take_samples(
        trainer("dragnet"), read_folder(data).pages, skip=True, progress=silent
    )
    assert {file.name for file in samples.skipped} == {"0001.html.gz", "0004.html.gz"}


@pytest.mark.parametrize("algorithm", ["ngram", "perceptron"])
def test_a_page_without_its_text_teaches_lines_nothing(tmp_path, algorithm):
    write_own(tmp_path, "a", make_page(3)[0], "wholly other matters " * 20)
    with pytest.raises(DataError, match=r"a\.html"):
        train(algorithm, read_folder(tmp_path), count=0)


@pytest.mark.parametrize("which", ["is", "is not"])
@pytest.mark.parametrize(
    ("algorithm", "unit"),
    [("dragnet", "block"), ("ngram", "line"), ("perceptron", "line")],
)
def test_data_without_one_of_the_classes(tmp_path, which, algorithm, unit):
    for number in range(3):
        texts = [*(sentences(random.Random(i), 2) for i in range(4)), str(number)]
        html = "".join(f"<p>{text}</p>" for text in texts)
        write_own(tmp_path, str(number), html, "\n".join(texts * (which == "is not")))
    with pytest.raises(DataError, match=f"no {unit} of the data {which} main text"):
        train(algorithm, read_folder(tmp_path), count=0)


def test_a_page_that_is_too_long_to_align(folder, monkeypatch):
    monkeypatch.setattr(labels, "_MAX_CELLS", 10)
    with pytest.raises(DataError, match=r"0000\.html\.gz: .* too many to align"):
        train("dragnet", read_folder(folder), count=0)
    first = replace(read_folder(folder).pages[0], comments="word " * 50_000)
    monkeypatch.setattr(labels, "_MAX_CELLS", 1_000_000)
    with pytest.raises(DataError, match=r"0000\.html\.gz: .* too many to align"):
        dragnet.sample(first)


def test_no_page_to_learn_from_and_no_trainer(tmp_path):
    write_own(tmp_path, "a", "<p>a", "a")
    with pytest.raises(DataError, match="no page of the data could be learned from"):
        train("dragnet", read_folder(tmp_path), count=0, skip=True)
    with pytest.raises(ValueError, match="'eatiht' is not trained; those that are"):
        trainer("eatiht")


def test_tokens_need_several_sites(folder):
    samples = [dragnet.sample(page) for page in read_folder(folder).pages]
    assert "around nav" in choose_tokens(samples).odds
    one_site = [s for s in samples if s.site == samples[0].site]
    assert choose_tokens(one_site).odds == {}


# --- the regression -----------------------------------------------------------------


def test_logistic_regression_as_scikit_learns():
    from sklearn.linear_model import LogisticRegression

    chance = np.random.default_rng(0)
    columns = chance.normal(2, 3, (500, 6))
    columns[:, 5] = 1  # a column that says nothing
    truth = columns[:, 0] - columns[:, 1] + chance.normal(0, 4, 500) > 0
    weights = chance.random(500)
    regression = Regression(columns, truth, weights)
    scale = columns.std(axis=0)
    scale[5] = 1
    scaled = (columns - columns.mean(axis=0)) / scale
    for seen in ([1, 1, 1, 1, 1, 1], [1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 1, 1]):
        mask = np.array(seen, dtype=bool)
        found = regression.fit(mask)
        model = LogisticRegression(solver="newton-cholesky", tol=1e-10)
        model.fit(scaled[:, mask], truth, sample_weight=weights / weights.mean())
        expected = model.predict_proba(scaled[:, mask])[:, 1]
        values = columns @ found[:-1] + found[-1]
        assert 1 / (1 + np.exp(-values)) == pytest.approx(expected, abs=1e-5)
        assert not found[:-1][~mask].any()
    # Classes that a line parts.
    columns = np.array([[0.0], [0.1], [5.0], [5.1]])
    truth = np.array([False, False, True, True])
    found = Regression(columns, truth, np.ones(4)).fit(np.array([True]))
    values = columns @ found[:-1] + found[-1]
    assert (values > 0).tolist() == truth.tolist()
    assert np.isfinite(found).all()


# --- the commands -------------------------------------------------------------------


def test_commands(folder, tmp_path, capsys):
    about = ("--data-name", "ours", "--licence", "none")
    assert run_train(tmp_path, folder, more=about) == 0
    assert "dragnet.model" in capsys.readouterr().out
    card = json.loads((tmp_path / "dragnet.json").read_text())
    assert (card["data"], card["licence"]) == ("ours", "none")
    model = tmp_path / "dragnet.model"
    assert load_model(model, "dragnet").version == card["version"]

    arguments = ["evaluate", str(folder), "--algorithm", "dragnet"]
    arguments += ["--options", f"model={model}", "--options", "threshold=0.5"]
    assert run_command(*arguments) == 0
    out = capsys.readouterr().out
    names = [line.split()[0] for line in out.splitlines()]
    assert names == ["kind", "article", "forum", "all"]
    assert run_command(*arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pages"] == 12
    assert found["scores"]["all"]["f1"] > 0.9


def test_several_folders_are_one_training(folder, tmp_path, capsys):
    models, others = tmp_path / "models", tmp_path / "others"
    for number in range(6):
        # The names of the first folder's pages.
        write_own(others, f"{number:04}", *make_page(500 + number)[:2])
    names = ("--data-name", "ours", "--data-name", "theirs", "--licence", "none")
    assert run_train(models, folder, others, folds=5, more=names) == 0
    card = json.loads((models / "dragnet.json").read_text())
    assert (card["data"], card["licence"]) == ("ours; theirs", "none")
    assert (card["pages"], card["sites"]) == (18, 12)
    scores = card["scores"]
    counts = {name: part["pages"] for name, part in scores["data"].items()}
    assert counts == {"ours": 12, "theirs": 6}
    assert scores["pages"] == 18
    assert scores["groups"]["without HTML5's elements"]["f1"] > 0.8
    assert scores["stripped"]["mean"]["f1"] > 0.7
    capsys.readouterr()
    assert (
        run_train(models, folder, others, more=(*names, "--data-name", "nobody's")) == 2
    )
    assert "it must be given 2 times at most" in capsys.readouterr().err


def test_train_asks_where_models_go_and_names_the_extra(folder, capsys, monkeypatch):
    shipped = {file: file.stat() for file in SHIPPED.iterdir()}
    with pytest.raises(SystemExit) as end:
        run_command("train", str(folder), "--algorithm", "dragnet", "--folds", "0")
    assert end.value.code == 2
    assert "arguments are required: --models" in capsys.readouterr().err
    assert shipped == {file: file.stat() for file in SHIPPED.iterdir()}
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    assert run_train(folder / "models", folder) == 1
    assert 'pip install "scrapy-eatext[train]"' in capsys.readouterr().err


def test_evaluate_tells_of_pages_that_the_model_was_trained_on(
    folder, tmp_path, capsys
):
    assert run_train(tmp_path, folder, more=("--data-name", "ours")) == 0
    capsys.readouterr()
    own = ["--algorithm", "dragnet", "--options", f"model={tmp_path}/dragnet.model"]
    others = write_wcxb(tmp_path / "others", 12)
    html = others / "html"
    (html / "0002.html.gz").write_bytes((folder / "html/0003.html.gz").read_bytes())
    (html / "0003.html.gz").write_bytes(b"no gzip")
    said = "1 of these 12 pages are in the model's training data (ours): "
    assert run_command("evaluate", str(others), *own) == 0
    assert said in capsys.readouterr().err
    assert run_command("evaluate", str(others), *own, "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["training_pages"] == 1
    assert said in err
    for of_others in (["--algorithm", "dragnet"], ["--algorithm", "justext"]):
        assert run_command("evaluate", str(others), *of_others, "--json") == 0
        out, err = capsys.readouterr()
        assert json.loads(out)["training_pages"] == 0
        assert "trained on" not in err


@pytest.mark.parametrize("name", sorted(TRAINERS))
def test_shipped_models_know_what_they_were_trained_on(name):
    card = load_card(SHIPPED / f"{name}.model")
    assert len(card["digests"].split()) == card["pages"] + card["skipped"]


def test_scores_after_training(folder, tmp_path, capsys):
    file = tmp_path / "scores.jsonl"
    assert run_train(tmp_path, folder, folds=2, more=("--page-scores", str(file))) == 0
    assert "word F1 0.9" in capsys.readouterr().out.replace("1.000", "0.9")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == 12
    assert rows == sorted(rows, key=lambda row: row["f1"])
    card = json.loads((tmp_path / "dragnet.json").read_text())
    mean = sum(row["f1"] for row in rows) / 12
    assert card["scores"]["mean"]["f1"] == pytest.approx(mean, abs=1e-3)
    assert {Path(row["page"]).exists() for row in rows} == {True}


def test_file_of_scores_is_tried_before_training(folder, tmp_path, capsys):
    models, bad = tmp_path / "models", tmp_path / "bad"

    def code(file, data=folder):
        return run_train(models, data, folds=2, more=("--page-scores", str(file)))

    for file in (tmp_path / "none" / "scores.jsonl", tmp_path):
        assert code(file) == 1
        said = rf"scrapy eatext: .*{re.escape(repr(str(file)))}\n"
        assert re.fullmatch(said, capsys.readouterr().err)
        assert not list(models.iterdir())
    # Where training fails, there is the old file, or none.
    write_own(bad, "a", "<p>a", "a")
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("old")
    for file in (old, new):
        assert code(file, bad) == 1
        assert "--skip-bad" in capsys.readouterr().err
    assert old.read_text() == "old"
    assert not new.exists()


def test_evaluate_an_algorithm_of_ones_own_and_by_segments(folder, tmp_path, capsys):
    arguments = ["evaluate", str(folder), "--options", '{"min_length": 30}']
    assert run_command(*arguments, "--algorithm", "tests.support.algorithms.Plain") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("all ")
    page, text, _ = make_page(3)
    row = {"with": text.split("\n")[:2], "without": ["Terms of use"]}
    write_segments(tmp_path, {"a.html": (page, row)})
    assert run_command("evaluate", str(tmp_path), "--algorithm", "justext") == 0
    assert capsys.readouterr().out.splitlines()[1].split() == ["all"] + ["1.000"] * 3
    # A page that cannot be read is told.
    own = tmp_path / "own"
    write_own(own, "a", "no gzip", "a")
    (own / "a.html").rename(own / "a.html.gz")
    assert run_command("evaluate", str(own), "--algorithm", "justext") == 0
    assert "a: DataError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"), values_of("tables/wrong_training.txt")
)
def test_commands_say_what_is_wrong(tmp_path, capsys, arguments, message):
    write_own(tmp_path / "a", "a", "<p>a", "a")
    code = run_command(*(argument.format(tmp_path) for argument in arguments))
    err = capsys.readouterr().err
    assert code == (2 if "it must be" in err else 1)
    assert code == 1 or not (tmp_path / "m").exists()
    assert message in err
