"""Pages whose text a browser without script would not show."""

from __future__ import annotations

import pytest

from scrapy_eatext import extract
from scrapy_eatext.page import Page

TEXT = "The bakery on the corner opens at six, and its rye bread is gone by nine. " * 12


def shown(html: str) -> str:
    blocks = Page.of(html).blocks
    return "\n".join(blocks.texts([*range(len(blocks))]))


@pytest.mark.parametrize(
    "html",
    [
        f"<body><div id=app></div><noscript><p>{TEXT}</p></noscript></body>",
        f"<body><nav>Home</nav><div style='display: none'><p>{TEXT}</p></div></body>",
        f"<body><main hidden><p>{TEXT}</p></main></body>",
        f"<body><header><button>Menu <svg></header><main><p>{TEXT}</p></main></body>",
        f"<body><object><p>{TEXT}</p></object></body>",
        f"<body><embed src=a.mid hidden=true><p>{TEXT}</p></body>",
        f"<body><bgsound src=a.mid><p>{TEXT}</p></body>",
        f"<body><map name=a><area href=b><p>{TEXT}</p></body>",
        f"<body><canvas id=a><p>{TEXT}</p></body>",
    ],
)
def test_a_hidden_text_is_read_where_nothing_else_is(html: str) -> None:
    assert TEXT.strip() in shown(html)
    assert shown("<body><noscript></noscript></body>") == ""


@pytest.mark.parametrize(
    "hidden",
    [
        "<noscript>Switch on JavaScript</noscript>",
        "<div hidden>Sold out</div>",
        "<p style='DISPLAY:none'>Sold out</p>",
        "<dialog>We use cookies</dialog>",
        "<button>Send</button>",
        "<template><p>Row</p></template>",
        "<div hidden role=dialog aria-labelledby=t>We use cookies</div>",
        "<dialog aria-labelledby=t>We use cookies</dialog>",
        "<div hidden=until-found style='display:none'>Sold out</div>",
        # A menu, and what another question than the last one shows.
        "<button aria-controls=m>Shop</button><div id=m hidden>Shoes</div>",
        "<h2 aria-controls='b'></h2><h2 aria-controls='c'></h2><p id=b hidden>No",
        "<h2 aria-controls=''></h2><p id='' hidden>No",
    ],
)
def test_what_is_hidden_beside_a_text_stays_hidden(hidden: str) -> None:
    assert shown(f"<body>{hidden}<p>{TEXT}</p></body>") == TEXT.strip()


@pytest.mark.parametrize(
    "panel",
    [
        "<div role=tabpanel hidden>In Python</div>",
        "<section role=tabpanel style='display: none'>In Python</section>",
        "<div role=region hidden>In Python</div>",
        "<dd aria-labelledby=python hidden>In Python</dd>",
        "<dd role='' aria-labelledby=python hidden>In Python</dd>",
        "<div hidden=Until-Found>In Python</div>",
        # Below a question or a heading that controls it.
        "<button aria-controls=a>Where?</button><p id=a hidden>In Python",
        "<h3><button aria-controls=a>Where</button></h3><p id=a hidden>In Python",
        "<h3 aria-controls=a>Where</h3><p style='display:none' id=a>In Python",
        # Right behind a question.
        "<h3>Where?</h3><div style='display:none'><p>In Python</div>",
        "<div><a>どこ？</a><i></i></div><p hidden>In Python",
        # A part that is streamed, and a shadow tree.
        "<template id=B:0></template><div hidden id=S:0>In Python</div>",
        "<x-card><template shadowrootmode=open>In Python</template>",
    ],
)
def test_what_is_shown_later_is_read(panel: str) -> None:
    html = f"<body><p>{TEXT}</p><button id=python>Python</button>{panel}</body>"
    assert shown(html).endswith("In Python")


@pytest.mark.parametrize(
    ("beside", "copy", "text"),
    [
        ("<span class=sr-only>In all</span>", "In <b>all</b>", "In all"),
        ("<span class=sr-only><!-- -->In all</span>", "<!-- -->In all", "In all"),
        # Letters that are animated, and the parts of a price.
        ("<span>We</span>", "<span><span>W</span> <span>e</span></span>", "We"),
        ("<span>$5.99</span>", "<span>$</span>5<span>.</span><span>99</span>", "$5.99"),
        # Another text, and one beside which nothing else is shown.
        ("<span>Tea</span>", "Te", None),
        ("<span>Te</span>", "Tea", None),
        ("<span> </span>", "Tea", None),
        ("<span aria-hidden>Tea</span>", "Tea", None),
        ("<b>Tea</b>", "Tea", None),
        ("<span hidden>Tea</span>", "Tea", "Tea"),
    ],
)
def test_a_text_for_screen_readers_is_read_once(
    beside: str, copy: str, text: str | None
) -> None:
    copy = f"<span aria-hidden=true>{copy}</span>"
    for html in (f"{beside} {copy}", f"{copy} {beside}"):
        expected = (
            shown(html.replace(" aria-hidden=true", "")) if text is None else text
        )
        assert shown(f"<body><p>{html}") == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<span hidden>No</span>",
        "<div hidden role=menu>No</div>",
        "<dialog>No</dialog>",
        "<p></p><div hidden>No</div>",
        "<p>Here.</p><div hidden>No</div>",
    ],
)
def test_what_is_no_answer_stays_hidden(hidden: str) -> None:
    assert "No" not in shown(f"<body><p>{TEXT}</p><h3>Where?</h3>{hidden}</body>")


@pytest.mark.parametrize(
    ("html", "origin"),
    [
        (f"<div id=app></div><noscript><p>{TEXT}</p></noscript>", "noscript"),
        (f"<noscript><div hidden><p>{TEXT}</p></div></noscript>", "noscript"),
        (f"<div style='display: none'><div><p>{TEXT}</p></div></div>", "hidden"),
        (f"<button>Menu <svg></svg><main><p>{TEXT}</p></main>", "page"),
        (f"<p>{TEXT}</p><noscript>{TEXT}</noscript>", "page"),
    ],
)
def test_a_result_has_the_origin_of_its_text(html: str, origin: str) -> None:
    found = extract(f"<html><body>{html}</body></html>")
    assert TEXT.strip() in found.text
    assert found.origin == origin
