"""Texts in passages for retrieval: where they end, and what each tells of its place."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html as lxml_html

from scrapy_eatext import MainText, extract
from scrapy_eatext.declared import OptionError
from scrapy_eatext.output.forms import UNITS, ChunkForm, Forms
from scrapy_eatext.output.passages import sentences, words_of
from scrapy_eatext.page import Page
from tests.support.kept import PAGES, rendered, whole
from tests.support.properties import check_linear

URL = "https://example.com/boats/"


def result_of(source, forms=Forms(), **more):  # noqa: B008 - it is frozen
    """A page's result, where all is kept."""
    page = Page.of(source, URL)
    return rendered(page, replace(whole(page, "density"), **more), forms)


def cut(source, max_words, overlap=0, markdown=False):
    form = ChunkForm(max_words, overlap, markdown=markdown)
    return result_of(source, Forms(chunks=form)).chunks()


def texts(chunks):
    return [chunk.text for chunk in chunks]


def words(count, first=1):
    return " ".join(f"w{n}" for n in range(first, first + count))


# -- where chunks end


def test_blocks_go_into_a_chunk_as_long_as_there_is_room():
    a, b, c = words(6), words(5, 10), words(4, 20)
    html = f"<p>{a}</p><p>{b}</p><p>{c}</p>"
    assert texts(cut(html, 11)) == [f"{a}\n\n{b}", c]
    assert texts(cut(html, 10)) == [a, f"{b}\n\n{c}"]
    assert texts(cut(html, 15)) == [f"{a}\n\n{b}\n\n{c}"]
    assert cut("<p> </p>", 10) == ()


def test_headings_stay_with_what_they_head():
    a, b = words(7), words(8, 10)
    html = f"<p>{a}</p><h2>One</h2><h3>Two</h3><p>{b}</p>"
    assert texts(cut(html, 10)) == [a, f"One\n\nTwo\n\n{b}"]
    # A block that has no room below its headings is cut.
    long = "One two three four five. Six seven eight nine ten."
    assert texts(cut(f"<h2>A b c</h2><p>{long}</p>", 10)) == [
        "A b c\n\nOne two three four five.",
        "Six seven eight nine ten.",
    ]
    # Only a sentence that has room in a chunk, but none there, stands below nothing.
    assert texts(cut(f"<h2>A b c</h2><p>{words(9)}</p>", 10)) == ["A b c", words(9)]


def test_terms_stay_with_their_definitions():
    a, b = words(7), words(8, 10)
    html = f"<p>{a}</p><dl><dt>One<dt>Two<dd>{b}<dt>Three<dd>x</dl>"
    assert texts(cut(html, 10)) == [a, f"One\n\nTwo\n\n{b}", "Three\n\nx"]


def test_a_part_begins_a_chunk_unless_the_last_one_is_short():
    part = f"<h2>Part</h2><p>{words(5)}</p>"
    assert texts(cut(part * 2, 12)) == [f"Part\n\n{words(5)}"] * 2
    short = f"<h2>Part</h2><p>{words(4)}</p>"
    assert texts(cut(short * 2, 12)) == ["\n\n".join(["Part", words(4)] * 2)]


def test_long_blocks_are_cut_between_sentences():
    said = "Mr. Lee sailed on 3. May. “Why?” she asked. It was no. 7 of J. R. Ray. Yes."
    chunks = texts(cut(f"<p>{said}</p>", 10))
    assert chunks == ["Mr. Lee sailed on 3. May. “Why?” she asked.",
                      "It was no. 7 of J. R. Ray. Yes."]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我们看到了船。它们很旧！“真的吗？”他问。", ["我们看到了船。", "它们很旧！", "“真的吗？”", "他问。"]),
        ("船を見た。「古い。」と言った。", ["船を見た。", "「古い。」", "と言った。"]),
        ("हमने नावें देखीं। वे पुरानी थीं।", ["हमने नावें देखीं।", "वे पुरानी थीं।"]),
        ("رأينا القوارب؟ كانت قديمة.", ["رأينا القوارب؟", "كانت قديمة."]),
        ("เราเห็นเรือ มันเก่ามาก", ["เราเห็นเรือ", "มันเก่ามาก"]),
        ("Мы видели лодки. Они старые… Да!", ["Мы видели лодки.", "Они старые…", "Да!"]),
        ("Ja, z. B. hier. Am 5. Mai. (So!) nein. Nr. 5 ist da.",
         ["Ja, z. B. hier.", "Am 5. Mai.", "(So!) nein.", "Nr. 5 ist da."]),
        ("Pris t. ex. Skåne (p. ex. Paris), 3 v. Chr. Bau. Т. е. там. To z. B. X.",
         ["Pris t. ex. Skåne (p. ex. Paris), 3 v. Chr. Bau.", "Т. е. там.", "To z. B. X."]),
        ("At 5.30 p.m. it rained, 3.5 cm. Then e.g. snow.",
         ["At 5.30 p.m. it rained, 3.5 cm.", "Then e.g. snow."]),
        ("ყავა ცხელია. წყალი ცივია.", ["ყავა ცხელია.", "წყალი ცივია."]),
        ("ចាស់ៗ ហើយ ថ្មី។ ទូក។", ["ចាស់ៗ ហើយ ថ្មី។", "ទូក។"]),
        ("„Dom dla ludzi” – rzekła. Tak.", ["„Dom dla ludzi” – rzekła.", "Tak."]),
        ("One line\nanother line", ["One line", "another line"]),
        ("No end", ["No end"]),
        ("........ ! ...", ["........", "!", "..."]),
    ],
)  # fmt: skip
def test_sentences_of_several_scripts(text, expected):
    found, begin = [], 0
    for at, following in sentences(text):
        found.append(text[begin:at])
        begin = following
    assert [*found, text[begin:]] == expected


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a b\nc", 3),
        ("", 0),
        ("我们看到了船。", 4),  # one piece, six ideographs
        ("boats 船 of", 3),
        ("เรือ", 1),
        ("มันเก่ามาก", 3),
        ("スーパー", 3),  # one piece, four kana
        ("학교에 갔다", 2),
        ("naïve “words”", 2),
    ],
)
def test_words(text, count):
    assert words_of(text) == count


def test_code_is_cut_between_lines():
    lines = [f"if x == {n}:\n    y = {n}\n" for n in range(9)]
    chunks = cut(f"<p>{words(7)}</p><pre>{''.join(lines)}</pre>", 13)
    assert chunks[0].text == words(7)
    assert "\n".join(texts(chunks[1:])) == "".join(lines).rstrip("\n")
    assert len(chunks) > 3
    assert any(chunk.text.startswith("    y") for chunk in chunks)
    # A short text before it does not stand alone.
    chunks = cut(f"<p>{words(6)}</p><pre>{''.join(lines)}</pre>", 14)
    assert chunks[0].text == f"{words(6)}\n\nif x == 0:\n    y = 0"


LONG = "One two. Three four. Five six. Seven eight. Nine ten. Eleven twelve."
TABLE = "<table><tr><th>n<th>said</tr>{}</table>"


def test_tables_are_cut_between_rows_below_their_headers():
    rows = "".join(f"<tr><td>{n}</td><td>{words(5)}</td></tr>" for n in range(4))
    chunks = cut(TABLE.format(rows), 17)
    lines = [f"{n} | {words(5)}" for n in range(4)]
    assert texts(chunks) == [
        "\n".join(["n | said", *lines[:2]]),
        "\n".join(["n | said", *lines[2:]]),
    ]
    assert chunks[1].end - chunks[1].start == len("\n".join(lines[2:]))
    # Headers that would take more than half of a chunk stand once.
    chunks = cut(TABLE.format(rows).replace("said", words(8)), 17)
    assert chunks[1].text == "\n".join(lines[1:3])
    # A row is cut only if it is larger than a chunk.
    rows = "".join(f"<tr><td>{n}</td><td>{LONG}</td></tr>" for n in range(2))
    chunks = cut(TABLE.format(rows), 10)
    assert chunks[0].text == "n | said\n0 | One two. Three four."
    assert all(words_of(chunk.text) <= 10 for chunk in chunks)
    # One that only lays out the page has sentences.
    assert len(cut(f"<table><tr><td>{LONG}</td></tr></table>", 10)) == 2


def test_nothing_is_larger_than_a_chunk():
    for html in (
        f"<p>{words(90)}</p>",
        f"<h2>{words(30)}</h2><p>x</p>",
        f"<pre>{words(50)}</pre>",
        f"<li>{words(50)}",
        f"<p>{'船' * 300}</p>",
        TABLE.format(f"<tr><td>1</td><td>{words(50)}</td></tr>"),
    ):
        chunks = cut(html, 10)
        assert max(words_of(chunk.text) for chunk in chunks) <= 10
        assert all(words_of(chunk.text) >= 4 for chunk in chunks[:-2])
    heading = cut(f"<h2>{words(30)}</h2><p>x</p>", 10)[0]
    assert heading.headings == (words(30),)


def test_items_have_their_marks():
    html = (
        f"<ol start=9><li>{words(4)}<li>1. x<ul><li>{words(5)}</ul></ol><p>1. 1. 1.</p>"
    )
    assert texts(cut(html, 10)) == [
        f"9. {words(4)}\n10. 1. x",
        f"  - {words(5)}\n\n1. 1. 1.",
    ]


# -- overlap


def test_an_overlap_is_whole_sentences():
    said = [f"This is sentence number {n} of all." for n in range(8)]
    html = "".join(f"<p>{one}</p>" for one in said)
    chunks = texts(cut(html, 21, 7))
    assert chunks[0] == "\n\n".join(said[:3])
    assert chunks[1] == "\n\n".join(said[2:5])
    assert texts(cut(html, 21, 6)) == texts(cut(html, 21, 0))
    # Of a longer block, its last sentences.
    chunks = texts(cut(f"<p>{' '.join(said)}</p><p>{said[0]} X.</p>", 28, 8))
    assert chunks[0] == " ".join(said[:4])
    assert chunks[1] == " ".join(said[3:7])
    whole_block = f"<p>{said[0]} {said[1]}</p><p>{said[2]} {said[3]}</p>"
    assert texts(cut(whole_block, 21, 7)) == [
        f"{said[0]} {said[1]}",
        f"{said[1]}\n\n{said[2]} {said[3]}",
    ]


def test_an_overlap_gives_way():
    a, b = words(5), words(10, 10)
    assert texts(cut(f"<p>{a}</p><p>{b}</p>", 10, 5)) == [a, b]
    # A part begins without one.
    html = f"<p>{words(8)}</p><h2>Part</h2><p>{words(5)}</p>"
    assert texts(cut(html, 10, 5)) == [words(8), f"Part\n\n{words(5)}"]


def test_an_overlap_is_never_the_whole_chunk_before():
    short, other = words(10), words(5, 20)
    said = [f"{words(7, n).capitalize()}." for n in (30, 40, 50)]
    long = f"<p>{' '.join(said)}</p>"
    assert texts(cut(f"<p>{short}</p>{long}", 20, 10)) == [
        short,
        " ".join(said[:2]),
        " ".join(said[1:]),
    ]
    assert texts(cut(f"<p>{other}</p><p>{other}</p>{long}", 20, 10))[:2] == [
        f"{other}\n\n{other}",
        f"{other}\n\n{' '.join(said[:2])}",
    ]


# -- in other units, and in Markdown


def pairs(text):
    """Tokens as a tokenizer gives them: two characters each, between two of its own."""
    return ["[", *(text[n : n + 2] for n in range(0, len(text), 2)), "]"]


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("chars", len),
        (pairs, lambda text: len(pairs(text))),
        (lambda text: len(pairs(text)), lambda text: len(pairs(text))),
        ("tests.output.test_chunks.pairs", lambda text: len(pairs(text))),
    ],
)
def test_sizes_in_other_units(unit, count):
    html = f"<h2>A</h2><p>{words(80)}</p><li>a<li>b{TABLE.format('<tr><td>1<td>2')}"
    result = result_of(html)
    for markdown in (False, True):
        sizes = [count(c.text) for c in result.chunks(40, unit=unit, markdown=markdown)]
        assert max(sizes) <= 40
        assert sum(sizes[:-1]) / len(sizes[:-1]) > 20
    with pytest.raises(OptionError, match=r"unit is 'tests.none', it must be 'words'"):
        result.chunks(unit="tests.none")
    with pytest.raises(OptionError, match="unit is 3"):
        result.chunks(unit=3)


def test_markup_that_is_cut_is_whole_in_each_chunk():
    said = [f"{words(6, n).capitalize()}." for n in (1, 10, 20)]
    html = (
        f"<ol start=3><li><b>{' '.join(said[:2])}</b> {said[2]}<p>{words(7)}<li>x</ol>"
    )
    assert texts(cut(html, 10, markdown=True)) == [
        f"3. **{said[0]}**",
        f"**{said[1]}**",
        said[2],
        f"{words(7)}\n\n4. x",
    ]
    html = f"<dl><dt>One<dd><p>{words(7)}<p>{words(8)}<dd>{words(9)}<dt>Two<dd>x</dl>"
    assert texts(cut(html, 10, markdown=True)) == [
        f"- **One**\n\n  {words(7)}",
        words(8),
        words(9),
        "- **Two**\n\n  x",
    ]
    html = f"<p><a href=/a>{' '.join(said)}</a></p>"
    assert texts(cut(html, 10, markdown=True)) == [
        f"[{one}](https://example.com/a)" for one in said
    ]
    lines = "\n".join(words(4, n) for n in (1, 10, 20))
    assert texts(cut(f"<pre><code class=language-c>{lines}</pre>", 12, markdown=True))[
        1
    ] == (f"```c\n{words(4, 20)}\n```")
    html = f"<blockquote><p>{words(7)}<p>{words(7, 10)}</blockquote>"
    assert texts(cut(html, 10, markdown=True)) == [f"> {words(7)}", f"> {words(7, 10)}"]


def test_an_image_stands_in_the_first_piece_of_what_it_is_before():
    said = [f"{words(6, n).capitalize()}." for n in (1, 10, 20)]
    image = "<figure><img src=/a.png width=800 height=500 alt=Map></figure>"
    assert texts(cut(f"{image}<p>{' '.join(said)}</p>", 10, markdown=True)) == [
        f"![Map](https://example.com/a.png)\n\n{said[0]}",
        *said[1:],
    ]


def test_tables_in_markdown_are_cut_below_their_headers():
    rows = "".join(f"<tr><td>{n}</td><td><b>x</b></td></tr>" for n in range(4))
    head = "| n | said |\n| --- | --- |\n"
    assert texts(cut(TABLE.format(rows), 20, markdown=True)) == [
        f"{head}| 0 | **x** |\n| 1 | **x** |",
        f"{head}| 2 | **x** |\n| 3 | **x** |",
    ]
    # A row that has no room is cut too, between its sentences.
    said = [f"{words(5, n).capitalize()}." for n in (1, 10, 20)]
    rows = f"<tr><td>Ann<td>{' '.join(said)}</tr>"
    for size in (20, 21):
        assert texts(cut(TABLE.format(rows), size, markdown=True)) == [
            f"{head}| Ann | {said[0]} |",
            f"{head}|  | {said[1]} |",
            f"{head}|  | {said[2]} |",
        ]
    assert texts(cut(TABLE.format(rows), 12)) == [
        f"n | said\nAnn | {said[0]}",
        *(f"n | said\n{one}" for one in said[1:]),
    ]
    # Without room for headers it is no row.
    rows = f"<tr><td>{words(12)}<td>{words(12, 20)}</tr>"
    chunks = texts(cut(TABLE.format(rows), 16, markdown=True))
    assert "|" not in "".join(chunks[1:])
    assert " ".join(chunks[1:]).split() == f"{words(12)} {words(12, 20)}".split()


# -- the address


def fragments(html, size=10, **more):
    result = extract(html, url=URL, keep="body", algorithm="density", **more)
    return [chunk.url.removeprefix(URL) for chunk in result.chunks(size)]


def test_addresses_have_as_many_words_as_tell_them_apart():
    same = "The boats of the town were all - as ever - in, and"
    html = f"<p>{same} one sank.</p><p>{same} two sank.</p><p>{same}</p><p>{same}</p>"
    assert fragments(html, 20) == [
        "#:~:text=The%20boats%20of%20the,and%20one%20sank.",
        "#:~:text=and%20one%20sank.-,The%20boats%20of,and%20two%20sank.",
        "#:~:text=and%20two%20sank.-,The%20boats%20of,%2D%20in%2C%20and",
        "#:~:text=in%2C%20and-,The%20boats,%2D%20in%2C%20and",
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2><a href=#a>#</a> Row your boat well</h2>", "Row%20your%20boat%20well"),
        ("<p>one two three four <math><mi>v</mi></math></p>", "one%20two%20three%20four"),
        ("<p>one <math><mi>v</mi></math> two three four five</p>", "two%20three%20four%20five"),
        ("<p>one two<button>x</button> three four five six seven</p>",
         "four%20five%20six%20seven"),
        ("<p><a href=/a>one</a><a href=/b>two</a> three four five six</p>",
         "three%20four%20five%20six"),
        ("<p><a href=/a>one</a><a href=/b>two</a> three four five</p>", ""),
        ("<h2>Two words<a href=#a>¶</a></h2><p>And three more</p>", ""),
        ("<h2>Two words</h2><p>And three more</p>", "words-,And%20three%20more"),
    ],
)  # fmt: skip
def test_addresses_have_no_words_that_browsers_show_otherwise(html, expected):
    assert fragments(html, 20) == [f"#:~:text={expected}" if expected else ""]


def test_what_nothing_tells_apart_has_the_address_of_the_page():
    same = f"<p>{words(8)}</p>" * 50
    assert set(fragments(same)[5:]) == {""}
    result = extract(f"<p>{words(30)}</p>", algorithm="density")
    assert {chunk.url for chunk in result.chunks()} == {""}
    result = extract(
        f"<p>{words(30)}</p>", algorithm="density", url=f"{URL}#a:~:text=x"
    )
    assert result.chunks()[0].url == f"{URL}#a:~:text=w1%20w2%20w3%20w4,w28%20w29%20w30"


# -- where a chunk stands


PAGE = f"""<html><head><title>Boats</title></head><body><h1>Boats</h1><p>{words(12)}</p>
<h2>Wood</h2><p>{words(12, 20)}</p><h3>Oak</h3><div><p>{words(12, 40)}</p>
<p>{words(12, 60)}</p></div><h2>Iron</h2><p>{words(3, 80)}</p><h2>Tar</h2>
<p>{words(3, 90)}</p></body></html>"""


@pytest.mark.parametrize("titled", [True, False])
def test_places(titled):
    result = result_of(PAGE, Forms(title=titled, chunks=ChunkForm(14)))
    chunks = result.chunks()
    assert [chunk.headings for chunk in chunks] == [
        ("Boats",),
        ("Boats", "Wood"),
        ("Boats", "Wood", "Oak"),
        ("Boats", "Wood", "Oak"),
        ("Boats",),  # what is below two headings
    ]
    assert chunks[4].text == f"Iron\n\n{words(3, 80)}\n\nTar\n\n{words(3, 90)}"
    tree = lxml_html.document_fromstring(PAGE)
    for chunk in chunks:
        assert result.text[chunk.start : chunk.end] == chunk.text
        (element,) = tree.xpath(chunk.xpath)
        assert chunk.text.startswith(element.text_content().split("\n")[0])


def test_a_headline_that_is_not_kept_heads_all():
    html = f"<title>Boats</title><p>{words(12)}</p><h1>A</h1><p>b</p><h1>C</h1><p>d</p>"
    result = result_of(html, Forms(title=True, chunks=ChunkForm(14)))
    first, second = result.chunks()
    assert first.text == f"Boats\n\n{words(12)}"
    assert first.xpath == "/html/body/p[1]"
    assert (second.headings, second.text) == (("Boats",), "A\n\nb\n\nC\n\nd")


def test_an_algorithms_own_text_is_cut_between_its_lines():
    forms = Forms(title=True, chunks=ChunkForm(10))
    own = f"{words(6)}\n{words(6, 10)}\n\n{words(4, 20)}"
    result = result_of("<title>Boats</title><p>x</p>", forms, text=own)
    assert texts(result.chunks()) == [
        f"Boats\n\n{words(6)}",
        f"{words(6, 10)}\n\n{words(4, 20)}",
    ]
    assert {(chunk.headings, chunk.xpath) for chunk in result.chunks()} == {
        (("Boats",), "")
    }


# -- how it is asked for


def test_other_sizes_and_what_is_left_of_a_page():
    result = result_of(PAGE)
    assert len(result.chunks()) == 1
    assert len(result.chunks(14)) == 5
    assert result.chunks(30, 10) == result.chunks(size=30, overlap=10)
    assert result.chunks() is result.chunks()
    alone = result.detached()
    assert alone.chunks() == result.chunks()
    with pytest.raises(LookupError, match="EATEXT_CHUNKS"):
        alone.chunks(14)
    with pytest.raises(OptionError, match="size is 9, it must be a whole number"):
        result.chunks(9)
    with pytest.raises(OptionError, match="overlap is 6, it must be at most half"):
        result.chunks(10, 6)
    back = MainText.from_dict(json.loads(json.dumps(result.as_dict())))
    assert back.chunks() == result.chunks()
    assert asdict(result.chunks()[0])["start"] == 0
    assert MainText().chunks() == result.without_text().chunks() == ()
    assert result.without_text().chunks(20) == ()


def test_extract_takes_sizes():
    prose = "".join(f"<p>{words(30, n)}</p>" for n in range(8))
    chunks = extract(prose, algorithm="density", chunks={"size": 60}).chunks()
    assert [words_of(chunk.text) for chunk in chunks] == [60] * 4


def test_an_overlap_that_begins_below_a_header_row_has_room_for_it():
    header = "<thead><tr><th>one two three four five six seven<th>x</thead>"
    rows = "<tr><td>a<td>b<tr><td>c<td>d"
    html = (
        f"<p>{words(15)}<table>{header}{rows}</table><p>{words(21, 1)}<p>{words(9, 2)}"
    )
    page = Page.of(html)
    result = rendered(page, whole(page), Forms(chunks=ChunkForm(30, 15)))
    sizes = [words_of(chunk.text) for chunk in result.chunks()]
    assert len(sizes) == 2
    assert max(sizes) <= 30


# -- whatever the page


@given(PAGES, st.integers(10, 60), st.integers(0, 30), st.booleans())
def test_chunks_of_any_page(source, most, overlap, titled):
    page = Page.of(source, URL)
    verdict = whole(page)
    form = ChunkForm(most, min(overlap, most // 2))
    result = rendered(page, verdict, Forms(title=titled, chunks=form))
    chunks = result.chunks()
    text = result.text
    told, begun = 0, -1
    for chunk in chunks:
        assert chunk.text.endswith(text[chunk.start : chunk.end])
        assert chunk.text.strip()
        # No chunk has all of the one before.
        assert chunk.start > begun
        begun = chunk.start
        # Only white space is left out, and no more than the overlap comes again.
        assert not text[told : chunk.start].strip()
        assert words_of(text[chunk.start : told]) <= form.overlap
        assert chunk.end > told
        told = chunk.end
        assert words_of(chunk.text) <= most
    assert not text[told:].strip()
    for chunk in chunks:
        if chunk.xpath:
            assert (verdict.page or page).root.getroottree().xpath(chunk.xpath)


# A rule in a cell has no place in Markdown.
@example("<p>Tide</p><table><tr><td>3<td>4<th><p>5</p><hr><p>6</table><p>Ebb", False)
@given(PAGES, st.booleans())
def test_one_chunk_in_markdown_is_the_markdown(source, titled):
    page = Page.of(source, URL)
    forms = Forms(title=titled, chunks=ChunkForm(10**9, markdown=True))
    result = rendered(page, whole(page), forms)
    assert "".join(texts(result.chunks())) == (result.markdown if result.text else "")


@given(PAGES, st.integers(10, 60), st.integers(0, 30), st.sampled_from(UNITS))
def test_chunks_in_markdown_of_any_page(source, most, overlap, unit):
    page = Page.of(source, URL)
    form = ChunkForm(most, min(overlap, most // 2), unit, markdown=True)
    result = rendered(page, whole(page), Forms(chunks=form))
    for chunk in result.chunks():
        count = words_of(chunk.text) if unit == "words" else len(chunk.text)
        # What is not the text's own is not cut: marks, addresses, bylines.
        text = result.text[chunk.start : chunk.end]
        # A row that is far below the size may exceed it with the marks of its table.
        is_row = chunk.text.startswith("|") and chunk.text.count("\n") <= 2
        own = words_of(text) if unit == "words" else len(text)
        is_least = len(text) <= 20 or (is_row and 2 * own <= most)
        assert count <= most or is_least, chunk


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<p>a b c</p>",
            "<h2>a</h2>",
            "<h2>a</h2><p>b. c. d.</p>",
            "<li>1. a",
            "<td>a",
        ),
        *("<tr><td>a<td>b", "a. ", "....... ", "。。。", "ก ", "<pre>\n\n x\n</pre>"),
    ],
)
@pytest.mark.parametrize("most", [10, 10**9])
def test_linear(piece, most):
    form = Forms(chunks=ChunkForm(most, most // 2))

    def cut_up(result):
        chunks = result.chunks()
        assert sum(len(chunk.text) for chunk in chunks) <= 4 * len(result.text) + 100

    check_linear(cut_up, lambda count: result_of(piece * count, form), 4_000)


@pytest.mark.parametrize("sign", ["x", "漢"])
def test_what_is_long_does_not_come_with_each_chunk(sign):
    link = f"<a href='/{sign * 2000}'>"
    head = f"<tr><th>{sign * 2000}<th>{link}b</a>" + "<tr><td>c d e f<td>g h i j" * 50
    for body in (f"<p>{link}{'word ' * 200}</a>", f"<table>{head}</table>"):
        result = result_of(body)
        for form in (False, True):
            chunks = result.chunks(size=20, overlap=5, markdown=form)
            assert sum(len(chunk.text) for chunk in chunks) < 20_000
            assert chunks[-1].text.split()[-1] in ("word", "j", "|")
    (chunk,) = result_of(f"<p>{link}word</a>").chunks(size=9000, markdown=True)
    assert f"{sign})" in chunk.text
