"""Lines as the original wrote them.  The figures are from Python 2.7's htmllib."""

from __future__ import annotations

import pytest
from hypothesis import given

from scrapy_eatext.algorithms.perceptron.lines import write_lines
from tests.support.pages import any_pages
from tests.support.properties import check_linear
from tests.support.suites import values_of

pytestmark = pytest.mark.slow

FERRY = """\
<!DOCTYPE html><html><head><title>Not a line</title></head><body>
<nav><ul><li><a href="/">Front page of the paper</a></li><li><a href="/map">Map of \
the valley</a></li></ul></nav>
<div class="page"><h1>The ferry runs again</h1>
<p>After nine weeks on the slip the ferry is back on the river, and the first \
crossing on Monday was full. &copy; 2024</p>
<p>Tickets are sold on board. <b>Bicycles</b> travel free.</p>
</div><div class="foot"><p>Printed in the old mill by the people who live in it.</p>\
</div></body></html>
"""
ODDITIES = """\
<p>one<div>two</div><div>three</div><table><tr><td>c1</td><td>c2</td></tr></table>
<script>var a = 1;</script><img src=a.png><img src=b.png alt="A boat &amp; a bird">
<hr>after<br>the rule<br><br>and more
<dl><dt>term<dd>what it means<dt>another</dl>
<pre>  as
 it   is
</pre>tail <i> of</i> it &#65;&#8212;&#233;&mdash;&eacute;&unknown;&nbsp;x &amp y < 3 \
&& z
<address>by the sea</address><blockquote>said</blockquote>
<ol><li>first<li><li>third <a name=x>no number</a> <a href=y>number</a></ol>
<!-- no -- > <?no no?> <h2>last</h2>
"""


def written(html: str) -> list[tuple[str, int]]:
    return [(line.text, line.bytes) for line in write_lines(html)]


@pytest.mark.parametrize(
    ("html", "lines"),
    [(FERRY, "lines_of_ferry"), (ODDITIES, "lines_of_oddities")],
    ids=["ferry", "oddities"],
)
def test_lines_and_their_bytes(html, lines):
    assert written(html) == values_of(f"tables/{lines}.txt")


def test_a_slash_in_a_tag_was_the_short_form_of_sgml():
    html = "text <br/>that an old <b>slash/ ends</b>"
    assert written(html) == [("text\n", 6), (">that an old <b>slash ends", 32)]


def test_literal_elements():
    html = "a<xmp><b>x</b></xmp>b<plaintext>c<p>d</plaintext>"
    assert written(html) == [
        ("a\n", 3),
        ("<b>x\n", 11),
        ("b\n", 7),
        ("c<p>d</plaintext>", 34),
    ]
    assert written("<listing>1 & 2 < 3</listing>4") == [("1 & 2 < 3\n", 20), ("4", 1)]


@pytest.mark.parametrize(("html", "text"), values_of("tables/broken_markup.txt"))
def test_broken_markup(html, text):
    assert "".join(line.text for line in write_lines(html)) == text


@given(any_pages())
def test_every_byte_is_paid_once(html):
    lines = write_lines(html)
    # What ends lines is paid extra, two bytes for each.
    ends = sum(2 * (len(line.text) - len(line.text.rstrip("\n"))) for line in lines)
    numbers = sum(len(line.text) for line in lines)
    assert sum(line.bytes for line in lines) <= len(html) + numbers + ends
    assert all(line.text for line in lines[:-1])


@pytest.mark.parametrize(
    "unit",
    ["<p>a", "<div>", "<b>", "<", "&", "&a", "<!--", "<a b='", "</b>", "<br/", "<ul><li>",
     "<![", "<a href=x>y</a>", "--", "<title>", "<xmp>", "a b ", "<dd>"],
)  # fmt: skip
def test_time_is_linear(unit):
    check_linear(write_lines, lambda count: "<p>" + unit * count, 5_000)
