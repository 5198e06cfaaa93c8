"""The name and the price that a product's page shows, without data for machines."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.metadata.offered import Offer, offer_of
from scrapy_eatext.metadata.prices import amount, currency_of, prices_in
from scrapy_eatext.page import Page
from tests.support.hostile import every_page
from tests.support.suites import cases, values_of

NAME = "Kea rowing boat"
RELATED = "".join(
    f"<div class=card><a href=/{name}>{name}</a><p class=price>${price}.00</p></div>"
    for name, price in (("Moa", 799), ("Tui", 899), ("Kiwi", 99))
)
ABOUT = (
    "<p>A light boat of larch for three people and their luggage, built by hand on the "
    "shore of the lake, with two pairs of oars, a rudder and a cover for the winter.</p>"
) * 3
# A product's part of the page, as kinds of shops make it; the price is always 149.
SHOPS = {case.name: case.source for case in cases("shops")}


def shop(product: str, name: str = NAME, title: str = f"{NAME} | Boats") -> str:
    basket = "<header><nav><a href=/>Boats</a></nav><p class=price>$21.00</p></header>"
    product = product.format(name=name, related=RELATED)
    return f"<title>{title}</title><body>{basket}{product}{ABOUT}"


def offered(html: str, url: str = "https://shop.example.com/kea", title: str = NAME):
    return offer_of(Page.of(html, url=url), title)


@pytest.mark.parametrize("kind", SHOPS)
def test_pages_of_shops(kind):
    found = offered(shop(SHOPS[kind]))
    assert (found.name, float(found.price or 0), found.currency) == (NAME, 149, "USD")


@pytest.mark.parametrize(
    ("written", "price", "currency"), values_of("tables/prices.txt")
)
def test_notations(written, price, currency):
    found = offered(f"<title>{NAME}</title><h1>{NAME}</h1><p>{written}</p>{ABOUT}")
    assert (found.price, found.currency) == (price, currency)


def test_prices_of_other_products_alone():
    bare = "<div><h1>{name}</h1><p>Not available</p></div><h2>Others</h2>"
    for others in ("<div class=related>{related}</div>", "<footer>{related}</footer>"):
        assert offered(shop(bare + others)) == Offer(NAME)
    many = "<ul>" + "<li><h3>Moa</h3><a href=/moa>$799.00</a></li>" * 20 + "</ul>"
    assert offered(shop(bare + many)) == Offer(NAME)


@pytest.mark.parametrize(
    ("heading", "title", "name"),
    [
        ("<h1>Kea boat, 4 m</h1>", "Buy the Kea boat of 4 m online", "Kea boat, 4 m"),
        ("<h1>KEA</h1><h1>Rowing boat</h1>", "KEA Rowing boat - Boaty", "KEA Rowing boat"),
        ("<h1>Big sale</h1><h1>Kea</h1>", "Kea | Boaty", "Kea"),
        ("<h1>Shop</h1><h2>Kea boat</h2>", "Kea boat - Shop", "Kea boat"),
        ("<h2>Kea – oak</h2>", "Kea – oak - Boaty.com | All boats", "Kea – oak"),
        ("<h1>Big sale</h1>", "Kea | Boaty", "Kea | Boaty"),
    ],
)  # fmt: skip
def test_names(heading, title, name):
    page = f"<title>{title}</title><body>{heading}<p>$5</p>{ABOUT}"
    assert offered(page, title=title).name == name


@pytest.mark.parametrize(
    ("heading", "path", "name"),
    [
        ("Kea boat, 4 m7/3", "<a>All</a> / <a><b></b></a> / Kea boat, 4 m", "Kea boat, 4 m"),
        ("Kea boat, 4 m", "<a>Kea</a> / Boats", "Kea boat, 4 m"),
        ("Kea boat, 4 m", "<a>All</a> / Kea", "Kea boat, 4 m"),
        ("Kea boats", "<a>All</a> / Kea boat", "Kea boats"),
        ("Kea 125", "<a>All</a> / Kea 12", "Kea 125"),
        ("Red Kea boat", "<a>Red</a> / Kea boat", "Red Kea boat"),
    ],
)  # fmt: skip
def test_names_and_breadcrumbs(heading, path, name):
    page = f"<p class=breadcrumb>{path}</p><h1>{heading}</h1><p>$5</p>{ABOUT}"
    assert offered(page, title=heading).name == name


def test_currencies_of_countries():
    for sign, host, code in [
        ("$", "shop.com.au", "AUD"), ("元", "a.tw", "TWD"), ("Rs", "a.pk", "PKR"),
        ("US$", "a.au", "USD"), ("б.р.", "a.by", "BYN"), ("XBT", "a.com", "XBT"),
    ]:  # fmt: skip
        assert currency_of(sign, host) == code


def test_prices_in_a_text():
    text = "was 10,00 €20,00 € now CHF 1'299.50, 3 x 4 RMB"
    found = [(amount(number), sign) for _, _, number, sign in prices_in(text)]
    assert found == [("10.00", "€"), ("20.00", "€"), ("1299.50", "CHF")]


def test_a_product_without_data():
    found = extract(shop(SHOPS["WooCommerce"]), url="https://shop.example.com/kea")
    assert found.page_type == "product"
    assert found.product.sources == dict.fromkeys(("name", "price", "currency"), "page")
    assert (found.product.name, found.product.price) == (NAME, "149.00")


def test_data_come_first():
    data = """<script type=application/ld+json>{"@type": "Product", "name": "Kea",
        "offers": {"price": 5, "priceCurrency": "EUR"}}</script>"""
    found = extract(data + shop(SHOPS["WooCommerce"])).product
    assert (found.name, found.price, found.currency) == ("Kea", "5", "EUR")
    without = data.replace('"price": 5, ', "")
    found = extract(without + shop(SHOPS["WooCommerce"])).product
    assert (found.name, found.price, found.currency) == ("Kea", "149.00", "USD")
    assert found.sources == {"name": "json-ld", "price": "page", "currency": "page"}


@pytest.mark.parametrize(("price", "code"), [("149", "USD"), ("1490", "")])
def test_a_currency_that_the_data_lack(price, code):
    data = f"<meta property=product:price:amount content={price}>"
    assert extract(data + shop(SHOPS["WooCommerce"])).product.currency == code


@pytest.mark.parametrize("name", sorted(every_page(10)))
def test_hostile_pages(name):
    found = offered(every_page(3000)[name])
    assert len(found.currency) in (0, 3)


def test_more_prices_than_are_read():
    pages = [
        f"<h1>{NAME}</h1>" + "<p>$1,000" * 20_000,
        f"<h1>{NAME}</h1><p>" + "$1 " * 50,
        f"<h1>{NAME}</h1><p>" + "<b class=price>" * 5000 + "$5",
        f"<h1>{NAME}</h1><p>" + "<b></b>" * 5000 + "$5",
        f"<h1>{NAME}</h1><p>$5<b hidden>" + "$6 " * 100_000,
        f"<h1>{NAME}</h1><p class='{'oldPrice' * 100_000}'>$5",
        f"<h1>{NAME}</h1><p>$" + "1 000" * 25 + "€",
        f"<title>{'a - ' * 10_000}</title><h2>{NAME}</h2><p>$5",
    ]
    for page in pages:
        assert float(offered(page).price or 1) > 0
