from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.algorithms.modelfile import load_model
from scrapy_eatext.algorithms.ngram import load_lines
from scrapy_eatext.algorithms.ngram.characters import (
    CharModel,
    Level,
    Smoothing,
    from_arrays,
    to_arrays,
)
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import ngram
from scrapy_eatext.learning.ngram import count_sequences, prune, rounded
from scrapy_eatext.learning.train import save, silent
from tests.support.labelled import labelled
from tests.support.passages import NOTICE, STORY

pytestmark = pytest.mark.slow

# Three short texts; keep is category 0.
TEXTS = ["the cat sat", "the dog ran", "copyright foo"]
LABELS = [0, 0, 1]


def small_model() -> CharModel:
    levels = count_sequences(TEXTS, LABELS, categories=2, order=6)
    return CharModel(levels, [2, 1], Smoothing())


def single(text: str, smoothing: Smoothing) -> CharModel:
    levels = count_sequences([text], [0], categories=1, order=smoothing.order)
    return CharModel(levels, [1], smoothing)


def log2(model: CharModel, *texts: str) -> list[float]:
    return model.log2_probabilities(texts)[:, 0].tolist()


def joint_of(model: CharModel, texts: list[str]) -> np.ndarray:
    """log2 P(text, category), a row a text."""
    return model.log2_probabilities(texts) + model.log_priors


# log2 P(text | keep), log2 P(text | discard), the best category, its joint.
GOLDEN = [
    ("the cat", -13.134303921995, -64.919941653600, 0, -13.871269516162),
    ("copy", -46.320077926116, -12.444510166991, 1, -13.766438261879),
    ("", 0, 0, 0, -0.736965594166),
    ("zzz", -49.153925508864, -48.778093844614, 0, -49.890891103030),
    ("é", -16.384641836288, -16.259364614871, 0, -17.121607430454),
    ("a😀b", -54.444951712662, -65.037458459486, 0, -55.181917306829),
    ("the dog sat on the cat copyright", -143.358643903804, -224.906342088773, 0,
     -144.095609497971),
]  # fmt: skip


def test_the_golden_table():
    model = small_model()
    texts = [row[0] for row in GOLDEN]
    together = joint_of(model, texts)
    for (text, keep, discard, best, joint), among in zip(GOLDEN, together, strict=True):
        logs = model.log2_probabilities([text])[0]
        assert logs == pytest.approx([keep, discard], abs=1e-9)
        # Texts do not touch each other.
        found = joint_of(model, [text])[0]
        assert found == pytest.approx(among, abs=1e-12)
        assert int(np.argmax(found)) == best
        assert found[best] == pytest.approx(joint, abs=1e-9)


def test_long_texts_are_looked_up_in_slices(monkeypatch):
    model = small_model()
    texts = [row[0] for row in GOLDEN] * 3
    whole = model.log2_probabilities(texts)
    monkeypatch.setattr("scrapy_eatext.algorithms.ngram.characters.SLICE", 7)
    assert model.log2_probabilities(texts) == pytest.approx(whole, abs=1e-9)


def test_the_worked_example():
    model = single("aba", Smoothing(order=2, characters=4, factor=2.0))
    # P(a), P(b), P(a) P(b|a), P(a) P(a|a), P(b) P(a|b), P(aba)
    a, b = Fraction(3, 7), Fraction(2, 7)
    expected = [a, b, a * Fraction(11, 21), a * Fraction(2, 7), b * Fraction(13, 21)]
    expected.append(a * Fraction(11, 21) * Fraction(13, 21))
    logs = [math.log2(p) for p in expected]
    found = log2(model, "a", "b", "ab", "aa", "ba", "aba")
    assert found == pytest.approx(logs, abs=1e-9)
    assert logs[-1] == pytest.approx(-2.847155930, abs=1e-9)


def test_an_untrained_model_keeps():
    levels = count_sequences([], [], categories=2, order=6)
    joint = joint_of(CharModel(levels, [0, 0], Smoothing()), ["abc"])[0]
    assert joint[0] == joint[1] == pytest.approx(-48.99993, abs=1e-4)
    assert joint[0] == pytest.approx(3 * math.log2(1 / 65535) - 1, abs=1e-9)


def slow_log2(texts: list[str], text: str, order: int) -> float:
    """The definition, letter by letter."""
    total = 0.0
    for i, unit in enumerate(text):
        p = 1 / 65535
        for j in range(min(order - 1, i) + 1):
            context = text[i - j : i]
            following = [
                t[k + j]
                for t in texts
                for k in range(len(t) - j)
                if t[k : k + j] == context
            ]
            if not following:
                break
            share = len(following) / (len(following) + order * len(set(following)))
            p = share * following.count(unit) / len(following) + (1 - share) * p
        total += math.log2(p)
    return total


SHORT = st.text("ab c", max_size=12)


@given(st.lists(SHORT, max_size=4), SHORT, st.integers(1, 6))
def test_the_trie_gives_what_the_definition_gives(texts, text, order):
    smoothing = Smoothing(order=order, factor=float(order))
    levels = count_sequences(texts, [0] * len(texts), categories=1, order=order)
    assert log2(CharModel(levels, [1], smoothing), text)[0] == pytest.approx(
        slow_log2(texts, text, order), abs=1e-9
    )


@given(
    st.lists(st.tuples(st.text("abcé😀", max_size=20), st.integers(0, 1)), max_size=6)
)
def test_a_model_survives_its_file(rows):
    texts, labels = [text for text, _ in rows], [label for _, label in rows]
    levels = count_sequences(texts, labels, categories=2, order=4)
    again = from_arrays(to_arrays(levels), 4)
    for level, copy in zip(levels, again, strict=True):
        assert level.keys.tolist() == copy.keys.tolist()
        assert level.counts.tolist() == copy.counts.tolist()
        assert level.pruned.tolist() == copy.pruned.tolist()


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=2, max_size=6))
def test_pruned_models_still_add_up(texts):
    smoothing = Smoothing(order=4, characters=3, factor=4.0)
    labels = [i % 2 for i in range(len(texts))]
    levels = count_sequences(texts, labels, categories=2, order=4)
    small = prune(levels, 6, smoothing)
    model = CharModel(small, [1, 1], smoothing)
    # All that follows a context has, together, no more than all probability.
    for context in ("", "a", "ab", "cab"):
        base = model.log2_probabilities([context])
        parts = [np.exp2(model.log2_probabilities([context + u]) - base) for u in "abc"]
        assert (np.sum(parts, axis=0) <= 1 + 1e-9).all()
    for one, other in zip(small, levels, strict=True):
        assert len(one.keys) <= len(other.keys)
    for level in small[1:]:
        assert level.contexts.max(initial=-1) < len(level.pruned)


def test_pruning_keeps_what_tells():
    texts = ["the same words", "the same words", "the same words too", "xyzzy"]
    levels = count_sequences(texts, [0, 1, 0, 1], categories=2, order=3)
    small = prune(levels, 2, Smoothing(order=3, factor=3.0))
    assert "".join(chr(int(key & 0xFFFF)) for key in small[0].keys) == "yz"
    # What is gone is still counted where it stood.
    assert small[0].pruned.sum() + small[0].counts.sum() == levels[0].counts.sum()
    assert prune(levels, 10_000, Smoothing()) == levels


def test_rounding():
    counts = np.array([[0.0, 1.0], [2.0, 3.0], [100.0, 1000.0]])
    level = Level(np.arange(3), counts, counts[:1], counts[:1])
    coarse = rounded([level], 2)[0].counts
    assert coarse.tolist() == [[0, 1], [2, 3], [91, 1024]]


def page_of(count: int) -> str:
    story = "".join(f"<p>{STORY} That was day {i}.</p>" for i in range(count))
    return f"<html><body><p>Short.</p><div>{story}</div><p>{NOTICE}</p></body></html>"


def test_the_shipped_model_tells_a_story_from_a_notice():
    found = extract(page_of(2), algorithm="ngram", blocks=True)
    assert found.text == f"{STORY} That was day 0.\n\n{STORY} That was day 1."
    assert [b.reason for b in found.blocks] == ["short", "keep", "keep", "discard"]
    assert found.blocks[1].score > 0.99
    assert found.blocks[3].score < 0.01
    assert found.score > 0.99
    assert found.version == f"1-{load_model('', 'ngram').version}"
    # The density filter alone keeps the notice.
    assert NOTICE in extract(page_of(2), algorithm="density").text


def test_a_line_in_a_language_that_is_not_known_is_kept():
    georgian = (
        "იმ წელს ბორანმა დააგვიანა და როცა ბოლოს მოსახვევიდან გამოჩნდა, მთელი სოფელი"
        " ნავმისადგომზე იდგა მის სანახავად, თითქოს არასოდეს ენახათ ბორანი."
    )
    html = f"<html><body><p>{georgian}</p><p>{NOTICE}</p></body></html>"
    found = extract(html, algorithm="ngram", blocks=True)
    assert found.text == georgian
    assert found.blocks[0].reason == "strange"
    assert found.blocks[0].score == 0.5
    assert found.blocks[1].reason == "discard"


def test_reference_reads_lines_of_source_and_knows_no_bias():
    html = page_of(1).replace("<p>", "\n<p>")
    model = load_lines("")
    assert model.bias > 0
    found = extract(html, algorithm="ngram", options={"reference": True}, blocks=True)
    lines = [b for b in found.blocks if b.reason in ("keep", "discard")]
    joint = joint_of(model.chars, [b.text for b in lines])
    assert [b.kept for b in lines] == [keep >= discard for keep, discard in joint]
    assert found.text == "\n".join(b.text for b in found.blocks if b.kept)


def test_training_learns_and_gives_the_same_bytes_again(tmp_path):
    trainer = ngram
    text = f"{STORY} That was day. "
    pages = [labelled(tmp_path, str(n), page_of(n), text=text * n) for n in (1, 2, 3)]
    samples = [trainer.sample(page) for page in pages]
    assert [line.keep for line in samples[1]] == [True, True, False]
    first, again = (trainer.fit(samples, 3, silent) for _ in range(2))
    path = save("ngram", first, tmp_path)
    (tmp_path / "again").mkdir()
    assert path.read_bytes() == save("ngram", again, tmp_path / "again").read_bytes()
    text = extract(page_of(2), algorithm="ngram", options={"model": str(path)}).text
    assert STORY in text
    assert NOTICE not in text
    held_out = first.notes["held_out"]
    assert held_out["lines"] == 3
    assert held_out["error"] == held_out["error_before_pruning"] == 0
