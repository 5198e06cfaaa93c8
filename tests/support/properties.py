"""Properties that the walk and every algorithm have on any page."""

from __future__ import annotations

import gc
import json
import pickle
import re
import sys
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import astuple, replace
from datetime import datetime
from html import unescape
from time import process_time
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pytest
from lxml import etree
from parsel import Selector
from scrapy.http import HtmlResponse

import scrapy_eatext
from scrapy_eatext.algorithms import DEFAULT, get_algorithm
from scrapy_eatext.output.code import Content, content
from scrapy_eatext.output.embeds import with_scripts
from scrapy_eatext.output.footnotes import with_notes
from scrapy_eatext.output.images import others_of
from scrapy_eatext.output.inline import Inlines, is_emoji
from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.output.markdown import inline, python_inline
from scrapy_eatext.output.placing import place, python_place
from scrapy_eatext.output.structure import bylines_of
from scrapy_eatext.output.text import (
    DEEPEST,
    first_numbers,
    join,
    places_in_tables,
    python_join,
)
from scrapy_eatext.output.threads import Thread
from scrapy_eatext.page import Page
from scrapy_eatext.page import walk as walking
from scrapy_eatext.page.blocks import Blocks
from scrapy_eatext.page.characters import BROKEN_LINE, strip_unstorable
from scrapy_eatext.page.columns import BLOCK_COLUMNS, ELEMENT_COLUMNS, MARK_COLUMNS
from scrapy_eatext.page.elements import ends_in_question
from scrapy_eatext.page.parsing import is_swallowed, mended
from scrapy_eatext.page.tags import LENIENT_SKIP, SKIP, STRONG_TEXT
from scrapy_eatext.page.urls import Addresses
from scrapy_eatext.page.walk import python_walk
from scrapy_eatext.rendering import render, run
from scrapy_eatext.result import ATTRIBUTES, MainText, Metadata
from tests.support.kept import bylines, noted, texts_of
from tests.support.unsafe import ALLOWED, RENDERED, check_safe, renderer

if TYPE_CHECKING:
    from scrapy_eatext.algorithms.base import Verdict

_T = TypeVar("_T")

# Without compiled modules there is nothing to compare; the wheel's tests test the build.
COMPILED_ONLY = pytest.mark.skipif(
    not scrapy_eatext.compiled, reason="the compiled modules have not been built"
)
EMPTY = etree.Element("html")
# No output of a small page is longer than so many times the page and its address, and
# a bit: a line of a link takes five bytes of it, and has the link's address again.
MOST_TIMES, MOST_MORE = 40, 1000
_ANY_TAG = re.compile(r"<[^>]*>")
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)(?: [a-z]+="[^"<>]*")*>')
_OF_TEX = str.maketrans("", "", "\\`\u2018")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d([+-]\d\d:\d\d)?)?", re.ASCII)


def both(python: Callable[..., Any], used: Callable[..., Any]) -> list[Any]:
    """A function and its compiled twin, if that runs, as parameters of tests."""
    found = [pytest.param(python, id="python")]
    if used is not python:
        found.append(pytest.param(used, id="compiled"))
    return found


def check_walks(root: Any) -> None:
    """The twins' walks of a tree are equal, strict and lenient."""
    for lenient in (True, False):
        found, expected = walking.walk(root, lenient), python_walk(root, lenient)
        assert found.text == expected.text
        assert found.root is expected.root is root
        assert found.nodes == expected.nodes
        for name, columns in [
            ("blocks", BLOCK_COLUMNS),
            ("elements", ELEMENT_COLUMNS),
            ("marks", MARK_COLUMNS),
            ("tokens", ("token",)),
            ("gaps", ("start", "end")),
        ]:
            ours, theirs = getattr(found, name), getattr(expected, name)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            wrong = np.argwhere((ours != theirs).reshape(-1, len(columns)))
            for row, column in wrong[:1]:
                raise AssertionError(
                    f"{columns[column]} of row {row} of the {name}: "
                    f"{ours[row].tolist()}, not {theirs[row].tolist()}"
                )


def check_writing(page: Page, kept: Sequence[bool]) -> None:
    """The twins write the same of kept blocks: the text, the nodes, and their spans.

    Nodes are placed with the names that readers' posts have, and without them.
    """
    blocks, walk = page.blocks, page.blocks.walk
    shown = content(blocks, kept)
    units = list(shown.units)
    places = places_in_tables(blocks, shown)
    gaps = places.gaps() if places else []
    lines = walk, units, first_numbers(blocks, units), gaps, DEEPEST
    assert join(*lines) == python_join(*lines)
    thread = Thread(blocks, shown)
    named = thread.laid_out(), bylines_of(thread, units)
    others, captions = others_of(walk, units)
    units = sorted([*units, *captions])
    for layout, said_by in ((walk, {}), named):
        given = layout, units, shown.code, said_by
        made = [twin(*given, Inlines(page), others) for twin in (place, python_place)]
        assert made[0] == made[1]
        for inside in made[0].spans:
            for hidden in (0, STRONG_TEXT):
                found = inline(inside, hidden=hidden)
                assert found == python_inline(inside, hidden=hidden)


def check_algorithm(source: str, name: str, options: dict[str, Any]) -> None:
    """The answer is sound, the tree stays as it is, and the way in does not matter."""
    algorithm = get_algorithm(name, options)
    reference = options.get("reference", False)
    page = Page.of(source)
    before = etree.tostring(page.root)
    result = run(algorithm, page)
    result.value("blocks")
    assert etree.tostring(page.root) == before
    assert run(algorithm, page) == result
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
        if isinstance(other, Selector) and (
            reference
            or other.type != "html"
            or is_swallowed(other.root)
            or mended(body) is not body
        ):
            # It has no source, only what its tree serialises to, and so no element
            # that can be closed; and old releases of parsel take HTML that happens to
            # be JSON for that.
            continue
        assert run(algorithm, Page.of(other)) == result, type(other)


def check_result(source: bytes | str, url: str | None, every: bool = True) -> MainText:
    """All that the default algorithm's result can be asked for is sound.

    It is bounded by the page, holds what a feed can hold, and comes back from JSON and
    from a pickle as it was; HTML has no more than is safe; it, the text and the
    Markdown, as CommonMark reads it, have the words of what is kept.  With ``every``
    that is looked at also where all blocks are kept.
    """
    algorithm = get_algorithm(DEFAULT)
    page = Page.of(source, url)
    verdict = algorithm.judge(page)
    result = render(verdict, page, algorithm.name, algorithm.version)
    longest = MOST_TIMES * (len(source) + len(url or "")) + MOST_MORE
    check_outputs(result, page, verdict, longest)
    if every:
        # Of small pages, and of those that are mostly broken, little is kept.
        whole = replace(verdict, kept=[True] * len(verdict.units))
        check_outputs(render(whole, page, "", ""), page, whole, longest)
    for name in ATTRIBUTES:
        result.value(name)
    assert 0 <= result.score <= 1
    check_metadata(result.metadata, known=bool(Addresses(EMPTY, url).base))
    alone = result.detached()
    written = json.dumps(alone.as_dict(), ensure_ascii=False, allow_nan=False)
    # Blocks have their paths, which are bounded, and the names of all that they tell.
    assert len(written.encode()) <= 40 * longest
    for back in (
        MainText.from_dict(json.loads(written)),
        pickle.loads(pickle.dumps(result)),
    ):
        assert back == alone
        assert back.computed == alone.computed
    return result


def check_outputs(result: MainText, page: Page, verdict: Verdict, longest: int) -> None:
    """Text, Markdown and HTML have the words of what is kept, and not much more."""
    page = verdict.page or page
    shown = content(verdict.units, verdict.kept)
    wanted = letters("".join(texts_of(verdict.units, shown)))
    assert is_with(letters(result.text), wanted)
    if isinstance(verdict.units, Blocks):
        # Markdown and HTML have the captions of their images too, and notes.
        walk = with_scripts(page, verdict.units.walk)
        _, captions = others_of(walk, list(shown.units))
        units = with_notes(walk, list(shown.units), page.url or "", None)
        shown = Content(sorted({*units, *captions}), shown.code)
        wanted = letters("".join(texts_of(verdict.units, shown)))
    rendered = renderer("markdown_it")(result.markdown)
    check_nested(result.html)
    check_safe(result.html, ALLOWED)
    check_safe(rendered, RENDERED)
    # Text has no images; of emoji Markdown and HTML have the emoji.
    alts = {" ".join(image.get("alt", "").split()) for image in page.root.iter("img")}
    emoji = str.maketrans(dict.fromkeys("".join(filter(is_emoji, alts))))
    wanted = wanted.translate(emoji)
    # Where a script typesets formulas, their signs become others, and comments go.
    scripts = " ".join(page.root.xpath("//script/@src")).lower()
    is_typeset = "mathjax" in scripts or "katex" in scripts
    for name, made in (("html", result.html), ("markdown", rendered)):
        found = letters(unescape(_ANY_TAG.sub("", made))).translate(emoji)
        expected = wanted
        if name == "markdown":
            # Quotations get their marks.
            found, expected = found.replace('"', ""), expected.replace('"', "")
            if "$" in result.markdown:
                # A formula has no escapes, and TeX's quotation mark for a back-tick.
                found, expected = found.translate(_OF_TEX), expected.translate(_OF_TEX)
        if found != expected and not is_typeset:
            judged = JudgedPage(page, verdict)
            nodes = judged.nodes
            said = "".join([*bylines(nodes), *nodes.callouts.values()])
            if name == "markdown" and judged.markdown_nodes.notes:
                for inside in noted(judged.markdown_nodes):
                    words = letters(inside).translate(emoji).replace('"', "")
                    words = words.translate(_OF_TEX).lower()
                    assert is_with(found.translate(_OF_TEX).lower(), words)
                # Marks of notes and links back go, and nothing else.
                has_more = said or next(page.root.iter("rt"), None) is not None
                assert has_more or is_with(expected.translate(_OF_TEX).lower(), words)
                continue
            if nodes.callouts:  # whose mark has its letters for a title's
                found, expected = found.lower(), expected.lower()
            # The text has no readings.
            assert said or next(page.root.iter("rt"), None) is not None, name
            assert is_with(found, expected), name
    for name in ("text", "markdown", "html"):
        size = len(getattr(result, name))
        assert size <= longest, f"{name} has {size} characters of {longest}"


def check_metadata(metadata: Metadata, known: bool) -> None:
    """Feeds can hold it, its dates are dates, and its addresses are whole.

    The last where it is ``known`` what they are relative to.
    """
    told = {name: getattr(metadata, name) for name in Metadata.__dataclass_fields__}
    sources = told.pop("sources")
    found = {name.removesuffix("_raw") for name, value in told.items() if value}
    assert set(sources) == found
    assert told.pop("comment_count") >= 0
    for value in told.values():
        for one in [value] if isinstance(value, str) else value:
            texts = [one] if isinstance(one, str) else astuple(one)
            assert all(
                text == strip_unstorable(text)
                for text in texts
                if isinstance(text, str)
            )
    for day in (metadata.published, metadata.modified):
        if day:
            assert _ISO.fullmatch(day), day
            datetime.fromisoformat(day)
    for url in (metadata.canonical_url, metadata.image):
        if url and known:
            assert url.lower().startswith(("http:", "https:")), url


def check_nested(html: str) -> None:
    """All that is open is closed, in its order."""
    assert "<" not in _TAG.sub("", html)
    opened = []
    for end, name in _TAG.findall(html):
        if end:
            assert opened.pop() == name
        elif name not in ("br", "hr", "img"):
            opened.append(name)
    assert not opened


def letters(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())


def is_with(found: str, wanted: str) -> bool:
    """Whether one text has another one's letters, in their order, and more."""
    rest = iter(found)
    return all(letter in rest for letter in wanted)


def least_seconds(work: Callable[[_T], object], thing: _T, runs: int = 3) -> float:
    """The processor's seconds of the fastest run, without collector and coverage.

    What thousands of tests left behind would be collected within one of the runs.
    """
    times = []
    tracer = sys.gettrace()
    sys.settrace(None)
    gc.disable()
    try:
        for _ in range(runs):
            start = process_time()
            work(thing)
            times.append(process_time() - start)
    finally:
        gc.enable()
        sys.settrace(tracer)
    return min(times)


def check_linear(
    work: Callable[[_T], object], make: Callable[[int], _T], size: int
) -> None:
    """Work on what is made four times as large takes about four times as long.

    A square would take sixteen times as long; the benchmark is stricter.  What
    fails is looked at again, as a machine may be busy with other things.
    """
    small, large = make(size), make(4 * size)
    assert any(
        least_seconds(work, large, runs) < 10 * least_seconds(work, small) + 0.05
        for runs in (1, 3, 3, 3, 3)
    )


def check_words(text: str, root: Any, lenient: bool = False) -> None:
    """Every word of the text stands on the page, an inline tag in it or not.

    What has no spaces may be broken into lines.
    """
    found = shown(root, lenient)
    joined = BROKEN_LINE.sub("", found)
    for word in printable(text).split():
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
    for head in root.iter("head"):
        # The parser puts into it what no browser does.
        if any(child.tag not in SKIP for child in head.iterchildren(etree.Element)):
            head.tag = "body"
    for button in [*root.iter("button")]:
        around = button.iterancestors()
        if ends_in_question(button) or any(
            one.get("role") == "heading" for one in around
        ):
            button.tag = "p"
    skipped = LENIENT_SKIP if lenient else SKIP | {"button", "dialog"}
    etree.strip_elements(root, etree.Comment, etree.PI, *skipped, with_tail=False)
    return printable("".join(root.itertext()))


def printable(text: str) -> str:
    """A text without control characters and those that Unicode does not have yet."""
    return "".join(c for c in text if c.isprintable() or c.isspace())
