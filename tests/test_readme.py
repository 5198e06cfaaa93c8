"""The README holds: its code runs, its tables are complete, its links lead somewhere."""

from __future__ import annotations

import json
import re
from ast import literal_eval
from pathlib import Path

import pytest
from scrapy.settings import Settings

from scrapy_eatext.crawl.settings import KEYS, Config
from tests import ROOT
from tests.support.commands import run_scrapy

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", [b for b in BLOCKS if ">>>" not in b])
def test_examples_without_results(block: str) -> None:
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})


def test_the_spider_fills_its_items(tmp_path: Path) -> None:
    """The spider as it stands there, sent to a page of the bundled site."""
    spider = next(block for block in BLOCKS if "class NewsSpider" in block)
    settings = next(block for block in BLOCKS if block.startswith("ADDONS"))
    page = ROOT / "example_project/site/herald/market-hall.html"
    assert "https://example.com/news" in spider
    spider = spider.replace("https://example.com/news", page.as_uri())
    spider = spider.replace('follow_all(css="nav a")', "follow_all([])")
    (tmp_path / "spider.py").write_text(spider, "utf-8")
    (tmp_path / "settings.py").write_text(settings, "utf-8")
    command = ("runspider", "spider.py", "-O", "out.jsonl")
    done = run_scrapy(tmp_path, *command, path=(tmp_path, ROOT), settings="settings")
    assert done.returncode == 0, done.stderr
    item = json.loads((tmp_path / "out.jsonl").read_text("utf-8"))
    assert item["headline"] == "What the market hall was hiding under its floor"
    assert "two hundred and six stoneware jars" in item["main_text"]


def test_defaults_in_the_table_are_those_that_hold() -> None:
    rows = re.findall(r"^\| `(EATEXT_\w+)` \| `([^`]+)` \|", README, re.MULTILINE)
    settings = Settings({key: literal_eval(value) for key, value in rows})
    # Not in code: a number that the machine sets.
    assert len(rows) == len(KEYS) - 1
    assert Config.from_settings(settings) == Config()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    links = re.findall(r"\]\(((?!https?:)[^)#]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_bundled_site_is_as_large_as_it_says() -> None:
    words = {50: "fifty", 13: "thirteen"}
    pages = list((ROOT / "example_project/site").rglob("*.html"))
    declared = re.compile(rb"<html[^>]*?\blang=\"?([a-z]+)", re.IGNORECASE)
    found = [declared.search(page.read_bytes()) for page in pages]
    languages = {match[1] for match in found if match}
    said = f"{words[len(pages)]} pages in {words[len(languages)]} languages"
    assert said in " ".join(README.split())
