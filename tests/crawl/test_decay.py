"""Sites whose texts turn empty or alike."""

from __future__ import annotations

import logging
from sys import getrefcount
from types import SimpleNamespace

import pytest

from scrapy_eatext.crawl import tally
from scrapy_eatext.crawl.decay import WINDOW, DecayWatch
from scrapy_eatext.crawl.recent import size_of
from tests.support.crawling import ADDON, UrlSpider, complaints, crawl

pytestmark = pytest.mark.slow


def news_of(watch, texts, host="example.com"):
    return [news for text in texts if (news := watch.add(host, text))]


def test_texts_of_their_own_are_no_news():
    assert news_of(DecayWatch(), map(str, range(500))) == []


@pytest.mark.parametrize(("text", "news"), [("", "empty"), ("Blocked.", "alike")])
def test_most_of_the_last_texts_decide(text, news):
    watch = DecayWatch()
    good = [f"text {n}" for n in range(50)]
    assert news_of(watch, good) == []
    assert news_of(watch, [text] * 17) == []
    assert news_of(watch, ["another"]) == []
    assert news_of(watch, [text]) == [news]
    # It begins anew.
    assert news_of(watch, [text] * (WINDOW - 1)) == []
    assert news_of(watch, [text]) == [news]


def test_a_site_file_that_fits_hardly_any_page_is_news():
    def news_of_templates(fits):
        watch = DecayWatch()
        words = {1: "matched", 0: "unmatched", None: ""}
        given = enumerate(fits)
        return [watch.add("a.org", str(number), words[fit]) for number, fit in given]

    assert news_of_templates([0] * 18 + [1] * 2)[-1] == "unmatched"
    for fits in ([1] * 50, [1] * 3 + [0] * 17, [None] * 50):
        assert not any(news_of_templates(fits))


def test_hosts_are_apart():
    watch = DecayWatch()
    for number in range(WINDOW * 2 - 2):
        assert watch.add(f"host {number % 2}", "") is None
    assert watch.add("host 0", "") == "empty"


def test_hosts_are_bounded_and_their_names_not_kept():
    watch = DecayWatch()
    counts = tally.Tally(SimpleNamespace(stats=None, spider=None))
    for number in range(3000):
        host = f"{number}." + "x" * 15_000
        references = getrefcount(host)
        watch.add(host, "text")
        assert getrefcount(host) == references
        counts.log(logging.INFO, "a host", {}, once=host)
    assert watch._last.cache_info().currsize == 1000
    assert len(counts._logged) == 3000
    assert size_of(list(counts._logged)) < 100 * 3000


@pytest.mark.parametrize("on_decay", ["ignore", "warn", "close_spider"])
@pytest.mark.parametrize(
    ("path", "algorithm", "news"),
    [("short", "Plain", "alike"), ("page", "Nothing", "empty")],
)
def test_a_crawl_of_a_site_that_decays(server, caplog, on_decay, path, algorithm, news):
    settings = {
        **ADDON,
        "EATEXT_ON_DECAY": on_decay,
        "EATEXT_ALGORITHM": f"tests.support.algorithms.{algorithm}",
        "CONCURRENT_REQUESTS": 1,
    }
    urls = tuple(server(f"/{path}/{n}") for n in range(25))
    done = crawl(UrlSpider, settings, urls=urls)
    warned = [message for message in complaints(caplog) if "127.0.0.1" in message]
    if on_decay == "ignore":
        assert not warned
        assert done.eatext("decay/") == {}
    else:
        assert len(warned) == 1
        assert f"nearly all {news}" in warned[0]
        assert done.eatext("decay/") == {news: 1}
    if on_decay == "close_spider":
        assert done.stats["finish_reason"] == "eatext_decay"
        assert len(done.items) < 25
    else:
        assert done.stats["finish_reason"] == "finished"
        assert len(done.items) == 25


def test_the_warnings_that_are_remembered_are_bounded(monkeypatch, caplog):
    monkeypatch.setattr(tally, "_MAX_LOGGED", 3)
    counts = tally.Tally(SimpleNamespace(stats=None, spider=None))
    for host in "abacad" * 2 + "b":
        counts.log(logging.WARNING, "%(host)s", {"host": host}, once=host)
    # The fourth host takes the place of the first, which is news again, and so on.
    assert [record.getMessage() for record in caplog.records] == list("abcdabcd")
    assert len(counts._logged) == 3
