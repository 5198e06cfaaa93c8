"""Formulas: what a page has in TeX comes out as TeX, as a reader of TeX takes it."""

from __future__ import annotations

from collections import Counter
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import fromstring
from pylatexenc.latexwalker import LatexMathNode, LatexNode, LatexWalker

from scrapy_eatext.page import Page
from tests.support.kept import rendered, whole
from tests.support.properties import check_linear
from tests.support.suites import column_of, table_of

FORMULAS = column_of("tables/formulas.txt")


def mathml(tex, mode="inline"):
    return (
        f'<math display="{mode}"><semantics><mrow><mi>x</mi></mrow><annotation '
        f'encoding="application/x-tex">{escape(tex)}</annotation></semantics></math>'
    )


def katex(tex, mode="inline"):
    return (
        f'<span class="katex"><span class="katex-mathml">{mathml(tex, mode)}</span>'
        '<span class="katex-html" aria-hidden="true"><span>x</span></span></span>'
    )


# A formula in a line and one that is displayed, as each of these has it.
LINES = {
    "MathML": mathml,
    "KaTeX": katex,
    "MathJax": lambda tex: (
        '<span class="MathJax_Preview"></span><span class="MathJax"><nobr>x</nobr></span>'
        f'<script type="math/tex">{tex}</script>'
    ),
    "CDATA": lambda tex: f'<script type="math/tex">% <![CDATA[\n{tex} %]]></script>',
    "image": lambda tex: f'<img src=/x.png class="math" alt="{escape(tex)}">',
    "image in dollars": lambda tex: (
        f'<img src=/x.png class="latex" alt="${escape(tex)}$">'
    ),
    "Wikipedia": lambda tex: (
        f'<span class="mwe-math-element"><span style="display: none">{mathml(tex)}</span>'
        f'<img src=/x.svg class="mwe-math-fallback-image-inline" alt="{escape(tex)}"></span>'
    ),
    "brackets": lambda tex: rf"\({escape(tex)}\)",
    "dollars": lambda tex: f"${escape(tex)}$",
}
DISPLAYED = {
    "MathML": lambda tex: mathml(tex, "block"),
    "KaTeX": lambda tex: f'<span class="katex-display">{katex(tex, "block")}</span>',
    "MathJax": lambda tex: (
        '<div class="MathJax_Display"><span class="MathJax">x</span></div>'
        f'<script type="math/tex; mode=display">\n{tex}\n</script>'
    ),
    "image in brackets": lambda tex: (
        rf'<img src=/x.png class="math-display" alt="\[{escape(tex)}\]">'
    ),
    "brackets": lambda tex: rf"\[ {escape(tex)} \]",
    "dollars": lambda tex: f"$$ {escape(tex)} $$",
}


def outputs(body):
    html = f"<script src=/mathjax.js></script><body>{body}"
    page = Page.of(html, "https://example.com/")
    result = rendered(page, whole(page, "density"))
    return result.text, result.markdown


def read(text):
    """What a reader of TeX has of a text: its formulas, and whether each is displayed.

    Raises LatexWalkerParseError where it cannot read it.  What Markdown would read as its
    own is written in another way, which means the same.
    """
    text = text.replace("\u2018", "`").replace("] (", "](")
    nodes, _, _ = LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    return [
        (node.displaytype, shape(node.nodelist))
        for node in nodes
        if isinstance(node, LatexMathNode)
    ]


def shape(found):
    """Nodes as plain values, without their places and the white space between them."""
    if isinstance(found, LatexNode):
        said = [name for name in found._fields if name not in ("pos", "len")]
        return (type(found).__name__, *(shape(getattr(found, name)) for name in said))
    if isinstance(found, list | tuple):
        shapes = [shape(inside) for inside in found]
        return [inside for inside in shapes if inside != ("LatexCharsNode", "")]
    if isinstance(found, str):
        return " ".join(found.split())
    return shape(found.argnlist) if hasattr(found, "argnlist") else found


@pytest.mark.parametrize("tex", FORMULAS)
@pytest.mark.parametrize("kind", LINES)
def test_formulas_in_lines(kind, tex):
    for output in outputs(f"<p>So {LINES[kind](tex)} holds.</p>"):
        assert read(output) == read(f"${tex}$")
        assert output.startswith("So ")
        assert output.endswith(" holds.")


@pytest.mark.parametrize("tex", FORMULAS)
@pytest.mark.parametrize("kind", DISPLAYED)
def test_displayed_formulas(kind, tex):
    for output in outputs(f"<p>So</p><div>{DISPLAYED[kind](tex)}</div><p>holds.</p>"):
        assert read(output) == read(f"$${tex}$$")


def test_formulas_side_by_side():
    body = "".join(f"<li>So {katex(tex)} or {LINES['image'](tex)}" for tex in FORMULAS)
    wanted = [found for tex in FORMULAS for found in 2 * read(f"${tex}$")]
    for output in outputs(f"<ol>{body}</ol>"):
        assert read(output) == wanted


# MathML of which there is no TeX, and its text.
UNKNOWN = {
    "H = 2 x": "H = 2 x",
    "<mi>a</mi> or <mi>b</mi>": "a or b",
    "<mmultiscripts><mi>C</mi><mn>6</mn><none/></mmultiscripts>": "C6",
    "<mfrac><mi>a</mi></mfrac>": "a",
    "<mtable><mlabeledtr><mtd><mi>a</mi></mtd></mlabeledtr></mtable>": "a",
    "<mi>a<b>b</b></mi>": "ab",
    "<mrow>" * 50 + "<mi>a</mi>": "a",
    "<mn>1</mn>" * 2001: "1" * 2001,
}


@pytest.mark.parametrize(("source", "tex"), table_of("tables/mathml.txt"))
def test_mathml_alone_is_written_as_tex(source, tex):
    for output in outputs(f"<p>So <math>{source}</math> holds.</p>"):
        assert output == f"So ${tex}$ holds."
        assert len(read(output)) == 1


@pytest.mark.parametrize("source", UNKNOWN)
def test_mathml_without_tex_is_text(source):
    text, _ = outputs(f"<p>So <math>{source}</math> holds.</p>")
    assert text == f"So {UNKNOWN[source]} holds."


@pytest.mark.parametrize(
    ("called", "alt"),
    [
        ("latex", "Latex gloves"),
        ("math-teacher", "Our new teacher"),
        ("aftermath", "b^2"),
        ("latex", ""),
    ],
)
def test_images_that_only_sound_like_formulas(called, alt):
    html = f'<p>So <img src=/x.png class="{called}" alt="{alt}"> looks.</p>'
    text, markdown = outputs(html)
    assert text == "So looks."
    assert "$" not in markdown


TOKENS = st.builds(
    "<{0}>{1}</{0}>".format,
    st.sampled_from(["mi", "mn", "mo", "mtext", "ms"]),
    st.text("abc12+=*_^\\{}$%#~ \u2211\u03b1", min_size=1, max_size=4),
)
PARTS = (
    "mrow mfrac mroot msub msup msubsup munder mover munderover msqrt mtable mtr mtd "
    "mfenced mstyle mmultiscripts merror"
).split()


@given(
    st.recursive(
        TOKENS,
        lambda inner: st.builds(
            "<{0}>{1}</{0}>".format,
            st.sampled_from(PARTS),
            st.lists(inner, max_size=4).map("".join),
        ),
        max_leaves=12,
    )
)
def test_no_word_of_mathml_is_lost(source):
    said = fromstring(f"<p>{source}</p>").text_content()
    for output in outputs(f"<p>So <math>{source}</math> holds.</p>"):
        rest = Counter(letter for letter in said if letter.isalnum())
        assert rest <= Counter(output)


@pytest.mark.parametrize(
    "tex",
    [
        r"\begin{equation} a_1 * b \end{equation}",
        r"\begin{align*} a &= b_* \\ &= \begin{pmatrix} 1 & 2 \end{pmatrix} \end{align*}",
        r"\begin{gather} \begin{aligned} a \\ b \end{aligned} \label{x_1} \end{gather}",
    ],
)
def test_environments_in_the_text(tex):
    # The text is what the page shows before a script has typeset it.
    text, found = outputs(f"<p>So {escape(tex)} holds.</p>")
    assert text == f"So {tex} holds."
    assert found == f"So $${tex}$$ holds."
    assert len(read(found)) == 1


def test_dollars_that_are_escaped_end_no_formula():
    _, found = outputs(r"<p>So $\$5_a_ + x$ and \$6 * and $y$.")
    assert found == r"So $\$5_a_ + x$ and \\$6 * and $y$."


@pytest.mark.parametrize(
    ("tex", "kept"),
    [
        ("a % one\n  + b % two", "a + b"),
        ("a \\\\% one\n b \\% c", r"a \\b \% c"),
        ("x\\ ", "x\\ "),
        ("x \\\\ ", r"x \\"),
        (r"\$5 + x", r"\$5 + x"),
        (r"\text{for $x$}", r"\text{for $x$}"),
    ],
)
@pytest.mark.parametrize("kind", ["MathML", "MathJax", "image"])
def test_what_a_line_may_not_do_to_a_formula(kind, tex, kept):
    for output in outputs(f"<p>So {LINES[kind](tex)} holds.</p>"):
        assert output == f"So ${kept}$ holds."


@pytest.mark.parametrize("server", ["latex.codecogs.com/gif.image", "/mimetex.cgi"])
def test_long_addresses_have_no_formula(server):
    for count, kept in ((1000, True), (10_000, False)):
        text, _ = outputs(f"<p>So <img src='//{server}?{'x+' * count}y'> holds.</p>")
        assert ("$" in text) is kept


@pytest.mark.parametrize(
    "piece",
    r"$a \$a \begin{align} \begin{align}\end{gather} \( \\( \\[ % [tex] [tex][/".split(),
)
def test_what_has_no_end_takes_linear_time(piece):
    def body(count):
        return f"<p>{piece * count}<p><script type=math/tex>{piece * count}</script>"

    check_linear(outputs, body, 10_000)
