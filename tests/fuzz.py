"""Fuzzing: pages made of random bytes must be decoded, parsed and walked.

    python -m tests.fuzz [--seconds N] [--seed N]      random pages
    python -m tests.fuzz --atheris [libFuzzer options]  guided by coverage

The first kind needs nothing but the package, and runs for a while in CI.  An input
that breaks something is kept in tests/corpus/, where test_fuzz.py finds it again.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from scrapy_eatext.page import Page, guard
from scrapy_eatext.page.decode import decode
from scrapy_eatext.page.tags import KINDS
from tests.hostile import every_page
from tests.pages import page_from, soup_from

CORPUS = Path(__file__).with_name("corpus")
ENCODINGS = (
    "utf-8 utf-8-sig utf-16 utf-16-le utf-32 latin-1 cp1252 cp1251 shift_jis euc-jp "
    "iso-2022-jp gb18030 big5 euc-kr koi8-r iso-8859-8 utf-7"
).split()


def check(data: bytes) -> None:
    """What must hold of any bytes at all."""
    encoding, text = decode(data)
    assert isinstance(encoding, str)
    source = text.replace("\0", "").encode("utf-8", "replace")
    cuts = guard.python_surplus(source, 50)
    assert guard.surplus(source, 50) == cuts
    at = 0
    for start, end in cuts:
        assert at <= start < end <= len(source)
        at = end
    page = Page.of(data)
    blocks = page.blocks
    page.title.encode()
    page.language.encode()
    for i in range(len(blocks)):
        shown = blocks.text(i)
        assert shown.strip()
        shown.encode()
        assert blocks.kind(i) in KINDS
        assert 0 <= blocks.link_chars[i] <= blocks.chars[i] == len(shown)
    for i in range(min(3, len(blocks))):
        assert page.root.xpath(blocks.xpath(i)) == [blocks.element(i)]


def flip(chance: random.Random, data: bytes) -> bytes:
    """The data with a few bytes changed."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def splice(chance: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of one and the end of the other."""
    cut = chance.randint(0, len(data))
    return data[:cut] + other[chance.randint(0, len(other)) :]


def inputs(chance: random.Random) -> Callable[[], bytes]:
    """A maker of inputs: made pages in any encoding, changed, cut, or pure noise."""
    seeds = [
        page if isinstance(page, bytes) else page.encode("utf-8", "replace")
        for page in every_page(300).values()
    ]

    def fresh() -> bytes:
        made = chance.choice([page_from, soup_from])(
            chance.randbytes(chance.randrange(300))
        )
        name = chance.choice(ENCODINGS) if chance.random() < 0.3 else "utf-8"
        declared = chance.choice(["", f"<meta charset={chance.choice(ENCODINGS)}>"])
        return (declared + made).encode(name, "replace")

    def make() -> bytes:
        kind = chance.random()
        data = fresh() if kind < 0.8 else chance.choice(seeds)
        if kind < 0.4:
            return data
        if kind < 0.6:
            return flip(chance, data)
        if kind < 0.98:
            return splice(chance, data, fresh())
        return chance.randbytes(chance.randrange(500))

    return make


def keep(data: bytes) -> Path:
    """Keep an input that broke something."""
    path = CORPUS / hashlib.sha256(data).hexdigest()[:16]
    path.write_bytes(data)
    return path


def run(seconds: float, seed: int) -> int:
    make = inputs(random.Random(seed))
    count = broken = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = make()
        count += 1
        try:
            check(data)
        except Exception as error:  # noqa: BLE001
            broken += 1
            print(f"{keep(data)}: {error!r}")
            if broken == 10:
                break
    print(f"{count:,} pages from seed {seed}, {broken} broke something")
    return 1 if broken else 0


def run_atheris(options: list[str]) -> None:
    import atheris

    atheris.instrument_all()
    # What it finds interesting goes to the first folder, what breaks to the corpus.
    with tempfile.TemporaryDirectory() as folder:
        found = f"-artifact_prefix={CORPUS}/"
        atheris.Setup([sys.argv[0], folder, str(CORPUS), found, *options], check)
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz decoding, parsing and the walk.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true")
    arguments, rest = parser.parse_known_args()
    if arguments.atheris:
        run_atheris(rest)
        return 0
    return run(arguments.seconds, arguments.seed)


if __name__ == "__main__":
    sys.exit(main())
