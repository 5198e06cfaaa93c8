"""How the default algorithm's model is trained, on small sets of made pages."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from parsel import Selector

from scrapy_eatext import extract
from scrapy_eatext.algorithms.modelfile import load_model, save_model
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.augmentation import augmented, stripped
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.names import MIN_SITES
from scrapy_eatext.learning.noise import behind_cut
from scrapy_eatext.learning.refinement import bag, refine
from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from scrapy_eatext.tagger.trees import NamedTrees
from tests.learning.test_train import make_page, write_wcxb

pytestmark = pytest.mark.slow

pytest.importorskip("catboost")
eatext = pytest.importorskip("scrapy_eatext.learning.tagger")


def test_labels_are_refined_where_the_true_text_has_another_order() -> None:
    bags = [bag(text) for text in ("bread is good", "water and salt", "read more now")]
    true = bag("water and salt bread is good")
    assert refine(np.array([True, False, False]), bags, true).tolist() == [
        True,
        True,
        False,
    ]
    assert refine(np.array([True, True, True]), bags, true).tolist() == [
        True,
        True,
        False,
    ]


def test_labels_of_a_page_without_a_true_text() -> None:
    assert not refine(np.array([True]), [bag("menu")], Counter()).any()


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


def test_a_name_that_some_folds_of_few_pages_lack(tmp_path: Path) -> None:
    sites = [f"{number}.example" for number in range(12)]
    inner = eatext.folds(sites, eatext.INNER, 0)
    # On as few sites as count, and none of them is in the first page's fold.
    others = [s for s, fold in zip(sites, inner, strict=True) if fold != inner[0]]
    rare = others[:MIN_SITES]
    samples = []
    for site in sites:
        called = "class=rare" if site in rare else ""
        html = f"<div {called}><p class=text>{LONG}</p><p class=menu>Menu</p></div>"
        samples.append(replace(sample(tmp_path, html, text=LONG), site=site))
    assert eatext._fit(samples, 0, lambda items, _: items)


def test_a_kind_that_one_site_has_alone(tmp_path: Path) -> None:
    html = f"<p class=text>{LONG}</p><p class=menu>Menu</p>"
    page = sample(tmp_path, html, text=LONG)
    kinds = ["article", "listing", *["article"] * 6, "forum", *["listing"] * 3]
    samples = [
        replace(page, site=f"{number}.example", kind=kind)
        for number, kind in enumerate(kinds)
    ]
    fitted = eatext._fit(samples, 0, lambda items, _: items)
    assert fitted.header["kinds"] == ["article", "forum", "listing"]
    assert len(fitted.arrays["lines"]) == len(fitted.arrays["kinds.bias"]) == 3


def test_data_of_which_segments_alone_are_known(tmp_path: Path) -> None:
    html = f"<p class=text>{LONG}</p><p class=menu>Menu</p>"
    page = sample(tmp_path, html, wanted=(LONG,), unwanted=("Menu",))
    samples = [replace(page, site=f"{number}.example") for number in range(12)]
    with pytest.raises(DataError, match="too few sites"):
        eatext.EatextTrainer().fit(samples, 0, lambda items, _: items)


def sample(folder: Path, html: str, **labels: object) -> eatext.Sample:
    file = folder / "page.html"
    file.write_text(html)
    return eatext.EatextTrainer().sample(LabelledPage("page", file, **labels))


LONG = "The oven is at two hundred and twenty degrees before the bread goes in."
SAID = "I baked it on Sunday, and it came out as flat as a plate."
POSTED = f"<main><p>{LONG}</p></main><div><p>Anna</p><p>{SAID}</p></div><p>Menu</p>"


def test_labels_that_were_made_on_blocks_are_known_to_be(tmp_path: Path) -> None:
    whole = sample(tmp_path, POSTED, text=LONG, comments=SAID)
    assert whole.by_block
    assert whole.share.tolist() == [1, 0, 0, 0]
    assert whole.comments.tolist() == [False, False, True, False]
    # A page that is known to have no comments is learned from too.
    assert sample(tmp_path, POSTED, text=LONG).comments.tolist() == [False] * 4
    part = sample(tmp_path, POSTED, text=LONG[:-20])
    assert not part.by_block
    assert part.comments is None
    # Without a text nothing tells whether somebody looked for one.
    assert not sample(tmp_path, POSTED, text="").by_block
    assert sample(tmp_path, POSTED, text="", comments="").by_block


def test_pages_with_comments_count_more(tmp_path: Path) -> None:
    silent = sample(tmp_path, POSTED, text=LONG)
    with_comments = sample(tmp_path, POSTED, text=LONG, comments=SAID)
    rows = [{"w": np.array([15, 1, 13, 1])}] * 2
    one, other = (
        float(w.sum()) for w in eatext.block_weights([silent, with_comments], rows, 0)
    )
    assert one == pytest.approx(100)
    assert other == pytest.approx(300)


def test_what_a_page_says_of_its_text_is_learned_from(tmp_path: Path) -> None:
    html = f"<title>Bread</title>{POSTED}"
    walk = sample(tmp_path, html, text=LONG, url="https://oven.example/plate").walk
    assert walk.descriptions == (b"Bread", b"", b"", b"plate")
    # Not on all pages: there are some that say nothing of it.
    seeds = range(200)
    found = [
        augmented(walk, np.random.default_rng(seed)).descriptions for seed in seeds
    ]
    assert set(found) == {(), walk.descriptions}
    assert 30 < found.count(()) < 90


def test_labels_that_were_made_on_blocks_are_trusted() -> None:
    truth = np.array([1, 0], dtype=np.float32)
    wrong = np.array([300, 900])
    samples = [eatext.Sample("a.example", "article", None, truth, by_block=True)] * 2
    (first, _) = eatext.trusted(samples, [np.ones(2)] * 2, [wrong, 1200 - wrong])
    assert first.tolist() == [1, 1]


def test_segments_of_no_block_count_as_lost(tmp_path: Path) -> None:
    found = sample(
        tmp_path, POSTED, wanted=("two hundred", "no such words"), unwanted=("Menu",)
    )
    assert (found.share.tolist(), found.lost) == ([1, -1, -1, 0], 1)
    kept = np.array([True, False, False, False])
    assert eatext.score(found, kept) == pytest.approx(2 / 3)
    assert eatext.score(found, ~kept) == 0


def test_an_augmented_page_keeps_its_blocks_and_part_of_its_names() -> None:
    names = [f"name{chr(97 + i)}" for i in range(20)]
    html = "".join(f"<section class={n}><p>{LONG}</p></section>" for n in names)
    walk = Page.of(f"<main id=top><article>{html}</article></main>").blocks.walk
    tags = walk.elements[:, ElementColumn.TAG]
    gone, turned = [], 0
    for seed in range(40):
        one = augmented(walk, np.random.default_rng(seed))
        again = augmented(walk, np.random.default_rng(seed))
        assert (one.tokens == again.tokens).all()
        assert (one.blocks == walk.blocks).all()
        gone.append(int((~np.isin(one.tokens, walk.tokens)).sum()))
        changed = one.elements[:, ElementColumn.TAG] != tags
        turned += changed.any()
        divs = one.elements[changed, ElementColumn.TAG] == TAG_ID["div"]
        assert divs.all()
    assert min(gone) < 12 < max(gone)
    assert 5 < turned < 35
    assert (walk.elements[:, ElementColumn.TAG] == tags).all()


def test_a_page_without_names_and_sectioning_elements() -> None:
    html = (
        "<html><body class=post><main id=top role=main><article itemprop=text>"
        "<p title=Bread class=lead>Bread &lt; <a href=/salt>salt</a></p></article></main>"
    )
    bare = stripped(html.encode())
    assert bare == (
        '<html><body><div><div><p title="Bread">Bread &lt; <a href="/salt">salt</a></p>'
        "</div></div></body></html>"
    )


def test_behind_a_true_text_that_is_cut_off_nothing_is_learned() -> None:
    words = np.full(20, 30)
    way = np.zeros(20, dtype=np.intp)
    share = np.zeros(20, dtype=np.float32)
    share[:8] = 1
    way[8:10], way[16:] = 1, 2  # what stands between, and a menu at the end
    found = behind_cut(share, way, words)
    assert np.flatnonzero(found).tolist() == list(range(8, 16))
    # A few words more are no text, nor are blocks that are no content elsewhere.
    assert not behind_cut(share, way, words // 15).any()
    share[1:5] = 0
    assert not behind_cut(share, way, words).any()
    assert not behind_cut(np.zeros(20, np.float32), way, words).any()


def test_a_page_that_others_do_not_bear_out_counts_less() -> None:
    right = np.array([900, 900, 300, 300])
    truth = np.array([1, 1, 0, 0], dtype=np.float32)
    samples = [eatext.Sample(f"{n}.example", "article", None, truth) for n in range(20)]
    samples[7] = eatext.Sample("odd.example", "article", None, 1 - truth)
    weights = [np.full(4, 2.0) for _ in samples]
    trusted = eatext.trusted(samples, weights, [right] * len(samples))
    assert all((weight == 2.0).all() for n, weight in enumerate(trusted) if n != 7)
    assert (trusted[7] < 0.1).all()
    # Blocks of which nothing is known do not count against a page.
    unknown = eatext.Sample(
        "segments.example", "article", None, -np.ones(4, np.float32)
    )
    again = eatext.trusted([*samples, unknown], [*weights, np.zeros(4)], [right] * 21)
    assert not again[-1].any()


def test_an_ensemble_of_two_seeds_is_their_mean() -> None:
    random = np.random.default_rng(0)
    matrix = random.integers(0, 1000, (400, 5)).astype(np.int32)
    truth = (matrix[:, 0] > 500).astype(np.float64)
    one = eatext.Rounds(trees=10, rate=0.3, columns=0.5, depth=3)
    names = list("abcde")

    def answers(how: object, seed: int) -> np.ndarray:
        trees = eatext.grow(matrix, truth, np.ones(400), names, how, seed)
        asked = NamedTrees(trees, names)
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
    for name in ("FIRST", "SECOND", "PAGES", "COMMENTS"):
        monkeypatch.setattr(eatext, name, small)


def without_words_and_comments(path: Path, old: Path) -> None:
    """A model as it was before there were weights of words and trees for comments."""
    model = load_model(path, "eatext")
    arrays = {
        name: array
        for name, array in model.arrays.items()
        if not name.startswith(("words.", "comments."))
    }
    header = {
        name: {k: v for k, v in part.items() if k != "comments"}
        if isinstance(part, dict)
        else part
        for name, part in model.header.items()
    }
    save_model(old, "eatext", model.version, arrays, header)


@pytest.mark.usefixtures("quick")
def test_a_model_learns_comments(tmp_path: Path) -> None:
    from scrapy_eatext.learning.train import save, train

    folder = write_wcxb(tmp_path / "data", 24, comments=True)
    for file in (folder / "ground-truth").glob("*.json"):
        data = json.loads(file.read_text())
        source = folder / "html" / f"{file.stem}.html.gz"
        html = gzip.decompress(source.read_bytes()).decode()
        said = Selector(text=html).css(".comments").xpath("string()").get()
        data["ground_truth"]["comments"] = said
        data["ground_truth"]["main_content"] = data["ground_truth"][
            "main_content"
        ].replace("\n", "\n\n")
        file.write_text(json.dumps(data))
    model, card = train("eatext", read_folder(folder), count=0)
    assert card["trees"]["comments"] > 0
    path = save("eatext", model, tmp_path, card)
    html, text = make_page(500, comments=True)
    said = Selector(text=html).css(".comments").xpath("string()").get()
    found = extract(html, options={"model": str(path)}).comments
    assert len(set(found.split()) & set(said.split())) > 0.8 * len(set(said.split()))
    assert text.split("\n")[0] not in found


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
    made = [train("eatext", data, count=count) for count in (3, 0)]
    (model, card), (again, _) = made
    assert card["pages with segments"] == 4
    assert card["scores"]["mean"]["f1"] > 0.8
    assert card["scores"]["segments"]["f1"] > 0.5
    assert model.version == again.version
    path = save("eatext", model, tmp_path, card)
    without_words_and_comments(path, tmp_path / "old.model")
    html, text = make_page(500)
    assert extract(html, options={"model": str(tmp_path / "old.model")}).text
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
    with pytest.raises(DataError, match="is not main text"):
        trainer.fit([good], 0, lambda items, _: items)
    bad = trainer.sample(LabelledPage("page", file, text=""))
    with pytest.raises(DataError, match="is main text"):
        trainer.fit([bad], 0, lambda items, _: items)
