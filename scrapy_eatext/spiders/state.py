"""What a crawl of a site knows of addresses: a queue on disk that survives a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from hashlib import blake2b
from math import inf
from pathlib import Path
from typing import NamedTuple

_PENDING, _ASKED, _DONE, _REFUSED, _HELD, _FAILED, _LEFT_OUT = range(7)
# Some of the lists that a run has found are asked for again in the next: a share of all
# pages, and so many at least.
_SHARE_AGAIN, _LEAST_AGAIN = 0.005, 2
# By so many bytes at its end a feed is known to be the one that was written.
_ENDING = 200
# So many pages may be answered and not done, those of items that failed too.
_MOST_COMING = 1000
# The number of these tables, which no other program's files have.  It changes with them.
_FORMAT = 0x0EA7_0002
_TABLES = """
CREATE TABLE IF NOT EXISTS pages (
    number INTEGER PRIMARY KEY, url TEXT UNIQUE, status INTEGER, priority INTEGER,
    role TEXT, depth INTEGER, lastmod TEXT, hash INTEGER, is_list INTEGER DEFAULT 0,
    round INTEGER, shape TEXT);
CREATE INDEX IF NOT EXISTS queue ON pages (status, priority DESC, number);
CREATE INDEX IF NOT EXISTS shapes ON pages (shape) WHERE status=4;
CREATE INDEX IF NOT EXISTS texts ON pages (hash) WHERE hash IS NOT NULL;
CREATE TABLE IF NOT EXISTS hosts (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS feeds (path TEXT PRIMARY KEY, size INTEGER, ending BLOB);
"""

# A page is asked for again if ?2 is later than its date, as exact as both are.
_AGAIN = (
    "UPDATE pages SET status=?1, lastmod=?2, round=?3 WHERE url=?4 AND status=?5 AND"
    " round < ?3 AND (?6 OR (lastmod <> '' AND substr(lastmod, 1, min(length(lastmod),"
    " length(?2))) < substr(?2, 1, min(length(lastmod), length(?2)))))"
)


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
        # The pages that are answered and not done, by the hashes of their texts.
        self._coming: dict[int | None, str] = {}
        self._base = _opened(path)
        rows = [(host,) for host in sorted(hosts)]
        names = self._base.execute("SELECT name FROM hosts ORDER BY name").fetchall()
        if names and names != rows:
            self._base.close()
            whose = ", ".join(name for (name,) in names)
            raise ValueError(f"state is {path!r}, it is that of a crawl of {whose}")
        self._base.executemany("INSERT OR IGNORE INTO hosts VALUES (?)", rows)
        self._update("UPDATE pages SET status=? WHERE status=?", _PENDING, _ASKED)
        self.release()
        self.goes_on = bool(self._value("SELECT 1 FROM pages WHERE status=?", _PENDING))
        # What had no answer may have one now, and is no reason to go on.
        self._update("UPDATE pages SET status=? WHERE status=?", _PENDING, _FAILED)
        before = self._value("SELECT max(round) FROM pages") or 0
        # Nothing is asked for twice in a round.
        self._round = before if self.goes_on else before + 1
        self._cut_feeds()

    def close(self, *, is_finished: bool = False) -> None:
        """End a run; what is not done by then is no reason to go on if it is finished."""
        # All that it wrote is of pages that are done, and may have an end of its own.
        self._update("DELETE FROM feeds")
        if is_finished:
            self._update(
                "UPDATE pages SET status=? WHERE status IN (?, ?)",
                *(_FAILED, _ASKED, _HELD),
            )
        self._base.close()

    # -- the queue

    def add(self, visits: Iterable[Visit], *, again: bool = False) -> int:
        """Put addresses into the queue; how many of them are new.

        One that is known from a round before is asked for anew if it was changed since,
        or if ``again``; a sitemap also if nobody says when it was changed.
        """
        # An error in these must not leave a transaction open.
        visits = list(visits)
        added = 0
        self._base.execute("BEGIN")
        for url, role, depth, priority, lastmod in visits:
            cursor = self._base.execute(
                "INSERT OR IGNORE INTO pages (url, status, priority, role, depth, lastmod,"
                " round) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (url, _PENDING, priority, role, depth, lastmod, self._round),
            )
            always = again or (role == "sitemap" and not lastmod)
            if cursor.rowcount:
                added += 1
            elif always or lastmod:
                self._base.execute(
                    _AGAIN,
                    (_PENDING, lastmod, self._round, url, _DONE, always),
                )
            else:
                # What is known from two places is asked for as the better one says, also
                # if it was refused.
                self._base.execute(
                    "UPDATE pages SET status=?1, priority=max(priority, ?2),"
                    " depth=min(depth, ?3) WHERE url=?4 AND"
                    " (status=?1 OR status=?5 AND priority < ?2)",
                    (_PENDING, priority, depth, url, _REFUSED),
                )
        self._base.execute("COMMIT")
        return added

    def take(self, least: float = -inf) -> Visit | None:
        """The address of the highest priority in the queue, which is asked for from then on.

        None if there is none of a priority or a higher one.
        """
        row = self._base.execute(
            "SELECT url, role, depth, priority, lastmod FROM pages WHERE status=?"
            " AND priority>=? ORDER BY priority DESC, number LIMIT 1",
            (_PENDING, least),
        ).fetchone()
        if row is None:
            return None
        self._set(row[0], _ASKED)
        return Visit(*row)

    def fail(self, url: str) -> None:
        """A page had no answer: it is asked for again in the next run."""
        self._set(url, _FAILED)

    def waiting(self) -> int:
        """How many addresses are in the queue."""
        return self._value("SELECT count(*) FROM pages WHERE status=?", _PENDING) or 0

    def refuse(self, url: str) -> None:
        self._set(url, _REFUSED)

    def postpone(self, url: str, priority: int) -> None:
        """Put an address that was taken back into the queue, as one of a priority."""
        self._update(
            "UPDATE pages SET status=?, priority=? WHERE url=?",
            *(_PENDING, priority, url),
        )

    def leave_out(self, url: str) -> bool:
        """Never ask for a page that need not be known; whether it was not asked for yet."""
        found = self._base.execute(
            "INSERT INTO pages (url, status, role, lastmod, round) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (url) DO UPDATE SET status=excluded.status"
            " WHERE status IN (?, ?)",
            (url, _LEFT_OUT, "page", "", self._round, _PENDING, _HELD),
        )
        return found.rowcount > 0

    def hold(self, url: str, shape: str) -> None:
        """Keep an address back until those of a shape are released or refused.

        In place of a shape it may be the address of a page that has to be done first.
        """
        self._update(
            "UPDATE pages SET status=?, shape=? WHERE url=?", _HELD, shape, url
        )

    def release(self, shape: str = "", *, refuse: bool = False) -> int:
        """Put addresses that are held back into the queue, or refuse them; how many.

        Without a shape these are all.
        """
        return self._let_go(_REFUSED if refuse else _PENDING, shape)

    def begin_round(self, visits: Iterable[Visit]) -> None:
        """Ask for what may have news: some addresses, and the first lists of before."""
        pages = self._value("SELECT count(*) FROM pages") or 0
        most = max(_LEAST_AGAIN, int(pages * _SHARE_AGAIN))
        self._update(
            "UPDATE pages SET status=?, round=? WHERE status=? AND (role='feed' OR number"
            " IN (SELECT number FROM pages WHERE is_list ORDER BY depth, number LIMIT ?))",
            *(_PENDING, self._round, _DONE, most),
        )
        self.add(visits, again=True)

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
        key = _hash(text)
        if self._coming.get(key) == url:
            del self._coming[key]
        self._base.execute("BEGIN")
        self._let_go(_DONE if text else _PENDING, url)
        self._base.execute(
            "UPDATE pages SET status=?, hash=?, is_list=? WHERE url=?",
            (_DONE, key, is_list, url),
        )
        for path, size in (feeds or {}).items():
            self._base.execute(
                "INSERT OR REPLACE INTO feeds VALUES (?, ?, ?)",
                (path, size, _ending(path, size)),
            )
        self._base.execute("COMMIT")

    def change(self, url: str, text: str) -> str:
        """Whether a page's text is "new", "changed", or that of the run before: ""."""
        before = self._value("SELECT hash FROM pages WHERE url=?", url)
        if before is None:
            return "new"
        return "" if before == _hash(text) else "changed"

    def is_coming(self, url: str) -> bool:
        """Whether a page will be answered in this run."""
        status = self._value("SELECT status FROM pages WHERE url=?", url)
        return status in (_PENDING, _ASKED, _HELD)

    def is_done(self, url: str) -> bool:
        status = self._value("SELECT status FROM pages WHERE url=?", url)
        return status in (_DONE, _LEFT_OUT)

    def has_no_text(self, url: str) -> bool:
        """Whether a page was asked for and is none, or has no text."""
        sql = "SELECT 1 FROM pages WHERE url=? AND status=? AND hash IS NULL"
        return bool(self._value(sql, url, _DONE))

    def is_first_with(self, text: str, url: str) -> bool:
        """Whether no other page has a text; the text is this page's from then on."""
        key = _hash(text)
        if self._value("SELECT 1 FROM pages WHERE hash=? AND url<>? LIMIT 1", key, url):
            return False
        if len(self._coming) > _MOST_COMING:
            self._coming.clear()
        return self._coming.setdefault(key, url) == url

    # -- SQL

    def _cut_feeds(self) -> None:
        """Cut what a killed run wrote of pages that are not done: they come again."""
        for path, size, ending in self._base.execute("SELECT * FROM feeds").fetchall():
            # Another file may stand there by now.
            if self.goes_on and ending and _ending(path, size) == ending:
                os.truncate(path, size)
        self._update("DELETE FROM feeds")

    def _let_go(self, status: int, shape: str) -> int:
        sql, values = "UPDATE pages SET status=? WHERE status=4", (status, shape)
        if shape:
            sql += " AND shape=?"
        return self._base.execute(sql, values[: 1 + bool(shape)]).rowcount

    def _set(self, url: str, status: int) -> None:
        self._update("UPDATE pages SET status=? WHERE url=?", status, url)

    def _update(self, sql: str, *values: object) -> None:
        self._base.execute(sql, values)

    def _value(self, sql: str, *values: object) -> int | None:
        with closing(self._base.execute(sql, values)) as cursor:
            row: tuple[int | None] = cursor.fetchone() or (None,)
        return row[0]


def _opened(path: str) -> sqlite3.Connection:
    """The tables in a file, which no other process has then.  Raises ValueError."""
    must = f"state is {path!r}, it must be a new file, or that of a crawl before"
    try:
        # The connection's cache is bounded; what it has no room for goes to the disk.
        base = sqlite3.connect(path, isolation_level=None)
    except sqlite3.Error as error:
        raise ValueError(f"{must}: {error}") from error
    try:
        base.execute("PRAGMA locking_mode=EXCLUSIVE")
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=NORMAL")
        (made_as,) = base.execute("PRAGMA user_version").fetchone()
        is_new = not base.execute("SELECT 1 FROM sqlite_master").fetchone()
        if not is_new and made_as != _FORMAT:
            raise sqlite3.DatabaseError("another version or program made it")
        base.executescript(f"PRAGMA user_version={_FORMAT};{_TABLES}")
    except sqlite3.Error as error:
        base.close()
        raise ValueError(f"{must}: {error}") from error
    return base


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
