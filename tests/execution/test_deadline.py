"""The clock that algorithms look at."""

from __future__ import annotations

import threading
import time

import pytest

import scrapy_eatext
from scrapy_eatext import deadline
from scrapy_eatext.algorithms import REGISTRY, eatext, get_algorithm
from scrapy_eatext.deadline import TimeLimitError, check, time_limit, watched
from scrapy_eatext.page import Page
from scrapy_eatext.tagger.model import PythonTagger
from tests.support.hostile import SHAPES, every_page

pytestmark = pytest.mark.slow


def test_without_a_limit_nothing_happens():
    check()
    with time_limit(0):
        check()


def test_time_is_up_when_it_is_up():
    with time_limit(1):
        check()
        time.sleep(1.01)
        with pytest.raises(TimeLimitError):
            check()
    check()


def test_a_limit_within_a_limit_can_only_be_shorter():
    with time_limit(0.02):
        with time_limit(10):
            time.sleep(0.03)
            with pytest.raises(TimeLimitError):
                check()
        with time_limit(0), pytest.raises(TimeLimitError):
            check()


def test_each_thread_has_its_own():
    raised = []

    def other():
        try:
            check()
        except TimeLimitError as error:
            raised.append(error)

    with time_limit(0.001):
        time.sleep(0.002)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert not raised


def test_watched_gives_every_item():
    assert list(watched(range(5000))) == list(range(5000))
    assert list(watched([])) == []


@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_algorithm_looks_at_the_clock(name, reference):
    """Also where the page is walked already: it is no longer the walk that looks."""
    if reference and name == "eatext":
        pytest.skip("there is no original of it")
    algorithm = get_algorithm(name, {"reference": reference})
    page = Page.of(every_page(20_000)["flat"])
    assert len(page.blocks) > 100
    with time_limit(0.001):
        time.sleep(0.002)
        with pytest.raises(TimeLimitError):
            algorithm.judge(page)


@pytest.mark.skipif(not scrapy_eatext.compiled, reason="nothing is compiled")
def test_the_compiled_tagger_gives_up_in_time():
    page = Page.of(every_page(1_000_000)["tiny_blocks"])
    tagger = get_algorithm("eatext").model.tagger
    assert len(page.blocks) > 200_000
    # In processor time, which does not depend on other processes.
    start = time.thread_time()
    with time_limit(0.05), pytest.raises(TimeLimitError):
        tagger.likelihoods(page.blocks.walk)
    given_up = time.thread_time() - start
    start = time.thread_time()
    with time_limit(100):
        assert len(tagger.likelihoods(page.blocks.walk)[0]) == len(page.blocks)
    assert given_up < (time.thread_time() - start) / 2


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_a_bigger_page_is_looked_up_from_more_often(name, monkeypatch):
    """An algorithm looks again and again, not once at its beginning."""
    algorithm = get_algorithm(name)
    if name == "eatext":
        # The compiled tagger is done before it would look again.
        monkeypatch.setattr(eatext, "Tagger", PythonTagger)
        model = eatext.load_tagger("")
        monkeypatch.setattr(algorithm, "model", model)
    looks = []
    monkeypatch.setattr(deadline.time, "monotonic", lambda: looks.append(0) or 0.0)
    counts = []
    for size in (50_000, 500_000):
        page = Page.of(SHAPES["flat"](size))
        assert page.blocks
        with time_limit(1):
            looks.clear()
            algorithm.judge(page)
        counts.append(len(looks))
    assert counts[1] >= counts[0] + 4
