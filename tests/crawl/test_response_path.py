"""The way of a response from the middleware to the item's field stays short."""

from __future__ import annotations

from tests.support.crawling import crawl
from tools.response_path import Trace, TwoPages

MOST_FUNCTIONS = 60


def test_few_functions_and_one_result():
    trace = Trace()
    with trace.running():
        done = crawl(TwoPages, {})
    assert len(done.items) == 2
    assert "enough words" in trace.item["main_text"]
    assert trace.results == 1
    assert trace.count <= MOST_FUNCTIONS, trace.functions
