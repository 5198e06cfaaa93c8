"""A web server for the crawl tests, in a process of its own.

``python -m tests.mockserver`` prints its URL and serves until its standard
input ends.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote

if TYPE_CHECKING:
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


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[Counter[str]] = Counter()
    lock = threading.Lock()

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        with self.lock:
            self.seen[path] += 1
            times = self.seen[path]
        _, kind, name = [*path.split("/", 2), ""][:3]
        if kind == "page":
            self.answer(page(f"<p>{text_of(name)}</p>", f"Page {name}"))
        elif kind == "word":
            self.answer(page(f"<p>{text_of(name)}</p><p>{name}</p>", name))
        elif kind == "charset":
            # What the server says is not so.
            body = page(f"<p>{text_of(name)} {NOT_ASCII}</p>")
            self.answer(body, type=f"text/html; charset={name}")
        elif kind == "short":
            self.answer(page("<p>Short.</p>"))
        elif kind == "redirect":
            self.answer(b"", 302, Location=f"/page/{name}")
        elif kind == "refresh":
            self.answer(
                page(f'<meta http-equiv=refresh content="0; url=/page/{name}">moved')
            )
        elif kind == "retry":
            self.answer(page(f"<p>{text_of(name)}</p>"), 503 if times == 1 else 200)
        elif kind == "gzip":
            body = gzip.compress(page(f"<p>{text_of(name)}</p>"))
            self.answer(body, **{"Content-Encoding": "gzip"})
        elif kind == "packed":
            body = gzip.compress(page(f"<p>{text_of(name)}</p>"))
            self.answer(body, type=f"application/{name}")
        elif kind == "cutgzip":
            body = gzip.compress(page(f"<p>{text_of(name)}</p>" * 50))
            self.answer(body[: len(body) // 2], **{"Content-Encoding": "gzip"})
        elif kind == "file":
            self.answer(FILES[name])
        elif kind == "big":
            self.answer(page(f"<p>{text_of(name)}</p>" * int(name)))
        elif kind == "image.png":
            self.answer(PNG, type="image/png")
        elif kind == "data.json":
            self.answer(b'{"text": "no page"}', type="application/json")
        elif kind == "robots.txt":
            self.answer(b"User-agent: *\nAllow: /\n", type="text/plain")
        else:
            self.answer(page("<p>There is no such page.</p>"), 404)

    def answer(
        self,
        body: bytes,
        status: int = 200,
        type: str = "text/html; charset=utf-8",  # noqa: A002
        **headers: str,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class MockServer:
    """The server's process, as a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.mockserver"],
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
