"""Hypothesis strategies that build pages, from tidy to broken.

``pages()`` draws HTML source as str: nested sections, headings, lists, tables,
inline tags, entities, scripts, hidden parts, in many scripts and languages.
``broken_pages()`` cuts such a page up and puts it together wrongly, and
``tag_soup()`` strings tags and text together at random.  ``any_pages()`` draws
from all three.

What is drawn is a string of bytes that a grammar reads its choices from: a
hundred times quicker than a strategy for each element, fewer bytes still make a
smaller page for hypothesis to shrink to, and a fuzzer can feed the same grammar.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from itertools import pairwise

from hypothesis import strategies as st

# A few words in each script; pages mix them as the web does.
WORDS = {
    "en": "the river of a small town was quiet and nobody had seen boats",
    "de": "der Fluss einer kleinen Stadt war still und niemand sah Boote über",
    "ru": "река маленького города была тихой и никто не видел лодок",
    "el": "ο ποταμός της μικρής πόλης ήταν ήσυχος και κανείς δεν είδε",
    "ar": "كان نهر المدينة الصغيرة هادئا ولم ير أحد القوارب",
    "he": "הנהר של העיר הקטנה היה שקט ואיש לא ראה סירות",
    "hi": "छोटे शहर की नदी शांत थी और किसी ने नाव नहीं देखी",
    "th": "แม่น้ำ ของเมือง เล็กๆ เงียบสงบ และไม่มีใคร เห็นเรือ",
    "ja": "小さな町の川は静かで 誰も船を見たことが なかった。",
    "zh": "小镇的河流很安静， 没有人 见过船。",
    "ko": "작은 마을의 강은 조용했고 아무도 배를 보지 못했다",
    "vi": "con sông của thị trấn nhỏ yên tĩnh và không ai thấy thuyền",
}
LANGUAGES = [text.split() for text in WORDS.values()]
# White space of every kind, joiners, a soft hyphen, signs outside the basic
# plane, a letter made of two characters.
ODD = [
    "\u00a0",
    "\u200b",
    "\u00ad",
    "\u2028",
    "\u3000",
    "😀",
    "𝒳",
    "e\u0301",
    "\t\r\n ",
    "\u8239\n",
    "\n\u8a66",
]
REFERENCES = (
    "&amp; &lt; &gt; &nbsp; &#160; &#x41; &eacute; &copy &unknown; & &#0; &#xD800; "
    "&#x110000; &#128; &quot; &#x200b;"
).split()
INLINE = "a b i em strong span code sup sub small u q label font x-tag".split()
BLOCK = "div p section article main header footer nav aside figure form center".split()
ODD_TAGS = "td tr table li ul pre form html body head title frameset svg x:y".split()
UNSEEN = [
    "<script>var a = '<p>no</p>';</script>",
    "<style>p { color: red }</style>",
    "<!-- a comment <p>no</p> -->",
    "<?php no ?>",
    "<noscript><p>no</p></noscript>",
    "<template><p>no</p></template>",
    "<p hidden>no</p>",
    '<div style="display: none">no</div>',
    '<div aria-hidden="true">no</div>',
    "<textarea>no</textarea>",
    "<select><option>no</option></select>",
    "<svg><text>no</text></svg>",
    "<iframe src=x></iframe>",
    "<input value=no>",
    "<button>no</button>",
    "<button><i>no</i> more? <svg></svg></button>",
    "<object><p>no</p></object>",
]
MARKS = [
    "<",
    ">",
    "<!",
    "<!--",
    "-->",
    "--!>",
    "<![CDATA[",
    "]]>",
    "<?xml ?>",
    "\0",
    "\f",
]
TOKENS = "content article post-body menu sidebar comment ad x1".split()
HEADS = ["", "<meta charset=utf-8>", "<script>x</script><base href=/>"]
LANGS = ["", ' lang="de"', " lang=zh-Hans", ' xml:lang="ar"']
DEEPEST = 8


class _Grammar:
    """Builds a page from bytes, of which each is a choice; the page ends where they do."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def number(self, below: int) -> int:
        """The next choice, from 0 to below - 1; 0 when the bytes are used up."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1] % below

    def one(self, values: Sequence[str]) -> str:
        return values[self.number(len(values))]

    def some(self, make: Callable[[int], str], depth: int, most: int) -> list[str]:
        """Up to so many parts, none when the bytes are used up."""
        return [make(depth) for _ in range(self.number(most + 1))]

    def join(self, make: Callable[[int], str], depth: int, most: int = 4) -> str:
        return self.one(["", "", " ", "\n", "\n  "]).join(self.some(make, depth, most))

    def words(self, most: int = 12) -> str:
        kind = self.number(len(LANGUAGES) + 2)
        if kind < len(LANGUAGES):
            vocabulary = LANGUAGES[kind]
        else:
            vocabulary = [word for text in LANGUAGES for word in text[:3]] + ODD
        return " ".join(self.one(vocabulary) for _ in range(self.number(most + 1)))

    def attributes(self) -> str:
        kind = self.number(15)
        if kind < 6:
            return ""
        token = self.one(TOKENS)
        return [
            f' class="{token}"',
            f" class='{token} {self.one(TOKENS)}'",
            f" id={token}",
            f' title="{escape(self.words(3))}"',
            " data-x",
            f" class={token} class=again",
            " hidden role=tabpanel",
            ' style="display: none" aria-labelledby=a',
            " hidden=until-found",
        ][kind - 6]

    def wrap(self, tag: str, inside: str) -> str:
        return f"<{tag}{self.attributes()}>{inside}</{tag}>"

    def inline(self, depth: int) -> str:
        """Text with inline tags, links, line breaks, images and references."""
        kind = self.number(10 if depth < DEEPEST else 6)
        if kind < 2:
            return escape(self.words())
        if kind == 2:
            return self.one(REFERENCES)
        if kind == 3:
            image = "<img src=a.png alt='A river'>"
            return self.one(["<br>", "<br/>", "<wbr>", image, f"<amp-{image[1:]}"])
        if kind == 4:
            return f'<a href="/a?b=1&c=2">{escape(self.words(4))}</a>'
        if kind == 5:
            return self.one(ODD)
        if kind < 8:
            return self.wrap(self.one(INLINE), self.inline(depth + 1))
        return self.join(self.inline, depth + 1)

    def block(self, depth: int) -> str:
        """A part of a page: text, headings, lists, tables, code, boxes of these."""
        kind = self.number(20 if depth < DEEPEST else 9)
        if kind < 2:
            return self.inline(depth)
        if kind < 5:
            return self.wrap(self.one(["p", "div", "blockquote", "figcaption"]),
                             self.join(self.inline, depth))  # fmt: skip
        if kind == 5:
            return self.wrap(self.one(["h1", "h2", "h3", "h6"]), self.inline(depth))
        if kind == 6:
            code = f"{self.inline(depth)}\n    <code>{escape(self.words())}\n\n</code>"
            return f"<pre>{code}</pre>"
        if kind == 7:
            return self.one(UNSEEN)
        if kind == 8:
            return self.one(["<hr>", "<p>", "<p>&nbsp;</p>", "<div></div>", "<br><br>"])
        if kind < 14:
            return self.wrap(self.one(BLOCK), self.join(self.block, depth + 1))
        if kind < 16:
            return self.items(depth + 1)
        if kind < 18:
            return self.table(depth + 1)
        # blocks inside inline tags, as careless pages have them
        return self.wrap(self.one(["a", "span", "b"]), self.block(depth + 1))

    def items(self, depth: int) -> str:
        items = self.some(self.block, depth, 4)
        kind = self.number(4)
        if kind == 0:
            return f"<ul><li>{'<li>'.join(items)}</ul>"
        if kind == 1:
            return "<dl>" + "".join(f"<dt>{item}<dd>{item}" for item in items) + "</dl>"
        closed = "".join(f"<li>{item}</li>" for item in items)
        return self.wrap(self.one(["ul", "ol", "menu"]), closed)

    def table(self, depth: int) -> str:
        rows = "".join(self.some(self.row, depth, 3))
        if self.number(3) == 0:
            rows = f"<caption>{self.words(3)}</caption><thead>{rows}</thead><tbody>"
        return self.wrap("table", rows)

    def row(self, depth: int) -> str:
        cells = self.some(self.cell, depth, 3)
        return f"<tr>{''.join(cells)}</tr>"

    def cell(self, depth: int) -> str:
        return self.wrap(self.one(["td", "th"]), self.block(depth))

    def page(self) -> str:
        shape = self.number(4)
        lang, head = self.one(LANGS), self.one(HEADS)
        title = f"<title>{escape(self.words(5))}</title>"
        # As many parts as there are bytes for.
        parts = [self.block(0)]
        while self._at < len(self._data):
            parts.append(self.block(0))
        body = self.one(["", "\n", " "]).join(parts)
        if shape == 0:
            return body
        if shape == 1:
            return f"{title}\n{body}\n"
        if shape == 2:
            return f"<html{lang}>{title}{body}"
        return (
            f"<!DOCTYPE html><html{lang}><head>{head}{title}</head>"
            f"<body>{body}</body></html>"
        )

    def soup(self) -> str:
        parts = []
        while self._at < len(self._data):
            parts.append(self.scrap())
        return "".join(parts)

    def scrap(self) -> str:
        kind = self.number(10)
        tag = self.one(INLINE + BLOCK + ODD_TAGS)
        if kind < 3:
            return f"<{tag}{self.attributes()}>"
        if kind < 5:
            return f"</{tag}>"
        if kind == 5:
            return f"<{tag} a='"
        if kind == 6:
            return self.one(REFERENCES) + self.one(UNSEEN)
        if kind == 7:
            return self.one(MARKS)
        if kind == 8:
            return self.one(ODD)
        return self.words(3)


def json_ld(*things: object) -> str:
    """Scripts that tell of some things."""
    return "".join(
        f'<script type="application/ld+json">{json.dumps(thing)}</script>'
        for thing in things
    )


def page_from(data: bytes) -> str:
    """The page that the grammar makes of these bytes."""
    return _Grammar(data).page()


def soup_from(data: bytes) -> str:
    """The tags and pieces of text that these bytes stand for."""
    return _Grammar(data).soup()


def _bytes(max_size: int) -> st.SearchStrategy[bytes]:
    """Bytes of every length alike; binary() by itself keeps to short ones."""
    return st.integers(0, max_size).flatmap(
        lambda size: st.binary(min_size=size, max_size=size)
    )


def pages(max_size: int = 400) -> st.SearchStrategy[str]:
    """A page as a careful or a less careful author writes it."""
    return _bytes(max_size).map(page_from)


@st.composite
def broken_pages(draw: st.DrawFn, max_size: int = 400) -> str:
    """A page cut somewhere and put together again, pieces lost, doubled, swapped."""
    page = draw(pages(max_size))
    cuts = draw(st.lists(st.integers(0, len(page)), min_size=1, max_size=5))
    pieces = [page[a:b] for a, b in pairwise([0, *sorted(cuts), len(page)])]
    order = draw(st.lists(st.integers(0, len(pieces) - 1), max_size=8))
    return "".join(pieces[i] for i in order)


def tag_soup(max_size: int = 200) -> st.SearchStrategy[str]:
    """Tags, half tags, references, text and control characters in any order."""
    return _bytes(max_size).map(soup_from)


def any_pages(max_size: int = 400) -> st.SearchStrategy[str]:
    """A page of any sort."""
    return st.one_of(pages(max_size), broken_pages(max_size), tag_soup(max_size))
