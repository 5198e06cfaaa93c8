"""How the default algorithm's model is trained, on small sets of made pages."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrapy_eatext import extract
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.doubt import cut_off
from scrapy_eatext.learning.settle import bag, settle
from scrapy_eatext.tagger.trees import Asked
from tests.test_training import make_page, write_wcxb

pytest.importorskip("catboost")
eatext = pytest.importorskip("scrapy_eatext.learning.eatext")


def test_labels_settle_where_the_true_text_has_another_order() -> None:
    bags = [bag(text) for text in ("bread is good", "water and salt", "read more now")]
    true = bag("water and salt bread is good")
    assert settle(np.array([True, False, False]), bags, true).tolist() == [
        True,
        True,
        False,
    ]
    assert settle(np.array([True, True, True]), bags, true).tolist() == [
        True,
        True,
        False,
    ]


def test_labels_of_a_page_without_a_true_text() -> None:
    assert not settle(np.array([True]), [bag("menu")], Counter()).any()


def test_of_code_that_a_true_text_leaves_out_nothing_is_learned(tmp_path: Path) -> None:
    first = "The oven is at two hundred and twenty degrees before the bread goes in."
    last = "After forty minutes it sounds hollow when somebody knocks on it from below."
    code, box = "<pre>oven.heat(220)</pre>", "<pre>subscribe --now</pre>"
    html = (
        f"<body><main><p>{first}</p>{code}<p>{last}</p></main><p>Menu</p>{box}</body>"
    )
    file = tmp_path / "page.html"
    file.write_text(html)

    def shares(text: str) -> list[float]:
        page = LabelledPage("page", file, text=text)
        return eatext.EatextTrainer().sample(page).share.tolist()

    assert shares(f"{first} {last}") == [1, -1, 1, 0, 0]
    assert shares(f"{first} oven.heat(220) {last}") == [1, 1, 1, 0, 0]


def test_behind_a_true_text_that_is_cut_off_nothing_is_learned() -> None:
    words = np.full(20, 30)
    way = np.zeros(20, dtype=np.intp)
    share = np.zeros(20, dtype=np.float32)
    share[:8] = 1
    way[8:10], way[16:] = 1, 2  # what stands between, and a menu at the end
    found = cut_off(share, way, words)
    assert np.flatnonzero(found).tolist() == list(range(8, 16))
    # A few more words are no text, nor is what is no content elsewhere either.
    assert not cut_off(share, way, words // 15).any()
    share[1:5] = 0
    assert not cut_off(share, way, words).any()
    assert not cut_off(np.zeros(20, np.float32), way, words).any()


def test_a_page_that_others_do_not_bear_out_counts_less() -> None:
    right = np.array([900, 900, 300, 300])
    truth = np.array([1, 1, 0, 0], dtype=np.float32)
    samples = [eatext.Sample(f"{n}.example", "article", None, truth) for n in range(20)]
    samples[7] = eatext.Sample("odd.example", "article", None, 1 - truth)
    weights = [np.full(4, 2.0) for _ in samples]
    trusted = eatext._trusted(samples, weights, [right] * len(samples))
    assert all((weight == 2.0).all() for n, weight in enumerate(trusted) if n != 7)
    assert (trusted[7] < 0.1).all()
    # What is not known of a page's blocks tells nothing against it.
    unknown = eatext.Sample(
        "segments.example", "article", None, -np.ones(4, np.float32)
    )
    again = eatext._trusted([*samples, unknown], [*weights, np.zeros(4)], [right] * 21)
    assert not again[-1].any()


def test_an_ensemble_of_two_seeds_is_their_mean() -> None:
    random = np.random.default_rng(0)
    matrix = random.integers(0, 1000, (400, 5)).astype(np.int32)
    truth = (matrix[:, 0] > 500).astype(np.float64)
    one = eatext.Rounds(trees=10, rate=0.3, columns=0.5, depth=3)
    names = list("abcde")

    def answers(how: object, seed: int) -> np.ndarray:
        trees = eatext.grow(matrix, truth, np.ones(400), names, how, seed)
        asked = Asked(trees, names)
        return np.array([asked.answers(row)[0] for row in matrix.astype(np.int64)])

    both = answers(replace(one, seeds=2), 0)
    first, second = answers(one, 0), answers(one, 1)
    assert not np.array_equal(first, second)
    # Each of the leaves is rounded.
    assert np.abs(both - (first + second) / 2).max() <= 20


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and small trees, so that a test does not take long."""
    small = eatext.Rounds(trees=8, rate=0.5, columns=1.0, rows=0.9, depth=3, seeds=2)
    for name in ("FIRST", "SECOND", "PAGES"):
        monkeypatch.setattr(eatext, name, small)


@pytest.mark.usefixtures("quick")
def test_a_model_learns_and_is_the_same_again(tmp_path: Path) -> None:
    from scrapy_eatext.learning.train import save, train

    folder = write_wcxb(tmp_path / "data", 24, comments=True)
    segments = tmp_path / "segments"
    (segments / "html").mkdir(parents=True)
    truth = {}
    for number in range(4):
        html, text = make_page(100 + number)
        (segments / "html" / f"s{number}.gz").write_bytes(gzip.compress(html.encode()))
        truth[f"s{number}"] = {
            "url": f"https://other{number}.example/",
            "with": [text.split("\n")[0]],
            "without": ["of use"],
        }
    (segments / "truth.json").write_text(json.dumps(truth))
    data = read_folder(folder)
    pages = [*data.pages, *read_folder(segments).pages]
    data = type(data)(pages, data.name, data.licence)
    made = [train("eatext", data, count=count)[0] for count in (3, 0)]
    (model, card), (again, _) = made
    assert card["pages with segments"] == 4
    assert card["scores"]["mean"]["f1"] > 0.8
    assert card["scores"]["segments"]["f1"] > 0.5
    assert model.version == again.version
    path = save("eatext", model, tmp_path, card)
    html, text = make_page(500)
    found = extract(html, algorithm="eatext", options={"model": str(path)})
    kept, true = set(found.text.split()), set(text.split())
    assert len(kept & true) > 0.8 * len(true)
    assert "Terms" not in kept


def test_pages_that_teach_nothing(tmp_path: Path) -> None:
    trainer = eatext.EatextTrainer()
    file = tmp_path / "page.html"
    file.write_text("<html><body></body></html>")
    with pytest.raises(DataError, match="shows no text"):
        trainer.sample(LabelledPage("page", file, text="Bread"))
    file.write_text("<p>Bread</p><p>Salt</p>")
    good = trainer.sample(LabelledPage("page", file, text="Bread Salt"))
    with pytest.raises(DataError, match="is no main text"):
        trainer.fit([good], 0, lambda items, _: items)
    bad = trainer.sample(LabelledPage("page", file, text=""))
    with pytest.raises(DataError, match="is main text"):
        trainer.fit([bad], 0, lambda items, _: items)
