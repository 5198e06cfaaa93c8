"""The pages that feeds name."""

from __future__ import annotations

import gzip
import json

import pytest

from scrapy_eatext.spiders.syndication import pages_of_feed, read_sitemap

URL = "https://a.org/feed"
RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Boats</title>
<item><title>One</title><link>https://a.org/1</link>
<pubDate>Fri, 01 Mar 2024 10:00:00 GMT</pubDate></item>
<item><title>Two</title><link>/2</link></item><item><title>None</title></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Boats</title><entry>
<title>One</title><link href="https://a.org/1"/><updated>2024-03-01T12:00:00+02:00</updated>
</entry></feed>"""


DATA = [
    {"url": "https://a.org/1", "date_modified": "2024-03-01"},
    {"url": "https://a.org/2", "date_published": 3},
    {"url": 3},
    4,
]


@pytest.mark.parametrize(
    ("feed", "dates"),
    [
        (RSS, ["2024-03-01T10:00:00Z", ""]),
        (ATOM, ["2024-03-01T10:00:00Z"]),
        (json.dumps({"items": DATA}).encode(), ["2024-03-01", ""]),
    ],
)
def test_feeds(feed, dates):
    expected = [(f"https://a.org/{n}", date) for n, date in enumerate(dates, 1)]
    assert list(pages_of_feed(feed, URL)) == expected


@pytest.mark.parametrize(
    "body", [b"{", b"{}", b'{"items": 3}', b" [1]", b"", b"<html><p>x", b"{" * 100_000]
)
def test_what_is_no_feed(body):
    assert list(pages_of_feed(body, URL)) == []


def test_atom_with_other_links_and_a_base():
    links = '<link rel="self" href="/self"/><link rel="alternate" href="one"/>'
    entry = f"<entry>{links}<published>2024-03-01T10:00:00.5Z</published></entry>"
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/x/">{entry}</feed>'
    assert list(pages_of_feed(feed.encode(), URL)) == [
        ("https://a.org/x/one", "2024-03-01T10:00:00Z")
    ]


@pytest.mark.parametrize(
    ("date", "utc"),
    [
        ("Wed, 3 Apr 24 08:00:00 +0200", "2024-04-03T06:00:00Z"),
        ("2024-03-01", "2024-03-01T00:00:00Z"),
        *((date, "") for date in ("soon", "0000-00-00", "9999-12-31T23:59:59-23:00")),
        ("Mon, 01 Jan 99999 00:00:00 GMT", ""),
    ],
)
def test_times_in_feeds(date, utc):
    body = RSS.replace(b"Fri, 01 Mar 2024 10:00:00 GMT", date.encode())
    assert next(pages_of_feed(body, URL)) == ("https://a.org/1", utc)


@pytest.mark.parametrize(
    ("old", "new", "pages"),
    [
        (b"/2<", b"/?a=1&b=2<", ["/1", "/?a=1&b=2"]),
        (b"/2</link>", b"/2</link><title>&nbsp;", ["/1", "/2"]),
        (b"</item></channel></rss>", b"", ["/1", "/2"]),
        (b"<link>/2</link>", b"<guid>https://a.org/2</guid>", ["/1", "/2"]),
        (b"<link>/2</link>", b"<guid>2</guid><link/>", ["/1"]),
        (b"/2", b"<![CDATA[ /2?a&b ]]>", ["/1", "/2?a&b"]),
    ],
)
def test_odd_and_broken_feeds(old, new, pages):
    assert [url for url, _ in pages_of_feed(RSS.replace(old, new), URL)] == [
        f"https://a.org{page}" for page in pages
    ]


def test_half_a_surrogate_pair_in_a_feed():
    # Some versions of lxml drop it, others raise at the text with it.
    found = list(pages_of_feed(RSS.replace(b"/2<", b"/&#xD800;<"), URL))
    assert [url for url, _ in found] in (
        ["https://a.org/1"],
        ["https://a.org/1", "https://a.org/"],
    )


def test_a_feed_opens_no_files(tmp_path):
    file = tmp_path / "feed.xml"
    file.write_bytes(RSS)
    entity = f'<!DOCTYPE rss [<!ENTITY f SYSTEM "{file.as_uri()}">]>'.encode()
    named = entity + b"<rss><item><link>/&f;1</link></item></rss>"
    for body in (str(file).encode(), file.as_uri().encode()):
        assert list(pages_of_feed(body, URL)) == []
    assert list(pages_of_feed(named, URL)) == [("https://a.org/", "")]


MAP = (
    b"<urlset><url><loc>https://a.org/1</loc><lastmod>2024-03-01</lastmod></url><url/>"
    b"<url><loc>https://a.org/2</loc></url></urlset>"
)
NAMED = [("page", "https://a.org/1", "2024-03-01"), ("page", "https://a.org/2", "")]


def test_sitemaps():
    assert list(read_sitemap(MAP)) == NAMED
    assert list(read_sitemap(gzip.compress(MAP))) == NAMED
    assert list(read_sitemap(b"\xef\xbb\xbf" + MAP)) == NAMED
    index = (
        b"<sitemapindex><sitemap><loc>https://a.org/m</loc></sitemap></sitemapindex>"
    )
    assert list(read_sitemap(index)) == [("sitemap", "https://a.org/m", "")]


def test_a_sitemap_of_text():
    text = "https://a.org/b \r\nhttp://a.org/\u00e4\nSitemap: https://a.org/map.xml\n"
    urls = ["https://a.org/b", "http://a.org/\u00e4"]
    assert list(read_sitemap(text.encode("utf-8-sig"))) == [
        ("page", url, "") for url in urls
    ]


def test_a_sitemap_that_is_cut_off():
    assert list(read_sitemap(MAP[:-20])) == NAMED
    assert list(read_sitemap(gzip.compress(MAP + b" " * 99)[:-9])) == NAMED


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"<", b"<\x00<<", b"no <b>sitemap", b"\x1f\x8b\x08 broken"),
        b"<html><p>x",
        gzip.compress(b"<urlset>" + b" " * (51 << 20) + MAP[8:], 1),
    ],
    ids=["empty", "one sign", "no XML", "text", "no gzip", "HTML", "too large"],
)
def test_what_is_no_sitemap(body):
    assert list(read_sitemap(body)) == []
