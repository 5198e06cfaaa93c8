"""The made-up sites are what crawls can be measured on."""

from __future__ import annotations

import http.client
import re
from collections import Counter
from functools import cache
from html import unescape
from random import Random
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from benchmarks.madeup import SITES, MadeUp, Seen, Site
from scrapy_eatext import extract

NAMES = [site.name for site in SITES]
# What a crawl meets beside pages that are wanted: traps, by site.
TRAPS = {
    "newspaper": {"login and search"},
    "blog": {"login and search", "reply"},
    "board": {"login and forms", "sort", "view"},
    "shop": {"cart, login and search", "filter", "sort", "view"},
    "manuals": {"index and search", "old version", "source"},
    "languages": {"other language"},
    "liar": set(),
    "traps": {
        "calendar",
        "load more",
        "login",
        "mobile copy",
        "printed copy",
        "session",
        "soft 404",
        "sort",
    },
}
# Pages that list others.
LISTS = {
    "newspaper": ["/", "/politics/", "/sport/page/2/", "/archive/2026/05/"],
    "blog": ["/", "/?paged=3", "/category/parts/?paged=2", "/2026/01/"],
    "board": ["/viewforum.php?f=1", "/viewforum.php?f=3&start=25"],
    "shop": ["/c/kitchen/", "/c/kitchen/?page=2", "/c/bath/mirror/"],
    "languages": ["/de/beitraege", "/de/beitraege?page=3", "/fr/articles"],
    "liar": ["/", "/stories?page=3", "/topics/town"],
    "traps": ["/", "/topic/home/2/", "/more?offset=20"],
}


@cache
def made(name: str) -> Site:
    return next(site() for site in SITES if site.name == name)


def body_of(site: Site, url: str) -> str:
    return site.answer(url.removeprefix(site.base)).body


def some(site: Site, count: int) -> list[str]:
    return Random(site.name).sample(sorted(site.wanted), count)


def walk(site: Site) -> tuple[dict[str, int], set[str]]:
    """All links that are no traps, followed: pages with their status, traps met."""
    todo, seen, statuses, traps = [site.start], {site.start}, {}, set()
    while todo:
        url = todo.pop()
        answer = site.answer(url.removeprefix(site.base))
        statuses[url] = answer.status
        hrefs = re.findall(r'<a\b[^>]*?\shref="([^"]*)"', answer.body)
        for href in [*hrefs, answer.location]:
            link = urldefrag(urljoin(url, unescape(href)))[0]
            link = re.sub(r"[?&]sid=\w+", "", link)
            if link in seen or not link.startswith(site.base):
                continue
            seen.add(link)
            if trap := site.is_trap(link):
                traps.add(trap)
            else:
                todo.append(link)
    return statuses, traps


@pytest.mark.parametrize("name", NAMES)
class TestSites:
    def test_is_the_same_each_time(self, name):
        kind = type(made(name))
        one, other = kind(), kind("http://127.0.0.1:1")
        assert one.robots_txt({}).status == 200
        assert {url.replace(one.base, other.base) for url in one.wanted} == other.wanted
        for url in some(one, 5):
            page = body_of(one, url)
            assert page == body_of(kind(), url)
            moved = url.replace(one.base, other.base)
            assert page.replace(one.base, other.base) == body_of(other, moved)

    @pytest.mark.slow
    def test_links_lead_to_all_wanted_pages(self, name):
        """They are as many as the site says, and no link is dead."""
        site = made(name)
        statuses, traps = walk(site)
        assert max(statuses.values()) < 400
        pages = {
            site.canonical(url) or url
            for url, status in statuses.items()
            if status == 200
        }
        assert pages >= site.wanted
        assert 0.9 < len(pages) / site.size < 1.3
        assert traps == TRAPS[name]

    def test_a_reader_sees_what_it_is(self, name):
        site = made(name)
        assert all(site.canonical(url) == url for url in site.wanted)
        urls = some(site, 20)
        results = [extract(body_of(site, url), url=url) for url in urls]
        assert [result.metadata.canonical_url for result in results] == urls
        kinds = Counter(result.page_type for result in results)
        assert sum(kinds[kind] for kind in site.kinds) >= 17, kinds
        assert len({result.text for result in results}) == 20
        assert min(len(result.text) for result in results) > 200
        assert min(result.score for result in results) > 0.7
        assert {result.language for result in results} == {site.language or "en"}

    def test_lists_have_entries(self, name):
        site = made(name)
        for path in LISTS.get(name, []):
            result = extract(body_of(site, path), url=site.base + path)
            assert result.page_type in ("listing", "collection"), path
            hosts = {urlsplit(entry.url).hostname for entry in result.entries}
            assert hosts == {site.host}
            assert len(result.entries) >= 9

    def test_what_is_not_there(self, name):
        answer = made(name).answer("/no/such/page")
        # One of the traps is that this has the status of a page.
        assert answer.status == (200 if name == "traps" else 404)


@pytest.mark.parametrize(
    ("name", "pattern", "replacement"),
    [
        ("newspaper", "$", "?utm_source=rss"),
        ("board", "$", "&sid=0123456789abcdef0123456789abcdef"),
        ("shop", "$", "?colour=red"),
        ("manuals", "stable", "1.7"),
        ("traps", "$", "print"),
        ("traps", "$", "?PHPSESSID=12"),
        ("traps", "/article/", "/m/article/"),
        ("traps", "/article/", "/s-12ab/article/"),
        ("blog", "$", "?replytocom=3"),
        ("blog", "/$", ""),
    ],
)
def test_copies(name, pattern, replacement):
    site = made(name)
    url = some(site, 1)[0]
    copy = re.sub(pattern, replacement, url)
    assert copy != url
    assert site.canonical(copy) == url
    if "/article/" in pattern:
        assert site.is_trap(copy)


def test_addresses_of_threads():
    board = made("board")
    thread = f"{board.base}/viewtopic.php?t=7"
    assert board.canonical(f"{board.base}/viewtopic.php?f=1&t=7&start=0") == thread
    assert board.canonical(f"{board.base}/viewtopic.php?p=700#p700") == thread
    assert board.canonical(f"{board.base}/viewtopic.php?p=799") == ""


def test_addresses_that_are_no_pages():
    site, traps = made("newspaper"), made("traps")
    answer = site.answer("/sport?a=b")
    assert (answer.status, answer.location) == (301, f"{site.base}/sport/?a=b")
    assert traps.canonical(f"{some(traps, 1)[0]}tags/life/") == ""
    assert traps.is_trap(f"{traps.base}/calendar/2026/06") == "calendar"


def locations(site: Site, path: str) -> list[str]:
    return re.findall(r"<loc>([^<]+)</loc>", site.answer(path).body)


def test_sitemaps_of_the_newspaper():
    site = made("newspaper")
    maps = locations(site, "/sitemap_index.xml")
    listed = {url for one in maps for url in locations(site, one[len(site.base) :])}
    assert listed >= site.wanted
    assert set(locations(site, "/news-sitemap.xml")) < site.wanted


def test_a_sitemap_that_lies():
    site = made("liar")
    urls = locations(site, "/sitemap.xml")
    answers = Counter(site.answer(url[len(site.base) :]).status for url in urls)
    assert answers.keys() == {200, 301, 302, 404, 410}
    found = {site.canonical(url) for url in urls} & site.wanted
    assert 0.4 < len(found) / len(site.wanted) < 0.6


def test_server():
    with MadeUp() as server:
        sites = server.sites
        assert list(sites) == NAMES
        assert len({urlsplit(site.base).hostname for site in sites.values()}) == 8
        shop = sites["shop"]
        connection = http.client.HTTPConnection(urlsplit(shop.base).netloc)

        def get(target: str, host: str = "", method: str = "GET") -> tuple[int, str]:
            headers = {"Host": host} if host else {}
            connection.request(method, target, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

        status, body = get("/c/kitchen/?page=2")
        assert (status, body) == (200, shop.answer("/c/kitchen/?page=2").body)
        assert get("/c/attic/")[0] == 404
        # By name, as the client's proxy and as the host itself.
        named = server.named["blog"]
        assert get(f"{named.base}/about/") == (200, named.answer("/about/").body)
        assert get("/about/", named.host) == get(f"{named.base}/about/")
        assert get("/", "elsewhere.example")[0] == 502
        assert get("/", method="HEAD") == (200, "")
        connection.close()
        assert server.seen == [
            Seen(f"{shop.base}/c/kitchen/?page=2", 200),
            Seen(f"{shop.base}/c/attic/", 404),
            *[Seen(f"{named.base}/about/", 200)] * 3,
            Seen(f"{shop.base}/", 200, "HEAD"),
        ]
