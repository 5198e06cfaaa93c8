"""A shop: categories with filters and sort orders, products, cart and login links."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from urllib.parse import urlencode

from benchmarks.madeup.site import (
    MissingError,
    Query,
    Site,
    each,
    page_of,
    pages,
    paragraphs,
    route,
)
from benchmarks.madeup.words import name, slug

TREE = {
    "kitchen": ["kettle", "pan", "bread knife", "chopping board", "teapot"],
    "garden": ["spade", "watering can", "pruning saw", "bench", "bird feeder"],
    "office": ["desk lamp", "notebook", "fountain pen", "letter tray", "chair"],
    "bath": ["towel", "soap dish", "mirror", "laundry basket", "bath mat"],
    "outdoor": ["tent", "sleeping bag", "lantern", "camping stove", "rucksack"],
}
EACH = 22  # products of a sort
SIZE = 24
MATERIALS = "oak steel linen brass cotton ash enamel copper".split()
BRANDS = "Nordhus Pellworm Atelier-9 Hagen Brook&amp;Dale Tilde".split()
FACETS = {
    "colour": "black white red green blue grey".split(),
    "material": MATERIALS,
    "price": ["0-20", "20-50", "50-100", "100-200"],
    "brand": ["nordhus", "pellworm", "atelier-9", "hagen", "brook-dale", "tilde"],
}
ORDERS = ["price_asc", "price_desc", "newest", "rating"]
QUALITIES = (
    "sturdy|light|hand-made|dishwasher-safe|foldable|heavy|weatherproof|plain".split(
        "|"
    )
)
USES = (
    "for every day|for small rooms|that lasts for years|with a smooth edge|for two or three "
    "people|as a present|for those who travel a lot|with a guarantee of five years"
).split("|")
CARE = (
    "Clean it with warm water and a soft cloth.|Do not leave it in the sun for weeks.|Oil it "
    "twice a year.|It comes in a box made of recycled paper.|Spare parts are available from "
    "our workshop.|Small differences of colour are natural.|It is made in a family business "
    "in the hills.|The surface is treated with natural wax."
).split("|")
SORTS = [(group, sort) for group, sorts in TREE.items() for sort in sorts]


@cache
def product_title(number: int) -> str:
    _, sort = SORTS[number // EACH]
    at = number % EACH
    material, quality = MATERIALS[at % 8], QUALITIES[(at * 3 + at // 8) % 8]
    return f"{quality.capitalize()} {material} {sort} No. {number + 100}"


class Shop(Site):
    name = "shop"
    host = "shop.house-and-hill.example"
    title = "House &amp; Hill"
    kinds = ("product",)
    robots = "User-agent: *\nDisallow: /cart\nDisallow: /account\nDisallow: /search\n"
    endless = dict.fromkeys(FACETS, "filter") | {"sort": "sort", "view": "view"}

    def others(self) -> int:
        sorts = len(SORTS) * pages(EACH, SIZE)
        return 1 + sorts + len(TREE) * pages(EACH * 5, SIZE) + 4

    def path(self, number: int) -> str:
        return f"/p/{slug(product_title(number))}"

    def paths(self) -> Iterator[str]:
        return map(self.path, range(len(SORTS) * EACH))

    def price(self, number: int) -> str:
        return f"{self.rng('price', number).randint(5, 190)}.{number % 10}0"

    def layout(self, title: str, main: str, head: str = "") -> str:
        menu = "".join(
            f'<li class="mega"><a href="/c/{group}/">{group.title()}</a><div class="mega-drop"><ul>'
            + each(
                '<li><a href="/c/{0}/{1}/">{2}</a></li>',
                ((group, slug(sort), f"{sort}s".title()) for sort in sorts),
            )
            + "</ul></div></li>"
            for group, sorts in TREE.items()
        )
        return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} - {self.title}</title>
{head}<link rel="stylesheet" href="/static/shop.css"></head><body>
<div class="announce">Free delivery on orders over £50. Returns within 30 days.</div>
<header class="hd"><a class="logo" href="/">{self.title}</a><form class="hd-search" action="/search"><input name="q"
placeholder="What are you looking for?"></form><ul class="hd-user"><li><a href="/account/login?return=/">Log in</a></li><li><a
href="/account/wishlist">Wish list</a></li><li><a href="/cart">Basket (0)</a></li></ul><nav><ul>{menu}</ul></nav></header>
{main}
<footer class="ft"><div class="ft-col"><h4>Service</h4><ul><li><a href="/info/delivery">Delivery</a></li><li><a
href="/info/returns">Returns</a></li><li><a href="/info/contact">Contact</a></li></ul></div><div class="ft-col"><h4>About us
</h4><ul><li><a href="/info/imprint">Imprint</a></li></ul></div><div class="ft-pay">Visa · Mastercard · Invoice</div><p
class="ft-tax">All prices include VAT, plus delivery where it applies.</p></footer></body></html>"""

    def tile(self, number: int) -> str:
        title, path = product_title(number), self.path(number)
        return f"""<div class="tile" data-id="{number}"><a class="tile-img" href="{path}"><img src="/media/{number}-300.jpg" alt="{title}"></a><div
class="tile-name"><a href="{path}">{title}</a></div><div class="tile-price">£{self.price(number)}</div><div class="tile-rate">★★★★☆
({number % 40})</div><a class="btn tile-add" rel="nofollow" href="/cart/add?id={number}">Add to basket</a></div>
"""

    @route("/")
    def front(self, asked: Query) -> str:
        tiles = "".join(self.tile(number * 51) for number in range(9))
        groups = each(
            '<a class="banner" href="/c/{0}/"><img src="/media/{0}.jpg" alt=""><span>{0}</span></a>',
            TREE,
        )
        return self.layout(
            "Things that last",
            f'<div class="stage">{groups}</div><h2>Our favourites</h2><div class="grid">{tiles}</div>',
        )

    @route(r"/c/(\w+)/(?:([\w-]+)/)?")
    def category(self, asked: Query, group: str, sort: str | None) -> str:
        numbers = [
            number
            for number in range(len(SORTS) * EACH)
            if (found := SORTS[number // EACH])[0] == group
            and sort in (None, slug(found[1]))
        ]
        if not numbers:
            raise MissingError
        path = f"/c/{group}/{sort}/" if sort else f"/c/{group}/"
        for facet, values in FACETS.items():
            if facet in asked:
                chosen = values.index(asked[facet]) if asked[facet] in values else 0
                numbers = [one for one in numbers if one * 7 % len(values) != chosen]
        if asked.get("sort") in ORDERS:
            numbers.sort(key=lambda number: f"{asked['sort']}{self.price(number)}")
        page = asked.get("page", "1")
        tiles = "".join(
            map(self.tile, page_of(numbers, int(page) if page.isdigit() else 0, SIZE))
        )

        def turned(**changed: object) -> str:
            query = {**asked, **changed}
            if "page" not in changed:
                query.pop("page", None)
            return escape(f"{path}?{urlencode(query)}")

        facets = "".join(
            f'<fieldset class="facet"><legend>{facet.title()}</legend><ul>'
            + each(
                '<li><a href="{0}">{1}</a> <span>({2})</span></li>',
                ((turned(**{facet: value}), value, len(value) * 3) for value in values),
            )
            + "</ul></fieldset>"
            for facet, values in FACETS.items()
        )
        orders = each(
            '<a href="{0}">{1}</a> ',
            ((turned(sort=order), order.replace("_", " ")) for order in ORDERS),
        )
        views = each(
            '<a href="{0}">{1}</a> ',
            ((turned(view=view), view) for view in ("grid", "list")),
        )
        steps = each(
            '<a class="pg" href="{0}">{1}</a>',
            ((turned(page=at), at) for at in range(1, pages(len(numbers), SIZE) + 1)),
        )
        if int(page) < pages(len(numbers), SIZE):
            steps += f'<a class="pg next" href="{turned(page=int(page) + 1)}">Next</a>'
        title = f"{sort.replace('-', ' ')}s".title() if sort else group.title()
        crumbs = f'<a href="/">Home</a> › <a href="/c/{group}/">{group.title()}</a>'
        return self.layout(
            title,
            f"""<div class="crumbs">{crumbs}</div><div class="cols"><aside class="facets">{facets}</aside><section class="list">
<h1>{title}</h1><div class="bar"><span>{len(numbers)} products</span> Sort by: {orders} View: {views}</div><div class="grid">{tiles}</div><div
class="pager">{steps}</div></section></div>""",
        )

    @route(r"/p/([\w-]+)")
    def product(self, asked: Query, ending: str) -> str:
        at = ending.rpartition("-")[2]
        number = int(at) - 100 if at.isdigit() else -1
        if not 0 <= number < len(SORTS) * EACH or slug(product_title(number)) != ending:
            raise MissingError
        group, sort = SORTS[number // EACH]
        rng = self.rng("product", number)
        title, path, brand = (
            product_title(number),
            self.path(number),
            rng.choice(BRANDS),
        )
        texts = [
            (
                f"This {sort} of {brand} is {rng.choice(QUALITIES)} and {rng.choice(QUALITIES)}, a {sort} "
                f"{rng.choice(USES)}. {' '.join(rng.sample(CARE, 3))}"
            ),
            (
                f"We chose it because it is {rng.choice(QUALITIES)}, and because our customers asked for a "
                f"{sort} {rng.choice(USES)}. {' '.join(rng.sample(CARE, 2))}"
            ),
        ][: rng.randint(1, 2)]
        facts = each(
            "<tr><th>{0}</th><td>{1}</td></tr>",
            (
                ("Material", MATERIALS[number % EACH % 8]),
                ("Height", f"{rng.randint(4, 80)} cm"),
                ("Weight", f"{rng.randint(2, 90) * 50} g"),
                ("Brand", brand),
                ("Item number", f"HH-{number + 100}"),
            ),
        )
        colours = each(
            '<a class="swatch" href="{0}?colour={1}" title="{1}">{1}</a> ',
            ((path, colour) for colour in FACETS["colour"][:4]),
        )
        reviews = each(
            '<div class="review" itemprop="review" itemscope itemtype="https://schema.org/Review"><b itemprop="author">{0}</b> ★★★★★<p '
            'itemprop="reviewBody">A good {1}, {2}. {3}</p></div>',
            (
                (
                    name(rng),
                    sort,
                    rng.choice(USES),
                    rng.choice(
                        [
                            "It came after two days.",
                            "I bought a second one.",
                            "The colour is darker than shown.",
                        ]
                    ),
                )
                for _ in range(rng.randrange(3))
            ),
        )
        first = number // EACH * EACH
        others = "".join(
            self.tile(first + (number + step) % EACH) for step in (1, 5, 8, 11)
        )
        return self.layout(
            title,
            f"""<div class="crumbs"><a href="/">Home</a> › <a href="/c/{group}/">{group.title()}</a> › <a href="/c/{group}/{slug(sort)}/">{sort.title()}s</a></div>
<div class="pdp" itemscope itemtype="https://schema.org/Product"><div class="pdp-gallery"><img itemprop="image" src="/media/{number}-900.jpg" alt="{title}"><img
src="/media/{number}b-90.jpg" alt=""></div><div class="pdp-info"><h1 itemprop="name">{title}</h1><div class="pdp-brand" itemprop="brand">{brand}</div><div itemprop="offers"
itemscope itemtype="https://schema.org/Offer"><meta itemprop="priceCurrency" content="GBP">£<span itemprop="price" content="{self.price(number)}">{self.price(number)}</span>
<link itemprop="availability" href="https://schema.org/InStock">In stock, at yours in 2 to 3 days</div><div class="pdp-colours">Colour: {colours}</div><form
action="/cart/add"><select name="n"><option>1<option>2</select><button>Add to basket</button></form><a rel="nofollow" href="/account/login?return={path}">Add to wish list
</a></div><div class="pdp-text"><h2>Description</h2><div itemprop="description">{paragraphs(texts)}</div><h2>Details</h2><table class="facts">{facts}</table></div><div
class="pdp-reviews"><h2>Reviews</h2>{reviews}<a href="/account/login?return={path}">Write a review</a></div></div><h2>You may also like</h2><div
class="grid">{others}</div>""",
            f'<link rel="canonical" href="{self.base}{path}">',
        )

    @route(r"/info/(delivery|returns|contact|imprint)")
    def info(self, asked: Query, page: str) -> str:
        return self.layout(
            page.title(), f"<h1>{page.title()}</h1><p>{' '.join(CARE[:3])}</p>"
        )

    @route(r"/(?:cart|account|search)(?:/.*)?", "cart, login and search")
    def account(self, asked: Query) -> str:
        return self.layout(
            "Log in",
            "<h1>Log in</h1><form><input name=mail><input type=password></form>",
        )
