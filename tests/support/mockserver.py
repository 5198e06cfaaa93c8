"""A web server for the crawl tests, in a process of its own.

``python -m tests.support.mockserver`` prints its URL and serves until its standard
input ends.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def page(body: str, title: str = "A page") -> bytes:
    """A page with a menu and a footer around its body."""
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title>"
        "</head><body><nav><ul><li><a href=/>Home</a></li><li><a href=/all>All</a>"
        f"</li></ul></nav><article>{body}</article><footer><ul><li>Footer</ul></footer></body></html>"
    ).encode()


def text_of(name: str) -> str:
    """The main text of the page at /page/<name>."""
    return (
        f"This is the text of page {name}, which is long enough to be told from "
        "the menu above it and from the footer below it by anyone who reads it."
    )


NOT_ASCII = "Größe, Ärger und Übermut \u2013 船が川を渡る"

FILES = {
    "nested": page("<div>" * 50_000 + "deep" + "</div>" * 50_000),
    "nul": page("<p>before\x00after</p>"),
    "truncated": page("<p>" + text_of("truncated") + "</p>")[:-60],
    "latin1 as utf8": page("<p>caf\u00e9 cr\u00e8me</p>").decode().encode("latin-1"),
    "binary": b"<html>" + bytes(range(256)) * 64,
    "empty": b"",
    "blank": b" \n ",
}


def packed(name: str, times: int = 1) -> bytes:
    return gzip.compress(page(a_text(name) * times))


def half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def a_text(name: str) -> str:
    return f"<p>{text_of(name)}</p>"


WALLS = {
    "checking": b"<title>Just a moment...</title><p>Checking your browser.</p>",
    "login": b"<title>Log in</title><h1>Log in</h1><input type=password><p>Name</p>",
}


# A browser that runs its script gets the text too.
SHELL = b"""<!DOCTYPE html><title>App</title><div id=root></div><script>
const name = location.pathname.split("/").pop();
fetch("/page/" + name).then(answer => answer.text()).then(text => {
  const found = new DOMParser().parseFromString(text, "text/html");
  document.getElementById("root").append(found.querySelector("article"));
});
</script>"""

GZIP = {"Content-Encoding": "gzip"}


def several(name: str) -> bytes | tuple[bytes, dict[str, Any]]:
    """A page of an article at /several/<name>/<pages>, the further ones with ?page=."""
    path, _, query = name.partition("?")
    title, _, pages = path.rpartition("/")
    said = dict(part.split("=") for part in query.split("&") if part)
    number = int(said.get("page", 1))
    if said.get("missing") == str(number):
        return page("<p>No more.</p>"), {"status": 404}
    missing = f"missing={said['missing']}&" if "missing" in said else ""
    link = f"<link rel=next href=?{missing}page={number + 1}>"
    text = f"{number} of {title}"
    return page(a_text(text) + link * (number < int(pages)), f"{title} {number}")


# By the first part of a path, a function from the rest of the path to a body, and to
# what is special about the answer.
ANSWERS: dict[str, Callable[[str], bytes | tuple[bytes, dict[str, Any]]]] = {
    "page": lambda name: page(a_text(name), f"Page {name}"),
    "word": lambda name: page(f"{a_text(name)}<p>{name}</p>", name),
    # The declared encoding is not the page's.
    "charset": lambda name: (
        page(f"<p>{text_of(name)} {NOT_ASCII}</p>"),
        {"type": f"text/html; charset={name}"},
    ),
    "short": lambda name: page("<p>Short.</p>"),
    "status": lambda status: (b"", {"status": int(status)}),
    "redirect": lambda name: (b"", {"status": 302, "Location": f"/page/{name}"}),
    "redirect-to": lambda path: (b"", {"status": 302, "Location": f"/{path}"}),
    "refresh": lambda name: page(
        f'<meta http-equiv=refresh content="0; url=/page/{name}">moved'
    ),
    "several": several,
    "same": lambda name: page(a_text("boats") + "<link rel=next href=/same/boats/2>"),
    "wall": lambda name: WALLS[name],
    # The text is there for who asks as a browser does, below.
    "script": lambda name: SHELL,
    "retry": lambda name: page(a_text(name)),
    "gzip": lambda name: (packed(name), GZIP),
    "packed": lambda name: (packed(name), {"type": f"application/{name}"}),
    "cutgzip": lambda name: (half(packed(name, 50)), GZIP),
    "file": lambda name: FILES[name],
    "big": lambda name: page(a_text(name) * int(name)),
    "image.png": lambda name: (PNG, {"type": "image/png"}),
    "data.json": lambda name: (b'{"text": "no page"}', {"type": "application/json"}),
    "robots.txt": lambda name: (b"User-agent: *\nAllow: /\n", {"type": "text/plain"}),
}


class Answering(BaseHTTPRequestHandler):
    """What servers of tests answer, in a line."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # the body would wait until the head is received

    def answer(
        self,
        body: bytes,
        status: int = 200,
        type: str = "text/html; charset=utf-8",  # noqa: A002
        **headers: Any,
    ) -> None:
        """Send a body; with status 0 where the page has begun its own answer."""
        if status:
            self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class Handler(Answering):
    seen: ClassVar[Counter[str]] = Counter()
    lock = threading.Lock()

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        with self.lock:
            self.seen[path] += 1
            times = self.seen[path]
        _, kind, name = [*path.split("/", 2), ""][:3]
        if kind == "script" and self.headers["X-Rendered"]:
            kind = "page"
        if kind in ANSWERS:
            query = self.path.partition("?")[2] if kind == "several" else ""
            made = ANSWERS[kind](f"{name}?{query}" if query else name)
        else:
            made = page("<p>There is no such page.</p>"), {"status": 404}
        body, options = made if isinstance(made, tuple) else (made, {})
        if kind == "retry" and times == 1:
            options = {"status": 503}
        self.answer(body, **options)

    do_HEAD = do_GET  # noqa: N815


class MockServer:
    """The server's process, as a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.mockserver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.stdin.close()

    def __call__(self, path: str) -> str:
        return f"{self.url}{path}"


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()
    server.shutdown()
    server.server_close()


if __name__ == "__main__":
    main()
