"""Compressed bodies are unpacked to a bound, and as far as they are whole."""

from __future__ import annotations

import gzip
import os

import pytest

from scrapy_eatext.archive.packed import PackedError, unpacked
from scrapy_eatext.archive.record import dechunked
from tests.support.archives import page


def test_brotli():
    brotli = pytest.importorskip("brotli", minversion="1.2.0")
    assert unpacked(brotli.compress(page(0)), "br", 0) == page(0)
    bomb = brotli.compress(bytes(1 << 26))
    assert len(unpacked(bomb, "br", 1000)) == 1001


def test_a_body_that_is_cut_off_is_a_beginning():
    with pytest.raises(PackedError, match="cut off") as caught:
        unpacked(gzip.compress(os.urandom(999))[:-100], "gzip", 0)
    assert len(caught.value.data) > 500
    assert dechunked(b"5\r\nabcde\r\n5\r\nab") == (
        b"abcdeab",
        "the body is cut off in a chunk",
    )
    assert dechunked(b"5\r\nabcde\r\n-1\r\nab")[1]
    assert dechunked(b"no chunk") == (b"no chunk", "")
