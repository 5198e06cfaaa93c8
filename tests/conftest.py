from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.crawling import install_reactor, stop_reactor
from tests.mockserver import MockServer

# Deadlines measure the machine, not the code; what must be linear is timed by
# tests of its own.
settings.register_profile("default", deadline=None)
settings.register_profile(
    "quick",
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--crawl-reactor",
        choices=("none", "asyncio", "select"),
        help="the Twisted reactor that crawls run under, if any",
    )


def pytest_configure(config: pytest.Config) -> None:
    install_reactor(config.getoption("--crawl-reactor"))


def pytest_unconfigure() -> None:
    stop_reactor()


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    with MockServer() as mock_server:
        yield mock_server
