"""How many exact and near duplicates the docs' programs for engines find, and how soon.

    python -m benchmarks.duplicates FOLDER ...

The texts are those of labelled pages with 100 words and more.  Of a tenth of them there
is a second row as it is, of another tenth one without each hundredth word, and of a third
one without each tenth, which is none: of all runs of five words both have a third.
Each program of docs/engines runs as it stands.  Writes the table of docs/archives.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from benchmarks.tables import DOCS, ROOT, fill, table
from scrapy_eatext import extract
from scrapy_eatext.learning.data import read_folder

ENGINES = ("datatrove", "spark")
LEAST_WORDS, FILES = 100, 4
# What is left out of a copy: each so-manyth word.
COPIES = {"exact": 0, "near": 100, "other": 10}


def rows_of(folders: list[str]) -> list[dict[str, str | int]]:
    """The texts, each once, and the copies; the ID of a row begins with its kind."""
    pages = [page for folder in folders for page in read_folder(folder).pages]
    found = dict.fromkeys(extract(page.html, url=page.url).text for page in pages)
    texts = [text for text in found if len(text.split()) >= LEAST_WORDS]
    made = [(f"own/{number}", text) for number, text in enumerate(texts)]
    for at, (kind, each) in enumerate(COPIES.items()):
        for number in range(at, len(texts), 10):
            words = texts[number].split(" ")
            if each:
                words = [word for i, word in enumerate(words, 1) if i % each]
            made.append((f"{kind}/{number}", " ".join(words)))
    return [
        {"id": name, "url": "", "text": text, "source": "a", "offset": offset}
        for offset, (name, text) in enumerate(made)
    ]


def ran(engine: str, rows: list[dict[str, str | int]]) -> tuple[list[str], float]:
    """The IDs of the rows that a program leaves, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder, "texts")
        texts.mkdir()
        for part in range(FILES):
            some = pa.Table.from_pylist(rows[part::FILES])
            parquet.write_table(some, texts / f"{part}.parquet")
        began = time.monotonic()
        program = ROOT / "docs" / "engines" / f"duplicates_{engine}.py"
        subprocess.run([sys.executable, str(program)], check=True, cwd=folder)
        seconds = time.monotonic() - began
        left = [
            str(name)
            for path in Path(folder, "unique").rglob("*.parquet")
            for name in parquet.read_table(path, columns=["id"])["id"].to_pylist()
        ]
    return left, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="+")
    rows = rows_of(parser.parse_args().folder)
    names = [str(row["id"]).split("/") for row in rows]
    copied = {number for kind, number in names if kind in ("exact", "near")}
    lines = []
    for engine in ENGINES:
        left, seconds = ran(engine, rows)
        numbers = Counter(name.split("/")[1] for name in left)
        line = [engine, f"{len(rows):,}"]
        for kind in COPIES:
            copies = [number for is_of, number in names if is_of == kind]
            found = sum(numbers[number] == 1 for number in copies)
            line.append(f"{found} of {len(copies)}")
        lost = sum(not numbers[number] for kind, number in names if kind == "own")
        of_copied = sum(not numbers[number] for number in copied)
        lines.append([*line, f"{lost - of_copied}, {of_copied}", f"{seconds:.0f}"])
        print(lines[-1], file=sys.stderr)
    head = ["", "texts", "exact copies", "copies without each 100th word"]
    head += ["without each 10th", "other texts removed, lost with their copies"]
    fill(DOCS / "archives.md", "duplicates", table([*head, "seconds"], lines))


if __name__ == "__main__":
    main()
