"""What a crawl knows of addresses, and keeps when it is killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from scrapy_eatext.spiders.state import State, Visit


def taken(state):
    return [visit.url for visit in iter(state.take, None)]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "site.db")


@pytest.fixture
def state():
    state = State()
    yield state
    state.close()


def next_run(path):
    """Whether the next run goes on, and what it asks for then."""
    with closing(State(path)) as state:
        return state.is_resumed, taken(state)


def test_the_queue_has_each_address_once_and_the_best_first(state):
    assert state.add([Visit("a", priority=1), Visit("b", priority=2)]) == 2
    assert state.add([Visit("a", priority=3), Visit("c", priority=1)]) == 1
    assert state.waiting() == 3
    assert taken(state) == ["a", "b", "c"]
    assert taken(state) == []


@pytest.mark.parametrize(
    ("became", "is_finished", "following"),
    [
        # A run that was stopped goes on with what was asked for and is not done.
        (["done", "refused", ""], False, (True, ["c"])),
        # What had no answer is asked for in the next run, ...
        (["failed", "done", "done"], False, (False, ["a"])),
        # and so is what is left of a finished one, which is no reason to go on.
        (["", "held", "done"], True, (False, ["a", "b"])),
    ],
)
def test_what_the_next_run_asks_for(path, became, is_finished, following):
    state = State(path)
    state.add(map(Visit, "abc"))
    for visit, what in zip(iter(state.take, None), became, strict=True):
        if what == "done":
            state.done(visit.url, text="A")
        elif what:
            state.set(visit.url, what, "x" * (what == "held"))
    state.close(is_finished=is_finished)
    assert next_run(path) == following


def test_a_new_round(path):
    state = State(path)
    maps = [
        Visit("map", "sitemap"),
        Visit("dated map", "sitemap", lastmod="2024-01-01"),
    ]
    dated = (Visit(url, lastmod="2024-01-01") for url in ("old", "changed"))
    state.add([Visit("start"), Visit("list"), *dated, Visit("feed", "feed"), *maps])
    for visit in iter(state.take, None):
        state.done(visit.url, text=visit.url, is_list=visit.url == "list")
    state.close()
    state = State(path)
    assert not state.is_resumed
    state.begin([Visit("start")])
    later = (Visit(url, lastmod="2024-02-01") for url in ("changed", "list"))
    assert state.add([Visit("old", lastmod="2024-01-01T10:00Z"), *later, *maps]) == 0
    assert sorted(taken(state)) == ["changed", "feed", "list", "map", "start"]
    # Nothing is asked for twice in a round.
    state.done("map")
    state.add([Visit("map", "sitemap")])
    assert taken(state) == []
    state.close()


def test_the_queue_from_a_priority_on(state):
    state.add([Visit("a", priority=1), Visit("b", priority=2)])
    assert state.take(2).url == "b"
    assert state.take(2) is None
    assert taken(state) == ["a"]


def test_what_was_refused_is_asked_for_if_a_better_place_names_it(state):
    state.add([Visit("a", priority=1), Visit("b", priority=1)])
    for url in taken(state):
        state.set(url, "refused")
    state.add([Visit("a", priority=2), Visit("b", priority=1)])
    assert taken(state) == ["a"]


def test_what_is_left_out(state):
    state.add([Visit("a"), Visit("b")])
    assert state.take().url == "a"
    assert [state.leave_out(url) for url in "abcc"] == [False, True, True, False]
    assert [state.is_done(url) for url in "abc"] == [False, True, True]
    state.add([Visit("c", priority=100)])
    assert taken(state) == []


def test_texts(state):
    state.add([Visit("a"), Visit("b")])
    state.done("a", text="A text.")
    assert not state.is_first_with("A text.", "b")
    assert state.is_first_with("A text.", "a")
    # Of two that come together the second is known as a copy too.
    assert state.is_first_with("Another.", "b")
    assert not state.is_first_with("Another.", "a")
    assert state.change("a", "A text.") == ""
    assert state.change("a", "Another.") == "changed"
    assert state.change("b", "A text.") == "new"
    assert (state.is_done("a"), state.is_done("b")) == (True, False)
    state.done("b")
    assert [state.has_text(url) for url in "abc"] == [True, False, False]


FEED = "one\ntwo\nthr"


@pytest.mark.parametrize(
    ("urls", "written", "size", "later", "is_killed", "left"),
    [
        # What a killed run wrote of pages that are not done is cut.
        ("ab", FEED, 4, FEED, True, "one\n"),
        # Another file in its place stays.
        ("ab", FEED, 4, "another", True, "another"),
        ("ab", FEED, 4, "o", True, "o"),
        # So does the end of a feed when a run is stopped, and what follows the last page.
        ("ab", "[1", 2, "[1]", False, "[1]"),
        ("a", "one\ntwo\n", 4, "one\ntwo\n", True, "one\ntwo\n"),
    ],
)
def test_feeds_of_a_run_that_was_killed_or_stopped(
    path, tmp_path, urls, written, size, later, is_killed, left
):
    feed = tmp_path / "feed"
    feed.write_text(written)
    state = State(path)
    state.add(map(Visit, urls))
    state.done("a", text="A", feeds={str(feed): size, str(tmp_path / "gone"): 4})
    feed.write_text(later)
    if is_killed:
        state._base.close()
    else:
        state.close()
    assert next_run(path) == (urls == "ab", ["b"] * (urls == "ab"))
    assert feed.read_text() == left


def test_a_file_that_is_no_state(tmp_path):
    file = tmp_path / "x.txt"
    file.write_text("no state, but a text" * 100)
    with pytest.raises(ValueError, match=r"it must be .* is not a database"):
        State(str(file))
    assert file.read_text().startswith("no state")
    with pytest.raises(ValueError, match="unable to open"):
        State(str(tmp_path / "none" / "x.db"))


def test_a_file_that_another_version_or_program_made(path):
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE pages (url TEXT)")
    with pytest.raises(ValueError, match="another version or program made it"):
        State(path)


@pytest.mark.parametrize("place", range(0, 40_000, 1_500))
def test_a_damaged_file_is_refused_or_opens(path, place):
    with closing(State(path)) as state:
        state.add([Visit(f"http://site.test/{number}") for number in range(200)])
    with Path(path).open("r+b") as file:
        file.seek(place)
        file.write(b"damage" * 50)
    try:
        State(path).close()
    except ValueError as error:
        assert f"state is {path!r}" in str(error)


def test_a_file_that_another_crawl_uses(path, monkeypatch):
    connect = partial(sqlite3.connect, timeout=0.1)
    state = State(path)
    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(ValueError, match="another crawl is using it"):
        State(path)
    state.close()
    assert next_run(path) == (False, [])


def test_what_is_held_back(state):
    state.add([Visit("a"), Visit("b"), Visit("c")])
    for visit in iter(state.take, None):
        state.set(visit.url, "held", "x" if visit.url < "c" else "y")
    assert state.release("x") == 2
    assert taken(state) == ["a", "b"]
    assert state.release("y", "refused") == 1
    assert taken(state) == []
    assert state.release() == 0


def test_what_is_held_back_for_a_page(state):
    state.add([Visit("a"), Visit("b"), Visit("good"), Visit("bad")])
    assert taken(state) == ["a", "b", "good", "bad"]
    state.set("a", "held", "good")
    state.set("b", "held", "bad")
    state.done("good", text="A text.")
    state.done("bad")
    assert taken(state) == ["b"]


def test_a_state_of_other_hosts(path):
    State(path, ["a.org", "b.org"]).close()
    State(path, ["b.org", "a.org"]).close()
    with pytest.raises(ValueError, match=r"a crawl of a\.org, b\.org$"):
        State(path, ["a.org"])
