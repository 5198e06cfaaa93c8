"""Compares the texts of two runs over the same pages."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_eatext.archive import files
from scrapy_eatext.archive.manifest import NAME, outputs
from scrapy_eatext.archive.packed import TO_THE_END
from scrapy_eatext.archive.readers import ArchiveError, parquet
from scrapy_eatext.archive.record import storable
from scrapy_eatext.page.urls import host_of

# The most pages that are written, the most changed ones first.
_MOST_WRITTEN = 10_000
_GROUPS = 15
_COLUMNS = ("id", "url", "text", "page_type", "outcome")


@dataclass(slots=True)
class Group:
    """Numbers of a group: pages, changed pages, and words gained and lost in these."""

    pages: int = 0
    changed: int = 0
    gained: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """A changed page, as compare() writes it: numbers of words, and both texts."""

    url: str
    id: str
    gained: int
    lost: int
    old: str
    new: str


@dataclass(slots=True)
class Difference:
    """The result of compare(); ``outcomes`` counts pairs of a page's outcomes."""

    total: Group = field(default_factory=Group)
    groups: dict[str, dict[str, Group]] = field(
        default_factory=lambda: {"host": {}, "kind": {}}
    )
    # The new pages without a match whose URL alone is in the old run.
    moved: int = 0
    only_old: int = 0
    only_new: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    top: list[Change] = field(default_factory=list)

    def most(self, by: str) -> list[tuple[str, Group]]:
        """The groups with the most changed pages, by ``host`` or by ``kind``."""
        groups = sorted(self.groups[by].items())
        groups.sort(key=lambda item: (item[1].changed, item[1].pages), reverse=True)
        return groups[:_GROUPS]

    def add(self, old: Mapping[str, str], new: Mapping[str, str]) -> Change | None:
        """Count a page of both runs; returns its Change, None if the texts are equal."""
        before, after = old["text"], new["text"]
        gained = lost = 0
        if before != after:
            words = Counter(after.split())
            words.subtract(before.split())
            gained, lost = (+words).total(), (-words).total()
        # One run's algorithm may give no kinds.
        kind = new["page_type"] or old["page_type"] or "-"
        groups = (
            self.total,
            self.groups["host"].setdefault(host_of(new["url"]) or "-", Group()),
            self.groups["kind"].setdefault(kind, Group()),
        )
        for group in groups:
            group.pages += 1
            group.changed += before != after
            group.gained += gained
            group.lost += lost
        if old["outcome"] != new["outcome"]:
            self.outcomes[old["outcome"], new["outcome"]] += 1
        if before == after:
            return None
        return Change(new["url"], new["id"], gained, lost, before, after)


def compare(
    old: str | Path,
    new: str | Path,
    output: str | Path | None = None,
    top: int = 20,
    by: str = "page",
) -> Difference:
    """Compare two outputs page by page.

    Pages are matched by address and place in the archive or, with ``by`` "url", by
    address alone.  ``output`` is a file for the changed pages, the most changed first.
    Raises OutputError and ArchiveError.
    """
    difference = Difference()
    most = max(top, _MOST_WRITTEN if output else 1)
    # In a database, as the rows of a run may not fit into memory.
    with (
        TemporaryDirectory(prefix="eatext-diff") as folder,
        closing(sqlite3.connect(Path(folder, "old.db"), isolation_level=None)) as table,
    ):
        table.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
            "CREATE TABLE old (key TEXT, row TEXT); BEGIN"
        )
        rows = ((KEYS[by](row), json.dumps(row)) for row in _rows(old))
        table.executemany("INSERT INTO old VALUES (?, ?)", rows)
        table.execute("CREATE INDEX keys ON old (key)")
        found = _changes(difference, table, KEYS[by], _rows(new))
        changes = heapq.nlargest(
            most, found, key=lambda page: (page.gained + page.lost, page.url, page.id)
        )
        (difference.only_old,) = table.execute("SELECT count(*) FROM old").fetchone()
    difference.top = changes[:top]
    if output:
        with files.written(str(output)) as file:
            for change in changes:
                row = json.dumps(asdict(change), ensure_ascii=False)
                file.write(row.encode() + b"\n")
    return difference


_WITH_BEGINNING = "SELECT 1 FROM old WHERE key >= ? AND key < ? LIMIT 1"
# The choices of ``by``, each with the key of a row.
KEYS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "page": lambda row: f"{row['url']} {row['id']}",
    "url": lambda row: row["url"],
}


def _changes(
    difference: Difference,
    table: sqlite3.Connection,
    key_of: Callable[[Mapping[str, str]], str],
    rows: Iterator[dict[str, str]],
) -> Iterator[Change]:
    """The changed pages; counts all, and removes matched ones from the table."""
    # Repeated pages are matched in their order.
    query = "SELECT rowid, row FROM old WHERE key = ? ORDER BY rowid LIMIT 1"
    for row in rows:
        match = table.execute(query, (key_of(row),)).fetchone()
        if match is None:
            difference.only_new += 1
            begin = f"{row['url']} "
            is_moved = table.execute(_WITH_BEGINNING, (begin, f"{begin}\U0010ffff"))
            difference.moved += is_moved.fetchone() is not None
            continue
        table.execute("DELETE FROM old WHERE rowid = ?", match[:1])
        change = difference.add(json.loads(match[1]), row)
        if change is not None:
            yield change


def _rows(where: str | Path) -> Iterator[dict[str, str]]:
    path = str(where)
    try:
        named = [path] if files.look(path) else outputs(path)
    except OSError as error:
        raise ArchiveError(f"{path}: {error.strerror or error}") from error
    for file in named:
        if file.endswith(".parquet"):
            rows = _of_parquet(file)
        elif file.endswith((".jsonl", ".jl")) and not file.endswith(NAME):
            rows = _of_lines(file)
        else:
            raise ArchiveError(
                f"{file} is neither an output folder nor .parquet or .jsonl"
            )
        try:
            yield from rows
        except (OSError, ValueError) as error:
            raise ArchiveError(f"{file}: {error}") from error


def _of_parquet(file: str) -> Iterator[dict[str, str]]:
    with closing(files.open_file(file)) as opened:
        table = parquet.open_table(opened)
        names = [name for name in _COLUMNS if name in table.schema_arrow.names]
        for batch in table.iter_batches(256, columns=names):
            yield from map(_row, batch.to_pylist())


def _of_lines(file: str) -> Iterator[dict[str, str]]:
    with TextIOWrapper(files.open_part(file, 0, TO_THE_END), "utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = _row(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number}: {error}") from error
            yield row


def _row(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"{type(value).__name__} is no row")  # noqa: TRY004
    if "text" not in value:
        raise ValueError("a row has no 'text'")
    texts = {name: str(value.get(name) or "") for name in _COLUMNS}
    return {name: storable(text) for name, text in texts.items()}
