"""The compiled writer gives the Markdown of the Python one, to the last character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scrapy_eatext
from scrapy_eatext.output.code import Content, content
from scrapy_eatext.output.markdown import markdown
from scrapy_eatext.output.structure import tree_of
from scrapy_eatext.page import Page
from tests.hostile import every_page
from tests.pages import any_pages
from tests.properties import COMPILED_ONLY, SITE
from tests.test_fidelity import CASES, URL

pytestmark = COMPILED_ONLY
if scrapy_eatext.compiled:
    from scrapy_eatext.output import _markdown

# What means something to Markdown, at a line's beginning, in it and at the edges of
# styles.
SIGNS = [
    *"# ## ####### > - + * - --- = | : 1. 12) 1234567890. ٣. [ ] [x] [ ( ) \\ ` `` ~ _ < </a & &amp; &#39;".split(),
    *"! a é 一 א 😀 word 1 ( ) . , ; \" ' “ ”".split(),
    *[" ", "  ", "\xa0", "\u3000", "\n", "<br>", "<wbr>", "\u200b"],
]
INLINE = "a b i em strong del s strike sup sub code kbd tt span u q".split()
HOLDERS = (
    "p div h1 h2 h6 ul ol li blockquote pre table tr td th caption dl dt dd figure "
    "figcaption details section".split()
)
ATTRIBUTES = {
    "a": [
        *"href=/x href=/ href=//cdn.example.org/x href=/a/../b href=/.x href=. href=#".split(),
        *"href=https://example.org/./x href=HTTP://example.org href=/é href=/(x)".split(),
        *"href=mailto:a@example.org href=javascript:x href= href=http://[".split(),
        "href='https://example.org/a b'",
        "",
    ],
    "ol": ["start=7", "start=x", ""],
    "td": ["colspan=2", "rowspan=3", "colspan=0", ""],
    "th": ["colspan=2", ""],
    "table": ["role=presentation", ""],
    "pre": ["class=language-x", ""],
    "div": ["class=comment", "class=author", "class=line", "hidden", ""],
}
IMAGES = [
    "<img src=/i.png alt='[a] *b*'>",
    "<img src=data:x,y alt=no><noscript><img src=/lazy.png></noscript>",
    "<img src=/dot.gif width=1>",
    "<img src=/dot.gif height=' 31px '>",
    "<img src=https://example.org/wide.png width=100% height=32 alt=' \u200bé  e '>",
    "<img data-srcset='/s.png 1x, /l.png 2x' src=/small.png alt=set>",
    "<img data-src='' src='/a b.png' alt=spaced>",
    "<img data-src=javascript:x src=/fine.png>",
    "<a href=/x><img src=../up.png alt=in></a>",
    "<picture><source srcset=/s.webp><img src=/p.png alt=p></picture>",
    "<img alt=none>",
]


def check(source: str | bytes, left_out: frozenset[int] = frozenset()) -> None:
    page = Page.of(source, URL)
    blocks = page.blocks
    shown = content(blocks, [i not in left_out for i in range(len(blocks))])
    expected = markdown(tree_of(page, blocks, shown))
    assert _markdown.markdown(page, blocks, shown) == expected


def page_from(data: bytes) -> str:
    """A page that the bytes describe: signs in styles in holders, closed or not."""
    choices = iter(data)
    parts = []
    opened: list[str] = []

    def one_of(among: list[str]) -> str:
        return among[next(choices, 0) % len(among)]

    while (kind := next(choices, None)) is not None:
        kind %= 16
        if kind < 6:
            parts.append(one_of(SIGNS))
        elif kind < 11:
            name = one_of(INLINE if kind < 9 else HOLDERS)
            opened.append(name)
            parts.append(f"<{name} {one_of(ATTRIBUTES.get(name, ['']))}>")
        elif kind < 15 and opened:
            parts.append(f"</{opened.pop()}>")
        else:
            parts.append(one_of(IMAGES))
    return "".join(parts)


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_cases(source, expected):
    check(source)


@pytest.mark.parametrize("name", sorted(every_page(0)))
def test_hostile_pages(name):
    check(every_page(500)[name])


def test_pages_of_the_example():
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 20
    for path in found:
        check(path.read_bytes())


@given(any_pages(), st.frozensets(st.integers(0, 30)))
def test_any_pages(source, left_out):
    check(source, left_out)


@given(st.binary(max_size=300).map(page_from), st.frozensets(st.integers(0, 20)))
def test_any_signs(source, left_out):
    check(source, left_out)


def test_blocks_that_are_not_there():
    page = Page.of("<p>one<p>two")
    for wrong in (2, -1):
        with pytest.raises(IndexError, match=f"there is no block {wrong}"):
            _markdown.markdown(page, page.blocks, Content([wrong], {}))
