"""The address of a chunk opens chromium where the chunk stands."""

from __future__ import annotations

import re
from typing import Any

from scrapy_eatext import extract

URL = "https://boats.example/page?a=1"
SAID = "The old boats, well-known and loved, lay in the harbour"
# Blocks that are told apart by little, each on a screen of its own.
BLOCKS = (
    "<h1>Boats</h1>",
    f"<p>{SAID}, &amp; nobody came for 100% of them.</p>",
    f"<p>{SAID}, and somebody came for them at last.</p>",
    f"<p>{SAID}.</p>",
    "<h2>Wood</h2>",
    f"<p>{SAID}.</p>",
    "<h2>Iron</h2>",
    f"<p>{SAID}.</p>",
    "<p>A <b>bold</b> word, <a href=/x>a link</a>, an&nbsp;odd<br>break, and <i>an</i> end.</p>",
    "<p>café crème, naïve “words” – with dashes - and commas, too</p>",
    "<p>我们看到了船。它们很旧！没有人来。</p>",
    "<p>我们看到了船。它们很新！没有人来。</p>",
    "<p>船を見た。とても古い船だった、と彼は言った。</p>",
    "<p>เราเห็นเรือ มันเก่ามาก และไม่มีใครมา</p>",
    "<ul><li>first item of a list<li>second item of a list</ul>",
    "<table><tr><th>boat<th>year</tr><tr><td>Ann<td>1901</tr><tr><td>Bob<td>1902</tr></table>",
    "<pre>def  sail(boat):\n    return  boat.sail()\n</pre>",
    # Browsers show more or other text than the walk writes.
    "<p>How to row and to steer is told below.</p>",
    "<h2><a href=#r>#</a> Rowing home</h2><p>Take both oars, look behind you, and pull.</p>",
    "<h2>Steering home<a href=#s>\u00b6</a></h2><p>Take the helm, look ahead, and hold it.</p>",
    "<h2>Sailing home<button>Copy the link</button></h2><p>Wait for wind, and let it blow.</p>",
    "<p>where <math><mi>v</mi></math> is how fast she goes, in knots and not in miles.</p>",
    "<p>The drag of a hull grows as the square of <math><mi>v</mi></math></p>",
    "<p>The <a href=/b>Boat List</a><a href=/m>Mast List</a> tell which of them is whose.</p>",
    "<p>Row for<button>stop</button>ty minutes <svg width=9 height=9></svg> and then rest well.</p>",
    "<p>Rest<select><option>ten</select> minutes at the pier, and <code>go</code> on.</p>",
    "<p><ruby>港<rt>みなと</rt></ruby>の人は毎朝、網を直してから沖へ出ていく。</p>",
    "<p>受付はターミナルの窓口と、\nインターネットで行う。</p>",
    "<p>時々、スーパーマーケットで船の話を聞く。</p>",
    f"<p>วันที่ 3 {'เรือเก่าลำนี้ยังแล่นได้ดี' * 3}</p>",
    f"<p>วันที่ 4 {'เรือใหม่ลำนี้ยังแล่นไม่ดี' * 3}</p>",
    f"<p>{SAID}, once more with an end.</p>",
)
SECTION = re.compile(r"section\[(\d+)\]")
# Which blocks are in the viewport.
SHOWN = """() => [...document.querySelectorAll("section")].filter((section) => {
  const box = section.firstElementChild.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}).map((section) => Number(section.id.slice(1)))"""


def test_each_chunk_is_opened_where_it_stands(chromium: Any) -> None:
    html = "<!doctype html><meta charset=utf-8><title>Boats</title><body>" + "".join(
        f"<section id=s{n} style='height: 3000px'>{block}</section>"
        for n, block in enumerate(BLOCKS)
    )
    result = extract(html, url=URL, keep="body")
    tab = chromium.new_page(viewport={"width": 800, "height": 600})
    tab.route(
        "**/*",
        lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"),
    )
    for form in ({"size": 10}, {"size": 20, "markdown": True}):
        chunks, opened = result.chunks(**form), 0
        begins = [int(SECTION.search(chunk.xpath)[1]) - 1 for chunk in chunks]
        for chunk, first, last in zip(
            chunks, begins, [*begins[1:], len(BLOCKS) - 1], strict=True
        ):
            if chunk.url == URL:
                continue
            opened += 1
            assert chunk.url.startswith(f"{URL}#:~:text=")
            tab.goto("about:blank")
            tab.goto(chunk.url)
            tab.wait_for_timeout(100)
            (shown,) = tab.evaluate(SHOWN)
            assert first <= shown <= last, chunk
        # The others have words alone that the page has several times, or are cut within
        # words of Thai.
        assert opened >= len(chunks) - 9
    tab.close()
