"""Texts in the data from which a script draws a page, as frameworks and editors write it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_eatext import extract
from scrapy_eatext.page.state import Own, texts_in

TITLE = "The wall of Kelmouth"
PARTS = [
    "The harbour was built between 1811 and 1826, when the fleet had two hundred boats.",
    "Every spring the council counts the stones that the winter storms have moved.",
    "Divers inspect the foundations twice a year, with a robot made by students.",
]
HTML = f"<p>{PARTS[0]}</p><h2>Stones</h2><p>{PARTS[1]}</p><p>{PARTS[2]}</p>"
TEXT = "\n\n".join((PARTS[0], "Stones", *PARTS[1:]))
ARTICLE = {"id": 7, "title": TITLE, "author": {"name": "J. Moor", "bio": "Writes."}}
NEXT = 'id="__NEXT_DATA__" type="application/json"'


def drawn(script, attributes="", title=f"{TITLE} | Coast"):
    page = f"<title>{title}</title><div id=root></div><script {attributes}>{script}</script>"
    return extract(page, url="https://example.com/wall")


def of_article(**more):
    return json.dumps({"menu": [{"title": "News"}], "article": {**ARTICLE, **more}})


# A string of JSON in a string of JavaScript.
ROW = '7:["$","article",null,' + of_article(content=HTML) + "]\n"
ESCAPED = json.dumps(HTML).replace("<", "\\u003C")
STREAM = f"a:T{len(HTML):x},{HTML}" + ROW.replace(json.dumps(HTML), '"$a"')
REACT = "".join(
    f'["$","{tag}",null,{{"children":{json.dumps(text)}}}],'
    for tag, text in zip(("p", "h2", "p", "p"), TEXT.split("\n\n"), strict=True)
)
FLAT = [{"_1": 2, "_3": 4}, "title", TITLE, "html", HTML]
REFS = {
    "ROOT_QUERY": {},
    "A": {"title": TITLE, "blocks": [{"__ref": i} for i in "1234"]},
}
for at, text in enumerate(TEXT.split("\n\n"), start=1):
    REFS[str(at)] = {"type": "heading" if at == 2 else "paragraph", "text": text}
NUXT = f'return {{data:[{{title:"{TITLE}",content:{ESCAPED},at:b}}]}}'


@pytest.mark.parametrize(
    ("script", "attributes"),
    [
        (of_article(body=HTML), 'type="application/json"'),
        (of_article(content={"rendered": HTML}), 'type="application/json"'),
        (json.dumps({"body": of_article(html=HTML)}), 'type="application/json"'),
        (
            of_article(body=HTML).replace('"', "&q;").replace("<", "&l;"),
            'id="a-state" type="application/json"',
        ),
        (f"window.__INITIAL_STATE__={of_article(body=HTML)};go()", ""),
        (f"window.A = JSON.parse({json.dumps(of_article(text=HTML))});", ""),
        (f"self.__next_f.push([1,{json.dumps(ROW)}])", ""),
        (f"window.__NUXT__=(function(a,b){{{NUXT}}}(1,true));", ""),
        (f"var page = {{title: '{TITLE}', content: '{HTML}', id: undefined}}", ""),
        (
            f"A((function(a,b){{b.c=a;return {{title:a,html:b}}}}('{TITLE}',{ESCAPED})))",
            "",
        ),
        (f"self.__next_f.push([1,{json.dumps(STREAM)}])", ""),
        (f"c.enqueue({json.dumps(json.dumps(FLAT))})", ""),
        (f"window.A={json.dumps(REFS)}", ""),
        (of_article(body=HTML).replace('"', "&quot;"), 'type="text/plain"'),
    ],
)
def test_a_text_in_the_state(script, attributes):
    found = drawn(script, attributes)
    assert (found.text, found.origin) == (TEXT, "state")
    assert "## Stones" in found.markdown


def test_a_text_streamed_in_parts():
    row = "7:" + f'["$","div",null,{{"title":"{TITLE}","children":[{REACT[:-1]}]}}]\n'
    parts = (
        f"self.__next_f.push([1,{json.dumps(part)}])" for part in (row[:300], row[300:])
    )
    found = drawn("</script><script>".join(parts))
    assert found.text == TEXT
    assert "## Stones" in found.markdown


@pytest.mark.parametrize(
    "element",
    [
        "<div data-page='{}'></div>",
        "<template>{}</template>",
        "<textarea hidden>{}</textarea>",
        "<code style='display: none'><!--{}--></code>",
    ],
)
def test_state_outside_of_scripts(element):
    state = of_article(body=HTML, more="-" * 999).replace("<", "\\u003c")
    assert extract(f"<title>{TITLE}</title>{element.format(state)}").text == TEXT


def test_a_text_that_begins_as_the_description_does():
    text = " ".join(PARTS * 3)
    about = f'<meta name=description content="{PARTS[0]}">'
    data = json.dumps({"data": [None, [["x", text]], "y" * 999]})
    found = extract(f"<title>Coast</title>{about}<script>f({data})</script>")
    assert (found.text, found.origin) == (text, "state")


def rich(paragraph, heading):
    return [paragraph(PARTS[0]), heading("Stones"), *map(paragraph, PARTS[1:])]


def node(kind, children, **more):
    return {"type": kind, "children": children, **more}


EDITORS = {
    "strings": {"paragraphs": [PARTS[0], "Stones", *PARTS[1:]]},
    "Contentful": {
        "nodeType": "document",
        "content": rich(
            lambda text: {"nodeType": "paragraph", "content": [{"value": text}]},
            lambda text: {"nodeType": "heading-2", "content": [{"value": text}]},
        ),
    },
    "Sanity": rich(
        lambda text: {
            "_type": "block",
            "style": "normal",
            "children": [{"text": text}],
        },
        lambda text: {"_type": "block", "style": "h2", "children": [{"text": text}]},
    ),
    "ProseMirror": {
        "type": "doc",
        "content": rich(
            lambda text: {"type": "paragraph", "content": [{"text": text}]},
            lambda text: {
                "type": "heading",
                "attrs": {"level": 2},
                "content": [{"text": text}],
            },
        ),
    },
    "Slate": rich(
        lambda text: node(
            "paragraph",
            [{"text": text[:9]}, node("link", [{"text": text[9:]}], url="/a")],
        ),
        lambda text: node("heading-two", [{"text": text}]),
    ),
    "Lexical": {
        "root": node(
            "root",
            rich(
                lambda text: node("paragraph", [{"type": "text", "text": text}]),
                lambda text: node(
                    "heading", [{"type": "text", "text": text}], tag="h2"
                ),
            ),
        )
    },
    "Draft.js": {
        "blocks": rich(
            lambda text: {"type": "unstyled", "text": text},
            lambda text: {"type": "header-two", "text": text},
        )
    },
    "Editor.js": {
        "blocks": rich(
            lambda text: {"type": "paragraph", "data": {"text": text}},
            lambda text: {"type": "header", "data": {"text": text, "level": 2}},
        )
    },
    "Notion": rich(
        lambda text: {
            "type": "paragraph",
            "paragraph": {
                "rich_text": [{"plain_text": text, "text": {"content": text}}]
            },
        },
        lambda text: {
            "type": "heading_2",
            "heading_2": {"rich_text": [{"text": {"content": text}}]},
        },
    ),
    "Wix": {
        "nodes": rich(
            lambda text: {
                "type": "PARAGRAPH",
                "nodes": [{"type": "TEXT", "nodes": [], "textData": {"text": text}}],
            },
            lambda text: {
                "type": "HEADING",
                "nodes": [{"type": "TEXT", "textData": {"text": text}}],
                "headingData": {"level": 2},
            },
        )
    },
    "BlockNote": rich(
        lambda text: {
            "type": "paragraph",
            "content": [{"type": "text", "text": text}],
            "children": [],
        },
        lambda text: {
            "type": "heading",
            "props": {"level": 2},
            "content": [{"text": text}],
            "children": [],
        },
    ),
    "Gutenberg": rich(
        lambda text: {"name": "core/paragraph", "attributes": {"content": text}},
        lambda text: {
            "name": "core/heading",
            "attributes": {"content": text, "level": 2},
        },
    ),
    "Prismic": rich(
        lambda text: {
            "type": "paragraph",
            "text": text,
            "spans": [{"start": 0, "type": "strong"}],
        },
        lambda text: {"type": "heading2", "text": text, "spans": []},
    ),
    "Guardian": rich(
        lambda text: {"_type": "page.TextBlockElement", "html": f"<p>{text}</p>"},
        lambda text: {
            "_type": "page.SubheadingBlockElement",
            "html": f"<h2>{text}</h2>",
        },
    ),
    "minimark": {
        "value": rich(lambda text: ["p", {}, text], lambda text: ["h2", {}, text])
    },
    "Arc": rich(
        lambda text: {"type": "text", "content": text},
        lambda text: {"type": "header", "level": 2, "content": text},
    ),
}


@pytest.mark.parametrize("editor", EDITORS)
def test_rich_text(editor):
    found = drawn(json.dumps({"post": {**ARTICLE, "content": EDITORS[editor]}}), NEXT)
    assert found.text == TEXT
    assert editor == "strings" or "## Stones" in found.markdown
    as_string = json.dumps(
        {"post": {**ARTICLE, "content": json.dumps(EDITORS[editor])}}
    )
    assert editor == "strings" or drawn(as_string, NEXT).text == TEXT
    assert editor != "Slate" or "](https://example.com/a)" in found.markdown


def test_lists_quotes_and_code():
    items = [{"type": "list_item", "content": [{"text": text}]} for text in PARTS]
    nodes = [
        {"type": "ordered_list", "content": items},
        {"type": "blockquote", "content": [{"text": PARTS[0]}]},
        {"type": "codeBlock", "content": [{"text": "a < b\n  c"}]},
        {"type": "list", "data": {"items": PARTS}},
    ]
    found = drawn(json.dumps({"body": {"content": nodes}}), NEXT)
    assert f"1. {PARTS[0]}\n2. {PARTS[1]}" in found.markdown
    assert f"> {PARTS[0]}" in found.markdown
    assert "```\na < b\n  c\n```" in found.markdown
    assert f"- {PARTS[2]}" in found.markdown


def test_tables_marks_and_images():
    marked = [
        {"text": "Bold ", "marks": [{"type": "bold"}]},
        {"text": "far ", "marks": [{"type": "link", "attrs": {"href": "/far"}}]},
    ]
    nodes = [
        {"type": "paragraph", "content": [*marked, {"text": PARTS[0]}]},
        {"type": "paragraph", "content": [{"text": PARTS[1]}]},
        {"type": "image", "attrs": {"src": "/wall.jpg", "alt": "A wall"}},
        {"type": "table", "data": {"content": [["Year", "Stones"], ["2019", "63"]]}},
        {
            "type": "list",
            "data": {"items": [{"content": "a", "items": [{"content": "b"}]}]},
        },
        {"type": "paragraph", "content": [{"text": PARTS[2]}]},
    ]
    markdown = drawn(f"x={of_article(content=nodes)}").markdown
    assert "**Bold** [far](https://example.com/far)" in markdown
    assert "![A wall](https://example.com/wall.jpg)" in markdown
    assert "| 2019 | 63 |" in markdown
    assert "- a\n  - b" in markdown


COOKIES = "<p>" + "We use cookies, and you may change your mind. " * 9


@pytest.mark.parametrize(
    "script",
    [
        # Below another title, or none, and not long.
        f'window.config={{"banner":{{"title":"Cookies","description":"{COOKIES}"}}}}',
        f"x={of_article(author={'name': 'J. Moor', 'description': COOKIES})}",
        f"x={of_article(comments=[{'text': HTML}])}",
        f'x={{legal:{{html:"{COOKIES * 9}"}}}}',
        f'x={{content:"{"QWxhZGRp" * 200}"}}',
        'tpl={html:"' + "<div>{{title}}</div><ul>{{#each}}<li></ul>" * 40 + '"}',
        'css={content:"' + ".a{color:red} .b{margin:0} " * 60 + '"}',
        "x = [1, 2",
        "=[" * 1000,
    ],
)
def test_state_without_a_text_of_the_page(script):
    assert drawn(script).text == ""


def test_the_own_text_is_preferred_to_a_longer_one():
    others = [{"title": f"Boats {i}", "body": HTML * 9} for i in range(3)]
    script = json.dumps({"related": others, "article": {**ARTICLE, "body": HTML}})
    assert drawn(f"window.data={script}").text == TEXT
    assert drawn(f"window.data={script}", title="Coast").text.count(TEXT) == 9


def test_a_related_text_within_the_own_object():
    related = [{"title": "Boats", "body": HTML * 9}]
    assert drawn(f"x={of_article(related=related, body=HTML)}").text == TEXT


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("Wall - The Kelmouth Coast Weekly Gazette of Record", "Wall"),
        ("Coast: The wall", "The wall"),
        ("城墙_海岸周刊新闻中心综合频道", "城墙"),
        ("جدار كيلموث | الساحل", "جدار كيلموث"),
    ],
)
def test_titles_with_the_site_around_them(title, own):
    items = [
        {"title": name, "body": HTML * (1 + (name != own))} for name in ("A", own, "B")
    ]
    assert drawn(f"x={json.dumps(items)}", title=title).text == TEXT


def test_a_description_in_linked_data_is_not_preferred_to_a_text_in_the_state():
    about = json.dumps({"@type": "NewsArticle", "description": PARTS[0] + PARTS[1]})
    page = f'<title>{TITLE}</title><script type="application/ld+json">{about}</script>'
    found = extract(page)
    assert (found.origin, found.score) == ("json-ld", 0.2)
    found = extract(f"{page}<script>window.data={of_article(body=HTML)}</script>")
    assert (found.text, found.origin, found.score) == (TEXT, "state", 0.5)


def test_nodes_that_refer_to_each_other_end():
    nodes = "[{type:'p',children:b},{type:'p',text:'x',children:b}]"
    script = f"(function(a,b){{x={{title:'{TITLE}',content:a}}}}({nodes},{nodes.replace('b', 'a')}))"
    drawn(script)
    flat = [
        [i + 1] * 3 if i % 2 else {"type": 60, "children": i + 1} for i in range(60)
    ]
    drawn(json.dumps([*flat, "paragraph"]), 'id="__NUXT_DATA__"')


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.just(HTML),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "type content children text level attrs data url blocks title".split()
            ),
            inner | st.sampled_from(["paragraph", "heading", "list", TITLE]),
            max_size=4,
        )
    ),
    max_leaves=30,
)


@given(VALUES, st.sampled_from([NEXT, 'id="__NUXT_DATA__"', "", 'type="text/json"']))
def test_any_data_are_read(data, attributes):
    script = json.dumps(data)
    drawn(script if "json" in attributes else f"x={script}", attributes)
    for text, _ in texts_in([("", f"x={script}")], Own([TITLE]), 0):
        assert isinstance(text, str)
