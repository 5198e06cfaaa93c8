"""Walls in place of a page are named, and are no text."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.page.walls import PASSABLE, WALLS
from tests.support.crawling import ADDON, PLAIN, UrlSpider, crawl

RUN = "<script src=/app.js></script>"
PASSWORD = "<form><input name=user><input type=password name=secret></form>"
SENTENCE = (
    "<p>Boats with oars go up the river in the morning, and come down at night.</p>"
)
WALL_PAGES = [
    ("checking", "<title>Just a moment...</title><p>One moment.</p>"),
    ("checking", "<title>Site</title><h1>Checking your browser before you go on</h1>"),
    ("checking", f"<title>x</title>{RUN}<p>Enable JavaScript and cookies to continue</p>"),
    ("checking", "<title>Human Verification</title><div id=challenge></div>"),
    ("checking", f"<title>x.com</title>{RUN}<p>Please enable JS and disable any ad blocker</p>"),
    ("checking", "<title>Pardon Our Interruption</title><p>Wait, please.</p>"),
    ("checking", "<title>x</title><p>Something made us think you were a bot.</p>"),
    ("checking", "<iframe src='/_Incapsula_Resource?a=1'>Incident 18</iframe>"),
    ("checking", "<title>x.com</title><p></p><script src=https://ct.captcha-delivery.com/c.js></script>"),
    ("captcha", "<title>Making sure you're not a bot!</title><p>Calculating</p>"),
    ("captcha", "<title>Robot check</title><p>Please verify you are a human</p>"),
    ("captcha", "<title>Sorry</title><p>We saw unusual traffic from your network.</p>"),
    ("captcha", "<title>Access denied</title><div class=g-recaptcha><p>Tick</p></div>"),
    ("captcha", "<title>Shop</title><h4>Press &amp; Hold</h4><p>so that we know</p>"),
    ("captcha", "<title>Test</title><p>Bitte zeigen Sie, dass Sie kein Roboter sind.</p>"),
    ("captcha", f"<title>x</title><p class=captcha>Are you a robot?</p>{SENTENCE * 8}"),
    ("captcha", f"<title>News - Are you a robot?</title>{SENTENCE * 8}"),
    ("blocked", "<title>Access Denied</title><h1>Access Denied</h1><p>Reference 18.2</p>"),
    ("blocked", "<title>Site | Sorry, you have been blocked</title><p>Ray 3</p>"),
    ("consent", "<title>Before you continue to Search</title><p>We use cookies.</p>"),
    ("consent", "<title>Shop</title><p>Please accept all cookies to go on.</p>"),
    ("consent", "<title>Laden</title><p>Bitte alle Cookies akzeptieren.</p>"),
    ("consent", f"<title>Before you continue to Search</title>{SENTENCE * 8}"),
    ("consent", f"<title>Shop</title><h2>We value your privacy</h2>{SENTENCE * 8}"),
    ("login", f"<title>Log in | Forum</title><h1>Log in</h1>{PASSWORD}<p>Name</p>"),
    ("login", f"<title>Forum</title><h2>Anmelden</h2>{PASSWORD}<p>Name</p>"),
    ("not_found", "<title>Page not found | Shop</title><p>Go home.</p>"),
    ("not_found", "<title>Shop</title><h1>404</h1><p>Nothing is here.</p>"),
    ("not_found", "<title>Oops! That page can’t be found.</title><p>Search?</p>"),
    ("not_found", "<title>Laden</title><h1>Seite nicht gefunden</h1><p>Schade.</p>"),
    ("shell", f"<title>App</title><div id=root></div>{RUN}"),
    ("shell", f"<title>App</title><p>Loading...</p>{RUN}"),
    ("shell", f"<noscript>You need to enable JavaScript to run this app.</noscript>{RUN}"),
    ("shell", f"<p>This site requires JavaScript.</p>{RUN}"),
]  # fmt: skip
PAGES = [
    # A page about walls is none, and neither is one with a text beside a wall.
    f"<title>How a captcha works</title><h1>How a captcha works</h1>{SENTENCE * 20}",
    f"<title>Login and safety</title><h1>Login</h1>{PASSWORD}{SENTENCE * 8}",
    f"<title>Log in</title>{SENTENCE * 3}",
    f"<title>The boat 404 is here</title>{SENTENCE}",
    f"<title>What was not found in the river</title>{SENTENCE}",
    f"<title>Just a moment of your time</title>{SENTENCE}",
    f"<title>Boats</title>{SENTENCE * 8}<p>We use cookies. Accept all cookies?</p>",
    f"<title>Boats</title>{SENTENCE}{RUN}",
    "<title>Boats</title><p>Loading boats takes time.</p>" + RUN,
    f"<title>Boats</title>{SENTENCE * 8}<noscript>Please enable JavaScript.</noscript>{RUN}",
    "<title>Boats</title><div id=root></div>",
    f"<title>Boats</title>{SENTENCE}<script src=/_Incapsula_Resource></script>",
    f"<title>Boats</title><h1>Human verification of boats</h1>{SENTENCE * 8}",
    f"<title>Boats</title><h1>Boats</h1>{SENTENCE * 8}<h3>Access denied</h3>",
    f"<title>How to accept all cookies</title><h1>How to accept all cookies</h1>{SENTENCE * 8}",
    f"<title>Help: How to solve a captcha</title>{SENTENCE * 8}",
]  # fmt: skip


BESIDE = [
    "<form><p>Please enter the characters you see in the image</p></form>",
    "<form><label>I'm not a robot</label><div class=g-recaptcha></div></form>",
    "<div><h2>We value your privacy</h2><p>We use cookies.</p></div>",
    "<footer><p>DDoS protection by a shield</p></footer>",
    f"<aside><h3>Login</h3>{PASSWORD}</aside>",
]


def outcome(html, algorithm=PLAIN):
    return extract_page(Job(html, "", Choice(algorithms=(algorithm,)), Limits()))


@pytest.mark.parametrize(("wall", "html"), WALL_PAGES)
def test_walls_are_named_and_are_no_text(wall, html):
    found = outcome(html)
    assert found.kind == found.result.origin == wall
    assert found.result.text == ""


@pytest.mark.parametrize("html", PAGES)
def test_pages_with_a_text_are_none(html):
    assert outcome(html).kind not in WALLS


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("times", [3, 5, 8])
def test_what_stands_beside_a_text_says_nothing_of_it(beside, times):
    html = f"<title>Boats</title><h1>Boats</h1>{SENTENCE * times}{beside}"
    found = outcome(html, "density")
    assert found.kind == "extracted"
    assert "Boats with oars" in found.result.text


def test_every_wall_has_its_pages():
    assert {wall for wall, _ in WALL_PAGES} == set(WALLS)
    assert set(WALLS) > PASSABLE


def test_outside_of_a_crawl():
    found = extract("<title>Page not found</title><p>Sorry.</p>", algorithm=PLAIN)
    assert (found.text, found.markdown, found.html, found.origin) == (
        "",
        "",
        "",
        "not_found",
    )


def test_walls_in_a_crawl(server):
    paths = ("/wall/checking", "/wall/login", "/page/boats")
    done = crawl(
        UrlSpider, {**ADDON, "EATEXT_BELOW": "drop"}, urls=tuple(map(server, paths))
    )
    assert done.eatext("response/") == {"checking": 1, "login": 1, "extracted": 1}
    assert done.eatext("item/") == {"dropped": 2, "response": 1}
