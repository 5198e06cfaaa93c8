"""Whatever a page holds, its item arrives in feeds of every format."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_eatext.page.characters import strip_unstorable
from tests.support.crawling import ADDON, UNTIED, UrlSpider, crawl, fed
from tests.support.hostile import HOSTILE
from tests.support.mockserver import text_of

pytestmark = pytest.mark.slow

PARQUET = {"FEED_EXPORTERS": {"parquet": "scrapy_eatext.ParquetItemExporter"}}

# Pieces of hostile pages that some format cannot hold.
SIGNS = "".join(map(chr, [*range(32), *range(0x7F, 0xA0), 0x202E, 0x2066, 0xFFFE]))
PAGES = {
    "signs": f"<title>A {SIGNS} title</title><p>{'Some text of a page. ' * 9}{SIGNS}x",
    "surrogates": f"<title>A \ud800 title</title><p>{'Some text. ' * 9}\udc00x\ud800",
    "references": "<title>&#1;&#xD800;&#xFFFF;</title><p>"
    + "Some text. &#2;&#xFFFE;" * 9,
    **{
        name: HOSTILE[name](2000)
        for name in (
            *("binary", "lone_surrogates", "control_characters", "noncharacters"),
            *("directions", "nothing_but_nul", "entity_bomb", "brackets"),
        )
    },
}


# JSON escapes can say any character, and metadata has them in lists too.
DATA = """<script type="application/ld+json">{"@type": "Article",
"headline": "A \\ud800 title", "author": [{"name": "Ann \\ud800\\u0001 Lee"},
{"name": "Bo\\u0002 Roe"}], "keywords": ["fi\\udfffsh", "pier"]}</script>
<p>Some \x01 text of a page."""


@given(
    st.text(st.sampled_from(SIGNS + "a\xe9\u4e00\ufffd\U0001f600\ud800\udfff\uffff"))
)
@example("".join(map(chr, [*range(0xD800), *range(0xE000, 0xFFFE)])))
@example("a\uffff")
def test_what_no_feed_can_hold_is_taken_out(text):
    for before in ("", "text " * 20):
        kept = [c for c in text if c in "\t\n\r" or " " <= c < "\ud800" or c > "\udfff"]
        kept = [c for c in kept if c not in "\ufffe\uffff"]
        assert strip_unstorable(before + text) == before + "".join(kept)


class GivenSpider(UrlSpider):
    """Yields the items it is given, with no crawl behind them."""

    given: list[dict[str, str]]

    def parse(self, response):
        yield from map(dict, self.given)


def fed_with(server, folder, algorithm, options, fields, items, **more):
    """A crawl that puts items with HTML into feeds of every format."""
    settings = {
        **ADDON,
        **PARQUET,
        "EATEXT_ALGORITHM": algorithm,
        "EATEXT_OPTIONS": {algorithm: options},
        "EATEXT_HTML_FIELD": "html",
        "EATEXT_FIELDS": fields,
        **UNTIED,  # the response behind all items must not fill them
        "FEED_EXPORT_ENCODING": "utf-8",
        "FEEDS": {
            str(folder / f"items.{end}"): {"format": end}
            for end in ("json", "jsonl", "csv", "xml", "parquet")
        },
        **more,
    }
    return crawl(GivenSpider, settings, urls=(server("/page/1"),), given=items)


def rows_of(file):
    return pytest.importorskip("pyarrow.parquet").read_table(file).to_pylist()


def test_every_value_is_fit_for_every_feed(server, tmp_path):
    names = ("title", "authors", "tags", "metadata", "blocks")
    fields = {name: name for name in names}
    # It has lines of the source for blocks, just as they are.
    how = {"algorithm": "density", "options": {"reference": True}, "fields": fields}
    fed_with(server, tmp_path, items=[{"html": DATA}], **how)
    (item,) = json.loads((tmp_path / "items.json").read_text("utf-8"))
    assert item["authors"] == item["metadata"]["authors"] == ["Ann  Lee", "Bo Roe"]
    assert item["tags"] == item["metadata"]["tags"] == ["fish", "pier"]
    assert "Some  text of a page." in [block["text"] for block in item["blocks"]]
    (row,) = rows_of(tmp_path / "items.parquet")
    lists = {name: json.loads(row[name]) for name in ("metadata", "blocks")}
    assert {**row, **lists} == item
    root = ET.parse(tmp_path / "items.xml").getroot()
    assert [a.text for a in root.iterfind("item/authors/value")] == item["authors"]
    for end in ("jsonl", "csv"):
        assert "Ann  Lee" in (tmp_path / f"items.{end}").read_text("utf-8")


def test_a_result_goes_to_feeds_as_it_is(server, tmp_path):
    class ResultSpider(UrlSpider):
        def parse(self, response):
            yield {"main_text": response.meta["main_text"]}
            yield response.meta["main_text"]

    feeds = {str(tmp_path / "items.jsonl"): {"format": "jsonl"}}
    urls = (server("/page/1"),)
    crawl(ResultSpider, {**ADDON, "FEEDS": feeds}, urls=urls)
    within, alone = fed(tmp_path / "items.jsonl")
    assert within == {"main_text": alone}
    assert alone["text"] == text_of(1)
    names = "text algorithm version score page_type language origin template"
    assert list(alone) == names.split()


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        ("justext", {}),
        ("density", {"lines": "source", "threshold": 0, "min_chars": 0}),
        ("density", {"reference": True, "threshold": 0, "min_chars": 0}),
        ("perceptron", {"reference": True, "network": "none", "threshold": 0.0}),
        ("eatiht", {"reference": True}),
    ],
)
def test_every_feed_holds_every_item(server, tmp_path, algorithm, options):
    pages = [{"name": name, "html": html} for name, html in PAGES.items()]
    fields = {"main_text": "text", "title": "title"}
    given = (server, tmp_path, algorithm, options, fields, pages)
    done = fed_with(*given, FEED_EXPORT_FIELDS=["name", "main_text", "title"])
    assert done.eatext("item/") == {"html": len(PAGES)}
    items = fed(tmp_path / "items.jsonl")
    texts = {item["name"]: item["main_text"] for item in items}
    assert sum("ome text" in text for text in texts.values()) >= 3
    with (tmp_path / "items.csv").open(encoding="utf-8", newline="") as file:
        listed = [row["name"] for row in csv.DictReader(file)]
    root = ET.parse(tmp_path / "items.xml").getroot()
    # Its line ends are XML's own.
    words = {i.findtext("name"): i.findtext("main_text").split() for i in root}
    assert words == {name: text.split() for name, text in texts.items()}
    rows = rows_of(tmp_path / "items.parquet")
    assert {row["name"]: row["main_text"] for row in rows} == texts
    assert len(items) == len(root) == len(PAGES)
    assert sorted(listed) == sorted(texts) == sorted(PAGES)
