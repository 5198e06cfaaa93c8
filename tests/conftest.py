from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests import SITE
from tests.support.crawling import install_reactor, stop_reactor
from tests.support.mockserver import MockServer

if TYPE_CHECKING:
    from tests.support.newssite import NewsSite

# Deadlines would measure the machine; tests of their own time the code that must be
# linear.
# A change is checked with the same examples each time; elsewhere they are random.
checked = "CI" in os.environ
settings.register_profile("default", deadline=None, derandomize=checked)
settings.register_profile(
    "quick",
    deadline=None,
    derandomize=checked,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out what is marked slow, and try properties on few examples",
    )
    parser.addoption(
        "--crawl-reactor",
        choices=("none", "asyncio", "select"),
        help="the Twisted reactor that crawls run under, if any",
    )


def pytest_configure(config: pytest.Config) -> None:
    install_reactor(config.getoption("--crawl-reactor"))
    if config.getoption("--quick"):
        settings.load_profile("quick")
        chosen = config.option.markexpr
        config.option.markexpr = f"({chosen}) and not slow" if chosen else "not slow"


def pytest_unconfigure() -> None:
    stop_reactor()


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    with MockServer() as mock_server:
        yield mock_server


@pytest.fixture(scope="module")
def example_site() -> Iterator[str]:
    """The address of the bundled site, which is served."""
    sys.path.append(str(SITE.parent))
    try:
        served = import_module("example.server").Site()
    finally:
        sys.path.remove(str(SITE.parent))
    yield served.url
    served.close()


@pytest.fixture
def site() -> Iterator[NewsSite]:
    from tests.support.newssite import NewsSite

    news_site = NewsSite()
    yield news_site
    news_site.close()
