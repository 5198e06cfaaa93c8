from __future__ import annotations

import os
from threading import Lock, Thread

import pytest

from scrapy_eatext.execution.process import Process


class InThread(Process):
    """Extracts parts as a process does, in a thread of the test's own process."""

    def __init__(self, program: object) -> None:
        from scrapy_eatext.archive import shards

        self._lock = Lock()
        (source, to), (back, answers) = os.pipe(), os.pipe()
        self._to, self._from = os.fdopen(to, "wb"), os.fdopen(back, "rb")

        def serve() -> None:
            with (
                os.fdopen(source, "rb") as requests,
                os.fdopen(answers, "wb") as results,
            ):
                shards.serve(requests, results)

        self._thread = Thread(target=serve, daemon=True)
        self._thread.start()

    def close(self, seconds: float = 0.0) -> bool:
        self._to.close()
        self._thread.join()
        self._from.close()
        return False

    kill = close


@pytest.fixture
def in_threads(monkeypatch):
    """Where processes are not the point, runs start none."""
    monkeypatch.setattr("scrapy_eatext.archive.local.Process", InThread)
