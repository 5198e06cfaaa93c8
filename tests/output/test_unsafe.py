"""Nothing active comes out, in HTML or in Markdown that is rendered."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pages import any_pages
from tests.support.unsafe import check, check_address, page, vectors


@pytest.mark.parametrize("source", list(vectors()))
def test_known_vectors(source):
    check(source)


@given(st.randoms(use_true_random=False))
def test_pages_at_random(chance):
    check(page(chance))


@given(any_pages())
def test_any_page(source):
    check(source)


def test_the_check_finds_what_is_active():
    for address in ("javascript:x", " JavaScript:x", "java\nscript:x", "data:x"):
        with pytest.raises(ValueError, match="address"):
            check_address(address)


def test_pages_differ():
    chance = random.Random(0)
    assert len({page(chance) for _ in range(200)}) > 150
