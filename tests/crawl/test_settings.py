"""Settings: their defaults, the values allowed, and errors for others."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

import pytest
import scrapy.crawler
from hypothesis import given
from hypothesis import strategies as st
from scrapy.settings import Settings

from scrapy_eatext.crawl.settings import KEYS, Config
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import OVERRIDES, Choice, SettingError, overridden
from tests.support.algorithms import Plain
from tests.support.commands import run_scrapy
from tests.support.crawling import (
    ADDON,
    DOWNLOADER,
    NOTHING,
    PIPELINE,
    PLAIN,
    SPIDER,
    WITHOUT_REACTOR,
    UrlSpider,
    crawl,
)
from tests.support.suites import table_of

pytestmark = pytest.mark.slow

# No label of a host is that long.
LONG = "\u00fc" * 64


def config(**settings: object) -> Config:
    return Config.from_settings(Settings({"EATEXT_ALGORITHM": PLAIN, **settings}))


@pytest.mark.parametrize(
    ("key", "given", "attribute", "value"),
    [
        ("EATEXT_ENABLED", "0", "enabled", False),
        ("EATEXT_ENABLED", "True", "enabled", True),
        ("EATEXT_ENABLED", 1, "enabled", True),
        ("EATEXT_FIELDS", '{"a": "title"}', "fields", {"a": "title"}),
        ("EATEXT_AHEAD", "entries,posts", "ahead", ("entries", "posts")),
        ("EATEXT_AHEAD", "entries", "ahead", ("entries",)),
        ("EATEXT_AHEAD", [], "ahead", ()),
        ("EATEXT_WORKERS", "2", "workers", 2),
        ("EATEXT_ITEMS", "declared", "items", "declared"),
        ("EATEXT_ITEMS", "dict", "items", (dict,)),
        ("EATEXT_ITEMS", "dict , scrapy.Item", "items", (dict, scrapy.Item)),
        ("EATEXT_ITEMS", '["scrapy.Item"]', "items", (scrapy.Item,)),
        ("EATEXT_ALGORITHM", f"{PLAIN},{NOTHING}", "algorithms", (PLAIN, NOTHING)),
        ("EATEXT_ALGORITHM", f"{PLAIN} , {NOTHING}", "algorithms", (PLAIN, NOTHING)),
        ("EATEXT_ALGORITHM", f'["{PLAIN}"]', "algorithms", (PLAIN,)),
        ("EATEXT_ALGORITHM", Plain, "algorithms", (PLAIN,)),
        ("EATEXT_ALGORITHM", [Plain, NOTHING], "algorithms", (PLAIN, NOTHING)),
        ("EATEXT_MIN_CHARS", " 20 ", "min_chars", 20),
        ("EATEXT_MIN_SCORE", "0.5", "min_score", 0.5),
        ("EATEXT_OPTIONS", f'{{"{PLAIN}": {{}}}}', "options", {PLAIN: {}}),
    ],
)
def test_strings_from_a_command_line(key, given, attribute, value):
    made = config(**{key: given})
    owner = made if hasattr(made, attribute) else made.choice
    assert getattr(owner, attribute) == value


@pytest.mark.parametrize(
    ("key", "given", "where", "allowed"), table_of("tables/wrong_settings.txt")
)
def test_errors_name_key_value_and_what_may_be(key, given, where, allowed):
    with pytest.raises(SettingError) as caught:
        config(**{key: eval(given)})
    error = caught.value
    assert error.name == (where or key)
    assert allowed in str(error)
    assert str(error).startswith(f"{error.name} is {error.value!r:.200}, it must be")


def test_none_is_as_good_as_nothing():
    assert config(EATEXT_MEMORY=None) == config()


def test_an_algorithm_that_lacks_something_is_a_setting_error(monkeypatch):
    def fail(*_: object) -> None:
        raise ImportError("needs scrapy-eatext[extra]")

    monkeypatch.setattr("tests.support.algorithms.Plain.__init__", fail)
    with pytest.raises(SettingError, match=r"scrapy-eatext\[extra\]"):
        config(EATEXT_OPTIONS={PLAIN: {"min_length": 777}})


def test_options_of_any_type_that_stays_as_it_is():
    name = "tests.support.algorithms.Tagged"
    for tags in ({"p"}, ["p"], ({"p"},)):
        with pytest.raises(SettingError, match="can be hashed") as caught:
            config(EATEXT_ALGORITHM=name, EATEXT_OPTIONS={name: {"tags": tags}})
        assert "tags" in str(caught.value)


@pytest.mark.parametrize("tags", [("p", "li"), b"p"])
def test_what_processes_are_sent_is_what_json_can_hold(tags):
    name = "tests.support.algorithms.Tagged"
    options = {"EATEXT_ALGORITHM": name, "EATEXT_OPTIONS": {name: {"tags": tags}}}
    site = {"EATEXT_SITES": {"a.com": {"algorithm": name, "options": {"tags": tags}}}}
    for executor in ("inline", "thread"):
        config(EATEXT_EXECUTOR=executor, **options, **site)
    for wrong, where in (
        (options, "EATEXT_OPTIONS"),
        (site, r"EATEXT_SITES\['a.com'\]\['options'\]"),
    ):
        with pytest.raises(SettingError, match=f"^{where} is .* must be what JSON"):
            config(EATEXT_EXECUTOR="process", **wrong)


@pytest.mark.parametrize(
    ("key", "given"),
    [("EATEXT_ALGORITHM", "__main__.Own"), ("EATEXT_CHUNKS", {"unit": "__main__.own"})],
)
def test_processes_have_nothing_of_the_crawls_script(monkeypatch, key, given):
    """Pages would fail one by one."""
    script = sys.modules["__main__"]
    monkeypatch.setattr(script, "Own", Plain, raising=False)
    monkeypatch.setattr(script, "own", len, raising=False)
    settings = {key: given, "EATEXT_EXECUTOR": "thread"}
    config(**settings)
    with pytest.raises(SettingError, match=f"{key}.* not of the crawl's script"):
        config(**settings | {"EATEXT_EXECUTOR": "process"})


def test_a_site_is_its_host_and_what_is_below_it():
    made = config(
        EATEXT_SITES={
            "Example.com": {"min_chars": 1},
            "*.shop.example.com": {"min_chars": 2},
            "b\u00fccher.example": {"min_chars": 3},
            "off.org": False,
        }
    )
    for url, min_chars in {
        "https://example.com/a": 1,
        "http://EXAMPLE.com:8080/": 1,
        "https://www.example.com/": 1,
        "https://example.com./": 1,
        "https://WWW.shop.example.com.:80/": 2,
        "https://shop.example.com/": 2,
        "https://a.b.shop.example.com/": 2,
        "https://notexample.com/": 0,
        "https://xn--bcher-kva.example/": 3,
        "https://[broken/": 0,
        "data:,x": 0,
    }.items():
        assert made.choice_for(url).min_chars == min_chars, url
    assert made.choice_for("https://www.off.org/") is None
    assert made.choice_for("https://off.org/", True) == made.choice
    # A request may have an option that its site lacks.
    assert made.choice_for("https://off.org/", {"min_chars": 9}).min_chars == 9


def test_options_are_laid_over_each_other():
    made = config(
        EATEXT_ALGORITHM=PLAIN,
        EATEXT_OPTIONS={PLAIN: {"min_length": 5, "reference": True}},
        EATEXT_SITES={"a.org": {"options": {"min_length": 6}}},
    )
    options = made.choice_for("http://a.org/").options
    assert options[PLAIN] == {"min_length": 6, "reference": True}
    said = {"options": {PLAIN: {"min_length": 7}, NOTHING: {"min_length": 8}}}
    options = made.choice_for("http://a.org/", said).options
    assert options[PLAIN] == {"min_length": 7, "reference": True}
    assert options[NOTHING] == {"min_length": 8}
    assert made.choice.options[PLAIN]["min_length"] == 5


# Scrapy leaves its HTTP client open when a component fails to start.
@pytest.mark.filterwarnings("ignore:Unclosed client session:ResourceWarning")
@pytest.mark.parametrize("component", [ADDON, DOWNLOADER, SPIDER, PIPELINE])
def test_an_error_ends_the_crawl_before_its_first_request(server, component):
    settings = {**component, "EATEXT_MIN_CHARS": "many"}
    done = crawl(UrlSpider, settings, urls=(server("/page/1"),))
    assert isinstance(done.error, SettingError)
    assert "downloader/request_count" not in done.stats
    assert not done.items
    del done
    gc.collect()  # the client is named once it is collected


def test_a_disabled_plugin_is_silent(server, caplog):
    settings = {**ADDON, "EATEXT_ENABLED": False, "EATEXT_MIN_CHARS": 1}
    done = crawl(UrlSpider, settings, urls=(server("/page/1"),))
    assert done.items == [{"url": server("/page/1")}]
    assert not done.eatext()


SELECT = "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'"
NO_REACTOR = "TWISTED_REACTOR_ENABLED = False"


@pytest.mark.parametrize("reactor", ["", SELECT, NO_REACTOR])
def test_scrapy_crawl_fails(tmp_path, reactor):
    if reactor == NO_REACTOR and not WITHOUT_REACTOR:
        pytest.skip("no downloads without a reactor")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project_settings\n")
    (tmp_path / "project_settings.py").write_text(
        "SPIDER_MODULES = ['tests.support.crawling']\n"
        f"ADDONS = {ADDON['ADDONS']}\n{reactor}"
    )
    ended = run_scrapy(tmp_path, "crawl", "urls", "-s", "EATEXT_BELOW=sink")
    assert ended.returncode == 1
    assert "EATEXT_BELOW is 'sink', it must be one of 'keep'" in ended.stderr
    assert "Spider opened" not in ended.stderr
    # Twisted writes the frames of errors by means of its own.
    if reactor != SELECT and hasattr(scrapy.crawler, "AsyncCrawlerProcess"):
        assert "Traceback" not in ended.stderr
        name = "\nscrapy_eatext.execution.choice.SettingError: "
        assert ended.stderr.count(name) == 1


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.binary(max_size=4)
    | st.sampled_from([PLAIN, NOTHING, "justext", "keep", "drop", "a.org", "p > a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a.org", PLAIN, "min_length", *OVERRIDES])
            | st.text(max_size=4)
            | st.integers(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from(KEYS), ANYTHING)
def test_a_setting_is_good_or_a_setting_error(key, value):
    with suppress(SettingError):
        assert isinstance(config(**{key: value}), Config)


@given(ANYTHING)
def test_what_a_request_says_is_good_or_a_setting_error(said):
    choice = Choice(algorithms=(PLAIN,))
    with suppress(SettingError):
        made = overridden(choice, said, "said")
        if made is not None:
            outcome = extract_page(Job("<p>x", "", made, Limits()))
            assert outcome.kind in ("extracted", "below", "empty"), outcome.failures
