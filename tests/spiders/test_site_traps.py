"""What a site crawl asks for once, or a few times, or never."""

from __future__ import annotations

import threading
from collections import Counter

import pytest

from tests.support.newssite import ONE_BY_ONE, article, canonical, listing


def test_redirects_are_followed_once(site):
    wanted = site.add_news(4)
    for n in range(4):
        site.add_link(f"/short/{n}")
        site.pages[f"/short/{n}"] = (302, "/news/b1")
    site.pages["/robots.txt"] = f"Sitemap: {site.url}/moved.xml"
    site.pages["/moved.xml"] = (301, "/sitemap.xml")
    site.add_articles("b7")
    site.add_sitemap(["/news/b7"])
    found, paths = site.crawled()
    assert paths == [*wanted, "/news/b7"]
    assert site.asked["/news/b1"] == 1
    assert found.eatext("site/trap/") == {"redirect": 4}


def test_a_page_that_redirects_to_itself_until_a_cookie_comes_back(site):
    wanted = site.add_news(4)

    def page(asked):
        if "seen=1" in asked.headers.get("Cookie", ""):
            return article("b7")
        asked.send_response(302)
        asked.send_header("Set-Cookie", "seen=1")
        return 0, "/news/b7"

    site.pages["/news/b7"] = page
    site.pages["/news/b8"] = (302, "/news/b8?sid=0123456789abcdef")
    site.pages["/news/b8?sid=0123456789abcdef"] = article("b8")
    site.pages["/news/b9"] = (302, "/news/b9")
    for name in ("b7", "b8", "b9"):
        site.add_link(f"/news/{name}")
    assert site.paths() == [*wanted, "/news/b7", "/news/b8"]
    assert site.asked["/news/b9"] == 3


def test_a_base_that_is_no_url(site):
    wanted = site.add_news(4)
    site.pages["/"] = f"<base href='http://[a'>{site.pages['/']}"
    assert site.paths() == wanted


def test_redirects_without_end(site):
    wanted = site.add_news(4)
    for n in range(100):
        site.pages[f"/{n:x}x/y"] = (302, f"/{n + 1:x}x/y")
    site.add_link("/0x/y")
    found, paths = site.crawled()
    assert paths == wanted
    assert found.eatext("site/trap/") == {"redirect": 11}


def test_pages_that_lead_to_others_by_themselves(site):
    wanted = site.add_news(4)
    site.pages["/home"] = site.pages["/"]
    refresh = "<meta http-equiv=refresh content='{}'>"
    site.pages["/"] = refresh.format("0; url=/home")
    site.pages["/news/b1"] = article("b1", refresh.format("60"))
    site.pages["/news/b2"] = article("b2", refresh.format("600; url=/home"))
    found, paths = site.crawled()
    assert paths == wanted
    assert found.eatext("site/trap/") == {"redirect": 1}
    assert "/home" not in site.paths(settings={"METAREFRESH_ENABLED": False})


def test_traps(site):
    wanted = site.add_news()
    more = "<a href=/calendar/2024/0>Calendar</a><a href=/login>Log in</a>"
    for n in range(100):
        following = f"<a href=/calendar/2024/{n + 1}>Next</a>"
        in_session = f"/news/b{n % 12}?sid={n:032x}"
        site.pages[f"/calendar/2024/{n}"] = listing([], following)
        site.pages[f"/tag/t{n}"] = listing([f"b{n % 12}"])
        site.pages[in_session] = site.pages[f"/news/b{n % 12}"]
        more += f"<a href=/tag/t{n}>t{n}</a> <a href={in_session}>b</a> "
    footer = f"<footer>{more}</footer></body>"
    site.pages["/"] = site.pages["/"].replace("</body>", footer)
    found, paths = site.crawled()
    assert paths == sorted(wanted)
    asked = Counter(path.split("/")[1].split("?")[0] for path in site.asked.elements())
    assert asked["tag"] <= 12
    assert (asked["calendar"], asked["login"]) == (0, 0)
    counted = found.eatext("site/trap/")
    assert counted["alike"] == 100 - asked["tag"]
    assert counted["session"] == 100
    assert counted["calendar"] == counted["login"] == 1


def test_a_list_without_end_of_known_pages_under_new_addresses(site):
    wanted = site.add_news(4)
    for n in range(300):
        names = [f"b{m}?from={n}" for m in range(4)]
        more = f"<a rel=next href=/old?page={n + 1}>Next</a>"
        site.pages[f"/old?page={n}"] = listing(names, more)
        site.pages |= {f"/news/b{m}?from={n}": article(f"b{m}") for m in range(4)}
    site.add_link("/old?page=0")
    assert site.paths() == wanted
    assert sum(path.startswith("/old?page") for path in site.asked) < 30


@pytest.mark.parametrize("names_it", [False, True])
def test_a_copy(site, names_it):
    """A page has another's text, or a text of its own and names the other."""
    wanted = site.add_news(4)
    site.add_link("/old/b1")
    link = canonical(f"{site.url}/news/b1")
    site.pages["/old/b1"] = article("b1 and more", link) if names_it else article("b1")
    found, paths = site.crawled()
    assert paths == wanted if names_it else len(paths) == 4
    assert found.eatext("site/trap/") == {"copy": 1}


def test_a_page_stands_for_the_original_that_it_names(site):
    for n in range(30):
        link = canonical(f"{site.url}/topic?t={n}")
        site.pages[f"/topic?f=1&t={n}"] = article(f"b{n}", link)
    links = "".join(
        f"<p><a href='/topic?f=1&amp;t={n}'>The boat b{n} was mended</a>"
        for n in range(30)
    )
    site.pages["/"] = f"<title>Boats</title><h1>Boats</h1>{links}"
    assert len(site.paths()) == 30
    assert not any(path.startswith("/topic?t=") for path in site.asked)


@pytest.mark.parametrize("ending", ["/", ".html", "/index.php"])
@pytest.mark.parametrize("in_map", [True, False])
def test_an_original_that_leads_back(site, ending, in_map):
    """What a site calls its pages' addresses need not be what its server does."""
    wanted = site.add_news(30, 30)
    for path in wanted:
        site.pages[path] = article(path, canonical(f"{site.url}{path}{ending}"))
        site.pages[path + ending] = (301, path)
    if in_map:
        site.add_sitemap(path + ending for path in wanted)
    assert site.paths() == sorted(wanted)


@pytest.mark.parametrize("original", ["/read/of-b{}", "/b{}", "/old/b{}"])
@pytest.mark.parametrize("status", [200, 404, 301])
def test_pages_that_name_new_originals(site, original, status):
    """Originals have a page, none, or lead back; or look like the pages that name them."""
    site.pages["/"] = listing(f"b{n}" for n in range(30)).replace("/news/", "/old/")
    for n in range(30):
        place = original.replace("/old/", "/old/of-").format(n)
        page = article(f"b{n}", canonical(site.url + place))
        site.pages[f"/old/b{n}"] = page
        site.pages[place] = {200: page, 404: (404, ""), 301: (301, f"/old/b{n}")}[
            status
        ]
    assert len(site.paths()) == 30


def test_a_wrong_original_of_all_pages_loses_few_of_them(site):
    wanted = site.add_news(40, 40)
    link = canonical(f"{site.url}/news")
    site.pages |= {f"/news/b{n}": article(f"b{n}", link) for n in range(40)}
    assert len(site.paths()) == 40
    # Those that wait for the answer of the original are asked for once more.
    assert sum(map(site.asked.get, wanted)) <= 43


def test_an_original_with_the_same_text(site):
    wanted = site.add_news(4)
    site.pages["/b1"] = site.pages["/news/b1"]
    site.pages["/news/b1"] = article("b1", canonical(f"{site.url}/b1"))
    assert site.paths() == sorted({*wanted, "/b1"} - {"/news/b1"})
    assert site.asked["/news/b1"] == 1


def test_an_original_that_is_not_to_be_asked_for(site):
    wanted = site.add_news(4)
    site.pages["/news/b1"] = article("b1", canonical(f"{site.url}/x/1"))
    assert site.paths(exclude="/x/") == wanted


def test_a_sitemap_of_which_much_is_dead(site):
    """What lists name is asked for, and of the rest little."""
    wanted = site.add_news(30, 10)
    site.add_sitemap([*(f"/news/x{n}" for n in range(59, 29, -1)), *wanted[::-1]])
    assert site.paths(settings={"CONCURRENT_REQUESTS": 2}) == sorted(wanted)
    assert 10 <= sum(path.startswith("/news/x") for path in site.asked) <= 20


def test_a_sitemap_of_which_little_is_dead(site):
    site.pages["/"] = listing([])
    names = [f"b{n}" for n in range(45)] + [f"c{n}" for n in range(100)]
    site.add_sitemap(f"/news/{name}" for name in names)
    dead = names[:45:4]
    site.add_articles(*(name for name in names if name not in dead))
    assert len(site.paths(kinds="article")) == 133


def test_an_answer_that_does_not_come_holds_nothing_up(site, monkeypatch):
    monkeypatch.setattr("scrapy_eatext.spiders.site._PATIENCE", 0.1)
    site.add_news(4)
    site.add_sitemap(["/news/b7"])
    come = threading.Event()

    def slow(asked):
        return article("b1") if come.wait(20) else article("nobody asked for b7")

    def behind(asked):
        come.set()
        return article("b7")

    site.pages |= {"/news/b1": slow, "/news/b7": behind}
    found, paths = site.crawled()
    assert "/news/b7" in paths
    assert not any("nobody" in item["title"] for item in found.items)


def test_what_pages_call_themselves_in_other_languages(site):
    site.add_news(30, 30)
    german = {}
    for n in range(30):
        german[f"/de/b{n}"] = article(f"c{n}").replace("lang=en", "lang=de")
        other = f"<link rel=alternate hreflang=de href=/de/b{n}>"
        other += f"<link rel=alternate hreflang=en-GB href=/news/b{n}>"
        site.pages[f"/news/b{n}"] = article(f"b{n}", other)
    site.pages |= german
    site.add_sitemap(german)
    found, paths = site.crawled(language="en")
    assert len(paths) == 30
    assert not german.keys() & site.asked.keys()
    assert found.eatext("site/trap/")["language"] > 0


def test_what_fails_now_and_then_says_nothing_of_what_is_alike(site):
    wanted = site.add_news(60, 60)
    site.pages |= dict.fromkeys(wanted[8:26], (429, ""))
    settings = {"RETRY_ENABLED": False, **ONE_BY_ONE}
    assert len(site.paths(settings=settings)) == 42
