"""What addresses that are alike have given."""

from __future__ import annotations

from scrapy_eatext.spiders.yields import HOLD, REFUSE, REQUEST, Yields


def asked(yields, shapes, gives, most=1000):
    """How many addresses of some shapes are asked for, of which the first few are worth it."""
    for n in range(most):
        if yields.judge(shapes)[0] != REQUEST:
            return n
        list(yields.count(shapes, n < gives))
    return most


def test_what_gives_nothing_is_asked_for_a_few_times():
    assert asked(Yields(), ["a"], 0) == 6


def test_what_gave_something_is_asked_for_longer():
    assert 6 < asked(Yields(), ["a"], 5) < 20
    assert asked(Yields(), ["a"], 1000) == 1000
    assert 500 < asked(Yields(), ["a"], 500) < 600


def test_a_wider_shape_refuses_only_if_it_never_gave_anything():
    yields = Yields()
    asked(yields, ["a", "wide"], 0)
    assert yields.judge(["b", "wide"]) == (REFUSE, "wide")
    yields = Yields()
    asked(yields, ["a", "wide"], 1)
    assert yields.judge(["a", "wide"]) == (REFUSE, "a")
    assert yields.judge(["b", "wide"]) == (REQUEST, "")


def test_what_has_given_nothing_yet_is_held_until_it_does():
    yields = Yields()
    assert {yields.judge(["a"])[0] for _ in range(6)} == {REQUEST}
    assert yields.judge(["a"]) == (HOLD, "a")
    assert list(yields.count(["a"], is_worth=True)) == [("a", REQUEST)]
    assert yields.judge(["a"]) == (REQUEST, "")


def test_what_is_held_is_refused_with_the_last_answer():
    yields = Yields()
    for _ in range(6):
        yields.judge(["a"])
    answers = [list(yields.count(["a"], is_worth=False)) for _ in range(6)]
    assert answers == [[]] * 5 + [[("a", REFUSE)]]


def test_few_shapes_are_remembered():
    yields = Yields()
    for n in range(25_000):
        yields.judge([str(n)])
    assert len(yields._shapes) == 20_000


def test_whether_most_responses_were_worth_it():
    yields = Yields()
    asked(yields, ["a"], 5, 5)
    assert not yields.is_mostly_worth("a")
    asked(yields, ["a"], 1, 3)
    assert yields.is_mostly_worth("a")
    asked(yields, ["a"], 0, 1)
    assert not yields.is_mostly_worth("a")
