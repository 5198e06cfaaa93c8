from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.crawling import install_reactor, stop_reactor
from tests.support.mockserver import MockServer

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

# The modules that crawl, start processes, train or measure time, by their rooms.
SLOW = frozenset(
    Path(__file__).parent / room / f"test_{name}.py"
    for room, names in {
        ".": "docs example_project fuzz hostile poet readme",
        "algorithms": "language linewriter ngram",
        "archive": "crawl diff engines local readers redis",
        "commands": "command",
        "crawl": "crawling decay downloadermiddleware faults feeds item_table pages pipelines settings spidermiddleware weak",
        "execution": "deadline workers",
        "learning": "tagger train",
        "page": "depth",
        "review": "server sources",
    }.items()
    for name in names.split()
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="try properties on few examples, and leave out the modules that take long",
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


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = config.getoption("--quick") and collection_path in SLOW
    return True if left_out else None


def pytest_unconfigure() -> None:
    stop_reactor()


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    with MockServer() as mock_server:
        yield mock_server
