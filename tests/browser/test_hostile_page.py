"""A hostile page under review: nothing of it runs, and nothing leaves."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from tests.browser.test_review import article

pytestmark = pytest.mark.slow


class Listener:
    """A server that counts whatever reaches it."""

    def __init__(self) -> None:
        heard = self.heard = []

        class Handler(BaseHTTPRequestHandler):
            def _hear(self) -> None:
                heard.append(f"{self.command} {self.path}")
                self.send_response(204)
                self.end_headers()

            do_GET = do_POST = do_HEAD = do_PUT = do_OPTIONS = _hear  # noqa: N815

            def log_message(self, *args: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


# Markup of which each piece would run a script that sends a request, or load, submit,
# navigate or frame something.  U is the listener's address.
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
    tmp_path, review, screen, listener
):
    folder = tmp_path / "pages"
    folder.mkdir()
    ways = "\n".join(WAYS).replace("U/", f"{listener.url}/")
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
    assert listener.heard == []
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


def test_the_header_alone_would_do(tmp_path, review, screen, listener, chromium):
    # Served without being cleaned, under the same header and sandbox.
    from scrapy_eatext.review.frame import POLICY, SANDBOX

    ways = "\n".join(WAYS).replace("U/", f"{listener.url}/")
    tab = chromium.new_page()
    outer = "http://127.0.0.1:9"
    tab.route(
        f"{outer}/**",
        lambda route: (
            route.fulfill(
                headers={
                    "Content-Security-Policy": POLICY,
                    "Content-Type": "text/html",
                },
                body=article("hostile") + ways,
            )
            if route.request.url.endswith("/inner")
            else route.fulfill(
                headers={"Content-Type": "text/html"},
                body=f"<iframe sandbox='{SANDBOX}' src='{outer}/inner'></iframe>",
            )
        ),
    )
    tab.goto(f"{outer}/outer")
    tab.wait_for_timeout(1500)
    assert listener.heard == []
    tab.close()
