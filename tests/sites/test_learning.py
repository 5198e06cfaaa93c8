"""What a site teaches: places, evidence, files, and when a file is made."""

from __future__ import annotations

import json
import random
import time

import pytest
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from scrapy_eatext import extract
from scrapy_eatext.algorithms import get_algorithm
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.execution.choice import SettingError
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.sites import studied, study
from scrapy_eatext.page import Page
from scrapy_eatext.sites.evidence import (
    Lesson,
    Lessons,
    Place,
    Site,
    bare_host,
    place_of,
    places,
)
from scrapy_eatext.sites.files import SiteFile, SiteFileError, load_lessons
from scrapy_eatext.sites.learning import Studied, learn, site_of
from tests import ROOT
from tests.support.crawling import ADDON, complaints, crawl
from tests.support.items import TypeSpider, url_of
from tests.support.pages import page_from
from tests.support.passages import PROSE
from tests.support.reviewing import odd

ALMANAC = ROOT / "example_project" / "almanac"
SENTENCE = PROSE["en"]


@pytest.fixture
def odd_site(tmp_path):
    """A folder with the site file of the odd pages."""
    made = learn("odd.example", [labelled(odd(1)), labelled(odd(2))])
    (tmp_path / made.name).write_text(made.as_json(), "utf-8")
    return tmp_path


def labelled(page):
    texts = page.blocks.texts()
    signs = "".join("m" if text.startswith("Day") else "-" for text in texts)
    return studied(page, signs)


def test_places_have_the_same_hash_in_words_and_in_tables():
    for seed in range(40):
        data = random.Random(seed).randbytes(400)
        blocks = Page.of(page_from(data)).blocks
        if not len(blocks):
            continue
        likelihood = get_algorithm("eatext").model.tagger.likelihoods(blocks.walk)[0]
        page = Studied(blocks, "-" * len(blocks), likelihood)
        found = places(blocks.walk).tolist()
        assert found == [place_of(path.split("/")) for path in page.paths]


def test_numbers_in_names_and_names_of_the_body_are_no_difference():
    one, other = (labelled(odd(number)) for number in (1, 22))
    assert one.path_set == other.path_set
    assert "html/body/nav.menu.sidebar/ul/li.note/a" in one.path_set


def test_evidence_is_the_ratio_of_words():
    assert Place(0, 0, 0, 1).evidence == 0
    assert Place(950, 0, 0, 1).evidence == 300
    assert Place(0, 450, 500, 1).evidence == -300


@pytest.mark.parametrize(
    ("url", "helped"),
    [
        ("https://odd.example/9", True),
        ("https://www.odd.example/9", True),
        ("https://notodd.example/9", False),
        (None, False),
    ],
)
def test_an_odd_template_is_mended_by_two_labels(odd_site, url, helped):
    made = SiteFile.read(odd_site / "odd.example.json")
    assert made.before < 0.3
    assert made.after > 0.95
    options = {"site_files": str(odd_site)}
    result = extract(odd(9).html, url=url, options=options, blocks=True)
    assert ("Day 9, note 3" in result.text) == helped
    assert (SENTENCE in result.text) != helped
    said = [block.reason for block in result.blocks if block.kept]
    assert any("the site's own pages" in reason for reason in said) == helped


def test_a_site_that_is_right_already_gets_no_file():
    def right(number):
        text = "".join(f"<p>{SENTENCE} {number} {i}</p>" for i in range(5))
        return Page.of(
            f"<main><article>{text}</article></main><nav><a href=/>Home</a></nav>"
        )

    pages = []
    for number in range(3):
        page = right(number)
        pages.append(studied(page, "m" * (len(page.blocks) - 1) + "-"))
    found = learn("right.example", pages)
    assert found.before > 0.98
    assert not found.helps
    assert "does not help enough" in found.summary


def test_labels_that_contradict_each_other_make_no_file():
    pages = [labelled(odd(1)), labelled(odd(2)), labelled(odd(3)), labelled(odd(4))]
    for page in pages[:2]:
        page.labels = "".join("-" if sign == "m" else "m" for sign in page.labels)
    assert not learn("odd.example", pages).helps


def test_templates_of_a_site_are_kept_apart():
    other = Page.of(
        "<main><div class=x><section><p>One.</p><p>Two.</p></section></div></main>"
    )
    site = site_of([labelled(odd(1)), labelled(odd(2)), studied(other, "--")])
    assert sorted(template.pages for template in site.templates) == [1, 2]
    lesson = Lesson(site)
    unlike = Page.of("<table><tr><td>Day 1, note 1: boats came in.</table>")
    assert lesson.evidence(unlike.blocks.walk)[0].tolist() == [0]


def test_the_same_pages_make_the_same_file_in_any_order():
    files = set()
    for seed in range(4):
        numbers = list(range(1, 8))
        random.Random(seed).shuffle(numbers)
        pages = [labelled(odd(number)) for number in numbers]
        files.add(learn("odd.example", pages).as_json())
    assert len(files) == 1


def test_learning_from_20_pages_takes_under_two_seconds():
    pages = [labelled(odd(number)) for number in range(20)]
    started = time.process_time()
    learn("odd.example", pages)
    assert time.process_time() - started < 2


def test_a_file_comes_back_as_it_was(tmp_path):
    made = learn("odd.example", [labelled(odd(1)), labelled(odd(2))])
    assert made.helps
    path = tmp_path / made.name
    path.write_text(made.as_json(), "utf-8")
    again = SiteFile.read(path)
    assert again.site == made.site
    assert again.as_json() == made.as_json()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "is not JSON"),
        ("[]", "is not a site file"),
        ('{"format": "scrapy-eatext site", "version": 2}', "has version 2"),
        ('{"format": "scrapy-eatext site", "version": 1}', "is damaged"),
        ({"dropped": ["x y"]}, "does not begin with a hash"),
        ({"templates": [{"pages": 1, "places": {"html": [1, 2]}}]}, "is damaged"),
        (
            {"templates": [{"pages": 1, "places": {"html": [1, 2, -3, 1]}}]},
            "not a count",
        ),
        ({"host": "other.example"}, "is for the host"),
        ({"before": 10**400}, "is damaged"),
        ({"templates": [{"pages": 1, "places": {"\ud800": [1] * 4}}]}, "is damaged"),
    ],
)
def test_a_damaged_file_ends_the_crawl_at_its_start(odd_site, content, why):
    file = odd_site / "odd.example.json"
    if isinstance(content, dict):
        content = json.dumps({**json.loads(file.read_text("utf-8")), **content})
    file.write_text(str(content), "utf-8")
    with pytest.raises(SiteFileError, match=why):
        load_lessons(odd_site)
    settings = Settings({"EATEXT_SITE_FILES": str(odd_site)})
    with pytest.raises(SettingError, match=r"EATEXT_SITE_FILES.*odd\.example\.json"):
        Config.from_settings(settings)


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    settings = Settings({"EATEXT_SITE_FILES": str(tmp_path / "none")})
    with pytest.raises(SettingError, match="none is not a folder"):
        Config.from_settings(settings)


def test_sites_keep_the_site_files_beside_options_of_their_own(tmp_path):
    settings = Settings(
        {
            "EATEXT_SITE_FILES": str(tmp_path),
            "EATEXT_OPTIONS": {"eatext": {"favor": "recall"}},
            "EATEXT_SITES": {"example.com": {"options": {"comments": True}}},
        }
    )
    choice = Config.from_settings(settings).choice_for("https://example.com/")
    assert choice is not None
    assert choice.options["eatext"] == {
        "favor": "recall",
        "comments": True,
        "site_files": str(tmp_path),
    }


class FromMemory:
    """Answers for the network."""

    def process_request(self, request):
        number = int(request.url.rpartition("/")[2])
        html = odd(number).html
        if "/new/" in request.url:
            html = (
                f"<body><section class=story><div class=text><p>{SENTENCE} {number}."
                f"</div></section>"
            ).encode()
        return HtmlResponse(request.url, body=html, encoding="utf-8")


def crawled(folder, urls, **settings):
    """The results of a crawl with the site files of a folder."""
    given = {
        **ADDON,
        "DOWNLOADER_MIDDLEWARES": {FromMemory: 10},
        "EATEXT_ALGORITHM": "eatext",
        "EATEXT_SITE_FILES": folder,
        **settings,
    }
    fields = {"url": url_of, "text": lambda response: response.meta["main_text"].text}
    return crawl(TypeSpider, given, urls=tuple(urls), fields=fields)


@pytest.mark.parametrize("executor", ["inline", "process"])
def test_a_crawl_uses_the_site_files_of_its_settings(odd_site, executor):
    urls = [f"https://{host}.example/{i}" for host in ("odd", "b") for i in (8, 9)]
    done = crawled(odd_site, urls, EATEXT_EXECUTOR=executor)
    texts = {item["url"]: item["text"] for item in done.items}
    assert sorted(texts) == sorted(urls)
    for url, text in texts.items():
        helped = "odd.example" in url
        assert (f"Day {url[-1]}, note 3" in text) == helped
        assert (SENTENCE in text) != helped


@pytest.mark.parametrize(("path", "warned"), [("new", 1), ("old", 0)])
def test_a_site_file_that_fits_no_page_any_more_is_named_and_counted(
    odd_site, caplog, path, warned
):
    done = crawled(odd_site, [f"https://odd.example/{path}/{i}" for i in range(25)])
    assert done.eatext("decay/") == ({"unmatched": 1} if warned else {})
    said = [m for m in complaints(caplog) if "site file of odd.example fits" in m]
    assert len(said) == warned


def test_hosts():
    assert bare_host("https://www.Example.com:81/x") == "example.com"
    assert bare_host("no address") == bare_host("http://[::1") == ""


def test_a_host_beyond_ascii_is_that_of_its_crawl():
    # Scrapy's addresses have hosts in ASCII, pages name them as they are read.
    name, written = "b\u00fccher.example", "xn--bcher-kva.example"
    assert bare_host(f"https://{name}/1") == written
    assert bare_host(f"https://{written}/1") == written
    assert bare_host("https://" + "\u00fc" * 300 + "/")
    for host in (name, written):
        lessons = Lessons({host: Site((), (1,))})
        for called in (name, written):
            assert lessons.of(f"https://www.{called}/1") is not None


def test_the_almanac_is_mended_by_its_two_labels(tmp_path):
    # What docs/tutorial.md says of it.
    pages = sorted((ALMANAC / "pages").glob("*.html"))
    known = read_folder(ALMANAC / "labels").pages
    found = learn("almanac.example", [study(page) for page in known])
    assert found.helps
    (tmp_path / found.name).write_text(found.as_json(), "utf-8")
    labels = {page.text.splitlines()[0] for page in known}
    fresh = 0
    for page in pages:
        html = page.read_bytes()
        url = f"https://almanac.example/{page.name}"
        notes = Page.of(html).root.xpath("string(//ul[@class='notes'])").split()
        before = extract(html, url=url).text
        after = extract(html, url=url, options={"site_files": str(tmp_path)})
        fresh += after.text.splitlines()[0].removeprefix("- ") not in labels
        assert "ledger" in before
        assert " ".join(notes[:5]) not in before
        assert after.text.replace("\n- ", "\n").removeprefix("- ").split() == notes
    assert fresh == 3
