from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import extract
from scrapy_eatext.algorithms import OptionError, get_algorithm, justext
from scrapy_eatext.algorithms.justext import BAD, GOOD, NEAR_GOOD, SHORT, revise
from scrapy_eatext.algorithms.justext.reference import PageError, paragraphs
from scrapy_eatext.algorithms.language import SHARES
from scrapy_eatext.page import Page
from tests.support.pages import any_pages
from tests.support.passages import PROSE, UNSPACED_MENUS, UNSPACED_PROSE
from tests.support.suites import values_of

ENGLISH = PROSE["en"]


def found_in(html, **options):
    return extract(html, algorithm="justext", options=options, blocks=True)


def classes(html, **options):
    """Which texts of a page are kept."""
    return {block.text: block.kept for block in found_in(html, **options).blocks}


def original(source, **options):
    """The package's paragraphs of a page, or None if it fails."""
    package = pytest.importorskip("justext")
    try:
        found = package.justext(source, package.get_stoplist("English"), **options)
    except Exception:  # noqa: BLE001
        return None
    return [
        (p.text, p.cf_class, p.class_type, p.heading, p.xpath, p.chars_count_in_links)
        for p in found
    ]


def ours(source, **options):
    """The same of reference mode."""
    options = {"reference": True, "language": "English"} | options
    algorithm = get_algorithm("justext", options)
    try:
        found, trail = paragraphs(source)
    except PageError:
        return []
    verdict = algorithm.judge(Page.of(source))
    own = {reason: kind for kind, reason in OWN}
    return [
        (
            p.text,
            own[verdict.reasons[i].removesuffix(BESIDE).removesuffix(NOT_BESIDE)],
            GOOD if verdict.kept[i] else BAD,
            p.heading and not options.get("no_headings", False),
            trail.xpath(p.place),
            p.link_chars,
        )
        for i, p in enumerate(found)
    ]


# Characters that XML cannot carry: the original fails to move texts that have them.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#")
BESIDE, NOT_BESIDE = ", beside good text", ", no good text beside"
OWN = [
    (BAD, "many links"),
    (BAD, "copyright notice"),
    (BAD, "form control"),
    (BAD, "short, with a link"),
    (BAD, "few stop words"),
    (SHORT, "short"),
    (GOOD, "long, many stop words"),
    (NEAR_GOOD, "medium long, many stop words"),
    (NEAR_GOOD, "some stop words"),
]

PARTS = [
    f"<p>{ENGLISH}</p>",
    f"<p>{ENGLISH[:120]}</p>",
    f"<div>{ENGLISH[:90]}<br><br>{ENGLISH[100:190]}</div>",
    "<h2>A heading</h2>",
    "<h1>The <b>first</b> of it</h1>",
    "<p>By John</p>",
    "<ul><li><a href=/>Home</a><li>About</ul>",
    f"<p><a href=/>{ENGLISH[:100]}</a></p>",
    f"<p>{ENGLISH[:150]} <a href=/>more</a></p>",
    f"<p>© 2021 {ENGLISH}</p>",
    "<p>Boat engine spares price list overview catalogue north harbour workshop</p>",
    f"<h3>{ENGLISH}</h3>",
    "<selection>in a select</selection>",
    "<!-- comment --><script>var x</script><style>p{}</style>",
    "<form>in a form<input><button>go</button><select><option>one</select></form>",
    "<b>a</b> <b>b</b> <br> c<link rel=StyleSheet><link rel=next>",
    "<object>in <param> an object<embed>x</object><image>y<applet>z</applet>",
    "tail<?pi?> after<base> and",
    "<table><tr><td>cell<td>cell &copy; &amp;copy</table>",
]


OTHER_THRESHOLDS = {
    "length_low": 30,
    "length_high": 100,
    "stopwords_low": 0.1,
    "stopwords_high": 0.6,
    "max_link_density": 0.5,
    "max_heading_distance": 20,
    "no_headings": True,
}


@pytest.mark.parametrize("options", [{}, OTHER_THRESHOLDS], ids=["default", "other"])
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | any_pages())
def test_reference_is_the_package(options, source):
    for page in (source, f"<html><body>{source}</body></html>"):
        theirs = original(page, **options)
        # Where the original fails there is nothing, unless only its copy made it fail.
        if theirs is not None or not CONTROL.search(page):
            assert ours(page, **options) == (theirs or [])


LONG_BYTES = [
    b"<meta charset=idna><p>\xff\xfe" + b"a" * 80,
    b"<x-select><p>" + b"It is in the name of what is around it. " * 9,
    b"<div>" * 100 + b"deep",
]


@pytest.mark.parametrize("body", [*values_of("tables/odd_bytes.txt"), *LONG_BYTES])
def test_reference_is_the_package_on_odd_bytes(body):
    assert ours(body) == (original(body) or [])


def test_reference_on_a_page_that_the_original_fails_on():
    result = found_in(b"", reference=True)
    assert (result.text, result.blocks, result.score) == ("", (), 0.0)
    with pytest.raises(PageError, match="comment"):
        paragraphs("<body><!-- c --></body>")


def test_reference_goes_on_where_the_original_fails_over_a_control_character():
    page = f"<html><body><p>{ENGLISH}<script>x</script>\f{ENGLISH}</p></body></html>"
    assert original(page) is None
    assert ours(page)[0][:3] == (f"{ENGLISH} {ENGLISH}", GOOD, GOOD)


@pytest.mark.parametrize(
    ("page", "text", "language"),
    [
        # A line a paragraph.
        (f"<p>{ENGLISH}</p><p>{ENGLISH}</p><p>Home</p>", f"{ENGLISH}\n{ENGLISH}", "en"),
        # In a language that jusText lacks.
        (f"<p>{UNSPACED_PROSE['zh'] * 3}</p>", UNSPACED_PROSE["zh"] * 3, "zh"),
    ],
)
def test_reference_text(page, text, language):
    result = found_in(page.encode(), reference=True)
    assert (result.text, result.language) == (text, language)


def test_tags_with_thousands_of_attributes_are_cut():
    attributes = " ".join(f"a{i}=1" for i in range(5000))
    page = f"<p {attributes}>{ENGLISH}</p>"
    declared = f"<?xml version='1.0' encoding='utf-8'?><html>{page}</html>".encode()
    for source in (page, declared):
        assert [p.text for p in paragraphs(source)[0]] == [ENGLISH]


@pytest.mark.parametrize("reference", [True, False])
def test_depth_costs_no_recursion(reference):
    assert found_in("<b>" * 20_000 + ENGLISH, reference=reference).title == ""


# --- the stages ---------------------------------------------------------------


HEADED = [SHORT, SHORT, GOOD]


@pytest.mark.parametrize(
    ("own", "distance", "headings_first", "final"),
    [
        ([SHORT], 9, False, [BAD]),
        ([GOOD, SHORT, GOOD], 9, False, [GOOD, GOOD, GOOD]),
        ([GOOD, SHORT, BAD], 9, False, [GOOD, BAD, BAD]),
        ([GOOD, SHORT, NEAR_GOOD, BAD], 9, False, [GOOD, GOOD, GOOD, BAD]),
        ([BAD, NEAR_GOOD, BAD], 9, False, [BAD, BAD, BAD]),
        ([BAD, NEAR_GOOD, GOOD], 9, False, [BAD, GOOD, GOOD]),
        # The first is bad by its neighbours, and so the next one is.
        ([NEAR_GOOD, NEAR_GOOD, BAD], 9, False, [BAD, BAD, BAD]),
        # A heading before a byline: the original's first stage never fires, its last
        # one saves the heading.
        (HEADED, 7, False, [GOOD, BAD, GOOD]),
        (HEADED, 7, True, [GOOD, GOOD, GOOD]),
        (HEADED, 200, True, [GOOD, GOOD, GOOD]),
        # Too far from the text.
        (HEADED, 201, True, [BAD, BAD, GOOD]),
    ],
)
def test_second_stage_worked_examples(own, distance, headings_first, final):
    headings = [own is HEADED, *[False] * len(own[1:])]
    lengths = [9, distance, *[9] * len(own)][: len(own)]
    assert revise(own, headings, lengths, 200, headings_first=headings_first) == final


# --- on the page's blocks -----------------------------------------------------


def test_text_between_menu_and_footer():
    menu = "".join(f"<li><a href=/{i}>Section {i}</a>" for i in range(8))
    page = (
        f"<title>Bridge</title><ul>{menu}</ul><h1>Bridge opened</h1><p>By John</p>"
        f"<p>{ENGLISH}</p><p>{ENGLISH[:100]}</p><p>Short.</p><p>{ENGLISH}</p>"
        "<p>Contact us</p><p>© 2024 The Example Company of the river and of the town"
        " and of all that is in it</p>"
    )
    kept = [text for text, kept in classes(page).items() if kept]
    assert kept[:3] == ["Bridge opened", "By John", ENGLISH]
    assert kept[3:] == [ENGLISH[:100].strip(), "Short."]


def test_result_tells_language_score_and_reasons():
    page = f"<h1>The bridge</h1><p>{ENGLISH}</p><p>Contact</p>"
    result = found_in(page)
    assert (result.algorithm, result.language) == ("justext", "en")
    # The part good by itself of the kept text and 200 characters.
    assert result.score == pytest.approx(len(ENGLISH) / (len(ENGLISH) + 10 + 200))
    assert [(b.score, b.reason) for b in result.blocks] == [
        (0.6, "short, beside good text"),
        (1.0, "long, many stop words"),
        (0.2, "short, no good text beside"),
    ]


def test_copyright_sign_in_a_long_text():
    long = f"{ENGLISH} The sign © stands in many books."
    short = "The texts and pictures of this page are © of the people who made them"
    assert classes(f"<p>{long}</p><p>{short}</p>") == {long: True, short: False}
    assert found_in(f"<p>{long}</p>".encode(), reference=True).text == ""


def test_punctuation_is_no_part_of_a_stop_word():
    text = "It was, and is, what we had: you, I, they (all of us), and who, by then?"
    assert classes(f"<p>{ENGLISH}</p><p>{text}</p>")[text]


@pytest.mark.parametrize("no_headings", [False, True])
def test_no_headings(no_headings):
    page = f"<h1>The bridge</h1><p>{ENGLISH}</p>"
    assert classes(page, no_headings=no_headings)["The bridge"] != no_headings


@pytest.mark.parametrize("code", PROSE)
def test_prose_in_many_languages(code):
    text = f"{PROSE[code]} {PROSE[code]}"
    other = "Kwxz Jqpt Mmnb Trzk Plff Wqrs Xyzz Ghjk Bnmv Crtz Vbpl Kkrd Zzqp Fghj" * 3
    result = found_in(f"<p>{text}</p><p>{other}</p>")
    assert (result.text, result.language) == (text, code)


@pytest.mark.parametrize("code", UNSPACED_PROSE)
def test_prose_and_menus_without_spaces(code):
    prose, menu = UNSPACED_PROSE[code], UNSPACED_MENUS[code]
    page = f"<p>{menu}</p><p>{prose}</p><p>{prose}</p><p>{menu}</p>"
    for language in ("auto", code[:2]):
        result = found_in(page, language=language)
        assert (result.text, result.language) == (f"{prose}\n\n{prose}", code[:2])


def test_two_languages_on_a_page():
    chinese = UNSPACED_PROSE["zh"]
    page = f"<p>{ENGLISH} {ENGLISH}</p><p>{chinese}</p>"
    assert classes(page) == {f"{ENGLISH} {ENGLISH}": True, chinese: True}
    assert classes(page, language="en")[chinese] is False
    page = f"<p>{chinese * 8}</p><p>{ENGLISH} {ENGLISH}</p>"
    assert classes(page)[f"{ENGLISH} {ENGLISH}"] is False
    assert classes(page, language="zh")[chinese * 8]


def test_without_stop_words():
    text = "Kwxz Jqpt Mmnb Trzk Plff Wqrs Xyzz Ghjk Bnmv Crtz Vbpl Kkrd Zzqp " * 4
    for reference in (True, False):
        result = found_in(f"<p>{text}</p>", language="none", reference=reference)
        assert result.text == text.strip()


def test_language_decides_which_list():
    page = f"<p>{PROSE['de']}</p>"
    assert classes(page, language="German") == {PROSE["de"]: True}
    assert classes(page, language="Finnish") == {PROSE["de"]: False}


def test_reference_without_its_lists(monkeypatch):
    monkeypatch.setattr(justext, "justext_folder", lambda: None)
    with pytest.raises(OptionError, match=r"scrapy-eatext\[justext\]"):
        justext.Justext(justext.JustextOptions(reference=True))


@pytest.mark.parametrize("name", sorted(SHARES))
def test_every_language_may_be_named(name):
    assert get_algorithm("justext", {"language": name})


def test_a_page_of_short_texts_alone_keeps_them():
    """The original needs one long text for the others to stand by."""
    text = "This is what we said to them when they asked where all of it had been then."
    html = f"<p>Home<p>{text}<p>{text}<p><a href=/>All of it is at this place</a>"
    assert found_in(html).text == f"{text}\n\n{text}"
    assert found_in(html, reference=True).text == ""
