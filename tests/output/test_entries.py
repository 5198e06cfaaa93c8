"""What pages of many kinds list."""

from __future__ import annotations

import pickle
from dataclasses import astuple
from datetime import date, timedelta

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext import MainText, extract, main_text
from scrapy_eatext.algorithms.base import Verdict
from scrapy_eatext.page import Page
from scrapy_eatext.rendering import render
from scrapy_eatext.result import Entry
from tests.support.kept import all_but
from tests.support.properties import check_linear
from tests.support.suites import values_of

URL = "https://example.com/list/"


def entries(html, dropped=(), page_type="listing", url=URL):
    """The entries of a page of which all but some texts is kept."""
    page = Page.of(html, url)
    units = page.blocks
    kept = all_but(units, dropped)
    verdict = Verdict(
        units, kept, [0.9] * len(kept), ["kept"] * len(kept), page_type=page_type
    )
    return list(render(verdict, page, "plain", "1").entries)


def titles(html, *args, **kwargs):
    """The titles and addresses of a page's entries."""
    return [(one.title, one.url) for one in entries(html, *args, **kwargs)]


def named(*names):
    return [(name, f"https://example.com/{name.split()[0].lower()}") for name in names]


def link(name, text=None):
    return f"<a href=/{name.split()[0].lower()}>{text or name}</a>"


NAMES = (
    "Boats on the river",
    "Oars and how to mend them",
    "Sails that last for years",
    "Ropes, knots and splices",
)
SHORT = ("Boats", "Oars", "Sails", "Ropes")
DAY = "2024-03-04"
TEXT = "The water was low that summer, and nobody took the boats out."


def repeated(pattern, names=NAMES):
    return "".join(pattern(name) for name in names)


@pytest.mark.parametrize(("around", "one"), values_of("tables/lists.txt"))
def test_titles_and_addresses(around, one):
    html = repeated(
        lambda name: one.format(
            name=name,
            url=f"/{name.split()[0].lower()}",
            link=link(name),
            more=link(name, "Read more"),
            text=TEXT,
        )
    )
    assert titles(around.format(html)) == named(*NAMES)


def test_sections_with_headings_that_are_links_too():
    html = "".join(
        f"<h2><a href=/s/{n}>{section}</a></h2><ul>"
        + repeated(lambda name: f"<li>{link(name)}</li>", NAMES[n : n + 2])
        + "</ul>"
        for n, section in ((0, "News"), (2, "Sport"))
    )
    assert titles(html) == named(*NAMES)


@pytest.mark.parametrize(
    "names", [SHORT, ("Лодки", "Вёсла", "Паруса"), ("船只", "船桨", "风帆")]
)
def test_short_titles_in_any_script(names):
    html = "".join(f"<li><a href=/{n}>{name}</a></li>" for n, name in enumerate(names))
    assert titles(f"<ul>{html}</ul>") == [
        (name, f"https://example.com/{n}") for n, name in enumerate(names)
    ]


def test_forums_with_their_last_posts():
    """Labels of sections, which come again, are no titles."""
    one = (
        "<li><a href=/{}>{}</a><br>{}<p><a href=/{}?last=1>Re: a long title {}</a></li>"
    )
    for urls in (range(4), (0, 0, 1, 1)):
        html = "".join(
            one.format(url, name, TEXT, n, n)
            for n, (url, name) in enumerate(zip(urls, SHORT, strict=True))
        )
        found = [title for title, _ in titles(f"<ul>{html}</ul>")]
        assert (found == list(SHORT)) is (urls == range(4))


def test_details():
    html = repeated(
        lambda name: (
            f"<li><img src=/{name[0]}.jpg><h3>{link(name)}</h3><span class=author>By Ann "
            f"Li</span><br><time datetime=2024-03-05>5 March</time><p>{TEXT}</p>"
            "<p>$20.00 $15.50</p></li>"
        )
    )
    found = entries(f"<ul>{html}</ul>")
    assert [astuple(one)[3:] for one in found] == [
        ("2024-03-05", "$15.50", f"https://example.com/{name[0]}.jpg", "Ann Li")
        for name in NAMES
    ]
    assert all(TEXT in one.text for one in found)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("€ 1.299,00", "€ 1.299,00"),
        ("12,50 €", "12,50 €"),
        ("USD 20", "USD 20"),
        ("from 99 kr", "99 kr"),
        ("1 149,00 zł", "1 149,00 zł"),
        ("R$ 9,90", "R$ 9,90"),
        (
            "<del>€ 20</del> <i>Original price was: € 20.</i> € 15.50 <i>Now: € 15.50</i>",
            "€ 15.50",
        ),
        ("<span>€ 20</span><span>-10%</span><span>€ 18</span>", "€ 18"),
        ("€ 20<div><s>€ 20</s> € 18</div>", "€ 18"),
        ("€ 12 (1 kg = € 6)", "€ 12"),
        ("€ 5 - € 9", "€ 5"),
        ("€ 1.100 / month", "€ 1.100"),
        ("10 pieces", ""),
        ("C$90k - 110k", ""),
    ],
)
def test_prices(text, price):
    html = repeated(lambda name: f"<li>{link(name)}<p>{text}</p></li>")
    assert {one.price for one in entries(f"<ul>{html}</ul>")} == {price}


@pytest.mark.parametrize(
    ("around", "one", "details"),
    [
        (
            "<ul>{}</ul>",
            "{link} <span class=date>4 March 2024</span>",
            ("", DAY, "", ""),
        ),
        ("<ul>{}</ul>", "4 Mar 2024: {link}", ("", DAY, "", "")),
        ("<ul>{}</ul>", "{link} – {text}", (TEXT, "", "", "")),
        (
            "<ul>{}</ul>",
            "{link}<br>Started by <a href=/u/bo>bo</a>, 04.03.2024<p>Last post by eva",
            ("Last post by eva", DAY, "", "bo"),
        ),
        (
            "{}",
            "{link} <b class=author>Ann Li</b> <span>4 Mar 2024</span>",
            ("", DAY, "", "Ann Li"),
        ),
        (
            "{}",
            "{link}<p class=poster>Started by <a href=/u/bo>bo</a> » 4 Mar 2024",
            ("", DAY, "", "bo"),
        ),
        ("{}", "{link}<p>By Ann Li, Boat News<p>{text}", (TEXT, "", "", "Ann Li")),
        (
            "{}",
            "{link}<p class=author>Ann Li, Bo Ek - 3 min",
            ("", "", "", "Ann Li, Bo Ek"),
        ),
        (
            "<ul>{}</ul>",
            "{link}<br>1 point by <a class=user>bo</a>, <i class=age title=2024-03-04>1 h",
            ("1 point by bo, 1 h", DAY, "", "bo"),
        ),
        (
            "{}",
            "{link}<p>{text}<p class=byline>Author <a href=/u/ann>Ann March</a>",
            (TEXT, "", "", "Ann March"),
        ),
        ("{}", "<p>2.<p>{link}<p>{text}<p>$ 20.00", (TEXT, "", "$ 20.00", "")),
        ("{}", "{link} – $ 20.00", ("", "", "$ 20.00", "")),
        ("{}", "<h2>{name}</h2><p>{text}<p>{more}", (TEXT, "", "", "")),
        (
            "{}",
            "<h2>{name}</h2><p>By Ann Li on 4 March 2024<p>{more}",
            ("", DAY, "", "Ann Li"),
        ),
        ("{}", "{link}<p>3 days ago by <a class=user>bo</a>", ("", "", "", "bo")),
        ("{}", "{link}<p>by Ann Li (May 6)<p>{text}", (TEXT, "", "", "Ann Li")),
        ("{}", "{link}<p class=author>投稿者: bo", ("", "", "", "bo")),
        ("{}", "{link}<p class=author>Von Ann Li", ("", "", "", "Ann Li")),
        ("{}", "{link}<p class=author>Di Caprio", ("", "", "", "Di Caprio")),
        ("{}", "{link}<p class=author>Автор: Анна Ли", ("", "", "", "Анна Ли")),
        (
            "{}",
            "{link}<p class=author>Ann Li on Sunday March 8, 2026",
            ("", "2026-03-08", "", "Ann Li"),
        ),
        # What holds the whole entry is no author.
        (
            "<ul>{}</ul>",
            f"<div class=author-ann><p>New{' ' * 200}<p>{{link}}<p>{{text}}<p>$ 20</div>",
            ("New\n\n" + TEXT, "", "$ 20", ""),
        ),
    ],
)
def test_details_beside_the_title(around, one, details):
    tag = "li" if "ul" in around else "div"
    one = f"<{tag}>{one}</{tag}>"
    html = repeated(
        lambda name: one.format(
            name=name, link=link(name), more=link(name, "More"), text=TEXT
        )
    )
    found = entries(around.format(html))
    assert [(one.title, one.url) for one in found] == named(*NAMES)
    assert {(*astuple(one)[2:5], one.author) for one in found} == {details}


def test_days_of_events():
    """A day in the future counts if there is none in the past."""
    coming = (date.today() + timedelta(days=90)).isoformat()
    for text, day in ((f"Until {coming}", coming), (f"{DAY} – {coming}", DAY)):
        html = repeated(lambda name: f"<li>{link(name)}<p>{text}</li>")  # noqa: B023
        assert {one.date for one in entries(f"<ul>{html}</ul>")} == {day}


def test_lines_and_cards_without_elements_between():
    """The text of each is its own, as is the price at the end of a card."""
    html = repeated(lambda name: f"{link(name)}<br>{name} for all.<br><br>")
    found = entries(f"<p>{html}")
    assert [one.text for one in found] == [f"{name} for all." for name in NAMES]
    html = "".join(
        f"<a href=/{n}><img src=/{n}.jpg><h3>{name}</h3><p>{TEXT}</p>$ {n}.00</a>"
        for n, name in enumerate(NAMES)
    )
    assert [astuple(one)[2:6] for one in entries(html)] == [
        (TEXT, "", f"$ {n}.00", f"https://example.com/{n}.jpg") for n in range(4)
    ]


def test_titles_above_dropped_links_to_read_more():
    html = repeated(
        lambda name: f"<div><h2>{name}</h2><p>{TEXT}<p>{link(name, 'More')}</div>"
    )
    assert titles(html, ["More"]) == named(*NAMES)
    # No entries: sections of an article, and links to edit them.
    long = html.replace(TEXT, f"{TEXT} " * 9)
    assert titles(long, ["More"]) == []
    edited = repeated(lambda name: f"<h2>{name}</h2>{link(name, 'edit')}<p>{TEXT}")
    assert titles(edited, ["edit"]) == []


@pytest.mark.parametrize(
    "html",
    [
        # An article, with links in its text and below it.
        f"<h1>Boats</h1><p>{TEXT} See {link(NAMES[0], 'oars')}.</p>" * 3
        + f"<p>{TEXT}</p>" * 5
        + f"<ul>{repeated(lambda name: f'<li>{link(name)}</li>')}</ul>",
        # Too few, links to the page itself, and the numbers of pages.
        f"<li>{link(NAMES[0])}<li>{link(NAMES[1])}",
        "".join(f"<li><a href='#{n}'>{name}</a>" for n, name in enumerate(NAMES)),
        "".join(f"<li><a href='?page={n}'>{n}</a>" for n in range(2, 9)),
        "".join(f"<li><a href='mailto:{n}@x.org'>Write to {n}</a>" for n in "abcd"),
        "<p>",
    ],
)
def test_no_list(html):
    assert entries(html, page_type="article") == []


def test_what_is_not_kept_is_no_entry():
    menu = "".join(f"<li><a href=/m/{name}>{name} and more of it</a>" for name in SHORT)
    html = f"<ul>{menu}</ul>{repeated(lambda name: f'<h2>{link(name)}</h2><p>{TEXT}')}"
    dropped = [f"{name} and more of it" for name in SHORT]
    assert titles(html, dropped) == named(*NAMES)


@pytest.mark.parametrize("sentences", [1, 5])
def test_names_of_users_are_no_entries_of_a_thread(sentences):
    html = "".join(
        f"<div class=post><h4><a href=/u/{name}>{name}</a></h4>"
        f"<p>{TEXT * sentences}</p></div>"
        for name in SHORT
    )
    assert entries(html, page_type="forum") == []


@pytest.mark.parametrize("sentences", [1, 5])
def test_what_posts_of_a_thread_link_to_is_no_list(sentences):
    """Short ones are those of a board, whose titles are links."""
    html = "".join(
        f"<div class=post><b class=author>{user}</b><h3>{link(name)}</h3>"
        f"<p>{user} said: {TEXT * sentences}</p></div>"
        for user, name in zip(("Ada", "Ben", "Cleo", "Dov"), NAMES, strict=True)
    )
    found = titles(html, page_type="forum")
    assert found == (named(*NAMES) if sentences == 1 else [])


def test_a_list_of_what_the_default_algorithm_keeps():
    html = repeated(
        lambda name: f"<article><h2>{link(name)}</h2><p>{TEXT} {TEXT}</p></article>"
    )
    found = extract(f"<title>Boats</title><main>{html}</main>", url=URL)
    assert [(one.title, one.url) for one in found.entries] == named(*NAMES)
    assert MainText.from_dict(found.detached().as_dict()).entries == found.entries
    assert isinstance(found.entries[0], Entry)


def test_a_spider_follows_them():
    html = f"<ul>{repeated(lambda name: f'<li>{link(name)}</li>')}</ul>"
    response = HtmlResponse(URL, body=f"<main>{html * 2}</main>".encode())
    found = main_text(response).entries
    copies = pickle.loads(pickle.dumps(found))
    assert copies == found
    followed = response.follow_all(copies)
    assert [one.url for one in followed] == [url for _, url in named(*NAMES)]


def test_without_an_address_of_the_page():
    html = f"<ul>{repeated(lambda name: f'<li>{link(name)}</li>')}</ul>"
    assert titles(html, url=None) == []


@pytest.mark.parametrize(
    "unit",
    [
        "<li><a href=/{0}>Boats on the river {0}</a></li>",
        "<div><a href=/{0}>Boats on the river {0}</a>",
        "<a href=/{0}>Boats on the river {0}</a>",
        "<table><tr><td><a href=/{0}><h2>Boats {0}</h2><time>1 May 2024</time></a>",
    ],
)
def test_linear(unit):
    check_linear(
        entries, lambda size: "".join(unit.format(n) for n in range(size)), 400
    )


def test_an_author_is_short():
    def author(name):
        pattern = f"<li><a href=/{{0}}>Boats on the river {{0}}</a><p>by {name}"
        found = entries("<ul>" + "".join(pattern.format(n) for n in range(4)))
        return {entry.author for entry in found}

    assert author("Ann Lee!!! on Monday") == {"Ann Lee"}
    assert author("Ann" + "!" * 10_000) == {""}


def test_all_entries_together_have_each_text_once():
    """Also those that stand in another, or that end where a longer one would."""
    title = "<h2><a href=/{0}>Boats on the river {0}</a></h2>"
    text = f"<p>{TEXT}"
    nested = "".join(f"<div>{title.format(n)}" for n in range(100)) + text * 300
    alone = "<p><a href=/{0}>Boats on the river {0}</a></p>"
    uneven = alone.format("x") + text * 300 + alone.format("y")
    for n in range(100):
        both = alone.format(f"{n}a") + alone.format(f"{n}b")
        uneven += f"{alone.format(n)}<div>{both}</div>"
    for html in (nested, f"<div>{uneven}{text * 300}</div>"):
        found = entries(html, page_type="")
        assert len(found) > 80
        assert sum(one.text.count(TEXT) for one in found) <= html.count(TEXT)
