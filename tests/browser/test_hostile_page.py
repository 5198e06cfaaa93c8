"""A hostile page under review: nothing of it runs, and nothing leaves."""

from __future__ import annotations

import pytest

from scrapy_eatext.review.markup import POLICY, SANDBOX
from tests.support.reviewing import article

pytestmark = pytest.mark.slow


# Markup of which each piece would run a script that sends a request, or load, submit,
# navigate or frame something.  U is the site's address.
WAYS = [
    # The ones that are clicked on below come first, before an element swallows the rest.
    "<a href=U/click ping=U/ping target=_top>a link</a>",
    "<a href=\"javascript:fetch('U/javascript')\">a script</a>",
    "<p onmouseover=\"fetch('U/mouseover')\" onclick=\"fetch('U/onclick')\">hover me</p>",
    "<eatext-t b=0 onclick=\"fetch('U/own')\" style='position:fixed;inset:0'>mine</eatext-t>",
    "<script>fetch('U/script')</script>",
    "<script src=U/script-src></script>",
    "<script type=module>import 'U/module'</script>",
    "<svg onload=\"fetch('U/svg-onload')\"><script href=U/svg-script></script></svg>",
    "<svg><image href=U/svg-image /><use href=U/svg-use#a /></svg>",
    "<svg><animate onbegin=\"fetch('U/animate')\" attributeName=x dur=1s></svg>",
    "<img src=U/img onerror=\"fetch('U/onerror')\">",
    "<img srcset='U/srcset 1x' loading=eager>",
    "<picture><source srcset=U/source><img src=U/picture></picture>",
    "<body onload=\"fetch('U/onload')\" background=U/background>",
    "<div style='background: url(U/style)'>styled</div>",
    "<div style='background: u\\72l(U/escaped)'>escaped</div>",
    "<style>@import 'U/import'; p { background: url('U/sheet') }</style>",
    "<style>@font-face { font-family: x; src: url(U/font) } p { font-family: x }</style>",
    "<style></style><link rel=stylesheet href=U/link>",
    "<link rel=preload as=image href=U/preload><link rel=prefetch href=U/prefetch>",
    "<link rel=dns-prefetch href=U/dns><link rel=preconnect href=U/preconnect>",
    "<link rel=icon href=U/icon><link rel=manifest href=U/manifest>",
    "<meta http-equiv=refresh content='0; url=U/refresh'>",
    "<meta http-equiv=Content-Security-Policy content='report-uri U/report'>",
    "<base href=U/base/><img src=relative>",
    "<iframe src=U/iframe></iframe><iframe srcdoc=\"<img src='U/srcdoc'>\"></iframe>",
    "<frameset><frame src=U/frame></frameset>",
    "<object data=U/object></object><embed src=U/embed><applet code=U/applet></applet>",
    "<video src=U/video poster=U/poster autoplay></video><audio src=U/audio autoplay>",
    "<video><track default src=U/track></video>",
    "<form action=U/form id=f><input name=a autofocus onfocus=\"fetch('U/focus')\"></form>",
    "<input type=image src=U/input-image form=f><isindex action=U/isindex>",
    "<details open ontoggle=\"fetch('U/toggle')\"><summary>more</summary>text</details>",
    "<marquee onstart=\"fetch('U/marquee')\">runs</marquee>",
    "<math><maction actiontype=statusline xlink:href=U/math>x</maction></math>",
    "<template><img src=U/template></template><noscript><img src=U/noscript></noscript>",
    "<table background=U/table><td background=U/cell>cell</td></table>",
    "<img name=querySelectorAll src=U/clobber><form name=body></form>",
    "<![CDATA[<img src=U/cdata>]]><?xml-stylesheet href='U/xml'?>",
    "<title></title><noembed><img src=U/noembed></noembed><xmp><img src=U/xmp></xmp>",
    "<p title='\"><img src=U/quote>'>quoted</p><!--><img src=U/comment>-->",
    "<style><!--</style><img src=U/mutation>--></style>",
]


def test_nothing_of_a_hostile_page_runs_and_nothing_leaves(
    tmp_path, review, screen, site
):
    folder = tmp_path / "pages"
    folder.mkdir()
    ways = "\n".join(WAYS).replace("U/", f"{site.url}/")
    (folder / "hostile.html").write_text(article("hostile") + ways, "utf-8")
    shown = screen(review("pages").url)
    asked: list[str] = []
    shown.page.context.on("request", lambda request: asked.append(request.url))
    opened: list[object] = []
    shown.page.context.on("page", lambda page: opened.append(page))  # noqa: PLW0108 - of a class that takes marks
    shown.open("hostile")
    address = shown.page.url
    for text in ("a link", "a script", "hover me", "mine"):
        piece = shown.page.frame_locator("#frame").get_by_text(text).first
        piece.hover()
        piece.click()
    shown.saved()
    shown.press("2")
    shown.page.wait_for_selector(".text-line .words")
    shown.press("1")
    shown.page.wait_for_timeout(1500)
    assert not site.asked
    assert [url for url in asked if not url.startswith(address.partition("#")[0])] == []
    assert opened == []
    assert shown.page.url == address
    # Nothing that is shown could act, whatever the browser makes of it.
    left = shown.page.evaluate(
        """() => {
          const page = document.getElementById("frame").contentDocument, found = [];
          for (const element of page.querySelectorAll("*")) {
            if (/^(script|iframe|frame|object|embed|img|link|base|form|input|svg|math|video|audio)$/i
                .test(element.localName)) found.push(element.localName);
            for (const { name } of element.attributes) {
              if (/^on|^(href|src|srcset|action|ping|background|data|xlink:href)$/i.test(name)) found.push(name);
            }
          }
          return found;
        }"""
    )
    assert left == []


def test_the_header_alone_would_do(site, chromium):
    """Of a page that is not cleaned, under the same header and sandbox."""
    ways = "\n".join(WAYS).replace("U/", f"{site.url}/")
    tab = chromium.new_page()
    outer = "http://127.0.0.1:9"

    def serve(path: str, body: str, **headers: str) -> None:
        headers |= {"Content-Type": "text/html"}
        answer = {"headers": headers, "body": body}
        tab.route(f"{outer}/{path}", lambda route: route.fulfill(**answer))

    serve("outer", f"<iframe sandbox='{SANDBOX}' src='{outer}/inner'></iframe>")
    serve("inner", article("hostile") + ways, **{"Content-Security-Policy": POLICY})
    tab.goto(f"{outer}/outer")
    tab.wait_for_timeout(1500)
    assert not site.asked
    tab.close()
