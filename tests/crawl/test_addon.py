"""The add-on puts components in their places and leaves those that have one."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scrapy.settings import BaseSettings, Settings

import scrapy_eatext
from scrapy_eatext import Addon

KEYS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES")
PLACES = (
    (scrapy_eatext.EatextDownloaderMiddleware, 545),
    (scrapy_eatext.EatextSpiderMiddleware, 40),
    (scrapy_eatext.EatextPipeline, 100),
)
CASES = list(zip(KEYS, PLACES, strict=True))


def updated(**given):
    settings = Settings(given)
    Addon().update_settings(settings)
    return settings


@pytest.mark.parametrize(("key", "place"), CASES)
def test_a_component_gets_its_place(key, place):
    component, priority = place
    assert dict(updated()[key]) == {component: priority}


@pytest.mark.parametrize(("key", "place"), CASES)
@pytest.mark.parametrize("given", [None, 77])
@pytest.mark.parametrize("how", ["class", "path", "other path"])
def test_what_the_project_says_stays(key, place, given, how):
    component, _ = place
    name = {
        "class": component,
        "path": f"scrapy_eatext.{component.__name__}",
        "other path": f"{component.__module__}.{component.__name__}",
    }[how]
    assert dict(updated(**{key: {name: given, "other.Component": 1}})[key]) == {
        name: given,
        "other.Component": 1,
    }


def test_nothing_else_changes():
    # Not read through the settings, as some of Scrapy's own keys are deprecated.
    before, after = Settings().attributes, updated().attributes
    assert before.keys() == after.keys()

    def plain(value):
        return dict(value) if isinstance(value, BaseSettings) else value

    changed = {
        key for key in before if plain(before[key].value) != plain(after[key].value)
    }
    assert changed == set(KEYS)


def test_importing_the_package_costs_nothing():
    code = (
        "import sys, scrapy_eatext; "
        "assert not {'lxml', 'scrapy', 'numpy', 'parsel'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_public_names():
    assert isinstance(scrapy_eatext.compiled, bool)
    for name in set(scrapy_eatext.__all__) - {"compiled"}:
        assert getattr(scrapy_eatext, name).__name__ == name
    assert scrapy_eatext.__all__ == sorted(scrapy_eatext.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = scrapy_eatext.Nothing
