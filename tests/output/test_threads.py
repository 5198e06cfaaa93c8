"""Threads: posts of boards of all kinds, with author, time and quotes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import extract
from scrapy_eatext.output.code import Content, content
from scrapy_eatext.output.comments import posts_in
from scrapy_eatext.output.html import html as html_of
from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.output.structure import bylines_of, tree_of
from scrapy_eatext.output.threads import Thread
from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.result import Post
from tests.support.kept import PAGES, all_but, bylines, texts_of, whole
from tests.support.properties import check_linear, letters
from tests.support.suites import values_of

URL = "https://boards.example/thread/7"
PEOPLE = [
    ("Ann", "2024-03-01T10:30:00", "Which glue holds oak outdoors for years?"),
    ("bo77", "2024-03-02T08:05:00", "The yellow one did, on my own garden bench."),
    ("Ann", "2024-03-02T21:45:00", "Thanks, then I will try that one in spring."),
]


def saying(blocks, *said):
    """The blocks in which people said something."""
    texts = blocks.texts([*range(len(blocks))])
    return content(blocks, [any(part in text for part in said) for text in texts])


def thread(html, *dropped):
    """The posts of a page of which some texts are not kept."""
    blocks = Page.of(html, URL).blocks
    return list(posts_in(Thread(blocks, content(blocks, all_but(blocks, dropped)))))


def spoken(html, said):
    """The posts of a page where an algorithm keeps what people said alone."""
    blocks = Page.of(html, URL).blocks
    return list(posts_in(Thread(blocks, saying(blocks, *said))))


def tree_of_posts(page, shown):
    return tree_of(page, page.blocks, shown, thread=Thread(page.blocks, shown))


def tree_saying(html, *said):
    """The tree of a thread in which some texts are kept, all if none are given."""
    page = Page.of(html, URL)
    return tree_of_posts(page, saying(page.blocks, *said or ("",)))


# What is around the posts of a board, and a post.
BOARDS = {name: html for name, *html in values_of("tables/boards.txt")}


def board(name, people=PEOPLE):
    around, one = BOARDS[name]
    posts = [
        one.format(
            who=who,
            slug=who.lower(),
            iso=moment,
            day=f"{int(moment[8:10])} March 2024, {moment[11:16]}",
            said=said,
            n=n,
            odd=n % 2,
        )
        for n, (who, moment, said) in enumerate(people, 41)
    ]
    return f"<html><body><h1>Oak</h1>{around.format(''.join(posts))}</body></html>"


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("count", [2, 3])
def test_boards(name, count):
    people = PEOPLE[:count]
    found = spoken(board(name, people), [said for *_, said in people])
    assert found == [Post(said, who, moment) for who, moment, said in people]


def test_replies_inside():
    html = """<ul><li class="comment"><a class="username">ann77</a> says:<p>One of all.</p>
    <ul><li class="comment"><a class="username">bo</a> <span class="age">2 hours ago</span>
    <p>Two of all.</p></li></ul><p>More of one.</p></li>
    <li class="comment"><a class="username">cy</a><p>Three of all.</p></li></ul>"""
    assert thread(html, "ann77 says:", "bo 2 hours ago", "cy") == [
        Post("One of all.\n\nMore of one.", "ann77"),
        Post("Two of all.", "bo", "2 hours ago"),
        Post("Three of all.", "cy"),
    ]


def test_replies_that_are_lists_of_one_item():
    one = (
        """<li><article><a class="username">{}</a><p>{}</p></article><ul>{}</ul></li>"""
    )
    inner = one.format("bo", "Two of all.<ol><li>Sand.<li>Oil.</ol>", "")
    outer = one.format("ann77", "One of all.", inner)
    html = f"<ul>{outer}{one.format('cy', 'Three of all.', '')}</ul>"
    assert thread(html, "ann77", "bo", "cy") == [
        Post("One of all.", "ann77"),
        Post("Two of all.\n\n1. Sand.\n2. Oil.", "bo"),
        Post("Three of all.", "cy"),
    ]


# What stands in a post before the answer to it.
QUOTES = [
    "<blockquote><p>Which glue?</p></blockquote>",
    "<p>Ann wrote:</p><blockquote><p>Which glue?</p></blockquote>",
    '<div class="quotebox"><cite>Ann wrote:</cite><p>Which glue?</p></div>',
    '<div class="bbcode_container"><div class="bbcode_quote">Which glue?</div></div>',
    (
        '<aside class="quote"><div class="title">Ann:</div><blockquote>Which glue?</blockquote>'
        "</aside>"
    ),
    "<blockquote><blockquote>Cy was first.</blockquote>Which glue?</blockquote>",
    "<blockquote class=ipsQuote><div class=ipsQuote_contents>Which glue?</div></blockquote>",
    "<div class=bbcode_quote><div class=quote_container><p class=quote></p>Which glue?</div></div>",
]


@pytest.mark.parametrize("quote", QUOTES)
def test_quotes(quote):
    people = [PEOPLE[0], (*PEOPLE[1][:2], f"{quote}<p>The yellow one.</p>"), PEOPLE[2]]
    html = board("phpBB 3", people)
    said = ["glue", "Ann", "yellow", "Thanks", "Cy was"]
    second = spoken(html, said)[1]
    assert (second.text, second.author) == ("The yellow one.", "bo77")
    assert second.quoted.endswith("Which glue?")
    written = markdown(tree_saying(html, *said))
    assert "> Which glue?" in written
    assert "> > Which glue?" not in written
    assert "\nThe yellow one." in written


def test_what_holds_each_post_is_no_quote():
    post = (
        '<li class="message"><h3><a class="username" href="members/{who}/">{who}</a></h3>'
        "<blockquote class='messageText'>{said}</blockquote></li>"
    )
    html = "".join(
        post.format(who=who, said=f"{said} {said}") for who, _, said in PEOPLE
    )
    found = thread(f"<ol>{html}</ol>", "Ann", "bo77")
    authors = [(post.author, post.quoted) for post in found]
    assert authors == [("Ann", ""), ("bo77", ""), ("Ann", "")]
    written = markdown(tree_saying(f"<ol>{html}</ol>"))
    assert ">" not in written
    assert "1." not in written


def test_what_can_be_selected_and_quoted_is_no_quote():
    said = "<div class='body js-selectToQuote'><p>{}</p></div>"
    people = [(*one, said.format(text)) for *one, text in PEOPLE[:1]] + PEOPLE[1:]
    found = spoken(board("phpBB 3", people), [text for *_, text in PEOPLE])
    assert (found[0].text, found[0].quoted) == (PEOPLE[0][-1], "")


@pytest.mark.parametrize("name", ["phpBB 2", "rows", "bbPress", "XenForo"])
def test_markdown_and_html_write_posts(name):
    tree = tree_saying(board(name), *(text for *_, text in PEOPLE))
    assert markdown(tree) == "\n\n".join(
        f"**{who}**, {moment}\n\n{text}" for who, moment, text in PEOPLE
    )
    assert html_of(tree) == "\n".join(
        f"<p><strong>{who}</strong>, {moment}</p>\n<p>{text}</p>"
        for who, moment, text in PEOPLE
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("XenForo", [PEOPLE[1][-1]]),  # a single post is the text of its page
        ("names alone", []),  # all is kept, the authors too
    ],
)
def test_what_has_no_bylines(name, said):
    assert bylines(tree_saying(board(name), *said)) == []


def test_metadata_of_a_thread():
    """They are the first post's, though the head of the page has the present time."""
    long = [(*post[:2], post[2] * 3) for post in PEOPLE]
    html = board("vBulletin", long).replace("<h1>", "<p>March 9, 2024, 10:00<h1>", 1)
    page = Page.of(html, URL)
    judged = JudgedPage(page, replace(whole(page), page_type="forum"))
    found = judged.output("metadata")
    assert (found.authors, found.published[:10]) == (("Ann",), "2024-03-01")


def test_topics_without_bylines_stay_a_list():
    html = "".join(
        f"<li><dl><dt><a href=/t/{n}>Oak {n}</a> by <a class=author>{who}</a></dt>"
        f"<dd>{n} replies</dd></dl></li>"
        for n, (who, *_) in enumerate(PEOPLE, 2)
    )
    written = markdown(tree_saying(f"<ul>{html}</ul>"))
    assert written.count("- [Oak ") == len(PEOPLE)
    assert "\n\n  2 replies" in written


def test_bylines_that_are_spoken_but_not_shown():
    blocks = Page.of(board("phpBB 3"), URL).blocks
    people = Thread(blocks, saying(blocks, ""))
    texts = saying(blocks, *(said for *_, said in PEOPLE)).units
    assert len(bylines_of(people, texts)) == len(PEOPLE)
    assert not bylines_of(people, people.spoken.units)


def test_notes_of_a_page_without_posts_are_callouts():
    nodes = tree_saying("<div class='alert alert-tip'><p>Tip</p><p>Stay.</p></div>")
    assert markdown(nodes) == "> [!TIP]\n> Stay."


def test_long_posts_without_bylines_are_no_table():
    long = [(*post[:2], post[2] * 3) for post in PEOPLE]
    assert "| **Ann" not in markdown(tree_saying(board("phpBB 2", long)))
    assert "| **Ann" in markdown(tree_saying(board("phpBB 2")))


def test_authors_without_marks_of_direction():
    marked = [(f"\u202a{name}\u202c", *post) for name, *post in PEOPLE]
    marked[1] = ("bo\u2068@77\u2069", *marked[1][1:])
    found = spoken(board("phpBB 3", marked), [said for *_, said in PEOPLE])
    assert [post.author for post in found] == ["Ann", "bo @77", "Ann"]


def test_an_age_is_no_author():
    ages = ("20h", "To: all; Cc: bo", "9:01 PM")
    people = [(age, *post[1:]) for age, post in zip(ages, PEOPLE, strict=True)]
    found = spoken(board("Hacker News", people), [said for *_, said in people])
    assert [post.author for post in found if post.author] == []


@pytest.mark.parametrize(
    "said", ["新的阅览室真的很漂亮，也很安静。", "ห้องอ่านหนังสือใหม่สวยและเงียบจริงๆ"]
)
def test_bylines_of_scripts_without_spaces_are_not_its_text(said):
    html = "".join(
        f"<div class=post><p><b class=username>{who}</b> <i class=date>昨天 14:2{n}</i></p>"
        f"<div><p>{n} {said}</p></div></div>"
        for n, who in enumerate(("小明", "园丁", "陈大文"))
    )
    lines = [f"{n} {said}" for n in range(3)]
    found = spoken(html, lines)
    assert [post.text for post in found] == lines
    assert [post.time for post in found] == ["昨天 14:20", "昨天 14:21", "昨天 14:22"]


@pytest.mark.parametrize("counts", ["Messages {0} Score 1,30{0}", "A {0} replies Last"])
def test_counts_are_no_authors(counts):
    """Though every post has them in the same place, and only some have a link."""
    html = "".join(
        f"<div class=post><{tag} class=username>{who}</{tag}>"
        f"<p class=user-extras>{counts.format(n)}</p><div><p>{said}</p></div></div>"
        for n, (tag, (who, _, said)) in enumerate(zip("abaa", PEOPLE, strict=False))
    )
    found = spoken(html, [said for *_, said in PEOPLE])
    assert [post.author for post in found] == ["Ann", "bo77", "Ann"]


def test_times_are_titles_of_ages():
    html = "".join(
        f"<div class=post><b class=username>{who}</b> <span title='Sep {n}, 2019 16:10:39'>"
        f"posted 6 years ago</span> <span title=Moderator>*</span><p>{said}</p>"
        f"<span title='Sep 16, 2020'>Edited</span></div>"
        for n, (who, _, said) in enumerate(PEOPLE, 1)
    )
    found = spoken(html, [said for *_, said in PEOPLE])
    assert [post.time for post in found] == [
        f"2019-09-0{n}T16:10:39" for n in (1, 2, 3)
    ]


def test_times_in_what_is_named_as_a_time():
    html = "".join(
        f"<div class=post><b class=username>{who}</b><a class=date title='{time[:10]}'>"
        f"<time datetime='{time}Z'>Jan 1</time></a><p>{said}</p></div>"
        for who, time, said in PEOPLE
    )
    found = spoken(html, [said for *_, said in PEOPLE])
    assert [post.time for post in found] == [f"{time}+00:00" for _, time, _ in PEOPLE]


def test_titles_of_members_are_no_authors():
    """As XenForo has them; the name of who opened the thread has no further element."""
    html = "".join(
        f"<div class=post><div><h4><a class=username href=/members/{who}/>{name}</a></h4>"
        f"<h5 class='userTitle message-userTitle'>Member {title}</h5></div><p>{said}</p></div>"
        for title, name, (who, _, said) in zip(
            ("One", "Two", "Three"),
            ("Ann", "<span>bo77</span>", "<span>Ann</span>"),
            PEOPLE,
            strict=True,
        )
    )
    found = spoken(html, [said for *_, said in PEOPLE])
    assert [post.author for post in found] == ["Ann", "bo77", "Ann"]


def test_other_pages_stay_as_they_are():
    page = Page.of(board("phpBB 2"), URL)
    judged = JudgedPage(page, replace(whole(page), page_type="article"))
    assert judged.thread is None
    assert "| Author | Message |" in judged.output("markdown")


def test_lines_about_a_post_are_not_its_text():
    people = [
        (who, moment, (f"<h3>{'Re: ' * n}Oak glue</h3><p>{said}</p><p>Last edited by {who} "
         f"(2024-03-0{n + 3} 10:00)</p>"))
        for n, (who, moment, said) in enumerate(PEOPLE)
    ]  # fmt: skip
    html = board("FluxBB", people)
    found = thread(html, "Registered: 2011-05-06", "Ann", "bo77")
    assert [post.text for post in found] == [said for *_, said in PEOPLE]


def test_subjects_and_bylines_with_weekdays_are_not_its_text():
    """As phpBB has them; the author is named in a profile too, and shown once."""
    one = (
        "<div class=post><dl><dt><a class=username href=/u/{0}>{0}</a></dl><h3>{1}Oak</h3>"
        "<p>Post by <a class=username href=/u/{0}>{0}</a> » Sun Mar 0{2}, 2024 10:02 am</p>"
        "<div>{3}</div></div>"
    )
    html = "".join(
        one.format(who, "Re: " if n == 2 else "", n + 1, said)
        for n, (who, _, said) in enumerate(PEOPLE)
    )
    assert [post.text for post in thread(html)] == [said for *_, said in PEOPLE]
    # An algorithm kept a single subject, and left out the profiles.
    kept = ["Post by", "Re: Oak", *(said for *_, said in PEOPLE)]
    assert [post.text for post in spoken(html, kept)] == [said for *_, said in PEOPLE]
    assert "**" not in markdown(tree_saying(html, *kept))


def test_numbered_bylines_are_not_its_text():
    """As SMF has them, in any language."""
    html = "".join(
        f"<div class=post><h4><a href=/u/{who}>{who}</a></h4>"
        f"<div>« <b>Ответ #{n} :</b> {n} Марта 2024, 10:02:00 »</div><p>{said}</p></div>"
        for n, (who, _, said) in enumerate(PEOPLE, 1)
    )
    assert [post.text for post in thread(html)] == [said for *_, said in PEOPLE]


def test_text_that_an_algorithm_dropped():
    """A post of which nothing is kept stands where the others do."""
    found = spoken(board("XenForo"), [said for *_, said in PEOPLE[:2]])
    assert [post.text for post in found] == [said for *_, said in PEOPLE]


@pytest.mark.parametrize("other", ["{}", "<p>{}</p>", "<p>{}</p><p>More below.</p>"])
@pytest.mark.parametrize(
    "last", ["<p>Good</p>", "<ul><li>Good</li></ul>", "<div><pre>Good</pre></div>"]
)
def test_a_dropped_post_with_other_markup(other, last):
    """It is what stands in the element that is the body of the other posts."""
    said = [other.format(text) for *_, text in PEOPLE[:2]] + [last]
    people = [(*one[:2], text) for one, text in zip(PEOPLE, said, strict=True)]
    html = board("phpBB 3", people)
    found = spoken(html, [text for *_, text in PEOPLE[:2]] + ["More below."])
    assert [post.text.strip("- ") for post in found][2:] == ["Good"]


def test_posts_of_which_some_stand_deeper():
    said = "<p>{1} of all the boats in this harbour.</p>"
    entry = (
        "<div class=entry><p><a class=author href=/u/{0}>{0}</a></p>" + said + "</div>"
    )
    html = (
        f"<div><div class=top><div>{entry.format('ann', 'First')}</div></div></div>"
        f"<div class=thing>{entry.format('bo', 'Second')}<div class=child><div class=list>"
        f"<div class=thing>{entry.format('cy', 'Third')}</div></div></div></div>"
    )
    assert thread(html, "ann", "bo", "cy") == [
        Post(f"{n} of all the boats in this harbour.", who)
        for n, who in (("First", "ann"), ("Second", "bo"), ("Third", "cy"))
    ]


def test_posts_that_all_are_anonymous():
    said = "{0} of all the boats in this harbour."
    post = "<table><td><b>Anonymous</b><br>{0} May 2020<td>" + said + "</table>"
    html = "".join(map(post.format, range(1, 4)))
    assert [post.text for post in thread(html)] == [*map(said.format, range(1, 4))]


def test_a_post_of_a_guest():
    html = board("phpBB 3").replace(
        '<a class="username" href="./memberlist.php?mode=viewprofile&u=42">bo77</a>',
        "<span>bo77</span>",
    )
    found = spoken(html, [said for *_, said in PEOPLE])
    assert [post.text for post in found] == [said for *_, said in PEOPLE]
    assert [post.author for post in found] == ["Ann", "bo77", "Ann"]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>No one said this.</p>",
        "<b>Sorted by:</b> date<p>No one of all said this to us.</p><b>Sorted by:</b> date",
        "<p>a</p><a href='/u/'> </a><a href='/u/1'>1</a>",
    ],
)
def test_no_posts(html):
    assert thread(html) == []


def test_extract():
    more = " I would like to know more of it, as I have no time."
    prose = [(who, day, f"<p>{said}{more}</p>" * 3) for who, day, said in PEOPLE * 4]
    result = extract(board("XenForo", prose), url=URL)
    assert result.page_type == "forum"
    authors = ["Ann", "bo77", "Ann"] * 4
    assert [post.author for post in result.posts] == authors
    result = extract(board("XenForo", prose), url=URL, remove=".message:last-of-type")
    assert [post.author for post in result.posts] == authors[:-1]


def test_readings_stand_in_posts():
    source = board("phpBB 3").replace("glue", "<ruby>glue<rt>gloo</rt></ruby>")
    assert "glue(gloo)" in str(tree_saying(source).spans)


@given(PAGES, st.randoms(use_true_random=False))
def test_any_page(source, chance):
    """Posts have what the page has, each once, and other outputs lose nothing."""
    page = Page.of(source, URL)
    blocks = page.blocks
    shown = content(blocks, [chance.random() < 0.7 for _ in range(len(blocks))])
    found = posts_in(Thread(blocks, shown))
    texts = texts_of(blocks, Content(range(len(blocks)), shown.code))
    everything = letters("".join(texts))
    for post in found:
        assert post.text or post.quoted
        assert max(len(post.author), len(post.time)) <= 60
    said = sum(len(letters(post.text + post.quoted)) for post in found)
    assert said <= 2 * len(everything) + 9 * len(texts)
    tree = tree_of_posts(page, shown)
    plain = tree_of(page, blocks, shown)
    with_posts, without = ({*map(str, made.spans)} for made in (tree, plain))
    of_bylines = {
        str(plain.spans[leaf])
        for leaf in plain.leaves()
        if plain.kinds[leaf] == NodeKind.BYLINE
    }
    assert without - with_posts <= of_bylines


def test_blocks_belong_to_the_innermost_post():
    page = Page.of("<b>x<p>y</p>" * 9 + "<div><p>a<div>b<p>c</div>d</div>e<div></div>")
    thread = Thread(page.blocks, content(page.blocks, all_but(page.blocks)))
    every = range(len(page.blocks.walk.elements))
    for rows in (every, every[::2], every[1::3], []):
        frames = [thread._frame(row, row) for row in rows]
        painted = [-1] * len(page.blocks)
        for row, _, last, _ in frames:
            first = thread._firsts[row]
            painted[first:last] = [row] * (last - first)
        assert thread._inner(frames).tolist() == painted


AUTHOR = "<a class=username href=/u/a{}>A{}</a>"


@pytest.mark.parametrize(
    "piece",
    [
        f"<div class=post>{AUTHOR}<p>x y</p></div>",
        f"<div class=comment>{AUTHOR}<p>x y</p>",
        f"<p>{AUTHOR}</p><p>x</p><blockquote>y",
        f"<li>{AUTHOR}<time>1 May 2024</time><li>x y",
        f"<div class=quote><div class=comment>{AUTHOR}</div><p>x</p></div>",
        f"<table><tr><td>{AUTHOR}<td>1 May 2024<tr><td class=signature>x</table><p>y</p>",
        "<div class=author><b class=date>x</b><p>y</p>",
    ],
)
def test_linear(piece):
    def make(count):
        page = Page.of("".join(piece.format(n, n) for n in range(count)))
        return page, content(page.blocks, [n % 3 > 0 for n in range(len(page.blocks))])

    def work(thing):
        page, shown = thing
        posts_in(Thread(page.blocks, shown))
        tree_of_posts(page, shown)

    check_linear(work, make, 500)
