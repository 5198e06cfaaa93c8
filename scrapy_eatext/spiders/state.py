"""What a crawl of a site knows of addresses: a queue on disk that survives a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

# Some of the lists that a run has found are asked for again in the next: a share of all
# pages, and so many at least.
_SHARE_AGAIN, _LEAST_AGAIN = 0.005, 2
# By so many bytes at its end a feed is known to be the one that was written.
_ENDING = 200
# So many texts of pages that are answered, and need not be done, are known.
_MOST_COMING = 1000
# The number of these tables, which no other program's files have.  It changes with them.
_FORMAT = 0x0EA7_0003
# A page is pending, asked, held, refused, failed, done, or left out: never asked for.
_TABLES = f"""
PRAGMA user_version={_FORMAT};
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, url TEXT UNIQUE, status TEXT, priority INTEGER, role TEXT,
    depth INTEGER, lastmod TEXT, round INTEGER, hash INTEGER, is_list INTEGER DEFAULT 0,
    held_for TEXT);
CREATE INDEX IF NOT EXISTS queue ON pages (status, priority DESC, number);
CREATE INDEX IF NOT EXISTS held ON pages (held_for) WHERE status='held';
CREATE INDEX IF NOT EXISTS texts ON pages (hash) WHERE hash IS NOT NULL;
CREATE TABLE IF NOT EXISTS hosts (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS feeds (path TEXT PRIMARY KEY, size INTEGER, ending BLOB);
"""
# A page of a round before is asked for again if it was changed since, by dates that are
# as exact as both.  What is known from two places is asked for as the better one says,
# also if it was refused.
_ADD = """
INSERT INTO pages (url, role, depth, priority, lastmod, round, status)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending') ON CONFLICT (url) DO UPDATE SET
    status='pending', priority=max(priority, ?4), depth=min(depth, ?3), round=?6,
    lastmod=CASE ?5 WHEN '' THEN lastmod ELSE ?5 END
WHERE status='pending' OR status='refused' AND priority < ?4
    OR status='done' AND round < ?6 AND (?7 OR lastmod <> '' AND
        substr(lastmod, 1, length(?5)) < substr(?5, 1, length(lastmod)))
"""


class Visit(NamedTuple):
    """An address to ask for: what it is, how far from the start, when it was changed."""

    url: str
    role: str = "page"
    depth: int = 0
    priority: int = 0
    lastmod: str = ""


class State:
    """The addresses of a site, in a file, or without one in SQLite's temporary storage.

    An address is known once.  What is asked for and not done when the process ends is
    asked for again in the next run; where all was done, a new round begins.  One process
    has the file, which is that of one set of hosts.  Raises ValueError for another file.
    """

    def __init__(self, path: str = "", hosts: Iterable[str] = ()) -> None:
        self.is_kept = bool(path)
        # The pages that are answered, by the hashes of their texts.
        self._coming: dict[int | None, str] = {}
        try:
            # The connection's cache is bounded; what it has no room for goes to the disk.
            self._base = sqlite3.connect(path, isolation_level=None)
            self._open(sorted(hosts))
        except sqlite3.Error as error:
            if hasattr(self, "_base"):
                self._base.close()
            must = "it must be a new file, or that of a crawl of these hosts before"
            raise ValueError(f"state is {path!r}, {must}: {error}") from error
        self._run("UPDATE pages SET status='pending' WHERE status IN ('asked', 'held')")
        self.goes_on = bool(self.waiting())
        # What had no answer may have one now, and is no reason to go on.
        self._run("UPDATE pages SET status='pending' WHERE status='failed'")
        # Nothing is asked for twice in a round.
        before = self._value("SELECT max(round) FROM pages") or 0
        self._round = before + (not self.goes_on)
        self._cut_feeds()

    def _open(self, hosts: list[str]) -> None:
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=1"):
            self._run(f"PRAGMA {pragma}")
        is_known = self._value("PRAGMA user_version") == _FORMAT
        if self._value("SELECT count(*) FROM sqlite_master") and not is_known:
            raise sqlite3.DatabaseError("another version or program made it")
        self._base.executescript(_TABLES)
        known = [name for (name,) in self._run("SELECT name FROM hosts ORDER BY name")]
        if known and known != hosts:
            raise sqlite3.DatabaseError(f"it is that of a crawl of {', '.join(known)}")
        self._base.executemany(
            "INSERT OR IGNORE INTO hosts VALUES (?)", ((host,) for host in hosts)
        )

    def begin(self, visits: Iterable[Visit]) -> None:
        """Ask for some addresses, and in a new round for what may have news."""
        if not self.goes_on:
            pages = self._value("SELECT count(*) FROM pages") or 0
            self._run(
                "UPDATE pages SET status='pending', round=? WHERE status='done' AND"
                " (role='feed' OR number IN (SELECT number FROM pages WHERE is_list"
                " ORDER BY depth, number LIMIT ?))",
                *(self._round, max(_LEAST_AGAIN, int(pages * _SHARE_AGAIN))),
            )
        self.add(visits, again=True)

    def close(self, *, is_finished: bool = False) -> None:
        """End a run; what is not done by then is no reason to go on if it is finished."""
        # All that it wrote is of pages that are done, and may have an end of its own.
        self._run("DELETE FROM feeds")
        if is_finished:
            self._run(
                "UPDATE pages SET status='failed' WHERE status IN ('asked', 'held')"
            )
        self._base.close()

    # -- the queue

    def add(self, visits: Iterable[Visit], *, again: bool = False) -> int:
        """Put addresses into the queue; how many of them are new.

        One that is known from a round before is asked for anew if it was changed since,
        or if ``again``; a sitemap also if nobody says when it was changed.
        """
        rows = [
            (*one, self._round, again or (one.role == "sitemap" and not one.lastmod))
            for one in visits
        ]
        before = self._value("SELECT max(number) FROM pages") or 0
        self._run("BEGIN")
        self._base.executemany(_ADD, rows)
        self._run("COMMIT")
        return (self._value("SELECT max(number) FROM pages") or 0) - before

    def take(self, least: float = -inf) -> Visit | None:
        """The first address of the highest priority in the queue, which is asked for then.

        None if there is none of a priority or a higher one.
        """
        row = self._run(
            "SELECT url, role, depth, priority, lastmod FROM pages WHERE status='pending'"
            " AND priority>=? ORDER BY priority DESC, number LIMIT 1",
            least,
        ).fetchone()
        if row:
            self.set(row[0], "asked")
        return Visit(*row) if row else None

    def waiting(self) -> int:
        """How many addresses are in the queue."""
        return self._value("SELECT count(*) FROM pages WHERE status='pending'") or 0

    def set(self, url: str, status: str) -> None:
        """Make an address refused for this run, failed until the next, or asked."""
        self._run("UPDATE pages SET status=? WHERE url=?", status, url)

    def leave_out(self, url: str) -> bool:
        """Never ask for a page that need not be known; whether it was not asked for yet."""
        found = self._run(
            "INSERT INTO pages (url, status, role, lastmod, round)"
            " VALUES (?, 'left out', 'page', '', ?) ON CONFLICT (url) DO UPDATE"
            " SET status='left out' WHERE status IN ('pending', 'held')",
            *(url, self._round),
        )
        return found.rowcount > 0

    def hold(self, url: str, reason: str) -> None:
        """Keep an address back for a reason: a shape, or a page that has to be done first."""
        sql = "UPDATE pages SET status='held', held_for=? WHERE url=?"
        self._run(sql, reason, url)

    def release(self, reason: str = "", status: str = "pending") -> int:
        """Give what is held back for a reason, or for any, another status; how many."""
        sql = (
            "UPDATE pages SET status=?1 WHERE status='held' AND (?2='' OR held_for=?2)"
        )
        return self._run(sql, status, reason).rowcount

    # -- pages

    def done(
        self,
        url: str,
        *,
        text: str = "",
        is_list: bool = False,
        feeds: Mapping[str, int] | None = None,
    ) -> None:
        """A page is done, and the files of the feeds have so many bytes.

        What was held back for it is done too if it has a text, else released.
        """
        self._run("BEGIN")
        self.release(url, "done" if text else "pending")
        self._run(
            "UPDATE pages SET status='done', hash=?, is_list=? WHERE url=?",
            *(_hash(text), is_list, url),
        )
        for path, size in (feeds or {}).items():
            self._run(
                "INSERT OR REPLACE INTO feeds VALUES (?, ?, ?)",
                *(path, size, _ending(path, size)),
            )
        self._run("COMMIT")

    def change(self, url: str, text: str) -> str:
        """Whether a page's text is "new", "changed", or that of the run before: ""."""
        before = self._value("SELECT hash FROM pages WHERE url=?", url)
        if before is None:
            return "new"
        return "" if before == _hash(text) else "changed"

    def is_done(self, url: str) -> bool:
        sql = "SELECT status IN ('done', 'left out') FROM pages WHERE url=?"
        return bool(self._value(sql, url))

    def has_text(self, url: str) -> bool:
        """Whether a page has a text, or may have one when it is answered."""
        sql = "SELECT hash NOT NULL OR status NOT IN ('done', 'refused', 'failed')"
        return bool(self._value(f"{sql} FROM pages WHERE url=?", url))

    def is_first_with(self, text: str, url: str) -> bool:
        """Whether no other page has a text; the text is this page's from then on."""
        key = _hash(text)
        if self._value("SELECT 1 FROM pages WHERE hash=? AND url<>? LIMIT 1", key, url):
            return False
        if len(self._coming) > _MOST_COMING:
            del self._coming[next(iter(self._coming))]
        return self._coming.setdefault(key, url) == url

    # -- files

    def _cut_feeds(self) -> None:
        """Cut what a killed run wrote of pages that are not done: they come again."""
        for path, size, ending in self._run("SELECT * FROM feeds").fetchall():
            # Another file may stand there by now.
            if self.goes_on and ending and _ending(path, size) == ending:
                os.truncate(path, size)
        self._run("DELETE FROM feeds")

    def _run(self, sql: str, *values: object) -> sqlite3.Cursor:
        return self._base.execute(sql, values)

    def _value(self, sql: str, *values: object) -> Any:
        """The first value of the first row, None without one."""
        found = self._run(sql, *values).fetchall()
        return found[0][0] if found else None


def _ending(path: str, size: int) -> bytes:
    """The last bytes that a file had at a size, none if it is gone."""
    try:
        with Path(path).open("rb") as file:
            file.seek(max(size - _ENDING, 0))
            return file.read(min(size, _ENDING))
    except OSError:
        return b""


def _hash(text: str) -> int | None:
    """A text's hash, as a number that SQLite has room for; None for no text."""
    if not text:
        return None
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
