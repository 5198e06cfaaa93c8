"""What changed between two runs over the same pages."""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy_eatext.archive.manifest import NAME, outputs
from scrapy_eatext.archive.readers import ArchiveError, parquet
from scrapy_eatext.archive.record import storable
from scrapy_eatext.page.urls import host_of

# Pages of which the whole is written, the most changed ones.
_MOST_WRITTEN = 10_000
_GROUPS = 15
_COLUMNS = ("id", "url", "text", "page_type", "outcome")


@dataclass(slots=True)
class Group:
    """Pages of a host, of a kind, or all: how many changed, and by how many words."""

    pages: int = 0
    changed: int = 0
    gained: int = 0
    lost: int = 0

    def add(self, gained: int, lost: int, *, changed: bool) -> None:
        self.pages += 1
        self.changed += changed
        self.gained += gained
        self.lost += lost


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """A page that changed; the one with more words gained and lost is the greater."""

    words: int
    url: str
    id: str
    gained: int = field(compare=False)
    lost: int = field(compare=False)
    old: str = field(compare=False)
    new: str = field(compare=False)


@dataclass(slots=True)
class Difference:
    """What compare() found."""

    total: Group = field(default_factory=Group)
    groups: dict[str, dict[str, Group]] = field(
        default_factory=lambda: {"host": {}, "kind": {}}
    )
    only_old: int = 0
    only_new: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    top: list[Change] = field(default_factory=list)

    def most(self, by: str) -> list[tuple[str, Group]]:
        """The groups with the most changed pages, by ``host`` or by ``kind``."""

        def order(item: tuple[str, Group]) -> tuple[int, int, str]:
            return -item[1].changed, -item[1].pages, item[0]

        return sorted(self.groups[by].items(), key=order)[:_GROUPS]

    def add(self, old: Mapping[str, str], new: Mapping[str, str]) -> Change | None:
        """Count a page that both runs have; what changed, if anything did."""
        before, after = old["text"], new["text"]
        gained = lost = 0
        if before != after:
            words = Counter(after.split())
            words.subtract(before.split())
            gained = sum(count for count in words.values() if count > 0)
            lost = -sum(count for count in words.values() if count < 0)
        groups = (
            self.total,
            self.groups["host"].setdefault(host_of(new["url"]) or "-", Group()),
            self.groups["kind"].setdefault(new["page_type"] or "-", Group()),
        )
        for group in groups:
            group.add(gained, lost, changed=before != after)
        if old["outcome"] != new["outcome"]:
            self.outcomes[old["outcome"], new["outcome"]] += 1
        if before == after:
            return None
        return Change(gained + lost, new["url"], new["id"], gained, lost, before, after)


def compare(
    old: str | Path,
    new: str | Path,
    output: str | Path | None = None,
    top: int = 20,
    by: str = "page",
) -> Difference:
    """Compare two outputs page by page.

    Pages are the same that have the same address and the same place in their archive;
    ``by`` "url", the same address.  ``output`` is a file for the pages that changed, the most changed first.  Raises
    OutputError and ArchiveError.
    """
    found = Difference()
    key_of = KEYS[by]
    most = max(top, _MOST_WRITTEN if output else 0)
    changes: list[Change] = []
    # Two runs may have more pages than there is memory for.
    with (
        TemporaryDirectory(prefix="eatext-diff") as folder,
        closing(sqlite3.connect(Path(folder, "old.db"), isolation_level=None)) as table,
    ):
        table.execute("PRAGMA journal_mode = OFF")
        table.execute("PRAGMA synchronous = OFF")
        table.execute(
            "CREATE TABLE old (key TEXT, n INTEGER, row TEXT, PRIMARY KEY (key, n))"
        )
        table.execute("BEGIN")
        rows: Counter[str] = Counter()
        for row in _rows(old):
            key = key_of(row)
            values = (key, _number_of(table, key), json.dumps(row))
            table.execute("INSERT INTO old VALUES (?, ?, ?)", values)
            rows["old"] += 1
        for row in _rows(new):
            # The same page may be there several times, in the same order.
            query = "SELECT n, row FROM old WHERE key = ? ORDER BY n LIMIT 1"
            key = key_of(row)
            match = table.execute(query, (key,)).fetchone()
            if match is None:
                found.only_new += 1
                continue
            table.execute("DELETE FROM old WHERE key = ? AND n = ?", (key, match[0]))
            rows["both"] += 1
            change = found.add(json.loads(match[1]), row)
            if change is not None and most:
                if len(changes) < most:
                    heapq.heappush(changes, change)
                else:
                    heapq.heappushpop(changes, change)
        found.only_old = rows["old"] - rows["both"]
    changes.sort(reverse=True)
    found.top = changes[:top]
    if output:
        _write(changes, Path(output))
    return found


# The choices of ``by``, each with the key of a row.
KEYS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "page": lambda row: f"{row['url']} {row['id']}",
    "url": lambda row: row["url"],
}


def _number_of(table: sqlite3.Connection, key: str) -> int:
    query = "SELECT max(n) FROM old WHERE key = ?"
    (last,) = table.execute(query, (key,)).fetchone()
    return 0 if last is None else int(last) + 1


def _write(changes: list[Change], output: Path) -> None:
    with output.open("w", encoding="utf-8") as file:
        for one in changes:
            row = {
                "url": one.url,
                "id": one.id,
                "gained": one.gained,
                "lost": one.lost,
                "old": one.old,
                "new": one.new,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _rows(where: str | Path) -> Iterator[dict[str, str]]:
    path = Path(where)
    if not path.exists():
        raise ArchiveError(f"{path}: there is no such file or folder")
    files = outputs(path) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".parquet":
            rows = _of_parquet(file)
        elif file.suffix in (".jsonl", ".jl") and file.name != NAME:
            rows = _of_lines(file)
        else:
            raise ArchiveError(
                f"{file} is neither an output folder nor .parquet or .jsonl"
            )
        try:
            yield from rows
        except (OSError, ValueError) as error:
            raise ArchiveError(f"{file}: {error}") from error


def _of_parquet(file: Path) -> Iterator[dict[str, str]]:
    with file.open("rb") as opened:
        table = parquet.open_table(opened)
        names = [name for name in _COLUMNS if name in table.schema_arrow.names]
        for batch in table.iter_batches(256, columns=names):
            yield from map(_row, batch.to_pylist())


def _of_lines(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = _row(json.loads(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
            yield row


def _row(found: Any) -> dict[str, str]:
    if not isinstance(found, dict):
        raise ValueError(f"{type(found).__name__} is no row")  # noqa: TRY004
    if "text" not in found:
        raise ValueError("a row has no 'text'")
    texts = {name: str(found.get(name) or "") for name in _COLUMNS}
    return {name: storable(text) for name, text in texts.items()}
