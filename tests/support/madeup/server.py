"""Serves the sites from threads, and records what was asked for."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from tests.support.madeup.blog import Blog
from tests.support.madeup.board import Board
from tests.support.madeup.languages import Languages
from tests.support.madeup.liar import Liar
from tests.support.madeup.manuals import Manuals
from tests.support.madeup.news import News
from tests.support.madeup.shop import Shop
from tests.support.madeup.traps import Traps

if TYPE_CHECKING:
    from typing_extensions import Self

    from tests.support.madeup.site import Site

SITES: tuple[type[Site], ...] = (
    News,
    Blog,
    Board,
    Shop,
    Manuals,
    Languages,
    Liar,
    Traps,
)


class Seen(NamedTuple):
    """A request that was answered."""

    url: str
    status: int


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OneSite

    def do_GET(self) -> None:
        url = self.path
        if url.startswith("/"):
            site = self.server.site
        else:  # as a proxy is asked
            asked = urlsplit(url)
            site = self.server.by_host.get(asked.netloc)
            if site is None:
                self.send_error(502)
                return
            url = url.partition(asked.netloc)[2] or "/"
        answer = site.answer(url)
        self.server.seen.append(Seen(f"{site.base}{url}", answer.status))
        body = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(body)))
        if answer.location:
            self.send_header("Location", answer.location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        pass


class OneSite(ThreadingHTTPServer):
    """The server of one site, and a proxy to those of ``by_host``."""

    daemon_threads = True

    def __init__(self, address: str, site: type[Site], seen: list[Seen]) -> None:
        super().__init__((address, 0), Handler)
        self.site = site(f"http://{address}:{self.server_port}")
        self.seen = seen
        named = [each() for each in SITES]
        self.by_host = {one.host: one for one in named}


class MadeUp:
    """All sites, each at an address of its own, while the context lasts.

    ``sites`` has them by name, ``seen`` all requests.  To a client whose proxy is
    ``proxy`` they have their host names.
    """

    def __enter__(self) -> Self:
        self.seen: list[Seen] = []
        self._servers = [
            OneSite(f"127.0.0.{10 + at}", site, self.seen)
            for at, site in enumerate(SITES)
        ]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        self.sites = {server.site.name: server.site for server in self._servers}
        self.proxy = self._servers[0].site.base
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
