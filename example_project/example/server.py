"""The bundled site, served on a free port of the loopback interface."""

from __future__ import annotations

import gzip
import re
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

SITE = Path(__file__).resolve().parent.parent / "site"
START = "/index.html"

REDIRECTS = {
    "/": START,
    "/docs/help": "/docs/faq.html",
    "/herald/ferry": "/herald/ferry-timetable.html",
    "/shop/sale": "/shop/category/teaware-2.html",
}
# Stands for the server's own address in sitemap, feeds and robots.txt.
ORIGIN = b"http://portellery.example"
# The calendar ends with 2027, so that a crawl of all links ends.
CALENDAR = re.compile(r"/herald/calendar/(202[67])/(\d\d?)")
MONTH = """<!DOCTYPE html>
<html lang="en"><head><title>What is on in {month}/{year}</title></head>
<body><h1>What is on in {month}/{year}</h1><p>Nothing has been announced yet.</p>
<p><a href="/herald/index.html">The Harbour Herald</a> <a href="{next}">Next month</a></p>
</body></html>
"""
GZIPPED = frozenset({"/herald/market-hall.html"})
# Some servers declare the encoding of a page, for others the page declares it.
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
    "/herald/tides": "image/png",
    "/ja/shotengai.html": "text/html; charset=Shift_JIS",
    "/old/knots.html": "text/html",
    "/ru/samovar.html": "text/html",
}
MISSING = b"""<!DOCTYPE html>
<html lang="en"><head><title>Not found</title></head>
<body><h1>Not found</h1><p>There is no page at this address.</p></body></html>
"""


class Handler(BaseHTTPRequestHandler):
    """Serves the files that existed when the server started."""

    protocol_version = "HTTP/1.1"

    def __init__(self, files: dict[str, Path], *args: object) -> None:
        self.files = files
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in REDIRECTS:
            self.answer(302, b"", Location=REDIRECTS[path])
        elif path in self.files:
            suffix = self.files[path].suffix
            headers = {"Content-Type": TYPES.get(path) or TYPES[suffix]}
            own = f"http://{self.headers['Host']}"
            body = self.files[path].read_bytes().replace(ORIGIN, own.encode())
            if path in GZIPPED:
                body = gzip.compress(body)
                headers["Content-Encoding"] = "gzip"
            self.answer(200, body, **headers)
        elif found := CALENDAR.fullmatch(path):
            year, month = map(int, found.groups())
            behind = f"/herald/calendar/{year + month // 12}/{month % 12 + 1}"
            page = MONTH.format(year=year, month=month, next=behind)
            self.answer(200, page.encode(), **{"Content-Type": TYPES[".html"]})
        else:
            self.answer(404, MISSING, **{"Content-Type": TYPES[".html"]})

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Log nothing, as the crawl has its own log."""


class Site:
    """A running server: ``url`` is the front page, close() stops the server."""

    def __init__(self) -> None:
        files = {
            f"/{path.relative_to(SITE).as_posix()}": path
            for path in SITE.rglob("*")
            if path.is_file()
        }
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, files))
        # So that open connections of clients do not delay the end.
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}{START}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


if __name__ == "__main__":
    site = Site()
    print(site.url)
    input("Press Enter to stop.\n")
    site.close()
