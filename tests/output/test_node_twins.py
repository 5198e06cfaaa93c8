"""The compiled nodes, spans and text of a page are those of the Python twin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext.output.images import others_of
from scrapy_eatext.output.inline import Inlines
from scrapy_eatext.output.placing import HTML, MARKDOWN, place, python_place
from scrapy_eatext.page import Page
from scrapy_eatext.page.columns import NodeKind
from scrapy_eatext.page.tags import STRONG_TEXT
from tests.output.test_fidelity import CASES, URL
from tests.support.hostile import every_page
from tests.support.pages import any_pages
from tests.support.properties import both, check_writing
from tests.support.suites import EXAMPLE

TWINS = both(python_place, place)
# Signs that mean something to Markdown: at the beginning of a line, inside it and at the
# edges of styles.
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
    "<p>a<iframe src=https://player.vimeo.com/video/1></iframe>b</p><hr>",
    "<hr>a<video src=/a.mp4></video><hr><audio></audio><hr>",
    "<picture><source srcset=/s.webp><img src=/p.png alt=p></picture>",
    "<img alt=none>",
]
# Of what numbers and lines of a text depend on.
LISTS_AND_TABLES = [
    "<ol start=7>",
    "<li value=3>",
    *"<ul> <ol> <li> </li> </ul> </ol> <table> <tr> <td> </td> </tr> </table>".split(),
    *"<p> <h2> <pre> <blockquote> one 2 ä <br> <dl> <dt> <dd> <th>".split(),
]


def check(source: str | bytes, left_out: frozenset[int] = frozenset()) -> None:
    page = Page.of(source, URL)
    check_writing(page, [i not in left_out for i in range(len(page.blocks))])


def page_from(data: bytes) -> str:
    """A page that the bytes describe: signs in styles in holders, closed or not."""
    choices = iter(data)
    parts = []
    opened: list[str] = []

    def choice(among: list[str]) -> str:
        return among[next(choices, 0) % len(among)]

    while (kind := next(choices, None)) is not None:
        kind %= 16
        if kind < 6:
            parts.append(choice(SIGNS))
        elif kind < 11:
            name = choice(INLINE if kind < 9 else HOLDERS)
            opened.append(name)
            parts.append(f"<{name} {choice(ATTRIBUTES.get(name, ['']))}>")
        elif kind < 15 and opened:
            parts.append(f"</{opened.pop()}>")
        else:
            parts.append(choice(IMAGES))
    return "".join(parts)


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_cases(source, expected):
    check(source)


@pytest.mark.parametrize("name", sorted(every_page(0)))
def test_hostile_pages(name):
    check(every_page(500)[name])


def test_pages_of_the_example():
    for page in EXAMPLE:
        for left_out in (frozenset[int](), frozenset(range(0, 1000, 3))):
            check(page, left_out)


@given(any_pages(), st.frozensets(st.integers(0, 30)))
def test_any_pages(source, left_out):
    check(source, left_out)


@given(st.binary(max_size=300).map(page_from), st.frozensets(st.integers(0, 20)))
def test_any_signs(source, left_out):
    check(source, left_out)


@given(
    st.lists(st.sampled_from(LISTS_AND_TABLES), max_size=80).map(" ".join),
    st.frozensets(st.integers(0, 30)),
)
def test_lists_and_tables(source, left_out):
    check(source, left_out)


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("wrong", [2, -1])
def test_blocks_that_are_not_there(twin, wrong):
    page = Page.of("<p>one<p>two")
    with pytest.raises(IndexError, match=f"there is no block {wrong}"):
        twin(page.blocks.walk, [wrong], {}, {}, Inlines(page), [])


@pytest.mark.parametrize(
    ("source", "kept", "found"),
    [
        ("<p>a</p><img src=x><p>b</p>", [0, 1], [0]),
        ("<p>a <img src=x> b</p>", [0], []),
        ("<table><tr><td><img src=x><td>w</table>", [0], [0]),
        ("<img src=x><p>a</p>", [0], []),
        ("<p>a</p><img src=x>", [0], []),
        ("<div><figure><img src=x></figure><p>a</p></div>", [0], [0]),
        ("<div><p>a</p></div><div><b><figure><img src=x></figure></b></div>", [0], []),
        ("<p>a</p><img src=x>", [], []),
    ],
)
def test_images_beside_one_block(source, kept, found):
    assert others_of(Page.of(source).blocks.walk, kept) == (found, [])


@pytest.mark.parametrize(
    ("between", "found", "captions"),
    [
        # Near kept blocks or not.
        (f"<p>{'w ' * 30}</p><img src=x>", [0], []),
        (f"<p>{'w ' * 31}</p><img src=x>", [], []),
        ("<p>w</p><p>w</p><img src=x>", [0], []),
        ("<p>w</p><p>w</p><p>w</p><img src=x>", [], []),
        ("<p>w</p><a href=/x><img src=x></a>", [], []),
        (f"<figure><img src=x><figcaption>{'w ' * 150}</figure>", [0], [1]),
        (f"<figure><img src=x><figcaption>{'w ' * 151}</figure>", [], []),
        (f"<p>{'w ' * 31}</p><figure><img src=x><p>w</figure>", [], []),
        ("<div class=figure><a href=/x><img src=x></a><p>w</div>", [0], []),
        ("<table><tr><td><img src=x><td>w</table>", [], []),
        # With captions.
        ("<figure><img src=x><figcaption>w</figure>", [0], [1]),
        ("<figure><figcaption><p>w<p>w</figcaption><img src=x></figure>", [0], [1, 2]),
        ("<figure><img src=x><p>w</figure>", [0], []),
        ("<div class=wp-caption><img src=x><p class=wp-caption-text>w</div>", [0], [1]),
        ("<div class=wp-caption><img src=x><p>w</div>", [0], []),
        ("<figure><figcaption><img src=x> w</figcaption></figure>", [], [1]),
        ("<figure><video src=x></video><figcaption>w</figure>", [0], [1]),
        ("<figure><figcaption>w</figcaption></figure>", [], []),
        ("<figcaption>w</figcaption><img src=x>", [0], []),
    ],
)
def test_images_between_blocks_and_captions_that_are_dropped(between, found, captions):
    walk = Page.of(f"<p>one</p>{between}<p>two</p>").blocks.walk
    assert others_of(walk, [0, len(walk.blocks) - 1]) == (found, captions)


@pytest.mark.parametrize("twin", TWINS)
def test_nodes_and_spans(twin):
    page = Page.of("<h2>A</h2><ul><li>b <a href=/x><b>c*</b></a> &lt;d</ul>", URL)
    made = twin(page.blocks.walk, [0, 1], {}, {}, Inlines(page), [])
    kinds = NodeKind.DOCUMENT, NodeKind.HEADING, NodeKind.LIST, NodeKind.ITEM
    url = "https://example.com/x"
    assert made == (
        [*kinds, NodeKind.PARAGRAPH],
        [-1, 0, 0, 2, 3],
        [-1, -1, 3, 4, -1],
        [-1, 0, -1, -1, 1],
        [0, 2, 0, 0, 0],
        [
            [],
            [("A", 0, "", "", 0)],
            [],
            [],
            [
                ("b ", 0, "", "", 0),
                ("c*", STRONG_TEXT, url, "", MARKDOWN),
                (" <d", 0, "", "", MARKDOWN | HTML),
            ],
        ],
    )
