from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.newssite import NewsSite


@pytest.fixture
def site() -> Iterator[NewsSite]:
    server = NewsSite()
    yield server
    server.close()
