"""What the next crawl of a site knows of earlier ones, and of hosts in trouble."""

from __future__ import annotations

import re
import time
from dataclasses import make_dataclass
from email.utils import formatdate
from types import SimpleNamespace

import pytest
from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from scrapy_eatext.spiders import SiteSpider
from scrapy_eatext.spiders.state import State
from tests.support.crawling import crawl
from tests.support.items import kinds_of
from tests.support.newssite import ONE_BY_ONE, SETTINGS, article, listing


@pytest.fixture
def state(tmp_path):
    return str(tmp_path / "site.db")


def add_newest(site):
    """Another article, at the top of the front page."""
    site.add_articles("b99")
    names = ["b99", "b0", "b1", "b2"]
    site.pages["/"] = listing(names, "<a rel=next href=/?page=2>Next</a>")


def test_the_next_crawl_yields_what_is_new_or_changed(site, state):
    wanted = site.add_news()
    first, paths = site.crawled(state=state)
    assert paths == sorted(wanted)
    assert {item["change"] for item in first.items} == {"new"}
    site.asked.clear()
    assert site.paths(state=state) == []
    assert sum(site.asked.values()) <= 6
    add_newest(site)
    again, paths = site.crawled(state=state)
    assert paths == ["/news/b99"]
    assert again.items[0]["change"] == "new"


def test_what_is_beyond_the_limit_comes_in_the_next_crawl(site, state):
    wanted = site.add_news()
    crawls = [site.paths(state=state, max_pages=5) for _ in range(3)]
    assert [len(paths) for paths in crawls] == [5, 5, 2]
    assert sorted(path for paths in crawls for path in paths) == sorted(wanted)


KINDS = {**kinds_of(url="", change=""), "without": make_dataclass("Without", ["url"])}


@pytest.mark.parametrize("kind", KINDS)
def test_the_change_of_items_of_classes(site, state, kind):
    class Spider(SiteSpider):
        def item(self, response, result):
            return KINDS[kind](url=response.url)

    site.add_news(1)
    found = crawl(Spider, SETTINGS, urls=f"{site.url}/news/b0", state=state)
    change = {"without": None}.get(kind, "" if "frozen" in kind else "new")
    assert [ItemAdapter(item).get("change") for item in found.items] == [change]


# Scrapy 2.15 leaves files of its queues open.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("max_pages", [4, 0])
def test_a_job_s_folder_has_the_state(site, tmp_path, max_pages):
    wanted = site.add_news()
    settings = {**ONE_BY_ONE, "JOBDIR": str(tmp_path)}
    first = site.paths(max_pages=max_pages, settings=settings)
    assert sorted(first + site.paths(settings=settings)) == sorted(wanted)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.jsonl.gz"])
def test_a_crawl_that_was_stopped_goes_on(site, tmp_path, monkeypatch, name):
    """Feeds are those of any folder's crawl, and a stopped crawl's stay whole."""
    monkeypatch.chdir(tmp_path)
    wanted = site.add_news()
    options = {"format": name.split(".")[1]}
    if name.endswith("gz"):
        options["postprocessing"] = ["scrapy.extensions.postprocessing.GzipPlugin"]
    settings = {**ONE_BY_ONE, "FEEDS": {name: options}}
    first = site.paths(state="site.db", max_pages=4, settings=settings)
    assert len(first) == 4
    written = (tmp_path / name).read_bytes()
    assert written
    second = site.paths(state="site.db")
    assert sorted(first + second) == sorted(wanted)
    assert (tmp_path / name).read_bytes() == written


def test_a_state_on_a_full_disk_ends_the_crawl_for_a_later_one(
    site, state, monkeypatch
):
    wanted = site.add_news()
    done = State.done

    def full_after_three(self, *args, **kwargs):
        done(self, *args, **kwargs)
        if self._value("SELECT count(*) FROM pages WHERE status='done'") > 3:
            self._run(f"PRAGMA max_page_count={self._value('PRAGMA page_count')}")
            self._run("CREATE TABLE large (filler)")
            self._run("INSERT INTO large VALUES (zeroblob(1000000))")

    with monkeypatch.context() as context:
        context.setattr(State, "done", full_after_three)
        stopped, first = site.crawled(state=state, settings=ONE_BY_ONE)
    reason = stopped.stats["finish_reason"]
    assert reason == f"state error of {state!r}: database or disk is full"
    assert len(first) < len(wanted)
    again, paths = site.crawled(state=state)
    assert again.stats["finish_reason"] == "finished"
    assert {*first, *paths} == set(wanted)


def test_a_state_that_goes_on_with_other_addresses(site, state):
    site.add_news(4)
    site.paths(state=state, max_pages=1, settings=ONE_BY_ONE)
    names = ["b7", "b8", "b9"]
    site.pages["/more"] = listing(names)
    site.add_articles(*names)
    paths = site.paths(urls=f"{site.url}/more", state=state)
    assert {*paths} >= {f"/news/{name}" for name in names}


class Picky(SiteSpider):
    """Fails on some pages, as a subclass may."""

    fails_on = ("b3", "b4")

    def wants(self, response, result):
        if response.url.endswith(self.fails_on):
            raise RuntimeError(response.url)
        return super().wants(response, result)


def test_an_error_on_a_page_is_no_reason_not_to_look_for_news(site, state):
    wanted = site.add_news()
    first = crawl(Picky, SETTINGS, fails=True, urls=site.url, state=state)
    assert len(first.errors) == 2
    assert len(first.items) == len(wanted) - 2
    add_newest(site)
    assert site.paths(state=state) == ["/news/b3", "/news/b4", "/news/b99"]


def test_errors_do_not_keep_back_what_is_alike(site):
    class Failing(Picky):
        fails_on = ""

    site.add_news(15, 15)
    crawl(Failing, SETTINGS, fails=True, urls=site.url)
    assert sum(path.startswith("/news/") for path in site.asked) == 15


def test_a_site_that_is_down_for_a_while(site, state, caplog):
    """No more than some pages fail, and none is lost to the next crawl."""
    wanted = site.add_news(60, 60)
    whole = dict(site.pages)
    site.pages |= dict.fromkeys(wanted[8:], (503, ""))
    settings = {"RETRY_ENABLED": False, **ONE_BY_ONE}
    first, paths = site.crawled(state=state, settings=settings)
    assert paths == wanted[:8]
    # With /about, which articles link to.
    assert first.eatext("site/failed/") == {"page": 53}
    assert sum(path in wanted for path in site.asked) == 28
    assert "127.0.0.1 failed for 20 pages in a row" in caplog.text
    site.pages = whole
    assert site.paths(state=state) == sorted(wanted[8:])


def test_many_hosts_that_are_down_are_a_line_of_the_log(caplog):
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    spider._clock = SimpleNamespace(stop=lambda: None)
    spider._failures.update({f"b{n}.a.org": 20 if n < 30 else 19 for n in range(40)})
    spider.spider_closed("finished")
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 1
    assert re.match(r"b0.a.org, .* and 20 more failed for 20 pages in a row", lines[0])


@pytest.mark.parametrize(("status", "after"), [(429, "1"), (503, "date"), (429, "x")])
def test_a_busy_host_is_asked_later(site, status, after):
    wanted = site.add_news(6, 6)
    times = []

    def page(asked):
        times.append(time.monotonic())
        if len(times) != 4:
            return article(asked.path)
        asked.send_response(status)
        later = formatdate(time.time() + 2, usegmt=True)
        asked.send_header("Retry-After", later if after == "date" else after)
        return 0, ""

    site.pages |= dict.fromkeys(wanted, page)
    throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0}
    assert site.paths(settings={**throttled, **ONE_BY_ONE}) == sorted(wanted)
    assert times[4] - times[3] > (0.45 if after == "x" else 0.9)


def test_the_delay_of_a_busy_host():
    spider = SiteSpider.from_crawler(get_crawler(SiteSpider), urls="https://a.org")
    meta = {"download_slot": "a.org"}
    first, second, third = (Request("https://a.org/", meta=meta) for _ in range(3))
    slot = SimpleNamespace(delay=0.0, transferring=set())
    downloader = SimpleNamespace(slots={"a.org": slot})
    spider.crawler = SimpleNamespace(engine=SimpleNamespace(downloader=downloader))

    def delay_after(request, status, after=0):
        headers = {"Retry-After": str(after)}
        spider._downloaded(Response(request.url, status, headers), request)
        slot.transferring.discard(request)
        return slot.delay

    slot.transferring |= {first, second, third}
    assert delay_after(first, 429) == 1
    # These were on their way.
    assert delay_after(second, 503) == 1
    assert delay_after(third, 200) == 1
    assert [delay_after(second, 429) for _ in range(5)] == [2, 4, 8, 10, 10]
    assert delay_after(first, 429, 100_000) == 120
    delays = []
    for _ in range(50):
        slot.delay = 0.1  # as AutoThrottle may set it
        delays.append(delay_after(first, 200))
    assert delays[:2] == [9, 8.1]
    assert delays[-1] == 0.1
    spider.known.close()
