"""Which addresses are the same page, alike, or a trap."""

from __future__ import annotations

import pytest

from scrapy_eatext.spiders.addresses import (
    canonical,
    has_session,
    is_same_page,
    language_of,
    shapes,
    trap,
)

A = "https://a.org"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"{A}/b?utm_source=x&id=2&fbclid=3#c", f"{A}/b?id=2"),
        (f"{A}/b;jsessionid=0A1B?x=1", f"{A}/b?x=1"),
        (f"{A}/(S(lit3py55t21z5v55vlm25s55))/b", f"{A}/b"),
        (f"{A}?PHPSESSID=3", f"{A}/"),
        (f"{A}/b?b=2&a=1", f"{A}/b?a=1&b=2"),
        ("mailto:ann@a.org", ""),
        ("javascript:void(0)", ""),
        ("https://[", ""),
        ("https:///b", ""),
        ("", ""),
        (f"{A}/{'b' * 3000}", ""),
        # It is longer once it is encoded.
        (A + "/" + "\u00e4" * 1500, ""),
        (f"{A}/b\ud800?c=\ud800", ""),
        ("https://a.org:99999/", ""),
        # Other encodings than UTF-8 stay.
        (f"{A}/?q=caf%E9&sid=3", f"{A}/?q=caf%E9"),
        ("https://b\u00fccher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_canonical(url, expected):
    assert canonical(url) == expected
    assert not expected or canonical(expected) == expected


def test_has_session():
    assert has_session(f"{A}/b?sid=0a")
    assert has_session(f"{A}/b;jsessionid=0A1B")
    assert not has_session(f"{A}/b?side=0a")


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"{A}/calendar/2024/05", "calendar"),
        (f"{A}/events?month=5", "calendar"),
        (f"{A}/login?next=/b", "login"),
        (f"{A}/news/one/print", "print"),
        (f"{A}/news/one?output=amp", "print"),
        (f"{A}/blog/one?replytocom=3", "reply"),
        (f"{A}/shop/c?sort=price", "sort"),
        (f"{A}/shop/c?page=2&view=grid", "sort"),
        (f"{A}/?option=com_content&view=article&id=1&layout=blog", ""),
        (f"{A}/shop/c?filter_color=red", "filter"),
        (f"{A}/shop/c?filters[size]=4", "filter"),
        (f"{A}/search?q=boats", "search"),
        (f"{A}/en/search.html", "search"),
        (f"{A}/blog/how-to-login-safely", ""),
        (f"{A}/2024/05/boats", ""),
        (f"{A}/?page=2", ""),
    ],
)
def test_traps(url, name):
    assert trap(url) == name


def test_the_language_of_an_address():
    for path, language in {
        "de/boats": "de",
        "pt-br/": "pt",
        "EN_gb": "EN",
        "news/de": "",
        "dead/boats": "",
        "": "",
    }.items():
        assert language_of(f"{A}/{path}") == language


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (f"{A}/news/boats", f"{A}/news/oars"),
        (f"{A}/news/2024/boats", f"{A}/news/2023/oars"),
        (f"{A}/t?id=3", f"{A}/t?id=4"),
        (f"{A}/archive/2024/05", f"{A}/archive/2019/11/"),
        (f"{A}/b?sort=up", f"{A}/c?order=1"),
    ],
)
def test_what_is_alike(one, other):
    assert shapes(one) == shapes(other)


def test_what_is_not_alike():
    urls = (f"{A}/news/a", f"{A}/sport/a", f"{A}/news/a/b", f"{A}/news/a?x=1", f"{A}/3")
    assert len({shapes(url)[0] for url in urls}) == len(urls)
    assert shapes(f"{A}/a.php?x=1")[0] != shapes(f"{A}/b.php?x=1")[0]


def test_the_same_page():
    for path in ("b/", "b.html", "b/index.php", "b?x=1"):
        assert is_same_page(f"{A}/b", f"{A}/{path}")
    for path in ("", "c", "b/c", "bindex.html", "b/index"):
        assert not is_same_page(f"{A}/b", f"{A}/{path}")
    assert is_same_page(f"{A}/b?x=1", f"{A}/b/?x=1", with_query=True)
    assert not is_same_page(f"{A}/b?x=1", f"{A}/b", with_query=True)


def test_wider_shapes():
    assert shapes(f"{A}/en/news/2024/b?x=1&y=2")[1:] == [
        *("a.org/en/news/0/*?x", "a.org/en/news/0/*?y"),
        *("a.org/en/**", "a.org/en/news/**"),
    ]
