"""The example project: its crawl, its feeds, and the text of its every page."""

from __future__ import annotations

import csv
import re
import subprocess
from ast import literal_eval
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import pytest

from scrapy_eatext.algorithms import DEFAULT, REGISTRY, get_algorithm
from scrapy_eatext.page import Page
from tests import ROOT, SITE
from tests.support.commands import run_scrapy
from tests.support.crawling import PATIENCE, fed

pytestmark = pytest.mark.slow

PROJECT = ROOT / "example_project"
EXPECTED = PROJECT / "expected"
# The datetime values in Scrapy's dump of its stats are no literals.
NOT_LITERAL = re.compile(r"datetime\.datetime\([^\n]*\)")

PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
# Only the sitemap and a feed lead to these.
UNLINKED = {"carnet/gelee.html", "carnet/index.html", "werkstatt/index.html"}
LINKED = [page for page in PAGES if page not in UNLINKED]


@dataclass(frozen=True)
class Crawl:
    """What a crawl left behind: its log, its stats and its feeds."""

    log: str
    stats: dict[str, object]
    output: Path

    def items(self, name: str) -> list[dict[str, str]]:
        return fed(self.output / f"{name}.jsonl")


def scrapy(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_scrapy(
        folder, *arguments, path=(PROJECT, ROOT), settings="example.settings"
    )


def crawl(folder: Path, *arguments: str) -> Crawl:
    done = scrapy(folder, "crawl", *arguments)
    assert done.returncode == 0, done.stderr
    dump = done.stderr.partition("Dumping Scrapy stats:\n")[2].partition("}\n")[0] + "}"
    stats = literal_eval(NOT_LITERAL.sub("None", dump))
    return Crawl(done.stderr, stats, folder / "output")


def page_of(url: str) -> str:
    return urlsplit(url).path.lstrip("/")


def texts_of(done: Crawl, name: str) -> dict[str, str]:
    """The main texts of a feed, which has one item a page, by their pages."""
    items = done.items(name)
    found = {page_of(item["url"]): item["main_text"] for item in items}
    assert len(items) == len(found)
    return found


def expected_text(page: str) -> str:
    return (EXPECTED / page).with_suffix(".txt").read_text("utf-8")


@pytest.fixture(scope="module")
def site_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    return crawl(tmp_path_factory.mktemp("site"), "site")


@pytest.fixture(scope="module")
def pages_crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """By a spider that follows links, and knows nothing of the package."""
    return crawl(tmp_path_factory.mktemp("pages"), "pages")


@pytest.fixture(scope="module")
def texts(site_crawl: Crawl) -> dict[str, str]:
    return texts_of(site_crawl, "site")


def test_every_page_has_an_expected_text() -> None:
    found = sorted(p.relative_to(EXPECTED).as_posix() for p in EXPECTED.rglob("*.txt"))
    assert found == [name.removesuffix(".html") + ".txt" for name in PAGES]


def test_every_page_makes_one_item(texts: dict[str, str]) -> None:
    assert sorted(texts) == PAGES
    assert len(PAGES) >= 30


def test_the_calendar_is_not_entered(site_crawl: Crawl) -> None:
    assert site_crawl.stats["eatext/site/trap/calendar"]
    assert site_crawl.stats["eatext/site/asked/feed"] == 2
    assert site_crawl.stats["eatext/site/asked/sitemap"] == 1


def test_links_lead_to_most_pages(pages_crawl: Crawl, texts: dict[str, str]) -> None:
    assert texts_of(pages_crawl, "pages") == {page: texts[page] for page in LINKED}


def test_most_text_is_found(texts: dict[str, str]) -> None:
    found = expected = both = 0
    for page in PAGES:
        truth, got = Counter(expected_text(page).split()), Counter(texts[page].split())
        found += got.total()
        expected += truth.total()
        both += (got & truth).total()
    assert 2 * both / (found + expected) > 0.99


def headline(page: str) -> str:
    root = Page.of((SITE / page).read_bytes()).root
    return str(root.xpath("normalize-space((//h1)[1])"))


# Pages of which the default algorithm keeps something more, or less, so far.
NOT_YET = {
    "el/elia.html": "the line below the headline",
    "ru/samovar.html": "the foot of the page",
    "shop/p/cast-iron-kettle.html": "the price above the text",
    "shop/p/linen-apron.html": "the price above the text",
    "shop/p/tea-sampler.html": "the price above the text",
    "wiki/brennan-island.html": "a table of contents",
}


@pytest.mark.skipif(DEFAULT != "eatext", reason="only eatext is made for all kinds")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, marks=pytest.mark.xfail(page in NOT_YET, reason=NOT_YET.get(page, ""))
        )
        for page in PAGES
    ],
)
def test_main_text(page: str, texts: dict[str, str]) -> None:
    # The headline is the page's title as much as text.
    text = texts[page].removeprefix(f"{headline(page)}\n\n")
    assert text + "\n" == expected_text(page)


def test_logs_are_clean(site_crawl: Crawl, pages_crawl: Crawl) -> None:
    for log in (site_crawl.log, pages_crawl.log):
        assert not re.search(r"WARNING|ERROR|CRITICAL|[Dd]eprecat", log)


def test_stats_add_up(pages_crawl: Crawl) -> None:
    stats = pages_crawl.stats
    kinds = {
        key.removeprefix("eatext/response/"): value
        for key, value in stats.items()
        if key.startswith("eatext/response/")
    }
    assert sum(kinds.values()) == stats["eatext/response_count"]
    # All that Scrapy received, but the redirects that it followed by itself.
    assert stats["eatext/response_count"] == stats["response_received_count"]
    assert kinds["extracted"] + kinds.get("empty", 0) == len(LINKED)
    assert stats["eatext/item/response"] == len(LINKED)
    # The robots.txt, the pages that are missing, the image and the JSON document.
    assert kinds["skipped_internal"] == 1
    assert kinds["skipped_status"] == stats["httperror/response_ignored_count"]
    assert kinds["skipped_type"] == 2


def test_crawl_meets_what_the_site_has(pages_crawl: Crawl) -> None:
    stats = pages_crawl.stats
    assert stats["downloader/response_status_count/302"] == 3
    assert stats["downloader/response_status_count/404"] == 2
    assert stats["httpcompression/response_count"] == 1
    assert stats["robotstxt/forbidden"] == 9


def test_feeds_agree(site_crawl: Crawl, pages_crawl: Crawl) -> None:
    for done, name in ((site_crawl, "site"), (pages_crawl, "pages")):
        items = done.items(name)
        with (done.output / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert list(csv.DictReader(file)) == items
        tree = ET.parse(done.output / f"{name}.xml")
        assert [{f.tag: f.text or "" for f in item} for item in tree.getroot()] == items


NAMES = sorted(REGISTRY)


@pytest.mark.parametrize("at", range(0, len(NAMES), 2))
def test_every_algorithm_fills_every_item(tmp_path: Path, at: int) -> None:
    pair = NAMES[at - 1], NAMES[at]
    done = crawl(tmp_path, "compare", "-a", f"algorithms={','.join(pair)}")
    items = done.items("compare")
    # The feed says who wrote it.
    judged = sorted((page_of(i["url"]), i["algorithm"], i["version"]) for i in items)
    versions = [(name, get_algorithm(name).version) for name in pair]
    assert judged == sorted((page, *said) for page in LINKED for said in versions)
    assert all(0 <= float(i["score"]) <= 1 for i in items)
    assert [i["url"] for i in items if not i["main_text"].strip()] == []


def test_raw_gives_the_same_text_and_no_html(
    tmp_path: Path, texts: dict[str, str]
) -> None:
    done = crawl(tmp_path, "raw")
    assert texts_of(done, "raw") == {page: texts[page] for page in LINKED}
    assert not any(item.get("html") for item in done.items("raw"))
    assert done.stats["eatext/item/html"] == len(LINKED)


def test_site_crawls_another_host(tmp_path: Path, served: str) -> None:
    url = served.replace("127.0.0.1", "localhost") + "/werkstatt/bienen.html"
    settings = ["-s", "DOWNLOAD_DELAY=0", "-a", "max_depth=1", "-a", "kinds=article"]
    done = crawl(tmp_path, "site", "-a", f"urls={url}", *settings)
    urls = [urlsplit(item["url"]) for item in done.items("site")]
    found = {url.path for url in urls}
    assert {"/werkstatt/bienen.html", "/werkstatt/dachrinne.html"} <= found
    assert "/werkstatt/index.html" not in found  # it is a list
    assert {url.hostname for url in urls} == {"localhost"}


@pytest.fixture
def served(example_site: str) -> str:
    return example_site.removesuffix("/index.html")


@pytest.mark.parametrize(
    ("page", "media", "encoding", "word"),
    [
        ("ru/samovar.html", "text/html", "cp1251", "самовар"),
        ("ja/shotengai.html", "text/html; charset=Shift_JIS", "shift_jis", "豆腐"),
    ],
)
def test_server_names_some_encodings(
    served: str, page: str, media: str, encoding: str, word: str
) -> None:
    with urlopen(f"{served}/{page}", timeout=PATIENCE) as response:
        assert response.headers["Content-Type"] == media
        assert word in response.read().decode(encoding)


@pytest.mark.parametrize("path", ["/nothing", "/../example/settings.py", "/docs"])
def test_server_has_only_the_site(served: str, path: str) -> None:
    with pytest.raises(HTTPError) as caught:
        urlopen(served + path, timeout=PATIENCE)
    assert caught.value.code == 404
    caught.value.close()
