"""What EATEXT_TUNE_PROCESS changes in the process, and that nothing does without it."""

from __future__ import annotations

import gc
import os
import sys

import pytest

from scrapy_eatext.crawl import tuning
from scrapy_eatext.crawl.settings import EXECUTORS
from scrapy_eatext.execution import executors
from scrapy_eatext.execution.cascade import Job, Limits
from scrapy_eatext.execution.choice import Choice
from tests.support.crawling import ADDON, PATIENCE, crawl, run
from tests.support.items import TypeSpider


def state() -> tuple[int, float]:
    return gc.get_freeze_count(), sys.getswitchinterval()


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("tuned", [True, False])
def test_a_crawl_tunes_its_process_while_it_runs_or_leaves_it_alone(
    server, executor, tuned
):
    before = state()
    settings = {**ADDON, "EATEXT_EXECUTOR": executor, "EATEXT_TUNE_PROCESS": tuned}
    urls, fields = (server("/page/1"), server("/page/2")), {"state": lambda _: state()}
    done = crawl(TypeSpider, settings, urls=urls, fields=fields)
    assert len(done.items) == 2
    for frozen, interval in (item["state"] for item in done.items):
        assert frozen > before[0] + 10_000 if tuned else frozen == before[0]
        assert interval == pytest.approx(0.001 if tuned else before[1])
    assert state() == before


def test_crawls_at_the_same_time_share_the_tuning():
    before = state()
    first, second, other = (type("Crawl", (), {})() for _ in range(3))
    tuning.tune(first)
    tuning.tune(second)
    tuning.restore(first)
    tuning.restore(other)
    frozen, interval = state()
    assert frozen > before[0]
    assert interval == pytest.approx(0.001)
    tuning.restore(second)
    assert state() == before


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities")
@pytest.mark.parametrize(("begin", "nicer"), [((), 0), ((tuning.lower_priority,), 5)])
def test_threads_leave_the_processor_to_the_crawl(monkeypatch, begin, nicer):
    found = []

    class Looking(executors.InPlace):
        def run(self, job):
            found.append(os.getpriority(os.PRIO_PROCESS, 0))
            return super().run(job)

    monkeypatch.setattr(executors, "InPlace", Looking)
    pool = executors.make_executor("thread", 1, Choice(), 0, *begin)
    before = os.getpriority(os.PRIO_PROCESS, 0)
    # Each page ends a thread, and the next one is started by it.
    monkeypatch.setattr(executors, "TURN", 1)
    for _ in range(3):
        pool.submit(Job("<p>A page.</p>", "", Choice(), Limits())).result(PATIENCE)
    run(pool.close())
    assert found == [min(before + nicer, 19)] * 3
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
