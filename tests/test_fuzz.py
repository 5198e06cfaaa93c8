"""Inputs that broke something once, and a few new ones."""

from __future__ import annotations

import random

import pytest

from tests.fuzz import CORPUS, check, inputs

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_broke_once_holds(path):
    check(path.read_bytes())


def test_random_pages():
    make = inputs(random.Random(7))
    for _ in range(500):
        check(make())
