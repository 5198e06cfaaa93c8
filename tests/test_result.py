"""Attributes that a result computes later, and those that it takes along."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints
from weakref import ref

import pytest
from scrapy.http import HtmlResponse, Response

from scrapy_eatext import MainText, extract
from scrapy_eatext.crawl.extractor import Reextraction
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.result import (
    ATTRIBUTES,
    COMPUTED,
    NOTHING,
    OUTPUTS,
    Metadata,
    OfMetadata,
    joined,
    to_json,
)
from tests.support.algorithms import Plain
from tests.support.passages import BOATS

URL = "https://example.com/boats"
CHOICE = Choice(algorithms=("density",))


def result():
    return extract(BOATS, url=URL, algorithm="density")


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
        block.kept for block in extract(BOATS, algorithm="density", blocks=True).blocks
    ]
    assert found == result()


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute_is_there(attribute):
    found, nothing = result().value(attribute), NOTHING.value(attribute)
    is_optional = nothing is None
    assert is_optional or found is not None
    assert is_optional or type(nothing) is type(found)


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


# A page that has something for every output, and for every field of the metadata.
WHOLE = """<html lang=en><head><title>Boats</title>
<link rel=alternate type=application/rss+xml href=/feed><link rel=next href="?page=2">
<script type=application/ld+json>{"@type": "NewsArticle", "headline": "Boats",
"author": "Ann Li", "datePublished": "2024-03-01", "dateModified": "2024-03-02",
"publisher": {"name": "River"}, "description": "d", "url": "/boats", "keywords": "a, b",
"image": {"url": "/a.png", "caption": "c", "width": 9},
"articleSection": "Trade", "license": "/free", "commentCount": 3,
"breadcrumb": {"@type": "BreadcrumbList", "itemListElement":
[{"@type": "ListItem", "position": 1, "name": "Home", "item": "/"}]},
"video": {"contentUrl": "/a.mp4"}}</script></head>
<body><article><h1>Boats</h1><p>The <b>river</b> of the small town was quiet.</p>
<video src=/a.mp4></video><table><tr><th>boat<th>mast<tr><td>Kea<td>2</table>
<ul><li><a href=/1>How to mend an oar of wood</a><li><a href=/2>How to mend an old sail</a>
<li><a href=/3>How to splice a rope of hemp</a></ul></article>
<div itemscope itemtype=https://schema.org/Product><meta itemprop=name content=Boats></div>
<div itemscope itemtype=https://schema.org/Recipe><meta itemprop=cookTime content=PT1H></div>
<div class=comments><div class=comment>I saw them.</div></div>"""


class WithComments(Plain):
    """Keeps all, and knows the last block for a comment."""

    name = "with comments"

    def judge(self, page):
        verdict = super().judge(page)
        last = len(verdict.units) - 1
        kept = [i != last for i in range(len(verdict.units))]
        return replace(
            verdict, kept=kept, comments=lambda: [i == last for i in range(last + 1)]
        )


def whole():
    made = extract(WHOLE, url=URL, algorithm=WithComments, title=True)
    return made.detached()


def is_of(kind: Any, value: Any) -> bool:
    """Whether a value is of a type, in all its parts."""
    parts = get_args(kind)
    if isinstance(kind, UnionType):
        return value is None or is_of(parts[0], value)
    if parts and isinstance(value, tuple):
        return all(is_of(parts[0], part) for part in value)
    if kind in (str, int, float, bool):
        return isinstance(value, kind)
    if not hasattr(kind, "__dataclass_fields__"):
        return isinstance(value, dict)
    types = get_type_hints(kind)
    return isinstance(value, kind) and all(
        is_of(types[one], getattr(value, one)) for one in types
    )


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_an_output_declares_holds(name):
    found, declared = whole(), OUTPUTS[name]
    value = found.computed[name]
    assert value != declared.empty
    assert is_of(declared.kind, value)
    assert declared.__doc__
    assert (name in COMPUTED) is (declared.module != "")
    if declared.module:
        assert hasattr(
            import_module(f"scrapy_eatext.{declared.module}"), f"write_{name}"
        )
    # It comes back from JSON, and is joined over pages.
    back = MainText.from_dict(json.loads(json.dumps(found.as_dict())))
    assert back == found
    assert back.computed[name] == value
    assert is_of(declared.kind, back.computed[name])
    assert is_of(declared.kind, joined([found, back]).computed[name])
    bare = found.without_text()
    assert bare.text == ""
    assert bare.computed[name] == (value if declared.of_page else declared.empty)


def test_how_outputs_are_joined():
    found = whole()
    made = joined([found, found])
    for name in ("headline", "comments", "posts", "metadata"):
        assert made.computed[name] == found.computed[name], name
    for name in ("text", "markdown", "html"):
        one = getattr(found, name)
        assert getattr(made, name) == f"{one}\n\n{one}"
    for name in ("blocks", "tables"):
        assert made.value(name) == 2 * found.value(name)
    assert made.next_page == f"{URL}?page=2"
    assert [made.text[c.start : c.end] for c in made.chunks()] == [
        chunk.text for chunk in 2 * found.chunks()
    ]
    assert set(found.computed) == set(OUTPUTS)


@pytest.mark.parametrize("name", [one.name for one in fields(Metadata)])
def test_every_field_of_the_metadata_is_read(name):
    found = whole().metadata
    assert getattr(found, name) != getattr(Metadata(), name)
    assert is_of(get_type_hints(Metadata)[name], getattr(found, name))
    assert Metadata.from_dict(json.loads(json.dumps(to_json(found)))) == found


@pytest.mark.parametrize(
    "name", [n for n, one in vars(MainText).items() if isinstance(one, OfMetadata)]
)
def test_attributes_of_the_metadata(name):
    value = getattr(whole(), name)
    assert value
    assert is_of(vars(MainText)[name].fget.__annotations__["return"], value)
    assert vars(MainText)[name].__doc__


@pytest.mark.parametrize("by_job", [False, True])
def test_a_result_without_its_page_has_what_was_asked_for(by_job):
    asked = ("markdown", "author", "text")
    found = result().detached(asked)
    if by_job:
        found = extract_page(Job(BOATS, URL, CHOICE, Limits(), asked)).result
    assert set(found.computed) == {"markdown", "metadata"}
    assert found.source is None
    assert found.author == "Ann Li"
    assert "**river**" in found.markdown
    with pytest.raises(LookupError, match="EATEXT_AHEAD"):
        found.html  # noqa: B018
    # A pickled result has no more attributes than it had.
    with pytest.raises(LookupError):
        pickle.loads(pickle.dumps(found)).html  # noqa: B018


def test_a_way_back_to_the_response():
    response = HtmlResponse(URL, body=BOATS, encoding="utf-8")
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
    response = HtmlResponse(URL, body=BOATS, encoding="utf-8")
    way = Reextraction(ref(response), CHOICE, Limits(), "timed_out")
    assert "river" in MainText().backed({}, way).markdown
    small = Reextraction(ref(response), CHOICE, Limits(max_size=20), "too_large")
    assert MainText().backed({}, small).markdown == ""
