"""Pages that try to get something active through, and checks that nothing comes out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from html.parser import HTMLParser
from importlib import import_module
from typing import cast
from urllib.parse import quote as quoted

import nh3
from markdown_it import MarkdownIt

from scrapy_eatext.output.html import html
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.page import Page
from scrapy_eatext.page.urls import SCHEMES
from tests.support.kept import document
from tests.support.suites import column_of

# Every element and attribute that can come out as HTML.
ALLOWED = {
    **dict.fromkeys(
        "blockquote br caption dd del dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr "
        "li mark p pre q strong sub sup table tbody thead tr ul".split(),
        frozenset[str](),
    ),
    "a": frozenset(("href",)),
    "code": frozenset(("class",)),
    "img": frozenset(("alt", "src")),
    "ol": frozenset(("start",)),
    "td": frozenset(("colspan", "rowspan")),
    "th": frozenset(("colspan", "rowspan")),
}
CALL = "alert(1)"
# Ways to write an address that runs a script in some browser, now or once.
ADDRESSES = [
    *column_of("tables/unsafe_addresses.txt"),
    f" javascript:{CALL}",
    f"\x01javascript:{CALL}",
    f"jav\tascript:{CALL}",
    f"java\0script:{CALL}",
    f"//\tjavascript:{CALL}",
]
# Markup, and text that would be markup if it were not escaped.
PIECES = [
    *column_of("tables/unsafe_pieces.txt"),
    f"<script/x>{CALL}</script\n>",
    f"<pre data-lang='x onclick={CALL}'>```\n<script>{CALL}</script>\n```</pre>",
    f"<a\nhref='javascript:{CALL}'\nonclick={CALL}>x</a>",
]
WRAPS = [
    "{}",
    "<p>{}</p>",
    "<b>{}</b>",
    "<a href=/x>{}</a>",
    "<ul><li>{}<li>x</ul>",
    "<blockquote>{}</blockquote>",
    "<h2>{}</h2>",
    "<pre>{}</pre>",
    "<code>{}</code>",
    "<table><tr><th>a<th>{}<tr><td>{}<td>b</table>",
    "<dl><dt>{}<dd>{}</dl>",
    "<p>One</p><figure><img src=/x.png alt='{}'><figcaption>{}</figcaption></figure>",
    "<div class='highlight'><div class=line>{}</div><div class=line>x</div></div>",
]
TEX = column_of("tables/unsafe_tex.txt")
# The ways in which a page may have a formula, on a page with a script for these.
FORMULAS = [
    *(f"<math><{name}>{{}}</{name}></math>" for name in ("mtext", "mi", "mo", "mn")),
    "<math><mfenced open='{}'><mi>x</mi></mfenced></math>",
    "<math display=block><mtext>{}</mtext></math>",
    (
        "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>{}"
        "</annotation></semantics></math>"
    ),
    (
        "<span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation "
        "encoding='application/x-tex'>{}</annotation></semantics></math></span>"
        "<span class=katex-html aria-hidden=true>x</span></span>"
    ),
    "<script type='math/tex'>{}</script>",
    "<script type='math/tex; mode=display'>{}</script>",
    "<img src=/x.png class=math alt='x={}'>",
    "<img src=/x.png class=latex alt='\\[{}\\]'>",
    "\\({}\\)",
    "\\[{}\\]",
    "$x {}$",
    "$${}$$",
    "\\begin{{align}}{}\\end{{align}}",
    "\\(a % b<br>{}<br>\\)",
]
# What stands around it, with text behind that must stay text.
AROUND = [
    (
        "<p>So {} and <code>&lt;img src=x onerror=alert(1)></code> and ` &lt;img src=x "
        "onerror=alert(1)>.</p>"
    ),
    "<h2>So {}</h2><ul><li><b>{}</b><li><del>{}</del></ul><p><a href=/x>{}</a></p>",
    (
        "<table><tr><th>a<th>{}<tr><td>{}<td><code>&lt;img src=x onerror=alert(1)></code>"
        "</table>"
    ),
]


def _markdown_it() -> Callable[[str], str]:
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made.validateLink = lambda url: True
    return made.render


def _mistune() -> Callable[[str], str]:
    mistune = import_module("mistune")
    plain = mistune.HTMLRenderer(escape=False, allow_harmful_protocols=True)
    # By itself its plugin does not read tables in lists.
    tables = import_module("mistune.plugins.table").table_in_list
    plugins = ["table", tables, "strikethrough"]
    made = mistune.create_markdown(renderer=plain, plugins=plugins)
    return cast("Callable[[str], str]", made)


def _cmarkgfm() -> Callable[[str], str]:
    """GitHub's own, without its filters."""
    cmark = import_module("cmarkgfm.cmark")
    return lambda text: cmark.markdown_to_html_with_extensions(
        text, cmark.Options.CMARK_OPT_UNSAFE, ["table", "strikethrough", "autolink"]
    )


# The output must be safe without what libraries that render Markdown refuse.
RENDERERS = {"markdown_it": _markdown_it, "mistune": _mistune, "cmarkgfm": _cmarkgfm}


@cache
def renderer(name: str) -> Callable[[str], str]:
    return RENDERERS[name]()


_VALUES = dict.fromkeys(["start", "colspan", "rowspan"], re.compile(r"\d+"))
_VALUES["class"] = re.compile(r"language-[a-z0-9][a-z0-9+#._-]{0,30}")


def vectors() -> Iterator[str]:
    """The known ones, one by one."""
    yield from PIECES
    for address in ADDRESSES:
        quote = '"' if "'" in address else "'"
        for name in (
            "a href",
            "img src",
            "img data-src",
            "video src",
            "iframe data-src",
        ):
            tag = name.partition(" ")[0]
            yield f"<p>x <{name}={quote}{address}{quote} alt=x>x</{tag}> y</p>"
        player = f"https://www.facebook.com/plugins/video.php?href={quoted(address)}"
        yield f"<p>x <iframe src='{player}'></iframe> y</p>"
    for piece in PIECES:
        yield f"<p>x</p><audio src=/a.mp3 title='{escape(piece)}'></audio><hr><p>y</p>"


def formulas(tex: str) -> Iterator[str]:
    """Pages with TeX in all ways and at all places."""
    for way in FORMULAS:
        raw = way.startswith("<script")
        piece = way.format(tex if raw else escape(tex))
        for around in AROUND:
            yield "<script src=/mathjax.js></script>" + around.replace("{}", piece)


def page(source: random.Random) -> str:
    """A page put together at random."""
    known = list(vectors())
    parts = []
    for _ in range(source.randint(1, 4)):
        piece = source.choice(known)
        if source.random() < 0.3:  # cut somewhere
            piece = piece[: source.randint(0, len(piece))]
        for _ in range(source.randint(0, 3)):
            wrap = source.choice(WRAPS)
            piece = wrap.replace("{}", piece)
        parts.append(piece)
    return source.choice(["", " ", "\n"]).join(parts)


class _Checker(HTMLParser):
    """Raises ValueError at what is not in the allow-list."""

    def __init__(self, allowed: dict[str, frozenset[str]]) -> None:
        super().__init__()
        self._allowed = allowed

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self._allowed:
            raise ValueError(f"<{tag}>")
        for name, value in attrs:
            if name not in self._allowed[tag]:
                raise ValueError(f"<{tag} {name}>")
            if name in ("href", "src"):
                check_address(value or "")
            elif name in _VALUES and not _VALUES[name].fullmatch(value or ""):
                raise ValueError(f"{name} {value!r}")

    def handle_comment(self, data: str) -> None:
        raise ValueError(f"a comment, declaration or instruction: {data!r}")

    handle_decl = unknown_decl = handle_pi = handle_comment


def check_address(address: str) -> None:
    """ValueError for an address with a scheme that is not safe."""
    bare = re.sub(r"[\x00-\x20]", "", address)
    scheme, colon, _ = re.split(r"[/?#]", bare, maxsplit=1)[0].partition(":")
    if colon and scheme.lower() not in SCHEMES:
        raise ValueError(f"address {address!r}")


# Rendered Markdown has the alignment of columns besides.
RENDERED = ALLOWED | {name: ALLOWED[name] | {"style"} for name in ("th", "td")}


class _Collector(HTMLParser):
    """All elements with their attributes but for addresses, and all text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: set[tuple[str, frozenset[tuple[str, str | None]]]] = set()
        self.text = ""
        self.feed(source)
        self.close()
        self.text = "".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Of addresses nh3 drops also those that no browser could follow.
        kept = frozenset(one for one in attrs if one[0] not in ("href", "src"))
        self.elements.add((tag, kept))

    def handle_data(self, data: str) -> None:
        self.text += data


def check_safe(made: str, allowed: dict[str, frozenset[str]]) -> None:
    """ValueError for HTML with more than is allowed.

    It is read by Python's parser, and by nh3, a cleaner that parses as browsers do and
    must have nothing to drop.
    """
    checker = _Checker(allowed)
    checker.feed(made)
    checker.close()
    clean = nh3.clean(
        made,
        tags=set(allowed),
        attributes={tag: set(names) for tag, names in allowed.items() if names},
        clean_content_tags=set(),
        strip_comments=False,
        link_rel=None,
    )
    if clean == made:
        return
    before, after = _Collector(made), _Collector(clean)
    if before.elements != after.elements or before.text != after.text:
        raise ValueError(f"nh3 drops {before.elements ^ after.elements} or text")


def check(source: str, render: str = "markdown_it") -> None:
    """Raises ValueError where something active comes out of a page."""
    read = Page.of(source, "https://example.com/dir/page")
    nodes = document(read)
    check_safe(html(nodes), ALLOWED)
    check_safe(renderer(render)(markdown(nodes)), RENDERED)
