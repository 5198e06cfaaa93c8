"""The clock that algorithms look at."""

from __future__ import annotations

import threading
import time

import pytest

from scrapy_eatext.deadline import TimeLimitError, check, time_limit


def test_without_a_limit_nothing_happens():
    check()
    with time_limit(0):
        check()


def test_time_is_up_when_it_is_up():
    with time_limit(0.02):
        check()
        time.sleep(0.03)
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
