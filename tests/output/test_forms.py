"""The forms of the outputs: the headline, front matter, Markdown without links or images."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from html import unescape

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from scrapy.settings import Settings

from scrapy_eatext import extract
from scrapy_eatext.crawl.settings import Config
from scrapy_eatext.execution.cascade import Job, Limits, extract_page
from scrapy_eatext.execution.choice import Choice, SettingError, changed
from scrapy_eatext.metadata.visible import key
from scrapy_eatext.output.forms import ChunkForm, Forms, MarkdownForm
from scrapy_eatext.output.frontmatter import front_matter, quoted
from scrapy_eatext.output.headline import headline_of
from scrapy_eatext.output.judged import JudgedPage
from scrapy_eatext.page import Page
from scrapy_eatext.result import MainText, Metadata, from_json, joined
from tests.support.commands import run_command
from tests.support.crawling import ADDON, UNTIED, crawl
from tests.support.items import TypeSpider
from tests.support.kept import PAGES, rendered, texts_of, whole
from tests.support.pages import WORDS
from tests.support.properties import is_with, letters
from tests.support.suites import values_of

URL = "https://example.com/boats/"
RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PROSE = (
    "The boats of the river were made of wood, and some of them were older than the "
    "town from which they had set sail, as everybody knew who lived there."
)
# A headline and a heading in several scripts, each with a paragraph.
SCRIPTS = {
    "en": ("Boats of the river", "Of what they are made", PROSE),
    "ru": ("Лодки на реке", "Из чего они сделаны", WORDS["ru"]),
    "zh": ("河上的船", "船是用什么做的", WORDS["zh"]),
    "ar": ("قوارب النهر", "مما صنعت", WORDS["ar"]),
}


def kept_of(html, forms, *, title="", dropped=()):
    """A page's result in certain forms, where all is kept but some texts."""
    head = f"<title>{title}</title>" if title else ""
    page = Page.of(f"<html><head>{head}</head><body>{html}</body></html>", URL)
    return rendered(page, whole(page, "density", dropped), forms)


TITLED = Forms(title=True)


def entitled(html, **said):
    return kept_of(html, TITLED, **said)


def lines(result):
    return result.text.split("\n\n")


# -- the headline


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("is_kept", [True, False])
def test_all_outputs_begin_with_the_headline_once(script, is_kept):
    title, heading, prose = SCRIPTS[script]
    html = f"<h1>{title}</h1><p>{prose}</p><h2>{heading}</h2><p>{prose}</p>"
    result = entitled(html, title=title, dropped=() if is_kept else (title,))
    assert lines(result) == [title, prose, heading, prose]
    assert (result.headline, result.body) == (title, f"{prose}\n\n{heading}\n\n{prose}")
    assert result.markdown == f"# {title}\n\n{prose}\n\n## {heading}\n\n{prose}"
    assert result.html == (
        f"<h1>{title}</h1>\n<p>{prose}</p>\n<h2>{heading}</h2>\n<p>{prose}</p>"
    )


@pytest.mark.parametrize(
    ("html", "title", "expected"), values_of("tables/headlines.txt")
)
def test_which_headline(html, title, expected):
    assert lines(entitled(html, title=title)) == expected


def test_a_line_of_text_stays_below_a_heading_that_is_not_kept():
    blocks = Page.of("<h1>O boats</h1><p>O boats</p><p>of wood</p>").blocks
    assert headline_of(blocks, [1, 2], "O boats") == ("O boats", frozenset())


def test_a_page_in_a_heading_is_no_headline():
    long = f"{PROSE} " * 20
    result = entitled(f"<h1>{long}</h1><p>a</p>", title="Boats")
    assert lines(result)[0] == "Boats"
    assert long.strip() in result.text


def test_images_beside_the_heading_stay_and_what_held_it_alone_goes():
    html = (
        "<p>News</p><ul><li><h1>Boats</h1></li></ul><img src=a.jpg width=600 height=400>"
        f"<p>{PROSE}</p><table><tr><th>x<th>y<tr><td>1<td>2</table>"
    )
    result = entitled(html, title="Boats")
    assert result.markdown.startswith(
        f"# Boats\n\nNews\n\n![]({URL}a.jpg)\n\n{PROSE}\n\n| x | y |"
    )
    assert "<li>" not in result.html


def test_signs_in_a_headline_are_escaped():
    result = entitled(f"<p>{PROSE}</p>", title="1. *Boats* &lt;b&gt; #")
    assert lines(result)[0] == "1. *Boats* <b> #"
    assert result.html.startswith("<h1>1. *Boats* &lt;b&gt; #</h1>")
    assert "<h1>1. *Boats* &lt;b&gt; #</h1>" in RENDERER.render(result.markdown)


def test_an_algorithms_own_text():
    html = f"<title>Boats</title><h1>Boats</h1><p>{PROSE}</p><p>{PROSE} Twice.</p>"
    for name in ("justext", "eatiht", "ngram"):
        plain = extract(html, algorithm=name).text
        text = extract(html, algorithm=name, title=True).text
        assert plain
        body = plain.removeprefix("Boats").lstrip("\n")
        assert text == f"Boats\n\n{body}", name


def test_no_headline_over_nothing():
    result = extract("<title>Boats</title><nav><a href=/>Home</a></nav>", title=True)
    assert (result.text, result.headline, result.markdown, result.html) == ("",) * 4
    form = {"front_matter": True}
    assert extract("<title>Boats</title>", markdown=form).markdown == ""


def test_a_headline_is_no_text_that_passes():
    html = f"<title>{'Boats ' * 40}</title><p>{PROSE}</p>"
    choice = Choice(("density",), title=True, min_chars=len(PROSE) + 1)
    outcome = extract_page(Job(html, URL, choice, Limits()))
    assert outcome.kind == "below"
    assert outcome.result.text.startswith("Boats Boats")
    empty = extract_page(Job(html, URL, replace(choice, below="empty"), Limits()))
    assert (empty.result.text, empty.result.headline) == ("", "")


def test_the_last_resort_has_a_headline_too():
    html = f"<title>Boats</title><p>{PROSE}</p>"
    job = Job(
        html, URL, Choice(title=True), Limits(), ("markdown",), give_up="too_large"
    )
    assert extract_page(job).result.text == f"Boats\n\n{PROSE}"


MARK = re.compile(r"^ *(?:-|\d+\.) ", re.MULTILINE)


@given(PAGES)
def test_whatever_the_page_the_headline_is_said_before_the_rest(source):
    page = Page.of(source, URL)
    verdict = whole(page)
    plain, result = rendered(page, verdict), rendered(page, verdict, TITLED)
    judged = result.source
    assert judged is not None
    bodies = texts_of(verdict.units, judged.below)
    if not result.headline:
        assert result == plain
        return
    assert result.text == "\n\n".join(filter(None, (result.headline, result.body)))
    # What is missing below it is the page's own heading, which says the same; an item
    # that begins with it begins with another text, behind the item's mark.
    texts = [letters(MARK.sub("", text)) for text in (plain.text, result.body)]
    assert is_with(*texts)
    if len(letters(result.body)) < len(letters(plain.text)):
        assert key(result.headline) in key(plain.text)
    assert unescape(result.html).startswith(f"<h1>{result.headline}</h1>")
    assert RENDERER.render(result.markdown).startswith("<h1>")
    # Footnotes leave out marks and links back in Markdown.
    has_notes = bool(judged.markdown_nodes.notes)
    for made in (result.html, *[RENDERER.render(result.markdown)][has_notes:]):
        said = letters(unescape(re.sub(r"<[^>]*>", "", made)))
        assert is_with(said, letters(result.headline + "".join(bodies)))
    back = MainText.from_dict(result.detached().as_dict())
    assert (back, back.body) == (result, result.body)


# -- Markdown


LINKED = (
    '<p>Of <a href="/a">some <b>wood</b></a> and <a href=/b>iron</a>.</p>'
    "<p>a <img src=x.jpg alt=X width=300 height=300> b</p>"
    "<figure><img src=y.jpg alt=Y width=300 height=300><figcaption>Y, seen</figcaption>"
    "</figure><p>c</p><ul><li>d<li><a href=/e><img src=z.jpg alt=Z width=300 height=300>"
    "</a> <a href=/f>f</a></ul>"
)


def test_markdown_without_links_or_images():
    def made(**said):
        return kept_of(LINKED, Forms(markdown=MarkdownForm(**said)))

    assert made(links=False).markdown.count("![") == 3
    address = f"{URL.removesuffix('boats/')}b"
    assert f"[iron]({address})" in made(images=False).markdown
    bare = made(links=False, images=False)
    assert bare.markdown == (
        "Of some **wood** and iron.\n\na b\n\nY, seen\n\nc\n\n- d\n- f"
    )
    assert bare.html == made().html  # HTML keeps both
    assert bare.html.count("<img") == 3


@given(PAGES, st.booleans(), st.booleans())
def test_without_links_and_images_the_words_are_the_same(source, links, images):
    page = Page.of(source, URL)
    verdict = whole(page)
    # Without links there are neither embeds nor footnotes, which leave out marks.
    nodes = JudgedPage(page, verdict).markdown_nodes
    assume(links or not (nodes.notes or nodes.embeds))
    form = Forms(markdown=MarkdownForm(links=links, images=images))
    texts, kinds = [], set()
    for forms in (Forms(), form):
        tokens = RENDERER.parse(rendered(page, verdict, forms).markdown)
        inside = [one for token in tokens for one in token.children or ()]
        kinds = {one.type for one in inside}
        text = "".join(one.content for one in inside if one.type == "text")
        # A quotation ends before an image, and goes on behind it with marks of its own.
        texts.append(letters(text).replace('"', ""))
    # What the page writes as text stays text.
    assert links or "link_open" not in kinds
    assert images or "image" not in kinds
    assert texts[0] == texts[1]


# -- front matter


def test_front_matter():
    html = (
        '<html lang=en><head><title>Boats: "old" ones</title>'
        '<meta name=author content="Ann Lee"><meta name=author content="Bo Day">'
        '<meta property="article:published_time" content="2024-05-01">'
        '<meta name=keywords content="boats, no, 1e3"></head><body>'
        f"<p>{PROSE}</p><p>{PROSE} Twice.</p></body></html>"
    )
    result = extract(html, url=URL, markdown={"front_matter": True})
    begin, head, rest = result.markdown.split("---\n", 2)
    assert begin == ""
    assert rest == "\n" + extract(html, url=URL).markdown
    assert yaml.safe_load(head) == {
        "url": URL,
        "title": 'Boats: "old" ones',
        "authors": ["Ann Lee", "Bo Day"],
        "date": "2024-05-01",
        "language": "en",
        "tags": ["boats", "no", "1e3"],
    }
    assert list(yaml.safe_load(head))[:2] == ["url", "title"]
    # It is Markdown's alone.
    assert result.text == extract(html, url=URL).text


def test_without_metadata_there_is_no_front_matter():
    assert front_matter(Metadata()) == ""
    result = kept_of("<p>a</p>", Forms(markdown=MarkdownForm(front_matter=True)))
    assert result.markdown == f'---\nurl: "{URL}"\n---\n\na'


@given(st.text(), st.lists(st.text()))
def test_yaml_reads_any_metadata_as_they_were(text, texts):
    strings = dict.fromkeys(("title", "published", "description"), text)
    named = {**strings, **dict.fromkeys(("authors", "tags"), tuple(texts))}
    made = front_matter(Metadata(**named))
    lines = made.split("\n")
    assert all(line == "---" or line[:1].isalpha() for line in lines[:-1])
    read = yaml.safe_load(made.strip("-\n")) or {}
    wanted = {
        name: list(value) if type(value) is tuple else value
        for name, value in named.items()
    }
    wanted["date"] = wanted.pop("published")
    assert read == {name: value for name, value in wanted.items() if value}


@given(st.text(st.characters(categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp", "So"])))
def test_no_character_ends_a_value(text):
    assert "\n" not in quoted(text)
    assert len(quoted(text).splitlines()) == 1
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert yaml.safe_load(quoted(text)) == text


# -- where forms are said


def test_requests_and_sites_override_a_part_of_a_form():
    base = Choice(markdown=MarkdownForm(front_matter=True))
    said = {"title": True, "markdown": {"links": False}, "chunks": {"size": 50}}
    choice = changed(base, said)
    markdown = MarkdownForm(front_matter=True, links=False)
    assert choice.forms == Forms(True, markdown, ChunkForm(50))
    assert from_json(Choice, json.loads(json.dumps(asdict(choice)))) == choice
    further = choice.of_continuation
    assert (further.title, further.markdown) == (False, MarkdownForm(links=False))


def test_settings():
    said = {
        "EATEXT_TITLE": "true",
        "EATEXT_MARKDOWN": '{"front_matter": true, "images": false}',
        "EATEXT_CHUNKS": {"size": 100, "overlap": 20},
        "EATEXT_SITES": {"a.org": {"title": False, "markdown": {"images": True}}},
    }
    config = Config.from_settings(Settings(said))
    form, chunks = MarkdownForm(front_matter=True, images=False), ChunkForm(100, 20)
    assert config.choice.forms == Forms(True, form, chunks)
    site = config.choice_for("https://a.org/")
    assert site.forms == Forms(False, MarkdownForm(front_matter=True), chunks)


@pytest.mark.parametrize(("said", "error"), values_of("tables/wrong_forms.txt"))
def test_wrong_forms_are_refused(said, error):
    with pytest.raises(SettingError) as caught:
        changed(Choice(), said)
    assert str(caught.value) == error
    with pytest.raises(SettingError):
        extract("<p>a</p>", **said)


# -- wherever pages are extracted

PAGE = f"""<html><head><title>Boats of the river</title><meta name=author content="Ann
Lee"></head><body><p>{PROSE}</p><p><a href=/a>{PROSE}</a> {PROSE} Twice.</p></body>"""
FORMS = {
    "EATEXT_TITLE": True,
    "EATEXT_MARKDOWN": {"front_matter": True, "links": False},
    "EATEXT_CHUNKS": {"size": 50},
}


def markdown_of(url: str = "") -> str:
    line = f'url: "{url}"\n' if url else ""
    return (
        f'---\n{line}title: "Boats of the river"\nauthors: ["Ann Lee"]\n---\n\n'
        f"# Boats of the river\n\n{PROSE}\n\n{PROSE} {PROSE} Twice."
    )


@pytest.mark.parametrize("executor", ["inline", "thread", "process"])
def test_in_items_and_feeds(server, tmp_path, executor):
    names = ("text", "markdown", "html", "chunks", "posts")
    settings = {
        **ADDON,
        **FORMS,
        "EATEXT_EXECUTOR": executor,
        "EATEXT_HTML_FIELD": "html",
        "EATEXT_FIELDS": {f"its_{name}": name for name in names},
        **UNTIED,
        "FEEDS": {str(tmp_path / "items.json"): {"format": "json"}},
    }
    urls = (server("/page/1"),)
    crawl(TypeSpider, settings, urls=urls, fields={"html": PAGE})
    (item,) = json.loads((tmp_path / "items.json").read_text("utf-8"))
    assert item["its_text"].startswith(f"Boats of the river\n\n{PROSE}")
    assert item["its_markdown"] == markdown_of()  # it has no url
    assert item["its_html"].startswith("<h1>Boats of the river</h1>\n<p>")
    assert item["its_posts"] == []
    assert len(item["its_chunks"]) > 1
    for chunk in item["its_chunks"]:
        assert chunk["headings"] == ["Boats of the river"]
        assert item["its_text"][chunk["start"] : chunk["end"]] == chunk["text"]


def test_in_archives():
    pyarrow = pytest.importorskip("pyarrow")
    from scrapy_eatext.archive.core import extract_batches

    batch = pyarrow.record_batch({"html": [PAGE], "url": [URL]})
    (made,) = extract_batches([batch], {**FORMS, "EATEXT_EXECUTOR": "inline"})
    (row,) = made.to_pylist()
    assert row["markdown"] == markdown_of(URL)
    assert row["text"].startswith("Boats of the river\n\n")


def test_at_the_command_line(tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text(PAGE, "utf-8")
    assert run_command(str(page), "-f", "markdown", settings=FORMS) == 0
    assert capsys.readouterr().out.rstrip("\n") == markdown_of()
    assert run_command(str(page), "-f", "json", settings=FORMS) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["chunks"][0]["headings"] == ["Boats of the river"]
    assert told["posts"] == []


def test_pages_of_an_article_have_one_headline():
    choice = Choice(title=True, markdown=MarkdownForm(front_matter=True))
    first, second = (
        extract_page(Job(PAGE, URL, each, Limits(), fields=("markdown",))).result
        for each in (choice, choice.of_continuation)
    )
    result = joined([first, second])
    assert result.text.count("Boats of the river") == 1
    assert result.markdown.count("---\n") == 2
    assert result.markdown.count("# Boats") == 1
    assert second.text == first.body


def test_worker_processes_are_given_the_path_of_a_function():
    form = {"unit": len}
    for settings, ending in [
        ({"EATEXT_CHUNKS": form}, "EATEXT_CHUNKS['unit']"),
        ({"EATEXT_SITES": {"a.example": {"chunks": form}}}, "['chunks']['unit']"),
    ]:
        Config.from_settings(Settings(settings))
        with pytest.raises(SettingError, match=r"an import path") as raised:
            Config.from_settings(Settings({**settings, "EATEXT_EXECUTOR": "process"}))
        assert raised.value.name.endswith(ending)
