"""What a crawl knows of addresses, and keeps when it is killed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial

import pytest

from scrapy_eatext.spiders.state import State, Visit


def taken(state):
    return [visit.url for visit in iter(state.take, None)]


def killed(state):
    """End a run without its knowledge."""
    state._base.close()


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "site.db")


def test_the_queue_has_each_address_once_and_the_best_first():
    state = State()
    assert state.add([Visit("a", priority=1), Visit("b", priority=2)]) == 2
    assert state.add([Visit("a", priority=3), Visit("c", priority=1)]) == 1
    assert state.waiting() == 3
    assert taken(state) == ["a", "b", "c"]
    assert taken(state) == []
    state.close()


def test_what_was_asked_for_and_is_not_done_is_asked_for_again(path):
    state = State(path)
    state.add([Visit("a"), Visit("b"), Visit("c")])
    queue = iter(state.take, None)
    state.done(next(queue).url, text="A")
    state.set(next(queue).url, "refused")
    next(queue)
    state.close()
    state = State(path)
    assert state.goes_on
    assert taken(state) == ["c"]
    state.close()


def test_a_new_round(path):
    state = State(path)
    state.add(
        [
            Visit("start"),
            Visit("list"),
            Visit("old", lastmod="2024-01-01"),
            Visit("changed", lastmod="2024-01-01"),
            Visit("feed", "feed"),
            Visit("map", "sitemap"),
            Visit("dated map", "sitemap", lastmod="2024-01-01"),
        ]
    )
    for visit in iter(state.take, None):
        state.done(visit.url, text=visit.url, is_list=visit.url == "list")
    state.close()
    state = State(path)
    assert not state.goes_on
    state.begin([Visit("start")])
    again = [
        *(
            Visit("old", lastmod="2024-01-01T10:00Z"),
            Visit("changed", lastmod="2024-02-01"),
        ),
        Visit("list", lastmod="2024-02-01"),
        *(Visit("map", "sitemap"), Visit("dated map", "sitemap", lastmod="2024-01-01")),
    ]
    assert state.add(again) == 0
    assert sorted(taken(state)) == ["changed", "feed", "list", "map", "start"]
    # Nothing is asked for twice in a round.
    state.done("map")
    state.add([Visit("map", "sitemap")])
    assert taken(state) == []
    state.close()


def test_the_queue_from_a_priority_on():
    state = State()
    state.add([Visit("a", priority=1), Visit("b", priority=2)])
    assert state.take(2).url == "b"
    assert state.take(2) is None
    assert taken(state) == ["a"]
    state.close()


def test_what_was_refused_is_asked_for_if_a_better_place_names_it():
    state = State()
    state.add([Visit("a", priority=1), Visit("b", priority=1)])
    for url in taken(state):
        state.set(url, "refused")
    state.add([Visit("a", priority=2), Visit("b", priority=1)])
    assert taken(state) == ["a"]
    state.close()


def test_what_is_left_out():
    state = State()
    state.add([Visit("a"), Visit("b")])
    assert state.take().url == "a"
    assert [state.leave_out(url) for url in "abcc"] == [False, True, True, False]
    assert [state.is_done(url) for url in "abc"] == [False, True, True]
    state.add([Visit("c", priority=100)])
    assert taken(state) == []
    state.close()


def test_texts():
    state = State()
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
    state.close()


def test_what_a_killed_run_wrote_of_pages_that_are_not_done_is_cut(path, tmp_path):
    feed = tmp_path / "feed.jsonl"
    feed.write_text("one\ntwo\nthr")
    state = State(path)
    state.add([Visit("a"), Visit("b")])
    state.done("a", text="A", feeds={str(feed): 4})
    killed(state)
    State(path).close()
    assert feed.read_text() == "one\n"


def test_another_file_in_place_of_what_a_killed_run_wrote_stays(path, tmp_path):
    feed, shorter = tmp_path / "feed.jsonl", tmp_path / "shorter.jsonl"
    feed.write_text("one\ntwo\nthr")
    shorter.write_text("one\ntwo\nthr")
    state = State(path)
    state.add([Visit("a"), Visit("b")])
    feeds = {str(feed): 4, str(shorter): 4, str(tmp_path / "gone"): 4}
    state.done("a", text="A", feeds=feeds)
    killed(state)
    feed.write_text("another")
    shorter.write_text("o")
    State(path).close()
    assert (feed.read_text(), shorter.read_text()) == ("another", "o")


def test_the_end_of_a_feed_stays_when_a_run_is_stopped(path, tmp_path):
    feed = tmp_path / "feed.json"
    feed.write_text("[1")
    state = State(path)
    state.add([Visit("a"), Visit("b")])
    state.done("a", text="A", feeds={str(feed): 2})
    feed.write_text("[1]")
    state.close()
    state = State(path)
    assert state.goes_on
    state.close()
    assert feed.read_text() == "[1]"


def test_a_feed_that_went_on_after_the_end_stays(path, tmp_path):
    feed = tmp_path / "feed.jsonl"
    feed.write_text("one\ntwo\n")
    state = State(path)
    state.add([Visit("a")])
    state.done("a", text="A", feeds={str(feed): 4})
    killed(state)
    State(path).close()
    assert feed.read_text() == "one\ntwo\n"


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


def test_a_file_that_another_crawl_uses(path, monkeypatch):
    connect = partial(sqlite3.connect, timeout=0.1)
    state = State(path)
    monkeypatch.setattr(sqlite3, "connect", connect)
    with pytest.raises(ValueError, match="database is locked"):
        State(path)
    state.close()
    State(path).close()


def test_what_is_left_of_a_finished_run_is_no_reason_to_go_on(path):
    state = State(path)
    state.add([Visit("a"), Visit("b"), Visit("c")])
    queue = iter(state.take, None)
    next(queue)
    state.hold(next(queue).url, "x")
    state.done(next(queue).url)
    state.close(is_finished=True)
    state = State(path)
    assert not state.goes_on
    assert taken(state) == ["a", "b"]
    state.close()


def test_what_is_held_back():
    state = State()
    state.add([Visit("a"), Visit("b"), Visit("c")])
    for visit in iter(state.take, None):
        state.hold(visit.url, "x" if visit.url < "c" else "y")
    assert state.release("x") == 2
    assert taken(state) == ["a", "b"]
    assert state.release("y", "refused") == 1
    assert taken(state) == []
    assert state.release() == 0
    state.close()


def test_what_is_held_back_for_a_page():
    state = State()
    state.add([Visit("a"), Visit("b"), Visit("good"), Visit("bad")])
    assert taken(state) == ["a", "b", "good", "bad"]
    state.hold("a", "good")
    state.hold("b", "bad")
    state.done("good", text="A text.")
    state.done("bad")
    assert taken(state) == ["b"]
    state.close()


def test_a_state_of_other_hosts(path):
    State(path, ["a.org", "b.org"]).close()
    State(path, ["b.org", "a.org"]).close()
    with pytest.raises(ValueError, match=r"a crawl of a\.org, b\.org$"):
        State(path, ["a.org"])


def test_what_had_no_answer_is_asked_for_in_the_next_run(path):
    state = State(path)
    state.add([Visit("a"), Visit("b")])
    queue = iter(state.take, None)
    state.set(next(queue).url, "failed")
    state.done(next(queue).url)
    assert list(queue) == []
    state.close()
    state = State(path)
    assert not state.goes_on
    assert taken(state) == ["a"]
    state.close()
