"""Executors, and the faults that pages and systems can cause in them."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext.crawl.settings import EXECUTORS
from scrapy_eatext.execution import executors
from scrapy_eatext.execution import process as workers
from scrapy_eatext.execution.cascade import Failure, Job, Limits, Outcome
from scrapy_eatext.execution.worker import (
    START,
    pack_job,
    pack_outcome,
    receive,
    send,
    unpack_job,
    unpack_outcome,
)
from scrapy_eatext.result import Block, MainText, Metadata
from tests.support import crawling
from tests.support.algorithms import Stuck, choice
from tests.support.crawling import PATIENCE, PLAIN, happens, run
from tests.support.mockserver import page, text_of

pytestmark = pytest.mark.slow

# At the limit of memory the address sanitizer ends the process, which should get a
# MemoryError.  tests.sanitize sets its options.
has_memory_limits = pytest.mark.skipif(
    not sys.platform.startswith("linux") or "ASAN_OPTIONS" in os.environ,
    reason="needs /proc, and an allocator that takes a refusal",
)
needs_asyncio = pytest.mark.skipif(
    crawling.reactor_name == "select", reason="cancels tasks of asyncio"
)
LONG = f"<p>{text_of('long')}</p>"


def job(html, *names, timeout=60.0, **more):
    limits = Limits(timeout=timeout, **more)
    return Job(html, "http://example.com/", choice(*names), limits).bounded()


def executor_of(kind, *names, size=1, memory=512):
    return executors.make_executor(kind, size, choice(*names), memory)


@pytest.fixture
def made():
    """Makes executors, and closes them at the end."""
    all_made = []

    def make(kind, *names, **limits):
        all_made.append(executor_of(kind, *(names or ["Plain"]), **limits))
        return all_made[-1]

    yield make
    for one in all_made:
        run(one.close())
    assert not workers._live


@pytest.fixture(params=EXECUTORS)
def executor(request, made):
    executor = made(request.param)
    executor.name = request.param
    return executor


@pytest.fixture
def process(made):
    return made("process")


def outcome_of(executor, job):
    return executor.submit(job).result(PATIENCE)


def test_pages_come_back(executor):
    for html in (LONG, LONG.encode(), page(LONG), "<p>\ud800x</p>"):
        # Without a time limit, too.
        for timeout in (60.0, 0):
            outcome = outcome_of(executor, job(html, "Plain", timeout=timeout))
            assert outcome.kind == "extracted"
            assert outcome.seconds > 0
            assert not outcome.failures
    # Numbers of any kind, which an algorithm may have.
    asked = Job(LONG, "", choice("Numbers"), Limits(), ("text", "blocks"))
    outcome = outcome_of(executor, asked)
    assert outcome.kind == "extracted"
    assert type(outcome.result.score) is float
    assert [block.kept for block in outcome.result.blocks] == [True]
    assert executor.counts() == ({"started": 1} if executor.name == "process" else {})


def test_pages_that_break_their_algorithm(executor):
    """One after the other, in one worker."""
    for word, error in (("broken", "ZeroDivisionError"), ("quits", "SystemExit")):
        outcome = outcome_of(executor, job(LONG + word, word.title()))
        assert outcome.kind == "failed"
        assert outcome.result.text == text_of("long")
        assert outcome.result.algorithm == "last resort"
        (failure,) = outcome.failures
        assert failure.name == error
        assert ("a page broke it" in failure.traceback) == (word == "broken")
    # The last resort can be nothing.
    outcome = outcome_of(executor, job(LONG + "broken", "Broken", last_resort="empty"))
    assert (outcome.kind, outcome.result) == ("failed", MainText())
    assert "died" not in executor.counts()


def test_an_algorithm_that_looks_at_its_clock_gives_up(executor, monkeypatch):
    # However busy the machine is, no worker is stopped for being late.
    monkeypatch.setattr(workers, "_GRACE", 60.0)
    outcome = outcome_of(executor, job(LONG + "endless", "Endless", timeout=0.5))
    assert outcome.kind == "timed_out"
    assert outcome.result.text == text_of("long")
    # The worker has not been lost over it.
    assert "stopped" not in executor.counts()


def test_time_is_for_the_whole_cascade(executor):
    cascade = choice("Nothing", "Slow", "Endless", min_score=1)
    slow = replace(job(LONG + "slow", timeout=0.4), choice=cascade)
    assert outcome_of(executor, slow).kind == "timed_out"


def test_a_page_that_is_too_large_is_cut(executor):
    for html in (LONG + "<p>x</p>" * 100, (LONG + "x" * 999).encode()):
        outcome = outcome_of(executor, job(html, "Plain", max_size=len(LONG)))
        assert outcome.kind == "too_large"
        assert outcome.result.text == text_of("long")
        assert outcome.result.algorithm == "last resort"


def in_python(code):
    """Run code in a process of its own."""
    program = [sys.executable, "-c", code]
    return subprocess.run(
        program, capture_output=True, check=True, timeout=PATIENCE, text=True
    )


@pytest.mark.parametrize(
    ("word", "timeout", "kind", "counts"),
    [
        # It never looks at its clock.
        ("stuck", 2, "timed_out", {"started": 2, "stopped": 1}),
        ("killed", 60, "worker_died", {"started": 3, "died": 2}),
    ],
)
def test_a_page_that_ends_its_workers_gets_the_last_resort(
    process, monkeypatch, word, timeout, kind, counts
):
    ending = job(LONG + word, word.title(), timeout=timeout)
    outcome = outcome_of(process, ending)
    assert (outcome.kind, outcome.result.text) == (kind, text_of("long"))
    assert outcome.seconds > 1.5 or kind != "timed_out"
    assert process.counts() == counts
    assert outcome_of(process, job(LONG, word.title())).kind == "extracted"
    # Where no other worker starts, it is not let near the crawl.
    monkeypatch.setattr(workers, "command", lambda: ["/no/such/program"])
    outcome = outcome_of(process, ending)
    assert (outcome.kind, outcome.result) == (kind, MainText())


@pytest.mark.parametrize("kind", ["inline", "thread"])
def test_a_thread_is_left_to_a_job_that_does_not_end(made, monkeypatch, caplog, kind):
    monkeypatch.setattr(executors, "_GRACE", 0.1)
    monkeypatch.setattr(executors, "_MOST_ENDLESS", 2)
    monkeypatch.setattr(Stuck, "ended", threading.Event())
    pool = made(kind)
    stuck = job(LONG + "stuck", "Stuck", timeout=0.2)
    response = HtmlResponse(stuck.url, body=stuck.html.encode(), encoding="utf-8")
    tree = response.selector
    for html in (stuck.html, response):
        assert outcome_of(pool, job(LONG, "Plain")).kind == "extracted"
        outcome = outcome_of(pool, replace(stuck, html=html))
        assert (outcome.kind, outcome.result.text) == ("timed_out", text_of("long"))
        assert outcome.seconds > 2 * 0.2 + 0.1
    assert caplog.text.count("The extraction of http://example.com/ does not end") == 2
    assert response.selector is not tree
    # No more threads are left to such jobs.
    assert outcome_of(pool, job(LONG, "Plain")).kind == "timed_out"
    Stuck.ended.set()
    assert happens(lambda: not pool._endless)
    assert outcome_of(pool, job(LONG, "Plain")).kind == "extracted"
    assert len(pool._seats) == 1


def kill_before_pages(monkeypatch, more_than=0):
    """Kill each worker before it gets a page of more than so many characters."""
    extract = workers._Worker.extract

    def kill_first(self, job):
        if job.size > more_than:
            self.process.kill()
        return extract(self, job)

    monkeypatch.setattr(workers._Worker, "extract", kill_first)


@pytest.mark.parametrize(
    ("times", "most", "killing", "counts", "kind", "text"),
    [
        (1, 0, 0, {"started": 3, "died": 3}, "worker_died", ""),
        (1, 9, 0, {"started": 2, "died": 2}, "too_large", ""),
        # Its beginning is read.
        (2000, 0, 100_000, {"started": 4, "died": 3}, "worker_died", text_of("long")),
    ],
)
def test_a_page_that_not_even_the_last_resort_survives(
    process, monkeypatch, times, most, killing, counts, kind, text
):
    kill_before_pages(monkeypatch, more_than=killing)
    outcome = outcome_of(process, job(LONG * times, "Plain", max_size=most))
    assert (outcome.kind, outcome.result.text[: len(LONG) - 7]) == (kind, text)
    assert process.counts() == counts


def kill_worker() -> None:
    (process,) = workers._live
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_a_worker_killed_in_a_page_between_two_and_after_the_last(process):
    outcome_of(process, job(LONG, "Plain"))
    future = process.submit(job(LONG + "slow", "Slow"))
    assert happens(future.running)
    kill_worker()
    assert future.result(PATIENCE).kind == "extracted"
    assert process.counts() == {"started": 2, "died": 1}
    kill_worker()
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 3, "died": 2}
    kill_worker()
    run(process.close())
    assert process.counts() == {"started": 3, "died": 3}


@has_memory_limits
@pytest.mark.parametrize("earlier_pages", [0, 1])
def test_a_page_that_takes_too_much_memory(process, earlier_pages):
    """It is tried once more, if earlier pages may have taken the memory."""
    for _ in range(earlier_pages):
        assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    outcome = outcome_of(process, job(LONG + "greedy", "Greedy"))
    assert outcome.kind == "failed"
    assert outcome.failures[0].name == "MemoryError"
    assert outcome.result.text == text_of("long")
    workers_used = 1 + earlier_pages
    assert process.counts() == {"started": workers_used, "out_of_memory": workers_used}


@has_memory_limits
def test_a_worker_that_pages_have_filled_is_replaced(process):
    for _ in range(8):
        outcome = outcome_of(process, job(LONG, "Leaky"))
        assert (outcome.kind, outcome.failures) == ("extracted", ())
    assert process.counts() == {"started": 2, "out_of_memory": 1}


PARAGRAPHS = LONG * (6_200_000 // len(LONG))
DIVS = LONG + "<div>abc</div>" * 640_000


@has_memory_limits
@pytest.mark.parametrize(
    ("html", "memory"),
    # The parser is refused memory; the body cannot be decoded; it cannot be read.
    [(PARAGRAPHS, 20), (PARAGRAPHS, 26), (DIVS, 128), (PARAGRAPHS, 8), (DIVS, 4)],
    # Without these a test's name has the page in it, and goes to its processes.
    ids=["20", "26", "128", "8", "4"],
)
def test_a_page_that_the_parser_has_no_memory_for(made, html, memory):
    process = made("process", memory=memory)
    outcome = outcome_of(process, job(html, "Plain"))
    after = outcome_of(process, job(LONG, "Plain"))
    assert outcome.kind == "failed"
    assert {failure.name for failure in outcome.failures} == {"MemoryError"}
    assert outcome.result.algorithm == "last resort"
    assert outcome.result.text.startswith(text_of("long"))
    # Another may have died first: CPython itself does not survive each refusal.
    assert process.counts()["out_of_memory"] >= 1
    assert after.kind == "extracted"


@has_memory_limits
def test_an_answer_that_there_is_no_memory_for(made):
    process = made("process", "Big", memory=40)
    outcome = outcome_of(process, job(LONG + "big", "Big"))
    assert outcome.kind == "failed"
    assert [failure.name for failure in outcome.failures] == ["MemoryError"]
    assert process.counts() == {"started": 1, "out_of_memory": 1}


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs the signal")
def test_a_worker_that_is_stopped_while_it_starts(process, monkeypatch, caplog):
    stop = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    monkeypatch.setattr(workers, "command", lambda: [sys.executable, "-c", stop])
    monkeypatch.setattr(workers, "_START_GRACE", 0.5)
    start = time.monotonic()
    outcome = process.submit(job(LONG, "Plain", timeout=0.5)).result(PATIENCE)
    assert time.monotonic() - start > 1
    assert outcome.kind == "extracted"
    assert process.counts() == {"not_started": 1}
    assert "was not ready after 1 seconds" in caplog.text


def test_a_path_that_python_passes_over(process, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, Path("/some/folder")])
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 1}


@pytest.mark.parametrize(
    "command",
    [
        ["/no/such/program"],
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "print('What a module writes when it is loaded.')"],
        [],
        None,
    ],
)
def test_workers_that_do_not_start(process, monkeypatch, caplog, command):
    """Nor watched, nor made by a frozen program: threads take their place for a while."""
    said = "No worker process could be started"
    with monkeypatch.context() as broken:
        broken.setattr(workers, "_PAUSE", 1.0)
        if command:
            broken.setattr(workers, "command", lambda: command)
        elif command is None:
            broken.setattr(sys, "frozen", True, raising=False)
            said += f" ({sys.executable} is not Python)"
        else:
            few_threads(broken, "eatext-0")
            said += " (can't start new thread)"
        for _ in range(5):
            assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"not_started": 3}
    assert len(caplog.records) == 3
    assert said in caplog.text
    assert not workers._live
    time.sleep(1.1)
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"not_started": 3, "started": 1}


def test_a_worker_says_nothing_at_its_end(monkeypatch):
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    run = {"input": b"", "capture_output": True, "timeout": 60}
    assert subprocess.run(workers.command(), check=True, **run).stderr == b""


@has_memory_limits
def test_a_lower_limit_of_memory_is_kept():
    code = (
        "import resource as r, sys; from scrapy_eatext.execution import worker\n"
        "low = 1 << 33; r.setrlimit(r.RLIMIT_AS, (low, low))\n"
        "worker.limit_memory(1 << 20); assert r.getrlimit(r.RLIMIT_AS) == (low, low)\n"
        "worker.limit_memory(64); assert r.getrlimit(r.RLIMIT_AS)[0] < low"
    )
    in_python(code)


def test_why_a_worker_does_not_start_is_told(made, monkeypatch, caplog):
    kept = workers.command()
    broken = "scrapy_eatext.execution.worker"
    code = kept[2].replace(
        "; main()",
        f"; import {broken} as w; w.limit_memory = lambda m: 1 / m - m['x']; main()",
    )
    monkeypatch.setattr(workers, "command", lambda: [*kept[:2], code, *kept[3:]])
    process = made("process", memory=7)
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"not_started": 1}
    assert "TypeError: 'int' object is not subscriptable" in caplog.text


def test_a_worker_that_cannot_be_told_what_to_do_is_ended(process, monkeypatch):
    told = job(LONG, "Tagged")
    told.choice.options["tests.support.algorithms.Tagged"] = {"tags": {"p"}}
    wrong = executors.make_executor("process", 1, told.choice, 0)
    with pytest.raises(TypeError, match="JSON"):
        outcome_of(wrong, job(LONG, "Plain"))
    assert not workers._live
    run(wrong.close())
    # A page that cannot be sent fails by itself, and does not wait for ever.
    monkeypatch.setattr(workers, "_GRACE", 0.0)
    with pytest.raises(TypeError, match="JSON"):
        outcome_of(process, replace(told, limits=Limits(timeout=0.01)))
    time.sleep(3 * workers._CHECK_SECONDS)
    monkeypatch.undo()
    assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 1}


def few_threads(monkeypatch, *names):
    """Let only threads of some names be started."""

    class Limited(threading.Thread):
        def start(self):
            if self.name not in names:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(executors, "Thread", Limited)
    monkeypatch.setattr(workers, "Thread", Limited)


@pytest.mark.parametrize("kind", ["thread", "process"])
@pytest.mark.parametrize("names", [(), ("eatext-0",), ("eatext-0", "eatext-1")])
def test_threads_that_do_not_start(kind, names, made, monkeypatch, caplog):
    few_threads(monkeypatch, *names)
    pool = made(kind, "Slow", size=3)
    pages = [pool.submit(job(LONG + "slow", "Slow")) for _ in range(4)]
    assert {page.result(PATIENCE).kind for page in pages} == {"extracted"}
    run(pool.close())
    (record,) = (r for r in caplog.records if "of 3 threads" in r.message)
    assert f"has {len(names)} of" in record.message
    assert ("the crawl's own" in record.message) == (not names)
    assert not workers._live


def test_threads_start_as_they_are_needed():
    pool = executors.Pool(100, executors.InPlace)
    for _ in range(5):
        outcome_of(pool, job(LONG, "Plain"))
        time.sleep(0.05)
    assert len(pool._seats) <= 2
    pages = [pool.submit(job(LONG + "slow", "Slow")) for _ in range(4)]
    assert 4 <= len(pool._seats) < 7
    assert {page.result(PATIENCE).kind for page in pages} == {"extracted"}
    run(pool.close())


def test_several_workers_at_once(made):
    made("process", size=2)  # a pool that was never used is closed at once
    pool = made("process", "Slow", size=2)
    futures = [pool.submit(job(LONG + "slow", "Slow")) for _ in range(4)]
    assert {future.result(PATIENCE).kind for future in futures} == {"extracted"}
    assert pool.counts() == {"started": 2}


def test_a_job_that_nobody_waits_for_is_left_out(made):
    pool = made("thread")
    first = pool.submit(job(LONG + "slow", "Slow"))
    second = pool.submit(job(LONG, "Plain"))
    assert second.cancel()
    assert first.result(PATIENCE).kind == "extracted"
    run(pool.close())
    assert second.cancelled()


def test_no_page_is_lost_where_the_pool_is_closed():
    """Whether it is handed in before the threads are told to end, or after."""
    for _ in range(30):
        pool = executors.Pool(2, executors.InPlace)
        outcome_of(pool, job(LONG, "Plain"))
        pages = []
        closing = threading.Event()

        def hand_in(pool=pool, pages=pages, closing=closing):
            while not closing.wait(0.0001) or len(pages) < 20:
                pages.append(pool.submit(job(LONG, "Plain")))

        thread = threading.Thread(target=hand_in)
        thread.start()
        time.sleep(0.005)
        run(pool.close())
        closing.set()
        thread.join()
        assert {page.result(PATIENCE).kind for page in pages} == {"extracted"}


@needs_asyncio
def test_who_waits_for_the_end_may_be_cancelled(caplog):
    pool = executors.Pool(1, executors.InPlace)
    slow = pool.submit(job(LONG + "slow", "Slow"))

    async def cancelled():
        closing = asyncio.ensure_future(pool.close())
        await asyncio.sleep(0.1)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await pool.close()

    run(cancelled())
    assert slow.result(PATIENCE).kind == "extracted"
    assert not caplog.records


def names(number: int) -> str:
    """A page of 16,000 long names that no other has."""
    names = (f"{'y' * 80}{number}x{i}" for i in range(8_000))
    return LONG + "".join(f"<b a{name} c{name}>x</b>" for name in names)


def resident(pid: int | str) -> float:
    """The memory of a process in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def sizes_with_names(kind: str) -> list[float]:
    """The memory after each of 25 pages of names, for a process that runs this alone."""
    executor = executor_of(kind, "Plain")
    sizes = []
    for number in range(25):
        told = job(names(number), "Plain", timeout=0, last_resort="empty")
        assert outcome_of(executor, told).kind == "extracted"
        process = next(iter(workers._live), None)
        sizes.append(resident(process.pid if process else "self"))
    asyncio.run(executor.close())
    return sizes


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("kind", EXECUTORS)
def test_names_are_not_kept_for_good(kind):
    # In a process of its own, where no test before has left holes in the memory.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        f"from tests.execution import test_workers; print(*test_workers.sizes_with_names({kind!r}))"
    )
    done = in_python(code)
    sizes = [float(size) for size in done.stdout.split()]
    assert len(sizes) == 25
    assert max(sizes[15:]) < max(sizes[5:10]) + 15


def test_threads_take_turns_whatever_they_are_for(executor):
    seen = []
    for _ in range(6):
        told = job(LONG + " " * 3_000_000, "Where")
        seen.append(outcome_of(executor, told).result.page_type)
    assert seen[0] == seen[1] != seen[2] == seen[3] != seen[4]
    # The threads change, the processes stay.
    assert len({where.partition(" ")[0] for where in seen}) == 1


def test_an_error_of_a_runner_is_its_jobs_alone():
    class Failing(executors.InPlace):
        def run(self, job):
            if job.html == "fail":
                raise KeyboardInterrupt
            return super().run(job)

    pool = executors.Pool(1, Failing)
    with pytest.raises(KeyboardInterrupt):
        outcome_of(pool, job("fail", "Plain"))
    assert outcome_of(pool, job(LONG, "Plain")).kind == "extracted"
    run(pool.close())


DETAILS = {
    "markdown": "*text*",
    "blocks": (Block("text", "paragraph", 0, "/html", 0.5, True, "long"),),
    "metadata": Metadata("title", ("A", "B"), tags=("c",), sources={"title": "meta"}),
}


def test_messages_come_through():
    sent = Job(
        "<p>\ud83d \u20ac",
        "http://example.com/",
        choice("Plain", options={PLAIN: {"min_length": 3}}, min_score=0.5),
        Limits(1.5, 20, "empty"),
        give_up="timed_out",
        sought=("http://example.com/", 2),
    )
    assert unpack_job(*pack_job(sent)) == sent
    stream = io.BytesIO()
    send(stream, {"a": 1}, b"body")
    whole = stream.getvalue()
    assert receive(io.BytesIO(whole)) == ({"a": 1}, b"body")
    for size in range(len(whole)):
        assert receive(io.BytesIO(whole[:size])) is None
    outcome = Outcome(
        MainText("text \ud83d", "a", "1", 0.5, "type", "en").backed(DETAILS),
        "failed",
        0.25,
        (Failure("ValueError", "trace"), Failure("KeyError", "trace", "html")),
        "http://example.com/2",
    )
    stream = io.BytesIO()
    send(stream, pack_outcome(outcome))
    stream.seek(0)
    received = unpack_outcome(receive(stream)[0])
    assert received == outcome
    assert received.result.computed == DETAILS


def test_a_worker_ends_when_nothing_comes():
    ended = subprocess.run(
        workers.command(), input=b"", capture_output=True, check=True, timeout=PATIENCE
    )
    assert ended.stdout == b""


@contextmanager
def worker_by_hand(code=START):
    """A worker process that is ready, and waits for a page."""
    program, flag, _, path = workers.command()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([program, flag, code, path], **pipes) as process:
        send(process.stdin, {"choice": asdict(choice("Plain")), "memory": 0})
        assert receive(process.stdout) == ("ready", b"")
        yield process


def test_a_worker_whose_crawl_was_killed_ends_quietly():
    with worker_by_hand() as process:
        process.stdout.close()
        send(process.stdin, *pack_job(job(LONG, "Plain")))
        assert process.wait(PATIENCE) == 1
        assert process.stderr.read() == b""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_a_worker_left_alone_in_a_page_ends_itself():
    # As a worker starts, with less patience.
    imported = "from scrapy_eatext"
    code = START.replace("main()", "worker._ORPHAN_SECONDS = 0.2; main()").replace(
        imported, f"{imported}.execution import worker; {imported}", 1
    )
    with worker_by_hand(code) as process:
        send(process.stdin, *pack_job(job("stuck", "Stuck", timeout=0.1)))
        assert process.wait(PATIENCE) == -signal.SIGALRM


def test_what_is_left_at_the_end_is_killed(process):
    outcome_of(process, job(LONG, "Plain"))
    (left,) = workers._live
    workers._kill_workers()
    assert left.wait(PATIENCE) == -signal.SIGKILL


def test_an_answer_that_came_with_the_stop(process, monkeypatch):
    extract = workers._Worker.extract

    def stop_after(self, job):
        answer = extract(self, job)
        self.stopped = True
        self.process.kill()
        return answer

    monkeypatch.setattr(workers._Worker, "extract", stop_after)
    for _ in range(2):
        assert outcome_of(process, job(LONG, "Plain")).kind == "extracted"
    assert process.counts() == {"started": 2}


def test_a_worker_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(workers, "_END_SECONDS", 0.1)
    stuck = job("stuck", "Stuck", timeout=0)
    worker = workers._Worker({"choice": asdict(stuck.choice), "memory": 0}, 60)
    send(worker._to, *pack_job(stuck))
    worker.close()
    assert worker.process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["thread", "process"])
def test_a_thread_that_cannot_end_well_ends(kind, made, monkeypatch, caplog):
    runner = executors.InPlace if kind == "thread" else workers.InProcess
    close = runner.close

    def fail(self):
        close(self)
        raise OSError("not as it should")

    monkeypatch.setattr(runner, "close", fail)
    pool = made(kind)
    outcome_of(pool, job(LONG, "Plain"))
    run(pool.close())
    (record,) = caplog.records
    assert record.exc_info[0] is OSError
