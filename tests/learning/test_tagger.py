"""How the default algorithm's model is trained, on small sets of made pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scrapy_eatext import extract
from scrapy_eatext.algorithms.modelfile import load_model, save_model
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.augmentation import augmented, plain_copy, stripped
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.refinement import bag, behind_cut, refine
from scrapy_eatext.learning.train import Fitted, save, silent, train
from scrapy_eatext.learning.words import MIN_SITES
from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import ElementColumn
from scrapy_eatext.page.tags import TAG_ID
from tests.support.labelled import labelled, make_page, write_segments, write_wcxb

pytestmark = pytest.mark.slow

pytest.importorskip("catboost")
eatext = pytest.importorskip("scrapy_eatext.learning.tagger")


LONG = "The oven is at two hundred and twenty degrees before the bread goes in."
SAID = "I baked it on Sunday, and it came out as flat as a plate."
POSTED = f"<main><p>{LONG}</p></main><div><p>Anna</p><p>{SAID}</p></div><p>Menu</p>"
PLAIN = f"<p class=text>{LONG}</p><p class=menu>Menu</p>"


def sample(folder: Path, html: str, **labels: object) -> eatext.Sample:
    return eatext.sample(labelled(folder, "page", html, **labels))


def fit(samples: list[eatext.Sample]) -> Fitted:
    return eatext.fit(samples, 0, silent)


def test_labels_are_refined() -> None:
    bags = [bag(text) for text in ("bread is good", "water and salt", "read more now")]
    for labels, true, refined in (
        # The true text has another order.
        ([1, 0, 0], "water and salt bread is good", [1, 1, 0]),
        ([1, 1, 1], "water and salt bread is good", [1, 1, 0]),
        ([1, 1, 1], "", [0, 0, 0]),
    ):
        found = refine(np.array(labels, dtype=np.bool_), bags, bag(true))
        assert found.tolist() == refined


def test_of_code_that_a_true_text_leaves_out_nothing_is_learned(tmp_path: Path) -> None:
    last = "After forty minutes it sounds hollow when somebody knocks on it from below."
    code, box = "<pre>oven.heat(220)</pre>", "<pre>subscribe --now</pre>"
    html = f"<body><main><p>{LONG}</p>{code}<p>{last}</p></main><p>Menu</p>{box}</body>"
    for between, label in (("", -1), ("oven.heat(220)", 1)):
        share = sample(tmp_path, html, text=f"{LONG} {between} {last}").share
        assert share.tolist() == [1, label, 1, 0, 0]


def test_a_name_that_some_folds_of_few_pages_lack(tmp_path: Path) -> None:
    sites = [f"{number}.example" for number in range(12)]
    inner = eatext.folds(sites, eatext.INNER, 0)
    # On as few sites as count, and none of them is in the first page's fold.
    others = [s for s, fold in zip(sites, inner, strict=True) if fold != inner[0]]
    rare = others[:MIN_SITES]
    samples = []
    for site in sites:
        called = "class=rare" if site in rare else ""
        page = sample(tmp_path, f"<div {called}>{PLAIN}</div>", text=LONG)
        samples.append(replace(page, site=site))
    assert fit(samples)


def test_a_kind_that_one_site_has_alone(tmp_path: Path) -> None:
    page = sample(tmp_path, PLAIN, text=LONG)
    kinds = ["article", "listing", *["article"] * 6, "forum", *["listing"] * 3]
    fitted = fit(
        [
            replace(page, site=f"{number}.example", kind=kind)
            for number, kind in enumerate(kinds)
        ]
    )
    assert fitted.header["kinds"] == ["article", "forum", "listing"]
    assert len(fitted.arrays["lines"]) == len(fitted.arrays["kinds.bias"]) == 3


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
    without = sample(tmp_path, POSTED, text=LONG)
    with_comments = sample(tmp_path, POSTED, text=LONG, comments=SAID)
    rows = [{"w": np.array([15, 1, 13, 1])}] * 2
    weights = eatext.block_weights([without, with_comments], rows, 0)
    assert [float(w.sum()) for w in weights] == pytest.approx([100, 300])


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


def test_segments_of_no_block_count_as_lost(tmp_path: Path) -> None:
    found = sample(
        tmp_path, POSTED, wanted=("two hundred", "no such words"), unwanted=("Menu",)
    )
    assert (found.share.tolist(), found.lost) == ([1, -1, -1, 0], 1)
    kept = np.array([True, False, False, False])
    assert eatext.score(found, kept) == pytest.approx(2 / 3)
    assert eatext.score(found, ~kept) == 0
    # Of segments alone no kinds are learned.
    page = sample(tmp_path, PLAIN, wanted=(LONG,), unwanted=("Menu",))
    with pytest.raises(DataError, match="too few sites"):
        fit([replace(page, site=f"{number}.example") for number in range(12)])


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


def test_a_plain_copy_has_the_first_blocks_of_main_text() -> None:
    parts = "".join(f"<p>Part {n} &lt;b&gt; of it.</p>" for n in range(20))
    page = Page.of(f"<p>Menu</p><p>Home</p><h3>Bread</h3>{parts}<p>Imprint</p>")
    texts = page.blocks.texts()
    main = np.array([False, False] + [True] * 21 + [False])
    counts, menus, footers, titles = [], 0, 0, 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        copied = plain_copy(page.blocks.walk, texts, main, random)
        shown = Page.of(copied).blocks.texts()
        assert "<h1>Bread</h1>" in copied.decode()
        own = [text for text in shown if text.startswith("Part")]
        assert own == texts[3 : 3 + len(own)]
        counts.append(len(own) + 1)
        menus += any("Home" in text or "Menu" in text for text in shown)
        footers += "Imprint" in shown
        titles += b"<title>" in copied
    assert (min(counts), max(counts)) == (1, 12)
    assert all(10 < count < 50 for count in (menus, footers, titles))


def test_kinds_alone_are_learned_from_plain_copies(tmp_path: Path) -> None:
    found = sample(tmp_path, POSTED, text=LONG)
    copies = eatext.copies([found] * 40, 0)
    assert 10 < len(copies) < 30
    for place, copy in copies:
        assert 0 <= place < 40
        assert copy.is_copy
        assert (copy.kind, copy.site) == (found.kind, found.site)
        assert set(copy.share.tolist()) == {-1}
        row = {"w": np.full(len(copy.share), 9)}
        assert not eatext.block_weights([copy], [row], 0)[0].any()
    empty = sample(tmp_path, POSTED, text="", comments=SAID)
    assert eatext.copies([empty] * 40, 0) == []


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
    # Labels that were made on blocks are trusted.
    samples[7] = replace(samples[7], by_block=True)
    assert (eatext.trusted(samples, weights, [right] * 20)[7] == 2.0).all()
    # Blocks of which nothing is known do not count against a page.
    unknown = replace(samples[0], share=-np.ones(4, np.float32))
    again = eatext.trusted([*samples, unknown], [*weights, np.zeros(4)], [right] * 21)
    assert not again[-1].any()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few and small trees, so that a test does not take long."""
    small = eatext.Rounds(trees=8, rate=0.5, columns=1.0, rows=0.9, depth=3)
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
    folder = write_wcxb(tmp_path / "data", 24, comments=True, known=True)
    model, card = train("eatext", read_folder(folder), count=0)
    assert card["trees"]["comments"] > 0
    path = save("eatext", model, tmp_path, card)
    html, text, said = make_page(500, comments=True)
    found = extract(html, options={"model": str(path)}).comments
    assert len(set(found.split()) & set(said.split())) > 0.8 * len(set(said.split()))
    assert text.split("\n")[0] not in found


@pytest.mark.usefixtures("quick")
def test_a_model_learns_and_is_the_same_again(tmp_path: Path) -> None:
    data = read_folder(write_wcxb(tmp_path / "data", 24, comments=True))
    rows = {}
    for number in range(4):
        html, text, _ = make_page(100 + number)
        row = {"with": [text.split("\n")[0]], "without": ["of use"]}
        row["url"] = f"https://other{number}.example/"
        rows[f"s{number}"] = html, row
    segments = read_folder(write_segments(tmp_path / "segments", rows))
    data = replace(data, pages=[*data.pages, *segments.pages])
    made = [train("eatext", data, count=count) for count in (3, 0)]
    (model, card), (again, _) = made
    assert card["pages with segments"] == 4
    assert card["scores"]["mean"]["f1"] > 0.8
    assert card["scores"]["segments"]["f1"] > 0.5
    assert model.version == again.version
    path = save("eatext", model, tmp_path, card)
    without_words_and_comments(path, tmp_path / "old.model")
    html, text, _ = make_page(500)
    assert extract(html, options={"model": str(tmp_path / "old.model")}).text
    found = extract(html, algorithm="eatext", options={"model": str(path)})
    kept, true = set(found.text.split()), set(text.split())
    assert len(kept & true) > 0.8 * len(true)
    assert "Terms" not in kept


def test_pages_that_teach_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="shows no text"):
        sample(tmp_path, "<html><body></body></html>", text="Bread")
    for text, missing in (("Bread Salt", "is not"), ("", "is")):
        page = sample(tmp_path, "<p>Bread</p><p>Salt</p>", text=text)
        with pytest.raises(DataError, match=f"{missing} main text"):
            fit([page])
