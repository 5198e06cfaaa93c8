"""Products and recipes in a page's data, and things of schema.org as they stand there."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from scrapy_eatext import extract
from scrapy_eatext.deadline import TimeLimitError, time_limit
from tests.support.pages import json_ld
from tests.support.suites import cases, values_of

URL = "https://shop.example.com/kea"
# The same product in each form of data.
FORMS = {case.name: case.source for case in cases("products")}
KEA = {
    "name": "Kea", "price": "1299.50", "currency": "EUR", "availability": "InStock",
    "brand": "Boaty", "sku": "12", "gtin": "4006381333931", "rating": 4.5,
    "rating_count": 1200, "best_rating": 5.0,
}  # fmt: skip
KEA_BOAT = {"@type": "Product", "name": "Kea"}


def page(body: str, title: str = "Kea - Boats") -> str:
    return f"<title>{title}</title><body><p>A boat for three.</p>{body}"


def product(body: str, title: str = "Kea - Boats"):
    return extract(page(body, title), url=URL).product


def offered(offers: object):
    found = product(json_ld({**KEA_BOAT, "offers": offers}))
    return found.price, found.currency


@pytest.mark.parametrize("source", FORMS)
def test_a_product_in_each_form(source):
    found = asdict(product(FORMS[source]))
    assert found.pop("sources") == dict.fromkeys(KEA, source)
    assert found == KEA


def test_a_name_that_is_the_title_of_the_document():
    """As Squarespace has it, with the site's name."""
    site = '<meta property="og:site_name" content="Boats & Co">'
    whole = json_ld({**KEA_BOAT, "name": "Kea \u2014 Boats & Co"})
    assert product(site + whole, "Kea \u2014 Boats &amp; Co").name == "Kea"
    assert product(whole, "Kea \u2014 Boats &amp; Co").name == "Kea \u2014 Boats & Co"


def test_what_one_source_lacks_another_has():
    found = product(
        json_ld(KEA_BOAT)
        + '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>Kea</b>'
        "<i itemprop=sku>12</i></div>"
        '<meta property="product:price:amount" content="12.90">'
        '<meta property="product:price:currency" content="CHF">'
    )
    assert (found.sku, found.price, found.currency) == ("12", "12.90", "CHF")
    assert found.sources == {
        "name": "json-ld", "sku": "microdata", "price": "opengraph",
        "currency": "opengraph",
    }  # fmt: skip


@pytest.mark.parametrize(("offers", "price"), values_of("tables/offers.txt"))
def test_forms_of_offers(offers, price):
    assert offered(offers)[0] == price


@pytest.mark.parametrize(
    ("given", "code"), [("EUR", "EUR"), ("eur", "EUR"), ("€", "EUR"), ("?", "")]
)
def test_currencies(given, code):
    assert offered({"price": 1, "priceCurrency": given})[1] == code


def test_an_offer_and_a_brand_that_are_referred_to():
    graph = [
        {**KEA_BOAT, "offers": {"@id": "#o"}, "brand": {"@id": "#b"}},
        {"@type": "Offer", "@id": "#o", "price": "5", "priceCurrency": "EUR"},
        {"@type": "Brand", "@id": "#b", "name": "Boaty", "brand": {"@id": "#b"}},
    ]
    found = product(json_ld({"@graph": graph}))
    assert (found.price, found.brand) == ("5", "Boaty")


def test_a_product_that_is_offered_by_the_page():
    kea = {**KEA_BOAT, "offers": [None, {"@type": "Offer", "price": "7.84"}]}
    offers = {"@type": "Offer", "itemOffered": [kea]}
    part = {"@type": "WebPageElement", "offers": offers}
    found = product(json_ld({"@type": "WebPage", "mainEntity": part}))
    assert (found.price, found.sources["price"]) == ("7.84", "json-ld")


def test_goods_that_a_page_lists_are_not_its_product():
    one = '<div itemscope itemtype="https://schema.org/Product"><b itemprop=name>{}</b></div>'
    goods = one.format("Moa") + one.format("Tui")
    assert product(goods, "Boats") is None
    assert product(goods, "Tui - Boats").name == "Tui"


def test_a_product_that_is_a_property_of_nothing():
    assert product(FORMS["microdata"].replace("itemscope", "itemscope itemprop=a", 1))
    found = extract(page(""), url=URL)
    assert (found.product, found.recipe, found.structured_data) == (None, None, ())


@pytest.mark.parametrize(("steps", "read"), values_of("tables/recipe_steps.txt"))
def test_steps_of_a_recipe(steps, read):
    data = {"@type": ["Recipe"], "name": "Bread", "recipeInstructions": steps}
    assert extract(page(json_ld(data))).recipe.steps == read


def test_steps_in_one_element():
    steps = "<ol itemprop=recipeInstructions><li>Mix.</li><li><b>Bake</b> it.</li></ol>"
    recipe = f"<div itemscope itemtype=https://schema.org/Recipe>{steps}</div>"
    assert extract(page(recipe)).recipe.steps == ("Mix.", "Bake it.")


def test_a_recipe():
    bread = {
        "@type": "Recipe", "name": "Bread", "prepTime": "PT5M",
        "totalTime": "PT1H5M", "recipeYield": [2, "2 loaves"],
        "recipeIngredient": ["1 kg of <b>flour</b>", "salt &amp; water"],
    }  # fmt: skip
    rolls = (
        "<div itemscope itemtype=https://schema.org/Recipe><b itemprop=name>Rolls</b>"
        "<time itemprop=cookTime datetime=PT1H>an hour</time></div>"
    )
    found = extract(page(json_ld(bread) + rolls)).recipe
    assert found.ingredients == ("1 kg of flour", "salt & water")
    assert (found.name, found.yields, found.cook_time) == ("Bread", "2 loaves", "PT1H")
    assert found.sources["total_time"] == "json-ld"
    assert found.sources["cook_time"] == "microdata"


def test_things_as_they_stand_there():
    data = {"@type": "Event", "name": "Regatta", "location": {"name": "Lake"}}
    found = extract(page(json_ld([data]) + FORMS["rdfa"])).structured_data
    assert [thing.source for thing in found] == ["json-ld", "rdfa"]
    assert found[0].values == data
    assert found[1].values["offers"][0]["price"] == ["1299.5"]


def test_numbers_that_json_or_a_float_has_not():
    source = (
        '<script type="application/ld+json">{"@type": "Product", "name": "Boat", "sku":'
        f' 1{"0" * 400}, "weight": NaN, "offers": {{"price": 1e999, "a": [-Infinity]}}}}'
        "</script>"
    )
    found = extract(page(source))
    (thing,) = found.structured_data
    assert thing.values["offers"] == {"a": []}
    assert "weight" not in thing.values
    json.dumps(thing.values, allow_nan=False)
    assert found.product is not None
    assert (found.product.name, found.product.price) == ("Boat", "")


def test_things_are_bounded():
    deep: object = "x"
    for _ in range(50):
        deep = {"a": deep}
    data = [deep, {"b": ["c" * 1000] * 1000}, {"d": list(range(100_000))}]
    for one in data:
        found = extract(page(json_ld(one))).structured_data
        text = json.dumps([thing.values for thing in found])
        assert len(text) < 400_000
        assert text.count('"a"') < 20


def steps_of(*things: object) -> tuple[str, ...]:
    found = extract(page("".join(map(json_ld, things)))).recipe
    return () if found is None else found.steps


@pytest.mark.parametrize("chars", [10, 400_000])
def test_what_references_repeat_is_bounded(chars):
    again = [{"@id": "#step"}] * 50
    step = {"@id": "#step", "text": "x" * chars}
    recipe = {"@type": "Recipe", "recipeInstructions": again}
    assert len(steps_of(recipe, step)) == min(50, 2_000_000 // chars)


def test_references_in_a_circle_come_to_an_end():
    again = [{"@id": "#list"}] * 50
    steps = {"@type": "ItemList", "@id": "#list", "itemListElement": again}
    assert steps_of({"@type": "Recipe", "recipeInstructions": again}, steps) == ()
    offers = {"@type": "Offer", "@id": "#list", "offers": again}
    offers |= {"priceSpecification": again, "priceType": ["&nbsp;" * 100] * 50}
    assert offered([offers, *again]) == ("", "")


def test_references_are_followed_in_the_time_for_the_page():
    again = [{"@id": "#list"}] * 50
    steps = {"@type": "ItemList", "@id": "#list", "itemListElement": again}
    recipe = {"@type": "Recipe", "recipeInstructions": again}
    found = extract(page(json_ld([recipe, steps])))
    with time_limit(1e-9), pytest.raises(TimeLimitError):
        assert found.recipe


def test_a_property_that_is_named_twice_has_its_value_once():
    steps = "<li itemprop='step https://schema.org/step'>Stir.</li>"
    (thing,) = extract(page(f"<ul itemscope>{steps * 2}</ul>")).structured_data
    assert thing.values["step"] == ["Stir.", "Stir."]


WRONG = [None, True, 0, -1, 1e308, "", "x" * 5000, "&#99999999999;", "\ud800", [], {},
         [[[["a"]]]], [None, {}], {"@id": "#x"}, {"@value": 5}, {"name": {"name": [{}]}},
         {"@type": 5}, {"offers": {"offers": {"price": []}}}]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_wrong_types_everywhere(wrong):
    names = ("name", "brand", "sku", "gtin", "offers", "aggregateRating", "@id", "url",
             "recipeIngredient", "recipeInstructions", "recipeYield", "hasVariant",
             "prepTime")  # fmt: skip
    inside = ("price", "priceCurrency", "availability", "priceSpecification")
    rating = {"ratingValue": wrong, "reviewCount": wrong}
    things = [
        {"@type": "Product", **dict.fromkeys(names, wrong)},
        {"@type": "Recipe", **dict.fromkeys(names, wrong)},
        {**KEA_BOAT, "offers": dict.fromkeys(inside, wrong), "aggregateRating": rating},
    ]
    found = extract(page(json_ld({"@graph": things})), url=URL)
    assert found.product is not None
    json.dumps(found.detached().as_dict())


def test_more_data_than_are_read():
    many = json_ld({"@type": "Product", "name": "Moa", "x": ["y" * 100] * 100_000})
    more = json_ld([{"@type": "Product", "name": "Moa", "offers": [{}] * 50}] * 2000)
    nested = "<div itemscope itemprop=offers>" * 3000
    assert product(many + more + nested + json_ld(KEA_BOAT))
