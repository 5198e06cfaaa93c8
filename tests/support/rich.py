"""Pages that say much of themselves, and much of it oddly.

Beside the grammar of tests/support/pages.py, which is about what a page shows: JSON-LD, meta
elements, microdata, times, bylines, the data of frameworks, tables, lists, code,
formulas, images and links with odd addresses, long numbers.  ``rich_page()`` draws
all its choices from one generator of random numbers.

Templates have names in braces.  ``PARTS`` says what each stands for: one of several
templates, or what a function makes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from random import Random
from typing import Any

from tests.support.pages import ODD, REFERENCES, WORDS

SENTENCES = list(WORDS.values())
DATES = (
    "2024-03-05 2024-03-05T10:11:12Z 2024-03-05T10:11+99:99 20240305T101112 3/4/2024 "
    "1.2.2020 2019年3月4日 ٢٠٢٤-٠٣-٠٥ 2024-03-05T١٠:١١ 9999-12-31 0000-00-00 2024-13-45 "
    "2024-02-30 12024-03-05 2024-03-05T24:60:60 2024-03-05T10:11:12-23:59"
).split()
DATES += ["March 5, 2024", "5 mars 2021 at 10:11", "Updated: 01.02.2023 99:99 +9999"]
DATES += ["2024-03-05 10:11:12 +24:00", "5 June 2020 10:11:12 -9930", "1" * 90, ""]
NAMES = [
    "Ada Lovelace",
    "by Ada",
    "ADA",
    "李 明",
    "A" * 300,
    "http://a/b",
    "a, b & c",
    "",
]
# Numbers that are long or no numbers to some.
NUMBERS = ["7", "-1", "0", "1e999", "٣", "9" * 30, "9" * 4400, "²", "1_0", "+5", ""]
ADDRESSES = (
    "/a/b ../up //cdn.example.org/x ?q=1 #top . http://[ http://[::1]:x/ javascript:x "
    "data:image/png;base64,AAAA mailto:a@b HTTP://EXAMPLE.org/%zz http:///x http: : // "
    "/a\\b \\\\h\\x /(x)*y*_z_|[w] /é?ü=ß https://xn--.example/ http://a:99999/ "
    "java\tscript:x http://user:pw@h/ /\u202e /\x01x /&#x110000;"
).split(" ")
ADDRESSES += ["http://h/" + "x" * 2000, "a b", " /x ", "\n//h\n", ""]
CHARSETS = (
    "utf-8 utf8 gb2312 idna punycode rot13 hex zip undefined unicode_escape utf-7 "
    "utf-16 x-user-defined x-sjis windows-1252 iso-8859-8-i cp0 none \xe9 " + "x" * 300
).split()
METAS = (
    "description keywords author date og:title og:image og:url og:site_name og:locale "
    "article:published_time article:modified_time article:author article:tag "
    "twitter:title twitter:image twitter:label1 twitter:data1 citation_author "
    "citation_date dc.title dcterms.modified content-language news_keywords"
).split()
# Signs that begin or end something in Markdown.
SIGNS = (
    "* _ ` [ ] ( ) # > - + = ~~~ ``` --- === | 1. 2) [^1]: [a]: ![ <b> </p> &amp; \\ "
    "http://h/ www.h ** __ *_` $ : <!-- %s"
).split()
TYPES = (
    "Article NewsArticle BlogPosting WebPage WebSite Product Question Recipe Review "
    "http://schema.org/Article Organization Thing"
).split()
KEYS = (
    "headline name author creator datePublished dateModified dateCreated image url "
    "description keywords publisher mainEntity mainEntityOfPage @graph @id inLanguage "
    "articleBody text recipeInstructions thumbnailUrl reviewBody"
).split()
STATE = "props pageProps post body content html children blocks text value".split()
PROPS = "headline author name datePublished dateModified image description".split()
MATH = (
    "<math><mi>x</mi><msup><mi>y</mi><mn>2</mn></msup><annotation encoding="
    "'application/x-tex'>x y^{2}</annotation></math>"
)
DEEPEST = 4


_NAME = re.compile("{([a-z]+)(!?)}")


def filled(chance: Random, template: str) -> str:
    """A template with something at random for each name, escaped before a ``!``."""

    def part(name: re.Match[str]) -> str:
        made = PARTS[name[1]]
        text = made(chance) if callable(made) else filled(chance, chance.choice(made))
        return escape(text) if name[2] else text

    return _NAME.sub(part, template)


def said(chance: Random) -> str:
    """A piece of metadata."""
    return filled(chance, "{said}")


def words(chance: Random) -> str:
    """The beginning of a sentence."""
    found = chance.choice(SENTENCES).split()
    return " ".join(found[: chance.randrange(len(found) + 1)])


def value(chance: Random, keys: list[str], depth: int = 0) -> Any:
    """Anything that JSON can be, as deep as it may be."""
    kind = chance.randrange(12 if depth < DEEPEST else 7)
    if kind < 5:
        return said(chance)
    if kind < 6:
        return f"<p>{said(chance)}</p>" * chance.randrange(12)
    if kind < 7:
        return chance.choice([None, True, -1, 1.5e300, 10**30, float("nan")])
    count = range(chance.randrange(4))
    if kind < 9:
        return [value(chance, keys, depth + 1) for _ in count]
    return {chance.choice(keys): value(chance, keys, depth + 1) for _ in count}


def linked(chance: Random) -> str:
    thing = {"@context": "https://schema.org", "@type": chance.choice(TYPES)}
    for key in chance.sample(KEYS, chance.randrange(8)):
        thing[key] = value(chance, KEYS)
    data = json.dumps(thing, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.2:
        data = chance.choice(
            ["<!--%s-->", "%s;", "[%s,]", "%s%s", "//<![CDATA[%s//]]>"]
        ).replace("%s", data)
    return f"<script type=application/ld+json>{data}</script>"


def state(chance: Random) -> str:
    name = chance.choice(["__NEXT_DATA__", "__NUXT_DATA__"])
    return f"<script id={name} type=application/json>{json.dumps(value(chance, STATE))}</script>"


MARKS = "1 2 3 [1] (2) * \u2020 a [note\u00a01] \u00b9 \u21a9".split(" ")


def notes(chance: Random) -> str:
    """Paragraphs with references, and notes, with links back or none."""
    one, ids = chance.choice, ["fn1", "fn2", "ref1", "ref2", "top"]

    def mark(ids: list[str]) -> str:
        made = f'<a id="{one(ids)}x" href="#{one(ids)}">{one(MARKS)}</a>'
        return one([f"<sup>{made}</sup>", f"[{made}]", made]) + one(SIGNS + [""] * 40)

    holder, item = one([("ol", "li"), ("ul", "li"), ("div", "p"), ("section", "div")])
    items = ""
    for name in chance.sample(ids, 3):
        text = one(
            [said(chance), said(chance)[:5], f"<p>{said(chance)}<p>{said(chance)}"]
        )
        if chance.random() < 0.2:
            text = notes(chance)
        back = f"<a href=#{one(ids)}x>{one(MARKS)}</a>" if chance.random() < 0.5 else ""
        begin, end = one([(back, ""), ("", back), (one(MARKS) + " ", back)])
        items += f"<{item} id={name}>{begin}{text}{end}"
    name = one(["footnotes", "references", "x"])
    return (
        f"<p id={one(ids)}x>{said(chance)}{mark(ids)}{said(chance)}{mark(ids)}"
        f"<{holder} class={name}>{items}</{holder}>"
    )


LINK = '<a href="{address!}">x</a>'
ROW = "<tr><th>{said}<td colspan={number} rowspan={number}>{said}<td>"
LINES = "\n".join(f"<span class=lineno>{i}</span>{{said!}}" for i in range(3))
PARTS: dict[str, Callable[[Random], str] | list[str]] = {
    "address": ADDRESSES,
    "charset": CHARSETS,
    "date": DATES,
    "host": ["gist.github.com/a", "asciinema.org/a", "example.com"],
    "kind": ["name", "property", "itemprop"],
    "name": NAMES,
    "number": NUMBERS,
    "odd": ODD,
    "property": PROPS,
    "reference": REFERENCES,
    "short": lambda chance: said(chance)[:9],
    "sign": SIGNS,
    "topic": METAS,
    "words": words,
    "said": [
        "{words}",
        "{words}",
        "{words} | {name}",
        "{date}",
        "{name}",
        "{address}",
        "{number}",
        "{odd}{words}",
        "{reference}{words}",
        "&#{number};{words}",
        "\ud800{words}",
        "{sign} {words}",
        "{sign}{words}{sign}<br>{sign}",
    ],
    "linked": linked,
    "state": state,
    "meta": ['<meta {kind}="{topic}" content="{said!}">'],
    "declared": [
        "<meta charset={charset}>",
        '<meta http-equiv=content-type content="text/html;charset={charset}">',
    ],
    "link": [
        '<link rel=canonical href="{address!}">',
        '<link rel=image_src href="{address!}">',
        '<base href="{address!}">',
    ],
    "anchor": [
        '<p>{said} <a href="{address!}">{said}</a> {said}</p>',
        '<figure><img src="{address!}" alt="{said!}"><figcaption>{said}</figure>',
        '<img srcset="{address!} {number}x, {address!}" width={number}>',
        *(LINK * count for count in (2, 20, 59)),
    ],
    "prop": [
        '<span itemprop={property} content="{said!}">{said}</span>',
        "<div itemprop={property} itemscope><b itemprop=name>{said}</b></div>",
        '<time itemprop={property} datetime="{date!}">{said}</time>',
    ],
    "byline": [
        "<p class=byline>By {name} on {date}</p>",
        "<div class=author>{name}</div><time>{date}</time>",
        "<p>{date} | {name}</p>",
        "<article class=comment><cite>{name}</cite>, {date}<p>{said}</article>",
    ],
    "table": ["<table><caption>{said}</caption>" + ROW * 3 + "</table>"],
    "items": ["<ol start={number}><li value={number}>{said}<li>{item}</ol>"],
    "item": ["{said}", "{said}", "{items}"],
    "code": ["<pre class=language-{charset}><code>" + LINES + "</code></pre>"],
    # Long enough to be a page's text.
    "text": ["<{tag}>" + "{said} " * count for count in range(9)],
    "tag": ["p", "h1", "h2", "blockquote", "dd", "div lang=de"],
    "formula": ["<p>{said} " + MATH + " <sup>{said}</sup> {said}"],
    "ruby": ["<p>{said}<ruby>{short}{reading}</ruby> {said}</p>"],
    "reading": [
        "<rt>{short}</rt>",
        "<rp>(</rp><rt>{short}</rt><rp>)</rp>",
        "<rt>{short}",
    ],
    "script": ["<p>{said}<script src=//{host}/{number}.js></script>"],
    "notes": notes,
    "head": ["{linked}", "{state}", *["{meta}"] * 3, "{declared}", "{link}"],
    "body": (
        "{linked} {state} {anchor} {prop} {byline} {table} {items} {code} {text} {text} "
        "{formula} {ruby} {script} {notes} {notes}"
    ).split(),
}


def rich_page(chance: Random) -> str:
    """A page with a few of all these."""
    head, body = "{head}" * chance.randrange(6), "{body}" * chance.randrange(8)
    lang = "{said!}" if chance.random() < 0.3 else "en"
    title = "<title>{said}</title><h1>{said}</h1>"
    return filled(chance, f'<html lang="{lang}">{head}{title}{body}')
