"""Executors, and what pages and systems may do to them."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import asdict, replace

import pytest

from scrapy_eatext import workers
from scrapy_eatext.cascade import Failure, Job, Limits, Outcome
from scrapy_eatext.choice import Choice
from scrapy_eatext.result import Block, MainText, Metadata
from scrapy_eatext.settings import Config
from scrapy_eatext.worker import (
    START,
    pack_job,
    pack_outcome,
    receive,
    send,
    unpack_job,
    unpack_outcome,
)
from tests.crawling import PATIENCE, PLAIN, run
from tests.hostile import HOSTILE
from tests.mockserver import page, text_of

# Where memory is at its limit the address sanitizer ends the process; it should get
# a MemoryError.  tests.sanitize sets its options.
has_memory_limits = pytest.mark.skipif(
    not sys.platform.startswith("linux") or "ASAN_OPTIONS" in os.environ,
    reason="needs /proc, and an allocator that takes a refusal",
)
LONG = f"<p>{text_of('long')}</p>"


def choice(*names: str, **more: object) -> Choice:
    return Choice(algorithms=tuple(f"tests.algorithms.{n}" for n in names), **more)


def job(html, *names, timeout=5.0, **more):
    limits = Limits(timeout=timeout, **more)
    return Job.of(html, "http://example.com/", choice(*names), limits)


@pytest.fixture(params=("inline", "thread", "process"))
def executor(request):
    made = workers.make_executor(
        Config(executor=request.param, workers=1, choice=choice("Plain"), memory=512)
    )
    made.name = request.param
    yield made
    run(made.close())
    assert not workers._live


@pytest.fixture
def process():
    made = workers.make_executor(
        Config(executor="process", workers=1, choice=choice("Plain"), memory=512)
    )
    yield made
    run(made.close())
    assert not workers._live


def outcome_of(executor, job):
    return executor.submit(job).result(timeout=PATIENCE)


@pytest.mark.parametrize("html", [LONG, LONG.encode(), page(LONG), "<p>\ud800x</p>"])
def test_a_page_comes_back(executor, html):
    outcome = outcome_of(executor, job(html, "Plain"))
    assert outcome.kind == "extracted"
    assert outcome.seconds > 0
    assert not outcome.failures
    assert executor.counts() == ({"started": 1} if executor.name == "process" else {})


def test_numbers_of_any_kind_come_back(executor):
    asked = Job.of(LONG, "", choice("Numbers"), Limits(), ("text", "blocks"))
    outcome = outcome_of(executor, asked)
    assert outcome.kind == "extracted"
    assert type(outcome.result.score) is float
    assert [block.kept for block in outcome.result.blocks] == [True]
    assert "died" not in executor.counts()


def test_a_page_that_breaks_its_algorithm(executor):
    outcome = outcome_of(executor, job(LONG + "broken", "Broken"))
    assert outcome.kind == "failed"
    assert outcome.result.text == text_of("long")
    assert outcome.result.algorithm == "last resort"
    (failure,) = outcome.failures
    assert failure.name == "ZeroDivisionError"
    assert "a page broke it" in failure.traceback


def test_a_page_over_which_an_algorithm_quits(executor):
    outcome = outcome_of(executor, job(LONG + "quits", "Quits"))
    assert outcome.kind == "failed"
    assert outcome.result.text == text_of("long")
    assert [failure.name for failure in outcome.failures] == ["SystemExit"]
    assert "died" not in executor.counts()


def test_the_last_resort_can_be_nothing(executor):
    outcome = outcome_of(executor, job(LONG + "broken", "Broken", last_resort="empty"))
    assert outcome.kind == "failed"
    assert outcome.result == MainText()


def test_an_algorithm_that_looks_at_its_clock_gives_up(executor, monkeypatch):
    # However busy the machine is, no worker is stopped for being late.
    monkeypatch.setattr(workers, "_GRACE", 60.0)
    outcome = outcome_of(executor, job(LONG + "endless", "Endless", timeout=0.5))
    assert outcome.kind == "timed_out"
    assert outcome.result.text == text_of("long")
    # The worker has not been lost over it.
    assert "stopped" not in executor.counts()


def test_the_default_algorithm_gives_up(executor, monkeypatch):
    monkeypatch.setattr(workers, "_GRACE", 60.0)
    html = HOSTILE["tiny_blocks"](1_000_000)
    limits = Limits(timeout=0.02)
    outcome = outcome_of(executor, Job.of(html, "", Choice(), limits))
    assert outcome.kind == "timed_out"
    assert not outcome.failures
    assert "stopped" not in executor.counts()
    # The next page has time of its own.
    assert outcome_of(executor, job(LONG, "Plain")).kind == "extracted"


def test_time_is_for_the_whole_cascade(executor):
    cascade = choice("Nothing", "Slow", "Endless", min_score=1)
    slow = replace(job(LONG + "slow", timeout=0.4), choice=cascade)
    assert outcome_of(executor, slow).kind == "timed_out"


@pytest.mark.parametrize("html", [LONG + "<p>x</p>" * 100, (LONG + "x" * 999).encode()])
def test_a_page_that_is_too_large_is_cut(executor, html):
    outcome = outcome_of(executor, job(html, "Plain", max_size=len(LONG)))
    assert outcome.kind == "too_large"
    assert outcome.result.text == text_of("long")
    assert outcome.result.algorithm == "last resort"


def test_a_page_that_never_looks_at_its_clock_loses_its_worker(process):
    outcome = outcome_of(process, job(LONG + "stuck", "Stuck", timeout=0.5))
    assert outcome.kind == "timed_out"
    assert outcome.result.text == text_of("long")
    assert outcome.seconds > 1.5
    assert process.counts() == {"started": 2, "stopped": 1}
    assert outcome_of(process, job(LONG, "Stuck")).kind == "extracted"


def test_a_page_that_kills_its_worker_twice_gets_the_last_resort(process):
    outcome = outcome_of(process, job(LONG + "killed", "Killed"))
    assert outcome.kind == "worker_died"
    assert outcome.result.text == text_of("long")
    assert process.counts() == {"started": 3, "died": 2}


def test_a_page_that_not_even_the_last_resort_survives(process, monkeypatch):
    ask = workers._Worker.ask

    def kill_first(self, job):
        self.process.kill()
        return ask(self, job)

    monkeypatch.setattr(workers._Worker, "ask", kill_first)
    outcome = outcome_of(process, job(LONG, "Plain"))
    assert (outcome.kind, outcome.result) == ("worker_died", MainText())
    assert process.counts() == {"started": 3, "died": 3}


def test_a_page_that_is_too_large_and_ends_its_workers(process, monkeypatch):
    ask = workers._Worker.ask

    def kill_first(self, job):
        self.process.kill()
        return ask(self, job)

    monkeypatch.setattr(workers._Worker, "ask", kill_first)
    outcome = outcome_of(process, job(LONG, "Plain", max_size=9))
    assert (outcome.kind, outcome.result) == ("too_large", MainText())
    assert process.counts() == {"started": 2, "died": 2}


def kill_worker() -> None:
    (process,) = workers._live
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_a_worker_killed_in_the_middle_of_a_page(process):
    outcome_of(process, job(LONG, "Plain"))
    future = process.submit(job(LONG + "slow", "Slow", timeout=5))
    time.sleep(0.2)
    kill_worker()
    outcome = future.result(timeout=PATIENCE)
    assert outcome.kind == "extracted"
    assert process.counts() == {"started": 2, "died": 1}


def test_a_worker_killed_between_two_pages(process):
    outcome_of(process, job(LONG, "Plain"))
    kill_worker()
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 2, "died": 1}


def test_a_worker_killed_after_its_last_page(process):
    outcome_of(process, job(LONG, "Plain"))
    kill_worker()
    run(process.close())
    assert process.counts() == {"started": 1, "died": 1}


@has_memory_limits
def test_a_page_that_takes_too_much_memory(process):
    outcome = outcome_of(process, job(LONG + "greedy", "Greedy"))
    assert outcome.kind == "failed"
    assert outcome.failures[0].name == "MemoryError"
    assert outcome.result.text == text_of("long")
    assert process.counts() == {"started": 1, "out_of_memory": 1}


@has_memory_limits
def test_a_worker_that_pages_have_filled_is_replaced(process):
    for _ in range(8):
        outcome = outcome_of(process, job(LONG, "Leaky", timeout=5))
        assert (outcome.kind, outcome.failures) == ("extracted", ())
    assert process.counts() == {"started": 2, "out_of_memory": 1}


@has_memory_limits
def test_a_page_that_fills_every_worker_is_given_up(process):
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    outcome = outcome_of(process, job(LONG + "greedy", "Greedy"))
    assert outcome.kind == "failed"
    assert process.counts() == {"started": 2, "out_of_memory": 2}


@pytest.mark.parametrize(
    "command", [["/no/such/program"], [sys.executable, "-c", "raise SystemExit(3)"]]
)
def test_workers_that_do_not_start(process, monkeypatch, caplog, command):
    monkeypatch.setattr(workers, "command", lambda: command)
    for _ in range(5):
        assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"not_started": 3}
    assert len(caplog.records) == 3
    assert "No worker process could be started" in caplog.text


def test_a_worker_that_cannot_be_told_what_to_do_is_ended(process, monkeypatch):
    told = job(LONG, "Tagged")
    told.choice.options["tests.algorithms.Tagged"] = {"tags": {"p"}}
    made = workers.make_executor(
        Config(executor="process", workers=1, choice=told.choice)
    )
    with pytest.raises(TypeError, match="JSON"):
        outcome_of(made, job(LONG, "Plain"))
    assert not workers._live
    run(made.close())
    # One page that cannot be sent is that page's failure, and not late for ever.
    monkeypatch.setattr(workers, "_GRACE", 0.0)
    with pytest.raises(TypeError, match="JSON"):
        outcome_of(process, replace(told, limits=Limits(timeout=0.01)))
    time.sleep(3 * workers._LOOK_SECONDS)
    monkeypatch.undo()
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 1}


def few_threads(monkeypatch, *names):
    """Let no threads be started but those of some names."""

    class Limited(threading.Thread):
        def start(self):
            if self.name not in names:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(workers, "Thread", Limited)


@pytest.mark.parametrize("kind", ["thread", "process"])
@pytest.mark.parametrize("names", [(), ("eatext-0",), ("eatext-0", "eatext-1")])
def test_threads_that_do_not_start(kind, names, monkeypatch, caplog):
    few_threads(monkeypatch, *names)
    made = workers.make_executor(
        Config(executor=kind, workers=3, choice=choice("Plain"))
    )
    for _ in range(5):
        assert outcome_of(made, job(LONG, "Plain")).kind == "extracted"
    run(made.close())
    (record,) = (r for r in caplog.records if "of 3 threads" in r.message)
    assert f"has {len(names)} of" in record.message
    assert ("the crawl's own" in record.message) == (not names)
    assert not workers._live


def test_a_worker_that_cannot_be_watched_is_none(process, monkeypatch, caplog):
    few_threads(monkeypatch, "eatext-0")
    for _ in range(5):
        assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"not_started": 3}
    assert "can't start new thread" in caplog.text
    assert not workers._live


def test_what_killed_a_worker_is_not_let_near_the_crawl(process, monkeypatch):
    outcome_of(process, job(LONG, "Plain"))
    monkeypatch.setattr(workers, "command", lambda: ["/no/such/program"])
    outcome = outcome_of(process, job(LONG + "killed", "Killed"))
    assert (outcome.kind, outcome.result) == ("worker_died", MainText())


def test_several_workers_at_once():
    made = workers.make_executor(
        Config(executor="process", workers=2, choice=choice("Slow"))
    )
    futures = [made.submit(job(LONG + "slow", "Slow", timeout=5)) for _ in range(4)]
    assert {future.result(PATIENCE).kind for future in futures} == {"extracted"}
    assert made.counts() == {"started": 2}
    run(made.close())


def test_a_pool_that_was_never_used_is_closed_at_once():
    run(workers.make_executor(Config(executor="process")).close())


def test_a_job_that_nobody_waits_for_is_left_out():
    made = workers.make_executor(Config(executor="thread", workers=1))
    first = made.submit(job(LONG + "slow", "Slow", timeout=5))
    second = made.submit(job(LONG, "Plain"))
    assert second.cancel()
    assert first.result(10).kind == "extracted"
    run(made.close())
    assert second.cancelled()


def test_an_error_of_a_runner_is_its_jobs_alone():
    class Failing(workers.InThread):
        def run(self, job):
            if job.html == "fail":
                raise KeyboardInterrupt
            return super().run(job)

    made = workers.Pool(1, Failing)
    with pytest.raises(KeyboardInterrupt):
        outcome_of(made, job("fail", "Plain"))
    assert outcome_of(made, job(LONG, "Plain")).kind == "extracted"
    run(made.close())


def test_wait_takes_what_is_there_and_what_comes():
    async def both():
        now: Future[int] = Future()
        now.set_result(1)
        later: Future[int] = Future()
        threading.Timer(0.05, later.set_result, [2]).start()
        return await workers.wait(now), await workers.wait(later)

    assert run(both()) == (1, 2)


def test_messages_come_through():
    sent = Job(
        "<p>\ud83d \u20ac",
        "http://example.com/",
        choice("Plain", options={PLAIN: {"min_length": 3}}, min_score=0.5),
        Limits(1.5, 20, "empty"),
        give_up="timed_out",
    )
    assert unpack_job(*pack_job(sent)) == sent
    stream = io.BytesIO()
    send(stream, {"a": 1}, b"body")
    whole = stream.getvalue()
    assert receive(io.BytesIO(whole)) == ({"a": 1}, b"body")
    for size in range(len(whole)):
        assert receive(io.BytesIO(whole[:size])) is None


DETAILS = {
    "markdown": "*text*",
    "blocks": (Block("text", "paragraph", 0, "/html", 0.5, True, "long"),),
    "metadata": Metadata("title", ("A", "B"), tags=("c",), sources={"title": "meta"}),
}


def test_outcomes_come_through():
    outcome = Outcome(
        MainText("text \ud83d", "a", "1", 0.5, "type", "en").backed(DETAILS),
        "failed",
        0.25,
        (Failure("ValueError", "trace"), Failure("KeyError", "trace", "html")),
    )
    stream = io.BytesIO()
    send(stream, pack_outcome(outcome))
    stream.seek(0)
    received = unpack_outcome(receive(stream)[0])
    assert received == outcome
    assert received.result.computed == DETAILS


def test_a_worker_ends_when_nothing_comes():
    ended = subprocess.run(
        workers.command(), input=b"", capture_output=True, check=True, timeout=30
    )
    assert ended.stdout == b""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_worker_left_alone_in_a_page_ends_itself(monkeypatch):
    stuck = job("stuck", "Stuck", timeout=0.1)
    process = subprocess.Popen(
        [*workers.command()[:2], ORPHAN, *workers.command()[3:]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        hello = {"choice": pack_job(stuck)[0]["choice"], "memory": 0}
        send(process.stdin, hello)
        assert receive(process.stdout) == ("ready", b"")
        send(process.stdin, *pack_job(stuck))
        assert process.wait(20) == -signal.SIGALRM


# As a worker starts, with less patience.
ORPHAN = START.replace("main()", "worker._ORPHAN = 0.2; main()").replace(
    "from scrapy_eatext", "from scrapy_eatext import worker; from scrapy_eatext"
)


def test_what_is_left_at_the_end_is_killed(process):
    outcome_of(process, job(LONG, "Plain"))
    (left,) = workers._live
    workers._kill_workers()
    assert left.wait(10) == -signal.SIGKILL


def test_an_answer_that_came_with_the_stop(process, monkeypatch):
    ask = workers._Worker.ask

    def stop_after(self, job):
        answer = ask(self, job)
        self.stopped = True
        self.process.kill()
        return answer

    monkeypatch.setattr(workers._Worker, "ask", stop_after)
    for _ in range(2):
        assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 2}


def test_a_worker_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(workers, "_END_SECONDS", 0.1)
    stuck = job("stuck", "Stuck", timeout=0)
    worker = workers._Worker({"choice": asdict(stuck.choice), "memory": 0})
    send(worker._to, *pack_job(stuck))
    worker.close()
    assert worker.process.returncode == -signal.SIGKILL


def test_without_a_time_limit(executor):
    assert outcome_of(executor, job(LONG, "Plain", timeout=0)).kind == "extracted"


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priorities")
def test_threads_leave_the_processor_to_the_crawl(monkeypatch):
    found = []

    class Looking(workers.InThread):
        def run(self, job):
            found.append(os.getpriority(os.PRIO_PROCESS, 0))
            return super().run(job)

    monkeypatch.setattr(workers, "InThread", Looking)
    pool = workers.make_executor(Config(executor="thread", workers=1))
    before = os.getpriority(os.PRIO_PROCESS, 0)
    outcome_of(pool, job(LONG, "Plain"))
    run(pool.close())
    assert found == [min(before + 5, 19)]
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


@pytest.mark.parametrize("kind", ["thread", "process"])
def test_a_thread_that_cannot_end_well_ends(kind, monkeypatch, caplog):
    runner = workers.InThread if kind == "thread" else workers.InProcess
    close = runner.close

    def fail(self):
        close(self)
        raise OSError("not as it should")

    monkeypatch.setattr(runner, "close", fail)
    made = workers.make_executor(
        Config(executor=kind, workers=1, choice=choice("Plain"))
    )
    outcome_of(made, job(LONG, "Plain"))
    run(made.close())
    (record,) = caplog.records
    assert record.exc_info[0] is OSError


def test_threads_take_turns_sooner_while_pages_are_extracted():
    before = sys.getswitchinterval()
    pools = [workers.make_executor(Config(executor="thread", workers=2)) for _ in "ab"]
    assert sys.getswitchinterval() == before
    for pool in pools:
        outcome_of(pool, job(LONG, "Plain"))
    run(pools[0].close())
    assert sys.getswitchinterval() == pytest.approx(0.001)
    run(pools[1].close())
    assert sys.getswitchinterval() == before
