"""Families of pages that grow: harmless shapes, and what hostile ones are made of.

Each is a function from a size in bytes to a page of about that size, as str or, where
it is about bytes, as bytes.  Families about the page's own address have it in URLS.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Family = Callable[[int], "str | bytes"]
SHAPES: dict[str, Family] = {}
HOSTILE: dict[str, Family] = {}
URL = "https://example.com/"
# As long as what redirects can make.
URLS = {
    "long_path": f"{URL}{'a' * 15_000}/x",
    "long_query": f"{URL}x?{'a' * 15_000}",
    "addresses_of_fragments": f"{URL}x?{'a' * 1900}",
}

SENTENCE = (
    "The ferry was late again, and the two of us waited on the quay in the rain. "
)


def hostile(family: Family) -> Family:
    HOSTILE[family.__name__] = family
    return family


def repeat(unit: str, size: int, before: str = "", after: str = "") -> str:
    return before + unit * max(1, size // len(unit)) + after


def repeated(unit: str, before: str = "", after: str = "", share: int = 1) -> Family:
    """Pages of a unit again and again; of wide letters a ``share`` is enough."""
    return lambda size: repeat(unit, size // share, before, after)


def counted(unit: str, before: str = "", after: str = "") -> Family:
    """Pages of units with a number in each, so that no two are alike."""

    def family(size: int) -> str:
        count = max(1, size // (len(unit) + 4))
        return before + "".join(unit % i for i in range(count)) + after

    return family


# -- shapes of ordinary pages


SHAPES |= {
    # Sections in sections, twenty deep, with a text in each.
    "nested": repeated(
        f"<div class=box><h3>Part</h3><p>{SENTENCE}</p>" * 20 + "</div>" * 20
    ),
    "flat": repeated(f"<p>{SENTENCE}</p>\n", "<article>", "</article>"),
    "long_line": repeated(SENTENCE, "<p>", "</p>"),
    "many_links": counted("<li><a href='/page/%d'>A link to a page</a></li>", "<ul>"),
    "source_lines": repeated("<span>a line</span> of text\n", "<pre>", "</pre>"),
    "inline_tags": repeated("wor<b>ds</b> in <i>pieces</i> ", "<p>", "</p>"),
    "table": repeated(
        "<tr><td>Name</td><td>12.5</td><td><a href=x>more</a></td></tr>",
        "<table>",
        "</table>",
    ),
    "chinese": repeated(
        "<p>小镇的河流很安静，没有人见过船，也没有人等船。</p>", share=2
    ),
}


# -- tags


HOSTILE |= {
    "nested_tags": repeated("<div>"),
    "nested_links": repeated("<a href=x>x"),
    "nested_tables": repeated("<table><tr><td>x"),
    "nested_lists": repeated("<ul><li>x"),
    "deep_then_flat": repeated("<p>x</p>", "<div>" * 2000),
    "deep_then_unmatched": repeated("</b>", "<div>" * 2000),
    "deep_then_open_end_tags": repeated("</b x='>' ", "<div>" * 1900),
    "deep_then_bodies": repeated("<body>", "<div>" * 1900),
    # End tags of paragraphs that are closed already, which the parser finds out late.
    "deep_then_closed_by_others": repeated("<p>a<hr></p>", "<div>" * 1900),
    "open_end_tags": repeated("</a", "<p>text"),
    "lone_end_tags": counted("a</x%d></i>", "<p>"),
    "tiny_blocks": repeated("<p>a"),
    "empty_blocks": repeated("<div></div>"),
    "line_breaks": repeated("a<br>"),
    "headings": repeated("<h2>a</h2>"),
    # One element with as many pieces of text as there is room for.
    "text_beside_tags": repeated("A text. <hr>", "<div>", "</div>"),
    "unclosed_tags": repeated("<p", "<p>text"),
    "end_tags": repeated("</p>"),
    "unknown_tags": counted("<x%d>a"),
    "scripts": repeated("<p>a<script>b</script>"),
    "form_controls": repeated("<option>a", "<p>text<select>"),
    # Lists in lists, whose items would have a thousand levels of space before them.
    "deep_list_of_items": repeated("<li>x", "<ul><li>" * 900),
    "deep_quote_of_paragraphs": repeated("<p>x</p>", "<blockquote>" * 900),
    "definitions": repeated("<dt>a<dd>b", "<dl>"),
    "code_in_lines": repeated("<code>a</code><br>", f"<p>{SENTENCE}</p><p>"),
    # Code with the numbers of its lines beside it, each an element.
    "numbered_code": counted("<span class=lineno>%d</span>code()\n", "<pre>", "</pre>"),
}


HOSTILE |= {
    "readings": repeated("<ruby>漢<rt>かん</rt></ruby>", "<p>", "</p>", share=2),
    "open_readings": repeated("<ruby>a<rt>b<rp>"),
    "references_to_one_note": repeated(
        "<a href=#a>1</a> ", "<p id=b>", "</p><p id=a>c d <a href=#b>x</a>"
    ),
    "references_of_one_name": repeated(
        "<p id=a><a href=#a>1</a> <a href=#b>2</a></p><p id=b>c <a href=#a>3</a></p>"
    ),
    "links_back": repeated(
        "d http://e <a href=#a>2</a> ",
        "<p id=a>a <a href=#b>1</a><ul><li id=b>c",
    ),
    "notes_of_themselves": repeated(
        "<li id=a><a href=#a>1</a>", "<ol class=footnotes>"
    ),
    "scripts_that_draw": repeated("a<script src=//gist.github.com/a/1.js></script>"),
}


@hostile
def notes(size: int) -> str:
    """Notes with links back all along, each with a reference to the next one."""
    count = size // 180
    texts = [f"<p id=b{i}>a <a href=#a{i}>{i % 9}</a></p>" for i in range(count)]
    items = [
        f"<{('p', 'li')[i % 2]} id=a{i}>c <a href=#a{i + 1}>*</a> "
        f"d <a href=#b{i}>x</a> e <a href=#b{i}>y</a>"
        for i in range(count)
    ]
    return "".join(texts) + "".join(items)


@hostile
def wide_rows(size: int) -> str:
    """A table that its longest row would make as wide as it is long."""
    half = size // 2
    rows = repeat("<tr><td>a", half)
    return f"<p>{SENTENCE * 3}</p><table><tr>{repeat('<td>b', half)}</tr>{rows}"


HOSTILE |= {
    # One row that is as long as any may be.
    "ragged_rows": repeated(
        "<tr><td>b<td>c", f"<p>{SENTENCE * 3}</p><table><tr>{'<td>a' * 199}"
    ),
    # Each line of the code stands behind as much space as nine numbers take.
    "code_in_deep_lists": repeated(
        "a\n",
        f"<p>{SENTENCE * 3}</p>{'<ol start=99999999><li>' * 9}<pre>x",
        "</pre>",
    ),
    # Around many pieces, of which each would begin and end them all.
    "styles_in_styles": repeated(
        "a<b>b</b>", f"<p>{SENTENCE * 3}</p><p><i><s><sup><sub><code>"
    ),
    "posts_in_posts": repeated(
        f"<div class=comment><span class=author>A</span><p>{SENTENCE}" * 100
        + "</div>" * 100
    ),
    "spans_of_cells": repeated("<tr><td colspan=1000 rowspan=1000>a", "<table>"),
    "panels": repeated("<div role=tabpanel hidden>a", f"<p>{SENTENCE}</p>"),
}


# -- attributes


@hostile
def long_base(size: int) -> str:
    """A long base, which each link would have in it."""
    base = f"<base href='https://example.com/{'b' * (size // 2)}/'>"
    links = repeat("<a href=x>a</a> ", size // 2)
    return f"{base}<p>{SENTENCE * 3}{links}</p>"


HOSTILE |= {
    # The page's own address is longer than the page's links.
    "long_path": counted("<a href=x%d>a</a> ", f"<p>{SENTENCE * 3}"),
    "long_query": counted("<a href=?%d>a</a> ", f"<p>{SENTENCE * 3}"),
    "addresses_of_fragments": repeated("<a href=#x>a</a> ", f"<p>{SENTENCE * 3}"),
    "addresses_of_images": repeated(
        "<img src=x>a ", f"<base href='{URL}{'b' * 900}/'><p>{SENTENCE * 3}"
    ),
    # Addresses that go up and down the address that they are relative to.
    "way_up": counted(
        "<a href=../../x%d>a</a> ", f"<base href='{URL}{'b/' * 95}'><p>{SENTENCE * 3}"
    ),
}


@hostile
def link_around_blocks(size: int) -> str:
    """An address that comes out with each block."""
    link = f"<a href='{URL}{'b' * (size // 10)}'>"
    return repeat("<p>a", 9 * size // 10, f"<p>{SENTENCE * 3}</p>{link}")


HOSTILE |= {
    # Addresses of signs that come out as nine characters each.
    "quoted_addresses": repeated(
        f"<a href='/{chr(0x3000) * 20}x'>a</a> ", "<p>", share=2
    ),
    "unique_attributes": counted("<p a%d=b>text"),
    "attributes": counted("a%d=1 ", "<p ", ">text"),
    "attributes_in_many_tags": repeated(
        "<p " + " ".join(f"a{i}" for i in range(900)) + ">text"
    ),
    "attributes_of_html": counted("<html a%d=1><body b>"),
    "long_attribute": repeated("x", "<p title='", "'>text"),
    "long_language": repeated("de-", "<html lang='", f"'><p>{SENTENCE * 3}"),
}


@hostile
def long_values(size: int) -> str:
    """Metadata of every kind, at length."""
    names = (
        "og:title og:site_name og:description description author article:tag og:image "
        "keywords date og:url"
    )
    value = repeat("a, ", size // 13)
    metas = "".join(f"<meta name={name} content='{value}'>" for name in names.split())
    link = f"<link rel=canonical href='/{'a' * (size // 13)}'>"
    title = f"<title>{value}</title><time datetime='{'1' * (size // 13)}'>now</time>"
    return f"{metas}{link}{title}<p>{SENTENCE * 3}"


HOSTILE |= {
    "class_names": counted("name%d ", "<div class='", f"'><p>{SENTENCE}"),
    "many_class_names": counted("<p class='box%d item-main post_body' id=a>a"),
    "links_to_next_pages": counted("<a href='?page=2&amp;x=%d' rel=nex>next"),
    "open_quotes": repeated("<a href='", "<p>text"),
    "styles": repeated("display:", "<p style='", "'>text"),
    "languages": repeated("<p lang=de>a"),
    # -- text
    "one_word": repeated("a", "<p>", "</p>"),
    "spaces": repeated(" \n\t", "<p>a", "b</p>"),
    "no_break_spaces": repeated("&nbsp;", "<p>a", "b</p>"),
    "newlines": repeated("\n", "<pre>a", "b</pre>"),
    "zero_widths": repeated("\u200b\u00ad", "<p>a", "b</p>", share=5),
    "dots": repeated(".", "<p>a", "b</p>"),
    "sentences": repeated("A. ", "<p>", "</p>"),
    "brackets": repeated("<", "<p>a", "b</p>"),
    "closing_brackets": repeated(">", "<p>a", "b</p>"),
    "parentheses": repeated("([{", "<p>a", "b</p>"),
    "ampersands": repeated("&", "<p>a", "b</p>"),
    "entities": repeated("&amp;&bogus;&#65;", "<p>a", "b</p>"),
    "endless_entity": repeated("a", "<p>&", "</p>"),
    "endless_number": repeated("9", "<p>&#", ";</p>"),
    "references_with_many_digits": repeated(
        f"&#{'0' * 5000}65;", f"<p>{SENTENCE * 3}", "</p>"
    ),
}


@hostile
def huge_references(size: int) -> str:
    """Numbers too long for Python's int(), as references in all places with text."""
    digits = "9" * (size // 6)
    number = f"&#{digits};"
    texts = f'"headline": "a{number}", "articleBody": "b{number}"'
    data = f'{{"@type": "Article", {texts}, "id": {digits}}}'
    return (
        f"<title>{number}</title><meta name=author content='a{number}'>"
        f"<script type='application/ld+json'>{data}</script><p>{SENTENCE * 3}{number}"
    )


HOSTILE |= {
    # Digits that are not ASCII, where dates, zones and numbers stand.
    "digits_of_others": repeated(
        "<div class=comment><ol start=٣><li value=²><time datetime='٢٠٢٤-٠١-٠١T٠٠:٠٠+٩٩:٩٩'>"
        "٣. ²</time><td colspan=٣>a<img width=² src=/x></ol></div>"
    ),
    # Lines that Markdown would have to escape at the beginning and the end.
    "lines_of_marks": repeated(
        "<p>_<br>*<br>#<br>+<br>-<br>=<br>|<br>:<br>[^1]:<br>[x]:<br>1.<br>&gt;<br>~~~"
        "<br>```<br>\\<br>"
    ),
    "marks_in_formulas": repeated(
        "\\(a&lt;b`](%<br>\\)<math><mtext>&lt;b`](</mtext></math>",
        "<script src=/mathjax.js></script><p>",
    ),
    "marks_in_cells": repeated("<tr><td>|*_<td>`|`\\|<br>", "<table>"),
    "markup_in_formulas": repeated(
        "<math><mtext>&lt;img src=x onerror=a&gt;</mtext></math>\\(a&lt;b\\) ",
        "<script src=mathjax.js></script><p>",
    ),
    "open_titles": repeated("<title>a"),
    "text_in_an_open_title": repeated("<p>a", "<title>x"),
    "open_objects": repeated("<object>a", "<p>text"),
    "open_tags_of_objects": repeated("<object ", "<p>text"),
    "names_and_days": repeated(
        "By Ann Lee22 Dec, Jr. ", "<h1>x</h1><time>2024-05-01</time><p class=author>"
    ),
    "titles_of_posts": repeated(
        "<h3 class=post-title>a</h3>", "<title>x</title><h1 class=logo>x</h1>"
    ),
    "open_brackets_of_links": repeated("[^", "<p>", "]: <code>]:</code>"),
    "quotation_marks": repeated("\"'", "<p>", "</p>"),
    # Text that Markdown would have to escape.
    "dashes_and_stars": repeated("*_`-#|\\", "<p>", "</p>"),
    "combining_marks": repeated("\u0301", "<p>e", "</p>", share=2),
    "different_words": counted("word%d ", "<p>", "</p>"),
    "equal_paragraphs": repeated("<p>The same text again and again.</p>"),
    # -- comments and declarations
    "open_comments": repeated("<!--", "<p>text"),
    "dashes": repeated("-", "<p>text<!--"),
    "comments": repeated("<!---->", "<p>text"),
    "declarations": repeated("<!x>", "<p>text"),
    "instructions": repeated("<?", "<p>text"),
    "cdata": repeated("<![CDATA[", "<p>text"),
    "open_scripts": repeated("<script><!--", "<p>text"),
    "script_ends": repeated("</scrip", "<p>text<script>"),
    "metas": repeated("<meta property='og:title' content='a'>"),
}


def _state(size: int) -> str:
    """Texts in texts, as frameworks keep the data of a page."""
    text = "<p>" + SENTENCE * 3
    depth = 30
    count = max(1, size // (depth * (len(text) + 25)))
    one = f'{{"body":"{text}","children":[' * depth + "1" + "]}" * depth
    return "[" + ",".join([one] * count) + "]"


@hostile
def state_in_state(size: int) -> str:
    state = _state(size)
    return f"<script id=__NEXT_DATA__ type='application/json'>{state}</script><p>text"


@hostile
def linked_data_in_linked_data(size: int) -> str:
    data = _state(size).replace('"body"', '"@type":"Article","articleBody"')
    data = data.replace('"children"', '"hasPart"')
    return f"<script type='application/ld+json'>{data}</script><p>text"


HOSTILE |= {
    "titles": repeated("<title>a</title>"),
    "json_ld": repeated(
        '{"a":[', "<script type='application/ld+json'>", "</script><p>text"
    ),
    "scripts_of_data": repeated(
        '<script type="application/ld+json">{"@type": "Article", "headline": "A", '
        f'"articleBody": "{SENTENCE * 3}"}}</script>'
    ),
}


@hostile
def entity_bomb(size: int) -> str:
    definitions = counted('<!ENTITY a%d "&a;&a;&a;&a;">')(size // 2)
    uses = repeat("&a9;", size // 2)
    return (
        "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'a'>"
        f"<!ENTITY file SYSTEM 'file:///etc/hostname'>{definitions}]>"
        f"<html xmlns='http://www.w3.org/1999/xhtml'><p>&file;{uses}</p></html>"
    )


# -- bytes


HOSTILE |= {
    "binary": lambda size: random.Random(1).randbytes(size),
    "nothing_but_nul": lambda size: b"<p>text" + b"\0" * size,
    "high_bytes": lambda size: b"<p>text" + b"\xff" * size,
    "charset_declarations": lambda size: b"<meta charset=" * (size // 14),
    "truncated_sequences": lambda size: (
        b"<meta charset=utf-8><p>" + b"\xe8\x88" * (size // 2)
    ),
    "escape_sequences": lambda size: (
        b"<meta charset=iso-2022-jp><p>" + b"\x1b$B" * (size // 3)
    ),
    "wrong_byte_order_mark": lambda size: b"\xfe\xff" + b"<p>text</p>" * (size // 11),
    "contradictory_charsets": lambda size: (
        b"<meta charset=utf-8><meta charset=utf-16><meta charset=shift_jis>"
        b"<meta charset=iso-2022-jp><meta charset=no-such-one><meta charset=utf-7>"
        + "Größe 船 ".encode()
        * (size // 13)
    ),
    "control_characters": repeated(
        "".join(map(chr, [*range(1, 32), 127, *range(0x80, 0xA0)])),
        "<p>text",
        "</p>",
        share=2,
    ),
    "directions": repeated("\u202eabc\u2066def\u202c", "<p>", "</p>", share=2),
    "noncharacters": repeated("&#xFFFE;&#xFFFF;&#x1FFFE;&#xD800;", "<p>text", "</p>"),
    "lone_surrogates": repeated("\ud800a\udc00", "<p>text", "</p>"),
    # It ends within a character.
    "declares_another_encoding": lambda size: (
        b"<meta charset=gb2312><p>" + ("Größe 船が川. ".encode() * (size // 20))[:-3]
    ),
    "one_long_language": repeated("de ", "<html lang='", f"'><p>{SENTENCE}</p>"),
}


@hostile
def nested_state(size: int) -> str:
    """Texts in lists in lists, of which each is a text too."""
    piece = '{"type": "text", "text": "\U0001f6a2 boats"},'
    inner = repeat(piece, size - 45 * 16)[:-1]
    data = '{"content":[' * 45 + inner + "]}" * 45
    return f"<script id=__NEXT_DATA__>{data}</script>"


def every_page(size: int) -> dict[str, str | bytes]:
    return {name: make(size) for name, make in {**SHAPES, **HOSTILE}.items()}
