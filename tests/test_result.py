"""Attributes that a result computes later, and those that it takes along."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from pathlib import Path
from weakref import ref

import pytest
from scrapy.http import HtmlResponse, Response

from scrapy_eatext import MainText, extract
from scrapy_eatext.crawl.reextraction import Reextraction
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.result import ATTRIBUTES, COMPUTED, NOTHING, Metadata

URL = "https://example.com/boats"
HTML = """<html lang=en><head><title>Boats</title><meta name=author content="Ann Li"></head>
<body><h1>Boats</h1><p>The <b>river</b> of the small town was quiet, and nobody who came
to see the boats that day, of whom there were many, had seen it so before.</p>"""
CHOICE = Choice(algorithms=("density",))


def result():
    return extract(HTML, url=URL, algorithm="density")


@pytest.mark.parametrize(
    "given", [None, 3, Path("page.html"), Response("http://a.org/")]
)
def test_what_is_no_page_is_refused(given):
    with pytest.raises(TypeError, match=f"TextResponse, not {type(given).__name__}"):
        extract(given)


def test_computed_when_asked_for():
    found = result()
    assert found.computed == {}
    assert "The **river** of" in found.markdown
    assert set(found.computed) == {"markdown"}
    assert found.markdown is found.markdown
    assert "<strong>river</strong>" in found.html
    assert [block.kept for block in found.blocks] == [
        block.kept for block in extract(HTML, algorithm="density", blocks=True).blocks
    ]
    assert found == result()


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute_is_there(attribute):
    found, nothing = result().value(attribute), NOTHING.value(attribute)
    assert found is not None
    assert type(nothing) is type(found)


@pytest.mark.parametrize(
    "taken", [lambda found: pickle.loads(pickle.dumps(found)), copy.copy, copy.deepcopy]
)
def test_copies_take_everything_along(taken):
    found = result()
    again = taken(found)
    assert again == found
    assert again.source is None
    assert {name: again.value(name) for name in COMPUTED} == {
        name: found.value(name) for name in COMPUTED
    }


def test_a_result_in_json():
    found = result().detached()
    again = MainText.from_dict(json.loads(json.dumps(found.as_dict())))
    assert again == found
    assert again.computed == found.computed
    assert isinstance(again.metadata, Metadata)


def test_a_result_without_its_page_has_what_was_asked_for():
    found = result().detached(("markdown", "author", "text"))
    assert found.author == "Ann Li"
    assert "**river**" in found.markdown
    with pytest.raises(LookupError, match="EATEXT_FIELDS"):
        found.html  # noqa: B018
    # A pickled result has no more attributes than it had.
    with pytest.raises(LookupError):
        pickle.loads(pickle.dumps(found)).html  # noqa: B018


def test_a_result_without_its_text():
    found = result()
    assert found.blocks
    bare = found.without_text()
    assert (bare.text, bare.markdown, bare.html) == ("", "", "")
    assert bare.title == "Boats"


def test_jobs_compute_ahead():
    job = Job.of(HTML, URL, CHOICE, Limits(), ("markdown", "title", "text"))
    found = extract_page(job).result
    assert set(found.computed) == {"markdown", "metadata"}
    assert found.source is None


def test_a_way_back_to_the_response():
    response = HtmlResponse(URL, body=HTML, encoding="utf-8")
    way = Reextraction(ref(response), CHOICE, Limits(), "extracted")
    found = MainText("x").backed({}, way)
    assert "**river**" in found.markdown
    assert set(found.computed) == set(COMPUTED)
    fresh = MainText("x").backed({}, way)
    assert pickle.loads(pickle.dumps(fresh)).computed == {}
    del response
    gc.collect()
    assert found.author == "Ann Li"
    with pytest.raises(LookupError, match="gone"):
        fresh.html  # noqa: B018


def test_a_way_back_to_a_page_that_was_given_up():
    response = HtmlResponse(URL, body=HTML, encoding="utf-8")
    way = Reextraction(ref(response), CHOICE, Limits(), "timed_out")
    assert "river" in MainText().backed({}, way).markdown
    small = Reextraction(ref(response), CHOICE, Limits(max_size=20), "too_large")
    assert MainText().backed({}, small).markdown == ""
