"""Fuzzing: pages made of random bytes must be decoded, parsed, walked and extracted.

    python -m tests.fuzz [--seconds N | --pages N] [--seed N]

An input that breaks something is kept in tests/cases/corpus/, where test_fuzz.py finds
it again.

Comparisons take most of the time: with the twins in Python, the detection of encodings,
a text and a path for each block.  With --every 100 only every hundredth page is
compared; of the others only the tables are checked, and with --fields also all that the
default algorithm's result can be asked for.  A run goes in rounds with a seed each, so
that a round can be repeated.  --log FILE gets a line of JSON for each round, and a run
with the same log goes on where that ends; benchmarks/fuzzed.py sums logs up.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from w3lib.encoding import html_body_declared_encoding, read_bom

from scrapy_eatext import extract
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.output.code import content
from scrapy_eatext.output.comments import posts_in
from scrapy_eatext.output.threads import Thread
from scrapy_eatext.page import Page, guard
from scrapy_eatext.page.columns import BLOCK_COLUMNS
from scrapy_eatext.page.decode import decode, is_binary, is_utf8, python_is_utf8
from scrapy_eatext.page.tags import KINDS
from scrapy_eatext.page.walk import RULE, compiled
from scrapy_eatext.page.walls import WALLS
from scrapy_eatext.result import ATTRIBUTES, NOTHING
from tests import CASES
from tests.support.hostile import every_page
from tests.support.pages import page_from, soup_from
from tests.support.properties import check_result, check_walks, check_writing
from tests.support.rich import rich_page

CORPUS = CASES / "corpus"
POOL = 2000  # pages that are kept, to make others of them
ROUND = 50_000  # pages that are checked with one seed
SIGNS = b"<>/!?-=&;#'\" \n\t\r\0.,aAbBpPx019\xc3\xa9\xe2\x80"
ENCODINGS = (
    "utf-8 utf-8-sig utf-16 utf-16-le utf-32 latin-1 cp1252 cp1251 shift_jis euc-jp "
    "iso-2022-jp gb18030 big5 euc-kr koi8-r iso-8859-8 utf-7"
).split()
# Addresses of pages; the last is as long as redirects can make it.
URLS = [
    "https://example.com/a/b?c=d",
    "http://www.example.org/2024/03/05/the-river.html",
    "https://example.com",
    "HTTPS://user:pw@Example.COM:8443/a/../b//;x?#y",
    "https://b\u00fccher.example/\u5c0f\u9547/ a b",
    "http://[::1]/",
    "http://[",
    "data:text/html,x",
    "",
    None,
    f"https://example.com/{'x' * 15_000}/",
]

START, END, KIND, CHARS, LINK_CHARS, ELEMENT, ROW = map(
    BLOCK_COLUMNS.index, "start end kind chars link_chars element row".split()
)
# The numbers of the elements of any page made here.
ROWS = np.arange(1_000_000)


def check(data: bytes) -> None:
    """Any bytes make a page, and the twins make the same of them."""
    page = Page.of(data)
    assert page.html == decode(data)[1]
    assert is_utf8(data) == python_is_utf8(data)
    source = page.html.replace("\0", "").encode("utf-8", "replace")
    for stray in (2, len(source)):
        kept = guard.python_without_surplus(source, 50, stray)
        assert guard.without_surplus(source, 50, stray) == kept
        assert len(kept) <= len(source)
    blocks = page.blocks
    if compiled:
        for read in (page, Page(parse_xml(source))):
            check_walks(read.root)
            everything = [True] * len(read.blocks)
            check_writing(read, everything)
            thread = Thread(read.blocks, content(read.blocks, everything))
            assert all(post.text or post.quoted for post in posts_in(thread))
    page.title.encode()
    page.language.encode()
    check_extraction(data)
    for i in range(len(blocks)):
        shown = blocks.text(i)
        assert shown.strip()
        shown.encode()
        assert blocks.kind(i) in KINDS
        assert 0 <= blocks.link_chars[i] <= blocks.chars[i] == len(shown)
    for i in range(min(3, len(blocks))):
        assert page.root.xpath(blocks.xpath(i)) == [blocks.element(i)]


def check_fields(data: bytes) -> None:
    """All that the default algorithm's result can be asked for is sound."""
    # Half of the pages, chosen by the data, so that a kept input is treated alike.
    check_result(data, url_of(data), every=len(data) % 2 == 0)


def check_extraction(data: bytes) -> None:
    """All ways in give the same, and nothing fails on them."""
    url = url_of(data)
    expected = check_result(data, url).detached().as_dict()
    if is_binary(data):
        assert extract(data, url=url) is NOTHING
        return
    found = extract(data, url=url).detached().as_dict()
    if found["origin"] in WALLS:
        assert not found["text"]
        expected = found
    assert found == expected
    job = Job(data, url or "", Choice(), Limits(), fields=ATTRIBUTES)
    outcome = extract_page(job)
    assert not outcome.failures
    told = "extracted" if outcome.result.text.strip() else "empty"
    assert outcome.kind == (found["origin"] if found["origin"] in WALLS else told)
    assert outcome.result.as_dict() == expected


def url_of(data: bytes) -> str | None:
    """An address that goes with the data, so that a kept input has it again."""
    return URLS[zlib.crc32(data) % len(URLS)]


def check_tables(data: bytes) -> None:
    """The tables of the walk of any bytes are sound."""
    walk = Page.of(data).blocks.walk
    rows, blocks = len(walk.elements), walk.blocks
    assert (walk.elements[1:, 0] < ROWS[1:rows]).all()
    assert not len(walk.marks) or (
        walk.marks.min() >= RULE
        and walk.marks[:, 0].max() <= len(blocks)
        and walk.marks[:, 1].max() <= len(walk.text)
        and walk.marks[:, 3].max() < rows
    )
    shown = walk.text.decode()
    if not len(blocks):
        return
    column = blocks.T
    chars, linked, places = column[CHARS], column[LINK_CHARS], blocks[:, :2].ravel()
    assert (places[:-1] <= places[1:]).all()
    assert (chars <= column[END] - column[START]).all()
    assert (linked <= chars).all()
    assert chars.sum() <= len(shown)
    assert chars.min() > 0
    assert linked.min() >= 0
    assert 0 <= places[0] <= places[-1] <= len(walk.text)
    assert 0 <= column[KIND].min() <= column[KIND].max() < len(KINDS)
    elements = column[ELEMENT : ROW + 1]
    assert -1 <= elements.min() <= elements.max() < rows


def declared(chance: random.Random, data: bytes) -> bytes:
    """The data as it is, or with an encoding declared where one would be guessed.

    The guess is the work of others, and takes many times as long as all the rest.
    """
    if is_utf8(data) or read_bom(data)[0] or html_body_declared_encoding(data):
        return data
    return b"<meta charset=%b>" % chance.choice(ENCODINGS).encode() + data


def parse_xml(source: bytes) -> Any:
    """The page read as XML, whose trees can hold more than those of HTML."""
    # lxml can hold half a surrogate, but not hand it out.
    source = source.replace(b"&#xD", b"&#xE").replace(b"&#5", b"&#")
    parser = etree.XMLParser(recover=True, resolve_entities=False, strip_cdata=False)
    root = etree.fromstring(b"<html>" + source + b"</html>", parser)
    return etree.Element("html") if root is None else root


def flip(chance: random.Random, data: bytes) -> bytes:
    """The data with a few bytes changed, mostly to signs that mean something."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if changed:
            sign = (
                chance.choice(SIGNS) if chance.random() < 0.9 else chance.randrange(256)
            )
            changed[chance.randrange(len(changed))] = sign
    return bytes(changed)


def splice(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of one and the end of the other."""
    cut = chance.randint(0, len(data))
    return data[:cut] + other[chance.randint(0, len(other)) :]


def inputs(chance: random.Random) -> Callable[[], bytes]:
    """A maker of inputs: made pages in any encoding, changed, cut, or pure noise."""
    pages = [*every_page(300).values(), *(rich_page(chance) for _ in range(POOL // 4))]
    pool = [
        page if isinstance(page, bytes) else page.encode("utf-8", "replace")
        for page in pages
    ]

    def fresh() -> bytes:
        # Mostly short, as few pieces are needed to break something.
        size = chance.randrange(chance.choice([40, 40, 40, 300]))
        if chance.random() < 0.4:
            made = rich_page(chance)
        else:
            made = chance.choice([page_from, soup_from])(chance.randbytes(size))
        name = chance.choice(ENCODINGS) if chance.random() < 0.3 else "utf-8"
        declared = chance.choice(["", f"<meta charset={chance.choice(ENCODINGS)}>"])
        return (declared + made).encode(name, "replace")

    def make() -> bytes:
        kind = chance.random()
        if kind < 0.2:
            # To change and cut pages later is quicker than to make new ones.
            data = fresh()
            if len(pool) >= POOL:
                pool.pop(chance.randrange(POOL))
            pool.append(data)
            return data
        if kind < 0.6:
            return flip(chance, chance.choice(pool))
        if kind < 0.99:
            return splice(chance, chance.choice(pool), chance.choice(pool))
        return chance.randbytes(chance.randrange(500))

    return make


def keep(data: bytes) -> Path:
    """Keep an input that broke something."""
    path = CORPUS / hashlib.sha256(data).hexdigest()[:16]
    path.write_bytes(data)
    return path


def run(
    seconds: float, pages: float, seed: int, every: int, fields: bool
) -> dict[str, Any]:
    """Check pages of one seed until the time is up or there were enough of them."""
    chance = random.Random(seed)
    make = inputs(chance)
    count = compared = 0
    parts = [check_tables, check_fields] if fields else [check_tables]
    found: list[str] = []
    start = time.monotonic()
    while count < pages and len(found) < 10 and time.monotonic() < start + seconds:
        data = make()
        count += 1
        try:
            if count % every == 0:
                compared += 1
                check(data)
            else:
                data = declared(chance, data)
                for part in parts:
                    part(data)
        except Exception as error:  # noqa: BLE001
            path = keep(data)
            found.append(path.name)
            print(f"{path}: {error!r}")
    return {
        "seed": seed,
        "pages": count,
        "compared": compared,
        "fields": count if fields else compared,
        "seconds": round(time.monotonic() - start, 3),
        "found": found,
        "compiled": compiled,
        "lxml": etree.__version__,
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
    }


def run_rounds(
    seconds: float, pages: float, seed: int, every: int, fields: bool, log: Path | None
) -> int:
    """Go round until the time is up or the log has enough pages."""
    rounds = []
    if log and log.exists():
        rounds = [json.loads(line) for line in log.read_text().splitlines()]
    done, broken = sum(each["pages"] for each in rounds), 0
    seed += len(rounds)
    start = time.monotonic()
    while not broken and done < pages and time.monotonic() < start + seconds:
        left = start + seconds - time.monotonic()
        result = run(left, min(ROUND, pages - done), seed, every, fields)
        if log:
            with log.open("a") as file:
                file.write(json.dumps(result) + "\n")
        walks = "compiled" if result["compiled"] else "Python's"
        print(
            f"{result['pages']:,} pages from seed {seed} in {result['seconds']:,.0f} s, "
            f"{len(result['found'])} broke something ({walks} walk, "
            f"lxml {result['lxml']}, libxml2 {result['libxml2']})",
            flush=True,
        )
        done += result["pages"]
        broken = len(result["found"])
        seed += 1
    return 1 if broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz all from bytes to results.")
    parser.add_argument("--seconds", type=float, help="60 unless --pages is given")
    parser.add_argument("--pages", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--every", type=int, default=1, help="so many pages for one comparison"
    )
    parser.add_argument(
        "--fields", action="store_true", help="all outputs and metadata of each page"
    )
    parser.add_argument("--log", type=Path, help="what becomes of each round")
    given = parser.parse_args()
    pages = given.pages or math.inf
    seconds = given.seconds or (math.inf if given.pages else 60.0)
    return run_rounds(seconds, pages, given.seed, given.every, given.fields, given.log)


if __name__ == "__main__":
    sys.exit(main())
