"""What must hold of the walk and of every algorithm, whatever the page."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from time import process_time
from typing import Any, TypeVar

import numpy as np
import pytest
from lxml import etree
from parsel import Selector
from scrapy.http import HtmlResponse

import scrapy_eatext
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.page import Page, twins
from scrapy_eatext.page.characters import BROKEN_LINE
from scrapy_eatext.page.tags import LENIENT_SKIP, SKIP
from scrapy_eatext.page.walk import BLOCK_COLUMNS, ELEMENT_COLUMNS, MARK_COLUMNS
from scrapy_eatext.page.walk import walk as python_walk
from scrapy_eatext.rendering import run

_T = TypeVar("_T")

SITE = Path(__file__).parent.parent / "example_project" / "site"
# Without them there is nothing to compare; the build is tested by the wheel's tests.
COMPILED_ONLY = pytest.mark.skipif(
    not scrapy_eatext.compiled, reason="the compiled modules have not been built"
)


def check_walks(root: Any) -> None:
    """The twins' walks of a tree are equal, strict and lenient."""
    for lenient in (True, False):
        found, expected = twins.walk(root, lenient), python_walk(root, lenient)
        assert found.text == expected.text
        assert found.root is expected.root is root
        assert found.nodes == expected.nodes
        for name, columns in [
            ("blocks", BLOCK_COLUMNS),
            ("elements", ELEMENT_COLUMNS),
            ("marks", MARK_COLUMNS),
            ("tokens", ("token",)),
        ]:
            ours, theirs = getattr(found, name), getattr(expected, name)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            wrong = np.argwhere((ours != theirs).reshape(-1, len(columns)))
            for row, column in wrong[:1]:
                raise AssertionError(
                    f"{columns[column]} of row {row} of the {name}: "
                    f"{ours[row].tolist()}, not {theirs[row].tolist()}"
                )


def check_algorithm(source: str, name: str, options: dict[str, Any]) -> None:
    """The answer is sound, the tree stays as it is, and the way in does not matter."""
    algorithm = get_algorithm(name, options)
    reference = options.get("reference", False)
    page = Page.of(source)
    before = etree.tostring(page.root)
    result = run(algorithm, page, blocks=True)
    assert etree.tostring(page.root) == before
    assert run(algorithm, page, blocks=True) == result
    assert 0 <= result.score <= 1
    assert all(0 <= block.score <= 1 for block in result.blocks)
    assert result.text.strip() or not any(block.kept for block in result.blocks)
    if not reference:
        # The blocks', as output puts marks of its own before items and cells.
        kept = " ".join(b.text for b in result.blocks if b.kept)
        check_words(kept, page.root, page.is_lenient)
    body = source.encode("utf-8", "replace")
    url = "https://example.com/"
    for other in (
        # jusText takes a byte order mark for text.
        body if body.isascii() or reference else b"\xef\xbb\xbf" + body,
        HtmlResponse(url, body=body, encoding="utf-8"),
        Selector(source, type="html"),
    ):
        if isinstance(other, Selector) and (reference or other.type != "html"):
            # It has no source, only what its tree serialises to; and old releases
            # of parsel take HTML that happens to be JSON for that.
            continue
        assert run(algorithm, Page.of(other), blocks=True) == result, type(other)


def check_linear(
    work: Callable[[_T], object], make: Callable[[int], _T], size: int
) -> None:
    """Work on what is made four times as large takes about four times as long.

    A square would take sixteen times as long; the benchmark is stricter.  What
    fails is looked at again, as a machine may be busy with other things.
    """

    def best(thing: _T) -> float:
        times = []
        for _ in range(3):
            start = process_time()
            work(thing)
            times.append(process_time() - start)
        return min(times)

    small, large = make(size), make(4 * size)
    assert any(best(large) < 10 * best(small) + 0.05 for _ in range(5))


def check_words(text: str, root: Any, lenient: bool = False) -> None:
    """Every word of the text stands on the page, an inline tag in it or not.

    What has no spaces may be broken into lines.
    """
    found = shown(root, lenient)
    joined = BROKEN_LINE.sub("", found)
    for word in text.split():
        assert word in found or word in joined, word


def shown(root: Any, lenient: bool = False) -> str:
    """The texts of a page in a row, without what no browser shows.

    Where the page was read leniently, only without what is none of its text.
    """
    root = deepcopy(root)
    for element in root.iter(etree.Element) if not lenient else ():
        hides = "display: none" in element.get("style", "")
        hides |= element.get("hidden", "until-found") != "until-found"
        # Tabs and accordions are the page's.
        if hides and not {"role", "aria-labelledby"} & {*element.keys()}:
            element.tag = "script"
    skipped = LENIENT_SKIP if lenient else SKIP | {"button", "dialog"}
    etree.strip_elements(root, etree.Comment, etree.PI, *skipped, with_tail=False)
    return "".join(
        c for c in "".join(root.itertext()) if c.isprintable() or c.isspace()
    )
