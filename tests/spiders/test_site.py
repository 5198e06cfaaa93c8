"""A spider that goes from a site's address to its pages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response, XmlResponse
from scrapy.utils.test import get_crawler

from scrapy_eatext import MainText
from scrapy_eatext.algorithms.base import PAGE_TYPES
from scrapy_eatext.algorithms.modelfile import SHIPPED
from scrapy_eatext.result import Entry, Metadata
from scrapy_eatext.spiders import SiteSpider
from scrapy_eatext.spiders.addresses import shapes
from scrapy_eatext.spiders.state import Visit
from tests.support.commands import run_command, run_scrapy
from tests.support.crawling import fed
from tests.support.newssite import ONE_BY_ONE, article, canonical, listing, urlset
from tests.support.suites import values_of

PUBLISHED = '<meta property="article:published_time" content="2024-03-05">'


def spider_of(urls, settings=None, **arguments):
    """A spider that a crawler has made."""
    return SiteSpider.from_crawler(
        get_crawler(SiteSpider, settings), urls=urls, **arguments
    )


def test_lists_and_their_next_pages(site):
    wanted = site.add_news()
    found, paths = site.crawled()
    assert paths == sorted(wanted)
    assert set(site.asked.values()) == {1}
    item = next(item for item in found.items if item["url"].endswith("/b3"))
    assert item["title"] == "How the boat b3 was mended in the end"
    assert item["text"].startswith("How the boat b3") or "number b3" in item["text"]
    assert (item["language"], item["kind"]) == ("en", "article")
    assert found.eatext("site/yielded/") == {"article/127.0.0.1": 12}


@pytest.mark.parametrize("obey", [True, False])
def test_sitemaps_with_dates(site, obey):
    wanted = site.add_news()
    site.pages["/"] = listing([])
    site.pages["/robots.txt"] = f"User-agent: *\nSitemap: {site.url}/index.xml\n"
    site.pages["/index.xml"] = (
        f'<?xml version="1.0"?><sitemapindex><sitemap><loc>{site.url}/map.xml</loc></sitemap>'
        "</sitemapindex>"
    )
    dates = {f"{site.url}{path}": f"2024-03-{n:02}" for n, path in enumerate(wanted, 1)}
    site.pages["/map.xml"] = urlset(dates)
    paths = site.paths(since="2024-03-10", settings={"ROBOTSTXT_OBEY": obey})
    assert paths == ["/news/b10", "/news/b11", "/news/b9"]
    assert site.asked["/robots.txt"] == 1
    assert not site.asked["/news/b3"]


def test_a_page_that_was_changed_later_than_it_was_published(site):
    site.pages["/news/b2"] = article("b2", PUBLISHED)
    site.add_sitemap(["/news/b2"], "2024-05-01")
    assert site.paths(until="2024-03-05") == ["/news/b2"]


@pytest.mark.parametrize("path", ["/feed", "/news.rss"])
def test_feeds(site, path):
    wanted = site.add_news()[:5]
    head = f"<link rel=alternate type=application/rss+xml href={path}>"
    site.pages["/"] = listing([], head=head)
    items = "".join(f"<item><link>{site.url}{path}</link></item>" for path in wanted)
    site.pages[path] = (
        f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'
    )
    assert site.paths(kinds="article") == wanted


def add_json_feed(site, names, *items):
    """A front page that lists some articles and names a feed with items."""
    head = "<link rel=alternate type=application/feed+json href=/news/feed.json>"
    site.pages["/"] = listing(names, head=head)
    site.pages["/news/feed.json"] = json.dumps({"items": items})


def test_relative_addresses_in_sitemaps_and_feeds(site):
    wanted = site.add_news(3)
    site.pages["/robots.txt"] = "Sitemap: /news/index.xml"
    index = urlset({"map.xml": ""}).replace("urlset", "sitemapindex")
    site.pages["/news/index.xml"] = re.sub(r"\burl\b", "sitemap", index)
    site.pages["/news/map.xml"] = urlset({"b0": "", "/news/b1": ""})
    add_json_feed(site, [], {"url": "b2"})
    assert site.paths(kinds="article") == wanted


def test_addresses_that_are_none(site):
    wanted = site.add_news(4)
    site.pages["/robots.txt"] = f"Sitemap: http://[a/\nSitemap: {site.url}/map.xml\n"
    site.pages["/news/b7"] = article("b7", canonical("http://[a/"))
    dates = {"http://[a/": "", "http://a:99999/": "", f"{site.url}/news/b7": "9" * 5000}
    site.pages["/map.xml"] = urlset(dates)
    site.add_articles("b8")
    add_json_feed(
        site,
        ["b0", "b1", "b2", "b3"],
        {"url": f"{site.url}/\ud800"},
        {"url": f"{site.url}/news/b8", "date_modified": "\ud800"},
    )
    site.add_link("/moved")
    site.pages["/moved"] = (302, "http://[a/")
    assert site.paths() == [*wanted, "/news/b7", "/news/b8"]


def test_a_site_without_an_answer(site, caplog):
    assert site.paths() == []
    assert site.asked["/sitemap.xml"] == 1
    assert "127.0.0.1" in caplog.text
    assert "has no page: HTTP status 404" in caplog.text


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ((301, "http://a.invalid/"), "it redirects to another site: http://a.invalid/"),
        ((302, "/login"), "it redirects to http://127.0.0.1"),
        ('<?xml version="1.0"?><a/>', "it is not HTML"),
    ],
)
def test_a_start_without_a_page(site, caplog, page, reason):
    site.pages["/"] = page
    found, paths = site.crawled()
    assert paths == []
    assert f"{site.url}/ has no page: {reason}" in caplog.text
    assert found.eatext("site/failed/") == {"start": 1}


def test_what_is_wanted(site):
    site.add_news()
    site.pages["/news/b1"] = site.pages["/news/b1"].replace("lang=en", "lang=de")
    site.pages["/news/b2"] = article("b2", PUBLISHED)
    assert site.paths(include="b[34]$") == ["/news/b3", "/news/b4"]
    site.asked.clear()
    assert "/news/b5" not in site.paths(exclude="b5")
    assert not site.asked["/news/b5"]
    assert site.paths(since="2024-03-01", until="2024-03-05") == ["/news/b2"]
    assert site.paths(kinds="product, forum") == []


def test_languages():
    spider = SiteSpider(urls="www.a.org", language="de")
    codes = ("de", "DE-AT", "", "den", "d", "en")
    assert [spider._is_language(code) for code in codes] == [1, 1, 1, 0, 0, 0]
    assert SiteSpider(urls="www.a.org")._is_language("en")
    british = SiteSpider(urls="www.a.org", language="en-GB")
    assert [british._is_language(code) for code in ("en-US", "en-GB")] == [0, 1]


def is_wanted(spider, url, kind, entries=()):
    """Whether a spider wants a page of a kind."""
    outputs = {"entries": entries, "metadata": Metadata()}
    result = MainText("Boats", score=0.9, page_type=kind).backed(outputs)
    response = HtmlResponse(url, request=Request(url, meta={"site_visit": (url,)}))
    return spider.wants(response, result)


def test_lists_are_wanted_where_their_kind_is_named():
    url = "https://a.org/"
    entries = (Entry("Boats", "https://a.org/1"),)
    wanted = [
        is_wanted(SiteSpider(urls=url, kinds=kinds), url, "listing", entries)
        for kinds in ("listing", "article", "")
    ]
    assert wanted == [True, False, False]


def test_a_page_that_looks_like_another_kind_than_those_around_it():
    spider = SiteSpider(urls="https://a.org/", kinds="article")
    assert not is_wanted(spider, "https://a.org/news/1", "service")
    for n in range(9):
        list(spider._yields.count(shapes(f"https://a.org/news/{n}"), is_worth=n > 1))
    assert is_wanted(spider, "https://a.org/news/9", "service")
    assert not is_wanted(spider, "https://a.org/about", "service")
    assert not is_wanted(spider, "https://a.org/news/9", "listing")


def test_a_file_that_is_sent_as_a_page(site):
    wanted = site.add_news(4)
    site.pages["/news/b2"] = "%PDF-1.4\n" + article("b2")
    found, paths = site.crawled()
    assert paths == sorted({*wanted} - {"/news/b2"})
    assert found.eatext("response/")["skipped_type"] == 1


def test_sitemaps_on_another_host(site):
    site.add_articles("b7")
    other = site.url.replace("127.0.0.1", "localhost")
    site.pages["/robots.txt"] = f"Sitemap: {other}/sitemap.xml"
    site.add_sitemap(["/news/b7"])
    site.pages["/"] = listing([])
    assert "/news/b7" in site.paths()


def test_sitemaps_of_the_host_that_the_start_leads_to():
    spider = spider_of("https://a.org")
    url = "https://www.a.org/boats.xml"
    for host, expected in (
        ("www.a.org", Visit(url, "sitemap", 0, 120)),
        ("b.org", None),
    ):
        request = Request(f"https://{host}/robots.txt")
        body = f"Sitemap: {url}".encode()
        spider.received(Response(request.url, body=body), request)
        assert spider.known.take() == expected
    spider.known.close()


def test_frames(site):
    wanted = site.add_news(4)
    site.pages["/main"] = site.pages["/"]
    site.pages["/"] = "<frameset><frame src=/menu><frame src=/main></frameset>"
    assert site.paths() == wanted


def test_long_lists_give_the_event_loop_its_turn():
    """Between portions of the addresses of a sitemap, or of a page's links."""
    spider = spider_of("https://a.org")
    body = urlset({f"https://a.org/{n:x}/": "" for n in range(5000)}).encode()
    visit = Visit("https://a.org/map.xml", "sitemap")
    steps = spider.parse_sitemap(XmlResponse(visit.url, body=body), visit)
    assert [spider.known.waiting() for _ in steps] == [*range(200, 5001, 200)]
    links = "".join(f"<a href=/{n:x}>{n}</a>" for n in range(1000))
    response = HtmlResponse("https://a.org/", body=links.encode())
    visit = Visit(response.url, priority=120)
    outputs = {"entries": (), "next_page": "", "metadata": Metadata()}
    result = MainText("").backed(outputs)
    steps = spider._follow(response, result, visit, is_list=True)
    assert [spider.known.waiting() for _ in steps] == [*range(5200, 6001, 200)]
    spider.known.close()


def test_a_long_queue_gives_the_event_loop_its_turn():
    """Where nearly all of it has to wait for the first answers."""
    spider = spider_of("https://a.org", {"CONCURRENT_REQUESTS": 100})
    spider._add(Visit(f"https://a.org/a/x{n:x}", priority=20) for n in range(1000))
    requests = list(spider._requests())
    assert len(requests) - requests.count(None) == 16
    assert requests.count(None) == 4
    assert spider.known.release() == 984
    spider.known.close()


@pytest.mark.parametrize(("own", "project"), [(8, 2), (2, 8), (0, 2)])
def test_the_smaller_number_of_pages_holds(site, own, project):
    site.add_news()
    settings = {"CLOSESPIDER_ITEMCOUNT": project, **ONE_BY_ONE}
    assert len(site.paths(max_pages=own, settings=settings)) == 2


def test_links_of_articles_are_followed_to_the_depth(site):
    wanted = ["/news/b0"]
    site.pages["/"] = listing(["b0"])
    for n in range(3):
        link = f"<p><a href=/read/b{n + 1}>The boat b{n + 1} was mended too</a></p>"
        path = f"/read/b{n}" if n else wanted[0]
        site.pages[path] = article(f"b{n}").replace("</article>", f"</article>{link}")
    assert site.paths() == sorted([*wanted, "/read/b1"])
    assert site.paths(max_depth=3) == sorted([*wanted, "/read/b1", "/read/b2"])


def test_the_project_s_limit_of_depth_loses_no_page(site):
    wanted = site.add_news()
    assert site.paths(settings={"DEPTH_LIMIT": 1}) == sorted(wanted)


@pytest.mark.parametrize(
    ("arguments", "message"), values_of("tables/wrong_site_arguments.txt")
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        SiteSpider(**{"urls": "a.org", **arguments})


def test_arguments_of_subclasses_and_of_servers():
    class Regional(SiteSpider):
        region = ""

    spider = Regional(urls="a.org", region="north", _job="1")
    assert spider.region == "north"


def test_a_wrong_argument_ends_the_crawl_in_a_line_of_the_log(site, tmp_path):
    code = "from scrapy_eatext import spiders\nclass Site(spiders.SiteSpider): pass"
    (tmp_path / "boats.py").write_text(code, "utf-8")
    arguments = ["-a", f"urls={site.url}", "-a", "kind=article"]
    done = run_scrapy(tmp_path, "runspider", "boats.py", *arguments)
    assert "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert "argument is 'kind', it must be one of urls, kinds, since, until" in last
    assert not site.asked


def test_all_kinds_of_the_model_may_be_named():
    about = json.loads((SHIPPED / "eatext.json").read_text("utf-8"))
    assert sorted(about["kinds"]) == [*PAGE_TYPES]


def test_addresses_to_begin_at():
    spider = SiteSpider(urls=["b\u00fccher.example", "a.org/?u=http://b.org/"])
    assert spider.urls == [
        "https://xn--bcher-kva.example/",
        "https://a.org/?u=http%3A%2F%2Fb.org%2F",
    ]
    assert spider.allowed_domains == ["a.org", "xn--bcher-kva.example"]


def test_hosts_are_counted_by_the_domains_that_were_given():
    spider = SiteSpider(urls="www.a.org,b.org")
    urls = ("https://x.a.org/", "http://a.org:80/", "https://b.org", "https://ba.org/")
    assert [spider._domain(url) for url in urls] == ["a.org", "a.org", "b.org", ""]


def test_why_pages_are_not_yielded(site):
    def counted(**arguments):
        found, paths = site.crawled(**arguments)
        assert not paths
        return found.eatext("site/unwanted/"), found.eatext("site/failed/")

    site.add_news(4)
    # Articles link to /about.
    none = {"404": 1}
    assert counted(kinds="product", since="2024-03-01") == ({"kind": 5}, none)
    assert counted(since="2024-03-01") == ({"date": 4, "kind": 1}, none)
    assert counted(include="boats") == ({"url": 4, "kind": 1}, none)
    assert counted(language="de")[0] == {"language": 4, "kind": 1}
    del site.pages["/news/b1"]
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /*0\nDisallow: /*2"
    assert counted(min_score=1) == ({"score": 2}, {"404": 2, "forbidden": 2})


# -- the command


@pytest.mark.slow
def test_the_command(site, tmp_path):
    leader, follower = pytest.importorskip("pty").openpty()
    wanted = site.add_news(4)
    feed = tmp_path / "feed.jsonl"
    command = [sys.executable, "-m", "scrapy", "eatext", "site", site.url, "--markdown"]
    done = subprocess.run(
        [*command, "-O", str(feed)],
        stdout=subprocess.PIPE,
        stderr=follower,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    os.close(follower)
    shown = os.read(leader, 4096).decode()
    os.close(leader)
    # A line that shows how far the crawl is, and nothing else.
    assert re.fullmatch(r"(\r\x1b\[K(\d+ responses, [^\r\n]*)?)+", shown)
    assert shown.endswith("\x1b[K")
    items = fed(feed)
    assert sorted(item["url"].removeprefix(site.url) for item in items) == wanted
    assert all(item["markdown"] and "text" not in item for item in items)
    assert re.search(r"yielded\s+article\s+127.0.0.1\s+4", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--since", "x"], "since is 'x', it must be the first day .*"),
        ([], "the pages need a feed: -O FILE"),
        (["-o", "a.json", "--state", "a.db"], "a.json has items .* JSON Lines .*"),
    ],
)
def test_what_the_command_refuses(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text("[]")
    assert run_command("site", "a.org", *arguments) == 2
    assert re.fullmatch(f"scrapy eatext: {said}\n", capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.parametrize("state", [[], ["--state", "site.db"]])
def test_a_crawl_without_an_item_fails_if_it_has_no_state(site, tmp_path, state):
    site.pages["/"] = listing([])
    arguments = [site.url, "-O", "a.jsonl", *state]
    done = run_scrapy(tmp_path, "eatext", "site", *arguments)
    reason = "scrapy eatext: no page is in the feed: the start pages lead to no others"
    assert done.returncode == (not state)
    assert (reason in done.stderr) == (not state)


@pytest.mark.slow
def test_the_project_s_feeds(site, tmp_path):
    """They are written, also where an address to begin at gives no page.

    The table does not come between the items.
    """
    feeds = json.dumps({uri: {"format": "jsonlines"} for uri in ("a.jsonl", "stdout:")})
    site.add_news(4)
    urls = [site.url, f"{site.url}/none"]
    done = run_scrapy(tmp_path, "eatext", "site", *urls, "-s", f"FEEDS={feeds}")
    assert done.returncode == 1
    assert re.search(r"failed\s+start\s+1", done.stderr)
    assert done.stdout == (tmp_path / "a.jsonl").read_text("utf-8")
    assert len(fed(tmp_path / "a.jsonl")) == 4


@pytest.mark.slow
def test_a_state_that_cannot_be_used(tmp_path):
    """The command says so, in a line."""
    done = run_scrapy(
        tmp_path,
        *("eatext", "site", "http://127.0.0.1:1", "-O", "a.jsonl"),
        *("--state", str(tmp_path / "none" / "x.db")),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"scrapy eatext: state is .*unable to open.*\n", done.stderr)
