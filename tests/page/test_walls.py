"""Walls in place of a page are named, and are no text."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.page.walls import PASSABLE, WALLS
from tests.support.crawling import ADDON, PLAIN, UrlSpider, crawl
from tests.support.suites import table_of

PASSWORD = "<form><input name=user><input type=password name=secret></form>"
SENTENCE = (
    "<p>Boats with oars go up the river in the morning, and come down at night.</p>"
)
PARTS = {
    "script": "<script src=/app.js></script>",
    "password": PASSWORD,
    "one": SENTENCE,
    "three": SENTENCE * 3,
    "eight": SENTENCE * 8,
    "twenty": SENTENCE * 20,
}
PAGES = [(wall, html.format(**PARTS)) for wall, html in table_of("tables/walls.txt")]
# Signs before a word are no wall.
PAGES += [("", f"{PARTS['script']}<p>{'.' * 30_000}boats")]
BESIDE = [
    "<form><p>Please enter the characters you see in the image</p></form>",
    "<form><label>I'm not a robot</label><div class=g-recaptcha></div></form>",
    "<div><h2>We value your privacy</h2><p>We use cookies.</p></div>",
    "<footer><p>DDoS protection by a shield</p></footer>",
    f"<aside><h3>Login</h3>{PASSWORD}</aside>",
]


def outcome(html, algorithm=PLAIN):
    return extract_page(Job(html, "", Choice(algorithms=(algorithm,)), Limits()))


@pytest.mark.parametrize(("wall", "html"), PAGES)
def test_walls_are_named_and_are_no_text(wall, html):
    found = outcome(html)
    if wall:
        assert found.kind == found.result.origin == wall
        assert found.result.text == ""
    else:
        assert found.kind not in WALLS


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("times", [3, 5, 8])
def test_a_page_with_a_text_is_no_wall(beside, times):
    html = f"<title>Boats</title><h1>Boats</h1>{SENTENCE * times}{beside}"
    found = outcome(html, "density")
    assert found.kind == "extracted"
    assert "Boats with oars" in found.result.text
    # Even if its address is one to log in.
    html = f"{PASSWORD}{SENTENCE * 8}"
    login = extract(html, url="https://example.com/login", algorithm="density")
    assert login.origin == "page"
    assert "Boats with oars" in login.text


def test_every_wall_has_its_pages():
    assert {wall for wall, _ in PAGES} == {*WALLS, ""}
    assert set(WALLS) > PASSABLE


@pytest.mark.parametrize(
    ("path", "form", "wall"),
    [
        ("/members/login", PASSWORD, "login"),
        ("/user/sign_in?next=/", PASSWORD, "login"),
        ("/Register.aspx", PASSWORD, "login"),
        ("/wp-login.php#form", PASSWORD, "login"),
        # No password is asked for, or the address is of something else.
        ("/register", "<form><input name=team></form>", "page"),
        ("/signals", PASSWORD, "page"),
        ("/boats?from=/login", PASSWORD, "page"),
    ],
)
@pytest.mark.parametrize("menu", [0, 100])
def test_the_address_of_a_page_to_log_in(path, form, wall, menu):
    url = f"https://example.com{path}"
    html = f"<title>Kajut</title>{'<nav>Tau</nav>' * menu}{form}<p>Passord mangler."
    assert extract(html, url=url, algorithm="density").origin == wall


def test_walls_have_a_text_only_if_asked():
    html = "<title>Page not found</title><p>There is no such boat in this harbour."
    found = extract(html, algorithm=PLAIN)
    assert found.text == found.markdown == found.html == ""
    assert found.origin == "not_found"
    found = extract(html, algorithm=PLAIN, keep_walls=True, title=True)
    assert found.text == "Page not found\n\nThere is no such boat in this harbour."
    assert found.markdown.startswith("# Page not found")
    assert found.origin == "not_found"


@pytest.mark.parametrize("executor", ["inline", "process"])
@pytest.mark.parametrize("is_kept", [True, False])
def test_walls_in_a_crawl(server, executor, is_kept):
    paths = ("/wall/checking", "/wall/login", "/page/boats")
    more = {"EATEXT_KEEP_WALLS": "1"} if is_kept else {"EATEXT_BELOW": "drop"}
    settings = {**ADDON, **more, "EATEXT_EXECUTOR": executor}
    done = crawl(UrlSpider, settings, urls=tuple(map(server, paths)))
    assert done.eatext("response/") == {"checking": 1, "login": 1, "extracted": 1}
    kinds = {"response": 3} if is_kept else {"dropped": 2, "response": 1}
    assert done.eatext("item/") == kinds
    assert all(item["main_text"] for item in done.items)
