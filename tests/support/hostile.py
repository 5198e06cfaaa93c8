"""Families of pages that grow: harmless shapes, and what hostile ones are made of.

Each is a function from a size in bytes to a page of about that size, as str or,
where it is about bytes, as bytes.  The tests take small ones, and
benchmarks/linear.py takes three sizes of each and compares what they cost.  Those that
are about the page's own address have it in URLS.
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


def shape(family: Family) -> Family:
    SHAPES[family.__name__] = family
    return family


def hostile(family: Family) -> Family:
    HOSTILE[family.__name__] = family
    return family


def repeat(unit: str, size: int, before: str = "", after: str = "") -> str:
    return before + unit * max(1, size // len(unit)) + after


def numbered(unit: str, size: int, before: str = "", after: str = "") -> str:
    """Units with a number in each, so that no two are alike."""
    length = len(unit) + 4
    return before + "".join(unit % i for i in range(max(1, size // length))) + after


# -- shapes of ordinary pages


@shape
def nested(size: int) -> str:
    """Sections in sections, twenty deep, with a text in each."""
    part = f"<div class=box><h3>Part</h3><p>{SENTENCE}</p>" * 20 + "</div>" * 20
    return repeat(part, size)


@shape
def flat(size: int) -> str:
    return repeat(f"<p>{SENTENCE}</p>\n", size, "<article>", "</article>")


@shape
def long_line(size: int) -> str:
    return repeat(SENTENCE, size, "<p>", "</p>")


@shape
def many_links(size: int) -> str:
    return numbered("<li><a href='/page/%d'>A link to a page</a></li>", size, "<ul>")


@shape
def source_lines(size: int) -> str:
    return repeat("<span>a line</span> of text\n", size, "<pre>", "</pre>")


@shape
def inline_tags(size: int) -> str:
    return repeat("wor<b>ds</b> in <i>pieces</i> ", size, "<p>", "</p>")


@shape
def table(size: int) -> str:
    row = "<tr><td>Name</td><td>12.5</td><td><a href=x>more</a></td></tr>"
    return repeat(row, size, "<table>", "</table>")


@shape
def chinese(size: int) -> str:
    return repeat("<p>小镇的河流很安静，没有人见过船，也没有人等船。</p>", size // 2)


# -- tags


@hostile
def nested_tags(size: int) -> str:
    return repeat("<div>", size)


@hostile
def nested_links(size: int) -> str:
    return repeat("<a href=x>x", size)


@hostile
def nested_tables(size: int) -> str:
    return repeat("<table><tr><td>x", size)


@hostile
def nested_lists(size: int) -> str:
    return repeat("<ul><li>x", size)


@hostile
def deep_then_flat(size: int) -> str:
    return repeat("<p>x</p>", size, "<div>" * 2000)


@hostile
def deep_then_unmatched(size: int) -> str:
    return repeat("</b>", size, "<div>" * 2000)


@hostile
def deep_then_open_end_tags(size: int) -> str:
    return repeat("</b x='>' ", size, "<div>" * 1900)


@hostile
def deep_then_bodies(size: int) -> str:
    return repeat("<body>", size, "<div>" * 1900)


@hostile
def deep_then_closed_by_others(size: int) -> str:
    """End tags of paragraphs that are closed already, which the parser finds out late."""
    return repeat("<p>a<hr></p>", size, "<div>" * 1900)


@hostile
def open_end_tags(size: int) -> str:
    return repeat("</a", size, "<p>text")


@hostile
def lone_end_tags(size: int) -> str:
    return numbered("a</x%d></i>", size, "<p>")


@hostile
def tiny_blocks(size: int) -> str:
    return repeat("<p>a", size)


@hostile
def empty_blocks(size: int) -> str:
    return repeat("<div></div>", size)


@hostile
def line_breaks(size: int) -> str:
    return repeat("a<br>", size)


@hostile
def headings(size: int) -> str:
    return repeat("<h2>a</h2>", size)


@hostile
def text_beside_tags(size: int) -> str:
    """One element with as many pieces of text as there is room for."""
    return repeat("A text. <hr>", size, "<div>", "</div>")


@hostile
def unclosed_tags(size: int) -> str:
    return repeat("<p", size, "<p>text")


@hostile
def end_tags(size: int) -> str:
    return repeat("</p>", size)


@hostile
def unknown_tags(size: int) -> str:
    return numbered("<x%d>a", size)


@hostile
def scripts(size: int) -> str:
    return repeat("<p>a<script>b</script>", size)


@hostile
def form_controls(size: int) -> str:
    return repeat("<option>a", size, "<p>text<select>")


@hostile
def deep_list_of_items(size: int) -> str:
    """Lists in lists, whose items would have a thousand levels of space before them."""
    return repeat("<li>x", size, "<ul><li>" * 900)


@hostile
def deep_quote_of_paragraphs(size: int) -> str:
    return repeat("<p>x</p>", size, "<blockquote>" * 900)


@hostile
def definitions(size: int) -> str:
    return repeat("<dt>a<dd>b", size, "<dl>")


@hostile
def code_in_lines(size: int) -> str:
    return repeat("<code>a</code><br>", size, f"<p>{SENTENCE}</p><p>")


@hostile
def numbered_code(size: int) -> str:
    """Code with the numbers of its lines beside it, each an element."""
    return numbered("<span class=lineno>%d</span>code()\n", size, "<pre>", "</pre>")


@hostile
def wide_rows(size: int) -> str:
    """A table that its longest row would make as wide as it is long."""
    half = size // 2
    rows = repeat("<tr><td>a", half)
    return f"<p>{SENTENCE * 3}</p><table><tr>{repeat('<td>b', half)}</tr>{rows}"


@hostile
def ragged_rows(size: int) -> str:
    """A table with one row that is as long as any may be."""
    rows = repeat("<tr><td>b<td>c", size)
    return f"<p>{SENTENCE * 3}</p><table><tr>{'<td>a' * 199}{rows}"


@hostile
def code_in_deep_lists(size: int) -> str:
    """Each line of the code stands behind as much space as nine numbers take."""
    lists = "<ol start=99999999><li>" * 9
    return repeat("a\n", size, f"<p>{SENTENCE * 3}</p>{lists}<pre>x", "</pre>")


@hostile
def styles_in_styles(size: int) -> str:
    """Styles in styles around many pieces, of which each would begin and end them all."""
    pieces = repeat("a<b>b</b>", size)
    return f"<p>{SENTENCE * 3}</p><p><i><s><sup><sub><code>{pieces}"


@hostile
def posts_in_posts(size: int) -> str:
    part = f"<div class=comment><span class=author>A</span><p>{SENTENCE}"
    return repeat(part * 100 + "</div>" * 100, size)


@hostile
def spans_of_cells(size: int) -> str:
    return repeat("<tr><td colspan=1000 rowspan=1000>a", size, "<table>")


@hostile
def panels(size: int) -> str:
    return repeat("<div role=tabpanel hidden>a", size, f"<p>{SENTENCE}</p>")


# -- attributes


@hostile
def long_base(size: int) -> str:
    """A long base, which each link would have in it."""
    base = f"<base href='https://example.com/{'b' * (size // 2)}/'>"
    links = repeat("<a href=x>a</a> ", size // 2)
    return f"{base}<p>{SENTENCE * 3}{links}</p>"


@hostile
def long_path(size: int) -> str:
    """The page's own address is longer than the page's links."""
    return numbered("<a href=x%d>a</a> ", size, f"<p>{SENTENCE * 3}")


@hostile
def long_query(size: int) -> str:
    return numbered("<a href=?%d>a</a> ", size, f"<p>{SENTENCE * 3}")


@hostile
def addresses_of_fragments(size: int) -> str:
    return repeat("<a href=#x>a</a> ", size, f"<p>{SENTENCE * 3}")


@hostile
def addresses_of_images(size: int) -> str:
    base = f"<base href='{URL}{'b' * 900}/'>"
    return repeat("<img src=x>a ", size, f"{base}<p>{SENTENCE * 3}")


@hostile
def way_up(size: int) -> str:
    """Addresses that go up and down the address that they are relative to."""
    base = f"<base href='{URL}{'b/' * 95}'>"
    return numbered("<a href=../../x%d>a</a> ", size, f"{base}<p>{SENTENCE * 3}")


@hostile
def link_around_blocks(size: int) -> str:
    """An address that comes out with each block."""
    link = f"<a href='{URL}{'b' * (size // 10)}'>"
    return repeat("<p>a", 9 * size // 10, f"<p>{SENTENCE * 3}</p>{link}")


@hostile
def quoted_addresses(size: int) -> str:
    """Addresses of signs that come out as nine characters each."""
    return repeat(f"<a href='/{chr(0x3000) * 20}x'>a</a> ", size // 2, "<p>")


@hostile
def unique_attributes(size: int) -> str:
    return numbered("<p a%d=b>text", size)


@hostile
def attributes(size: int) -> str:
    return numbered("a%d=1 ", size, "<p ", ">text")


@hostile
def attributes_in_many_tags(size: int) -> str:
    tag = "<p " + " ".join(f"a{i}" for i in range(900)) + ">text"
    return repeat(tag, size)


@hostile
def attributes_of_html(size: int) -> str:
    return numbered("<html a%d=1><body b>", size)


@hostile
def long_attribute(size: int) -> str:
    return repeat("x", size, "<p title='", "'>text")


@hostile
def long_language(size: int) -> str:
    return repeat("de-", size, "<html lang='", f"'><p>{SENTENCE * 3}")


@hostile
def long_values(size: int) -> str:
    """Metadata of every kind, at length."""
    names = "og:title og:site_name description author article:tag og:image keywords"
    value = repeat("a, ", size // 10)
    metas = "".join(f"<meta name={name} content='{value}'>" for name in names.split())
    link = f"<link rel=canonical href='/{'a' * (size // 10)}'>"
    title = f"<title>{value}</title><time datetime='{'1' * (size // 10)}'>now</time>"
    return f"{metas}{link}{title}<p>{SENTENCE * 3}"


@hostile
def class_names(size: int) -> str:
    return numbered("name%d ", size, "<div class='", f"'><p>{SENTENCE}")


@hostile
def many_class_names(size: int) -> str:
    return numbered("<p class='box%d item-main post_body' id=a>a", size)


@hostile
def open_quotes(size: int) -> str:
    return repeat("<a href='", size, "<p>text")


@hostile
def styles(size: int) -> str:
    return repeat("display:", size, "<p style='", "'>text")


@hostile
def languages(size: int) -> str:
    return repeat("<p lang=de>a", size)


# -- text


@hostile
def one_word(size: int) -> str:
    return repeat("a", size, "<p>", "</p>")


@hostile
def spaces(size: int) -> str:
    return repeat(" \n\t", size, "<p>a", "b</p>")


@hostile
def no_break_spaces(size: int) -> str:
    return repeat("&nbsp;", size, "<p>a", "b</p>")


@hostile
def newlines(size: int) -> str:
    return repeat("\n", size, "<pre>a", "b</pre>")


@hostile
def zero_widths(size: int) -> str:
    return repeat("\u200b\u00ad", size // 5, "<p>a", "b</p>")


@hostile
def dots(size: int) -> str:
    return repeat(".", size, "<p>a", "b</p>")


@hostile
def sentences(size: int) -> str:
    return repeat("A. ", size, "<p>", "</p>")


@hostile
def brackets(size: int) -> str:
    return repeat("<", size, "<p>a", "b</p>")


@hostile
def closing_brackets(size: int) -> str:
    return repeat(">", size, "<p>a", "b</p>")


@hostile
def parentheses(size: int) -> str:
    return repeat("([{", size, "<p>a", "b</p>")


@hostile
def ampersands(size: int) -> str:
    return repeat("&", size, "<p>a", "b</p>")


@hostile
def entities(size: int) -> str:
    return repeat("&amp;&bogus;&#65;", size, "<p>a", "b</p>")


@hostile
def endless_entity(size: int) -> str:
    return repeat("a", size, "<p>&", "</p>")


@hostile
def endless_number(size: int) -> str:
    return repeat("9", size, "<p>&#", ";</p>")


@hostile
def huge_references(size: int) -> str:
    """References with numbers too long for Python's int(), in all places with text."""
    number = f"&#{'9' * (size // 5)};"
    data = (
        f'{{"@type": "Article", "headline": "a{number}", "articleBody": "b{number}"}}'
    )
    return (
        f"<title>{number}</title><meta name=author content='a{number}'>"
        f"<script type='application/ld+json'>{data}</script><p>{SENTENCE * 3}{number}"
    )


@hostile
def references_with_many_digits(size: int) -> str:
    return repeat(f"&#{'0' * 5000}65;", size, f"<p>{SENTENCE * 3}", "</p>")


@hostile
def digits_of_others(size: int) -> str:
    """Digits that are not ASCII, where dates, zones and numbers stand."""
    time = "<time datetime='٢٠٢٤-٠١-٠١T٠٠:٠٠+٩٩:٩٩'>٣. ²</time>"
    item = f"<ol start=٣><li value=²>{time}<td colspan=٣>a<img width=² src=/x></ol>"
    return repeat(f"<div class=comment>{item}</div>", size * 2 // 3)


@hostile
def lines_of_marks(size: int) -> str:
    """Lines that Markdown would have to escape at the beginning and the end."""
    lines = "<br>".join("_ * # + - = | : [^1]: [x]: 1. &gt; ~~~ ``` \\".split())
    return repeat(f"<p>{lines}<br>", size)


@hostile
def marks_in_cells(size: int) -> str:
    return repeat("<tr><td>|*_<td>`|`\\|<br>", size, "<table>")


@hostile
def open_brackets_of_links(size: int) -> str:
    return repeat("[^", size, "<p>", "]: <code>]:</code>")


@hostile
def quotation_marks(size: int) -> str:
    return repeat("\"'", size, "<p>", "</p>")


@hostile
def dashes_and_stars(size: int) -> str:
    """Text that Markdown would have to escape."""
    return repeat("*_`-#|\\", size, "<p>", "</p>")


@hostile
def combining_marks(size: int) -> str:
    return repeat("\u0301", size // 2, "<p>e", "</p>")


@hostile
def different_words(size: int) -> str:
    return numbered("word%d ", size, "<p>", "</p>")


@hostile
def equal_paragraphs(size: int) -> str:
    return repeat("<p>The same text again and again.</p>", size)


# -- comments and declarations


@hostile
def open_comments(size: int) -> str:
    return repeat("<!--", size, "<p>text")


@hostile
def dashes(size: int) -> str:
    return repeat("-", size, "<p>text<!--")


@hostile
def comments(size: int) -> str:
    return repeat("<!---->", size, "<p>text")


@hostile
def declarations(size: int) -> str:
    return repeat("<!x>", size, "<p>text")


@hostile
def instructions(size: int) -> str:
    return repeat("<?", size, "<p>text")


@hostile
def cdata(size: int) -> str:
    return repeat("<![CDATA[", size, "<p>text")


@hostile
def open_scripts(size: int) -> str:
    return repeat("<script><!--", size, "<p>text")


@hostile
def script_ends(size: int) -> str:
    return repeat("</scrip", size, "<p>text<script>")


@hostile
def metas(size: int) -> str:
    return repeat("<meta property='og:title' content='a'>", size)


@hostile
def json_ld(size: int) -> str:
    data = repeat('{"a":[', size)
    return f"<script type='application/ld+json'>{data}</script><p>text"


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


@hostile
def scripts_of_data(size: int) -> str:
    text = f'{{"@type": "Article", "headline": "A", "articleBody": "{SENTENCE * 3}"}}'
    return repeat(f"<script type='application/ld+json'>{text}</script>", size)


@hostile
def titles(size: int) -> str:
    return repeat("<title>a</title>", size)


@hostile
def entity_bomb(size: int) -> str:
    definitions = numbered('<!ENTITY a%d "&a;&a;&a;&a;">', size // 2)
    uses = repeat("&a9;", size // 2)
    return (
        "<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'a'>"
        f"<!ENTITY file SYSTEM 'file:///etc/hostname'>{definitions}]>"
        f"<html xmlns='http://www.w3.org/1999/xhtml'><p>&file;{uses}</p></html>"
    )


# -- bytes


@hostile
def binary(size: int) -> bytes:
    return random.Random(1).randbytes(size)


@hostile
def nothing_but_nul(size: int) -> bytes:
    return b"<p>text" + b"\0" * size


@hostile
def high_bytes(size: int) -> bytes:
    return b"<p>text" + b"\xff" * size


@hostile
def contradictory_charsets(size: int) -> bytes:
    names = ["utf-8", "utf-16", "shift_jis", "iso-2022-jp", "no-such-one", "utf-7"]
    metas = "".join(f"<meta charset={name}>" for name in names)
    return metas.encode() + "Größe 船 ".encode() * (size // 13)


@hostile
def charset_declarations(size: int) -> bytes:
    return b"<meta charset=" * (size // 14)


@hostile
def truncated_sequences(size: int) -> bytes:
    return b"<meta charset=utf-8><p>" + b"\xe8\x88" * (size // 2)


@hostile
def escape_sequences(size: int) -> bytes:
    return b"<meta charset=iso-2022-jp><p>" + b"\x1b$B" * (size // 3)


@hostile
def wrong_byte_order_mark(size: int) -> bytes:
    return b"\xfe\xff" + b"<p>text</p>" * (size // 11)


@hostile
def control_characters(size: int) -> str:
    signs = "".join(map(chr, [*range(1, 32), 127, *range(0x80, 0xA0)]))
    return repeat(signs, size // 2, "<p>text", "</p>")


@hostile
def directions(size: int) -> str:
    return repeat("\u202eabc\u2066def\u202c", size // 2, "<p>", "</p>")


@hostile
def noncharacters(size: int) -> str:
    return repeat("&#xFFFE;&#xFFFF;&#x1FFFE;&#xD800;", size, "<p>text", "</p>")


@hostile
def lone_surrogates(size: int) -> str:
    return repeat("\ud800a\udc00", size, "<p>text", "</p>")


# -- metadata


@hostile
def one_long_language(size: int) -> str:
    return repeat("de ", size, "<html lang='", f"'><p>{SENTENCE}</p>")


@hostile
def said_at_length(size: int) -> str:
    names = ("og:title", "og:description", "author", "keywords", "date", "og:url")
    value = repeat("ab, ", size // len(names))
    return "".join(f"<meta name={name} content='{value}'>" for name in names)


@hostile
def long_numbers(size: int) -> str:
    number = "9" * (size // 4)
    data = f'{{"@type": "Article", "headline": "a&#{number};", "id": {number}}}'
    return (
        f"<script type=application/ld+json>{data}</script>"
        f"<title>&#{number};</title><p>&#{number};{SENTENCE}</p>"
    )


@hostile
def nested_state(size: int) -> str:
    """Texts in lists in lists, of which each is a text too."""
    piece = '{"type": "text", "text": "\U0001f6a2 boats"},'
    inner = repeat(piece, size - 45 * 16)[:-1]
    data = '{"content":[' * 45 + inner + "]}" * 45
    return f"<script id=__NEXT_DATA__>{data}</script>"


@hostile
def declares_another_encoding(size: int) -> bytes:
    text = "Größe 船が川を渡る. ".encode()
    return b"<meta charset=gb2312><p>" + text * (size // len(text)) + text[:-3]


def every_page(size: int) -> dict[str, str | bytes]:
    return {name: make(size) for name, make in {**SHAPES, **HOSTILE}.items()}
