from __future__ import annotations

import numpy as np
import pytest

from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.algorithms.perceptron import (
    READINGS,
    Network,
    attributes_of,
    block_lines,
    network_name,
    with_neighbours,
    written_lines,
)
from scrapy_eatext.algorithms.perceptron.lines import write_lines
from scrapy_eatext.extraction import extract
from scrapy_eatext.learning import perceptron
from scrapy_eatext.learning.perceptron import (
    EPOCHS,
    Reading,
    backpropagate,
    best_threshold,
)
from scrapy_eatext.learning.train import save, silent
from scrapy_eatext.page import Page
from tests.algorithms.test_lines import FERRY, ODDITIES
from tests.support.labelled import labelled
from tests.support.passages import STORY

ALL = [(n, k, a) for n in ("slp", "mlp") for k in (1, 2, 3) for a in (1, 2, 3)]


def page_of(paragraphs: int, links: int = 20) -> str:
    menu = "".join(
        f"<li class='menu-item'><a class='link' href='/a/{i}'>Go {i}</a></li>"
        for i in range(links)
    )
    story = "".join(f"<p>{STORY} That was day {i}.</p>" for i in range(paragraphs))
    return f"<html><body><ul class='menu'>{menu}</ul><div>{story}</div></body></html>"


def found_in(page: str, **options: object):
    return extract(page, algorithm="perceptron", options=options, blocks=True)


ORIGINAL = {"reference": True, "network": "none"}


def test_the_original_filter():
    found = found_in(FERRY, **ORIGINAL)
    lines = write_lines(FERRY)
    assert [b.score for b in found.blocks] == pytest.approx(
        [len(line.text) / line.bytes for line in lines]
    )
    assert [b.kept for b in found.blocks] == [False, False, False, True, True, True]
    assert found.blocks[3].reason == "above"
    assert found.text == "".join(line.text for line in lines[3:])
    # The mean is a little over .54.
    assert found_in(FERRY, **ORIGINAL, threshold="mean").text == found.text


def test_the_mean_counts_lines_without_text():
    lines = written_lines(Page.of(ODDITIES))
    assert lines.density[-1] == 0
    assert lines.density.mean() == pytest.approx(
        sum(len(line.text) / line.bytes for line in write_lines(ODDITIES) if line.bytes)
        / 15
    )


def test_a_line_at_the_threshold_is_left_out():
    options = {**ORIGINAL, "threshold": 0.5}
    assert found_in("<i>" + " " * 10, **options).text == ""
    assert found_in("<bbbbbbbb>" + "x" * 10, **options).text == ""
    assert found_in("<bbbbbbb>" + "x" * 10, **options).text


def test_attributes_and_neighbours():
    page = "<html><body><p>ab</p><p>abcd</p><p>a</p></body></html>"
    lines = block_lines(Page.of(page))
    assert lines.length.tolist() == [2, 4, 1]
    # html, body and p; then p alone.
    assert lines.bytes.tolist() == [2 + 33, 4 + 7, 1 + 7]
    rows = attributes_of(lines)
    assert rows[1].tolist() == pytest.approx([4 / 11, np.log(12), np.log(5)])
    assert with_neighbours(rows, 1).tolist() == rows.tolist()
    before = [[0, 0, 0], *rows[:2]]
    two, three = with_neighbours(rows, 2), with_neighbours(rows, 3)
    assert two.tolist() == np.hstack([rows, before]).tolist()
    after = [*rows[1:], [0, 0, 0]]
    assert three.tolist() == np.hstack([rows, before, after]).tolist()
    assert with_neighbours(rows[:0], 3).shape == (0, 9)


def test_networks_by_hand():
    single = Network((np.array([[2.0], [-1.0], [0.5]]),))
    layers = np.array([[1.0, -1.0], [0.0, 0.5]]), np.array([[2.0], [1.0], [0.1]])
    inside = 2 * np.tanh(3.0) + np.tanh(-2.5) + 0.1
    for network, inputs, value in (
        (single, [1.0, 2.0], 0.5),
        (single, [-1e6, 0.0], -500),
        (Network(layers), [3.0], inside),
    ):
        output = network.output(np.array([inputs]))
        assert output[0] == pytest.approx(1 / (1 + np.exp(-value)))


@pytest.mark.parametrize(("network", "lines", "attributes"), ALL)
def test_every_network_is_shipped_and_tells_a_story_from_a_menu(
    network, lines, attributes
):
    found = found_in(page_of(6), network=network, lines=lines, attributes=attributes)
    assert STORY in found.text
    assert "Go 3" not in found.text
    assert 0.5 < found.score <= 1


def test_thresholds():
    page = Page.of(page_of(4))
    scores = get_algorithm("perceptron").judge(page).scores

    def kept(threshold: float | str) -> int:
        options = {"threshold": threshold}
        return sum(get_algorithm("perceptron", options).judge(page).kept)

    assert kept(0) == len(scores)
    assert kept(1) == 0
    assert kept("mean") == sum(s > np.mean(scores) for s in scores)


def reading_of(rows: np.ndarray, content: np.ndarray) -> Reading:
    words = np.ones(len(rows))
    return Reading(rows, content, words, words * content, int(content.sum()))


def test_training_learns_and_gives_the_same_bytes_again(tmp_path, monkeypatch):
    epochs = {"slp": 40, "mlp": 40}
    monkeypatch.setattr("scrapy_eatext.learning.perceptron.EPOCHS", epochs)
    trainer = perceptron
    text = f"{STORY} That was day. "
    samples = [
        trainer.sample(
            labelled(tmp_path, str(n), page_of(n, links=2 * n), text=text * n)
        )
        for n in (3, 5, 8)
    ]
    first, again = (trainer.fit(samples, 7, silent) for _ in range(2))
    path = save("perceptron", first, tmp_path)
    (tmp_path / "again").mkdir()
    copy = save("perceptron", again, tmp_path / "again")
    assert path.read_bytes() == copy.read_bytes()
    assert first.notes["false_positive_weight"] > 1
    for name, lines, attributes in ALL:
        options = {"network": name, "lines": lines, "attributes": attributes}
        found = found_in(page_of(4, links=7), model=str(path), **options).text
        assert STORY in found
        assert "Go 5" not in found


def test_a_false_positive_costs_more_than_a_false_negative(monkeypatch):
    # Lines that look alike, as many content as not: the output is the share of
    # the weight that is content.
    rows = np.zeros((200, 3))
    content = np.arange(200) % 2 == 0
    sample = dict.fromkeys(READINGS, reading_of(rows, content))
    monkeypatch.setattr("scrapy_eatext.learning.perceptron.THRESHOLDS", [0.5])
    # Of its networks the smallest is looked at.
    epochs = {**EPOCHS, "mlp": 1}
    monkeypatch.setattr("scrapy_eatext.learning.perceptron.EPOCHS", epochs)
    fitted = perceptron.fit([sample], 0, silent)
    bias = float(fitted.arrays[f"blocks.{network_name('slp', 1, 1)}.output"][-1, 0])
    assert 1 / (1 + np.exp(-bias)) == pytest.approx(1 / 2.5, abs=0.01)


def test_the_output_is_shifted_to_the_best_threshold():
    # Four lines whose output is not changed by the threshold that is found.
    outputs = np.array([0.1, 0.3, 0.4, 0.9])
    content = np.array([False, True, True, True])
    best = best_threshold(outputs, [reading_of(np.zeros((4, 3)), content)])
    assert 0.1 < best < 0.3


def test_backpropagation_solves_what_one_layer_can_not():
    inputs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    target = np.array([0, 1, 1, 0], dtype=float)
    network = backpropagate(inputs, target, np.ones(4), hidden=8, epochs=200, seed=1)
    assert network.output(inputs).round().tolist() == target.tolist()
