"""Serves the sites from threads, and records what was asked for."""

from __future__ import annotations

import sys
import threading
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.madeup.blog import Blog
from benchmarks.madeup.board import Board
from benchmarks.madeup.languages import Languages
from benchmarks.madeup.liar import Liar
from benchmarks.madeup.manuals import Manuals
from benchmarks.madeup.news import News
from benchmarks.madeup.shop import Shop
from benchmarks.madeup.traps import Traps
from tests.support.mockserver import Answering

if TYPE_CHECKING:
    from typing_extensions import Self

    from benchmarks.madeup.site import Site

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
    method: str = "GET"


class Handler(Answering):
    server: OneSite

    def do_GET(self) -> None:  # noqa: N802 - the name is of http.server
        url, host = self.path, self.headers["Host"]
        if not url.startswith("/"):  # as a proxy is asked
            host = urlsplit(url).netloc
            url = url.partition(host)[2] or "/"
        site = self.server.by_host.get(host)
        if site is None:
            self.send_error(502)
            return
        body, status, kind, location = site.answer(url)
        self.server.seen.append(Seen(f"{site.base}{url}", status, self.command))
        self.answer(body.encode(), status, kind, Location=location)

    do_HEAD = do_GET  # noqa: N815


class OneSite(ThreadingHTTPServer):
    """The server of one site, and a proxy to those of ``by_host``."""

    daemon_threads = True

    def __init__(self, address: str, site: type[Site], seen: list[Seen]) -> None:
        super().__init__((address, 0), Handler)
        host = f"{address}:{self.server_port}"
        self.site = site(f"http://{host}")
        self.seen = seen
        self.by_host = {each.host: each() for each in SITES} | {host: self.site}

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Crawls that are stopped hang up.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class MadeUp:
    """All sites, each at an address of its own, while the context lasts.

    ``sites`` has them by name, ``seen`` all requests.  Each server answers for the host
    names of all sites too, as a proxy or where a client takes it for them; ``named`` has
    the sites with these.
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
        self.named = {site.name: site() for site in SITES}
        self.proxy = self._servers[0].site.base
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()
