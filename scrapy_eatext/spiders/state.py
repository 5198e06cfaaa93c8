"""The state of a crawl of a site: a queue of URLs on disk that survives a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

# How many known lists a new round requests again: a share of all pages, with a minimum.
_SHARE_AGAIN, _MIN_AGAIN = 0.005, 2
# The last bytes of a feed, which identify the file that was written.
_ENDING = 200
# The maximum number of pages in _unfinished.
_MAX_UNFINISHED = 1000
# The version of the tables.  Files of other programs have another user_version.
_FORMAT = 0x0EA7_0003
# The statuses are pending, asked (requested), held, refused, failed, done, and left out
# (never requested).
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
# A URL that is done is requested again in a later round if ?7 is set, or if its new
# lastmod is later than the old one: both are cut to the length of the shorter one.  A URL
# that is added twice keeps the higher priority, which readmits a refused URL too.
_ADD = """
INSERT INTO pages (url, role, depth, priority, lastmod, round, status)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'pending') ON CONFLICT (url) DO UPDATE SET
    status='pending', priority=max(priority, ?4), depth=min(depth, ?3), round=?6,
    lastmod=CASE ?5 WHEN '' THEN lastmod ELSE ?5 END
WHERE status='pending' OR status='refused' AND priority < ?4
    OR status='done' AND round < ?6 AND (?7 OR lastmod <> '' AND
        substr(lastmod, 1, length(?5)) < substr(?5, 1, length(lastmod)))
"""


class StateError(sqlite3.Error):
    """The file can no longer be read or written, as one that is damaged or a full disk."""


class Visit(NamedTuple):
    """A URL to request: a page, sitemap or feed, and how it was found.

    ``depth`` counts links from the start, and ``lastmod`` is the date of its last
    change or "".  A higher ``priority`` is requested sooner.
    """

    url: str
    role: str = "page"
    depth: int = 0
    priority: int = 0
    lastmod: str = ""


class State:
    """The URLs of a site, each once, in an SQLite file; without a path it is temporary.

    The next run resumes an unfinished round: it requests the requested URLs again that
    are not done.  After a finished round a new one begins.  The file belongs to one set
    of hosts and is locked by one process.  Raises ValueError if it cannot be used.
    """

    def __init__(self, path: str = "", hosts: Iterable[str] = ()) -> None:
        self.path, self.is_kept = path, bool(path)
        # The pages that have a response and are not done, by the hashes of their texts.
        self._unfinished: dict[int | None, str] = {}
        try:
            # SQLite's cache in memory is bounded.
            self._base = sqlite3.connect(path, isolation_level=None)
            self._open(sorted(hosts))
            self._resume()
        except sqlite3.Error as error:
            if hasattr(self, "_base"):
                self._base.close()
            must = "it must be a new file, or that of an earlier crawl of these hosts"
            if "locked" in str(error):
                must = "another crawl is using it"
            raise ValueError(f"state is {path!r}, {must}: {error}") from error

    def _open(self, hosts: list[str]) -> None:
        for pragma in ("locking_mode=EXCLUSIVE", "journal_mode=WAL", "synchronous=1"):
            self._run(f"PRAGMA {pragma}")
        is_current = self._value("PRAGMA user_version") == _FORMAT
        if self._value("SELECT count(*) FROM sqlite_master") and not is_current:
            raise sqlite3.DatabaseError("another version or program made it")
        self._base.executescript(_TABLES)
        stored = [name for (name,) in self._run("SELECT name FROM hosts ORDER BY name")]
        if stored and stored != hosts:
            raise sqlite3.DatabaseError(f"it is from a crawl of {', '.join(stored)}")
        self._base.executemany(
            "INSERT OR IGNORE INTO hosts VALUES (?)", ((host,) for host in hosts)
        )

    def _resume(self) -> None:
        """Queue what the last run left, and see whether its round is unfinished."""
        self._run("UPDATE pages SET status='pending' WHERE status IN ('asked', 'held')")
        self.is_resumed = bool(self.waiting())
        # Failed URLs are tried again, but do not make the last round unfinished.
        self._run("UPDATE pages SET status='pending' WHERE status='failed'")
        # Within a round no URL is requested twice.
        last_round = self._value("SELECT max(round) FROM pages") or 0
        self._round = last_round + (not self.is_resumed)
        self._cut_feeds()

    def begin(self, visits: Iterable[Visit]) -> None:
        """Queue the start URLs, and in a new round known feeds and some lists again."""
        if not self.is_resumed:
            pages = self._value("SELECT count(*) FROM pages") or 0
            self._run(
                "UPDATE pages SET status='pending', round=? WHERE status='done' AND"
                " (role='feed' OR number IN (SELECT number FROM pages WHERE is_list"
                " ORDER BY depth, number LIMIT ?))",
                *(self._round, max(_MIN_AGAIN, int(pages * _SHARE_AGAIN))),
            )
        self.add(visits, again=True)

    def close(self, *, is_finished: bool = False) -> None:
        """Close the file.  If the run is finished, so is the round.

        A URL without a response then counts as failed.
        """
        # All items in the feeds are of pages that are done.  The stored sizes are out of
        # date when the exporters have written the files' ends.
        self._run("DELETE FROM feeds")
        if is_finished:
            self._run(
                "UPDATE pages SET status='failed' WHERE status IN ('asked', 'held')"
            )
        self.leave()

    def leave(self) -> None:
        """Close the file as a killed run leaves it: the next one cuts the feeds."""
        self._base.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write the changes of a `with` block at once, which is much faster."""
        self._run("BEGIN")
        try:
            with self._base:
                yield
        except sqlite3.Error as error:
            raise StateError(*error.args) from error

    # -- the queue

    def add(self, visits: Iterable[Visit], *, again: bool = False) -> int:
        """Put URLs into the queue.  Returns how many of them are new.

        A URL from an earlier round is requested again if it was changed since, or if
        ``again``; a sitemap also if it has no lastmod.
        """
        rows = [
            (
                *visit,
                self._round,
                again or (visit.role == "sitemap" and not visit.lastmod),
            )
            for visit in visits
        ]
        before = self._value("SELECT max(number) FROM pages") or 0
        with self.transaction():
            self._base.executemany(_ADD, rows)
        return (self._value("SELECT max(number) FROM pages") or 0) - before

    def take(self, minimum: float = -inf) -> Visit | None:
        """Take the first URL of the highest priority, None if none has the minimum."""
        row = self._run(
            "SELECT url, role, depth, priority, lastmod FROM pages WHERE status='pending'"
            " AND priority>=? ORDER BY priority DESC, number LIMIT 1",
            minimum,
        ).fetchone()
        if row:
            self.set(row[0], "asked")
        return Visit(*row) if row else None

    def waiting(self) -> int:
        """The number of URLs in the queue."""
        return self._value("SELECT count(*) FROM pages WHERE status='pending'") or 0

    def set(self, url: str, status: str, reason: str = "") -> None:
        """Set the status of a URL: pending, refused, failed, asked or held.

        A held URL waits for release() of the reason: a shape, or another page's URL.
        """
        sql = "UPDATE pages SET status=?, held_for=? WHERE url=?"
        self._run(sql, status, reason, url)

    def leave_out(self, url: str) -> bool:
        """Never request a page.  False if it was requested or left out before."""
        cursor = self._run(
            "INSERT INTO pages (url, status, role, lastmod, round)"
            " VALUES (?, 'left out', 'page', '', ?) ON CONFLICT (url) DO UPDATE"
            " SET status='left out' WHERE status IN ('pending', 'held')",
            *(url, self._round),
        )
        return cursor.rowcount > 0

    def release(self, reason: str = "", status: str = "pending") -> int:
        """Give URLs held for a reason, or for any, a new status.  Returns how many."""
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
        """Mark a page as done, and store the sizes of the feeds' files by path.

        Pages held for it are done too if it has a text, and requested again if not.
        """
        with self.transaction():
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

    def change(self, url: str, text: str) -> str:
        """How a text differs from the stored one: "new", "changed", or "" if equal."""
        stored = self._value("SELECT hash FROM pages WHERE url=?", url)
        if stored is None:
            return "new"
        return "" if stored == _hash(text) else "changed"

    def is_done(self, url: str) -> bool:
        sql = "SELECT status IN ('done', 'left out') FROM pages WHERE url=?"
        return bool(self._value(sql, url))

    def has_text(self, url: str) -> bool:
        """Whether a page has a text, or may have one once it is done."""
        sql = "SELECT hash NOT NULL OR status NOT IN ('done', 'refused', 'failed')"
        return bool(self._value(f"{sql} FROM pages WHERE url=?", url))

    def is_first_with(self, text: str, url: str) -> bool:
        """Whether no other page has the text.  From then on it belongs to this page."""
        key = _hash(text)
        if self._value("SELECT 1 FROM pages WHERE hash=? AND url<>? LIMIT 1", key, url):
            return False
        if len(self._unfinished) > _MAX_UNFINISHED:
            del self._unfinished[next(iter(self._unfinished))]
        return self._unfinished.setdefault(key, url) == url

    # -- files

    def _cut_feeds(self) -> None:
        """Cut off a killed run's items of pages not done, which are yielded again."""
        for path, size, ending in self._run("SELECT * FROM feeds").fetchall():
            # The path may be that of another file by now.
            if self.is_resumed and ending and _ending(path, size) == ending:
                os.truncate(path, size)
        self._run("DELETE FROM feeds")

    def _run(self, sql: str, *values: object) -> sqlite3.Cursor:
        try:
            return self._base.execute(sql, values)
        except sqlite3.Error as error:
            raise StateError(*error.args) from error

    def _value(self, sql: str, *values: object) -> Any:
        """The first value of the first row, None without one."""
        rows = self._run(sql, *values).fetchall()
        return rows[0][0] if rows else None


def _ending(path: str, size: int) -> bytes:
    """The last of the first ``size`` bytes of a file, b"" if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            file.seek(max(size - _ENDING, 0))
            return file.read(min(size, _ENDING))
    except OSError:
        return b""


def _hash(text: str) -> int | None:
    """A text's hash as a signed 64-bit integer; None for no text."""
    if not text:
        return None
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
