"""The server: on loopback, with a token, and only for requests of its own origin.

Assets need no token.  All other requests need it in a header, which pages of other
sites can't send; the address of a frame has a key instead, valid for that page alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import sys
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import BoundedSemaphore, RLock, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from scrapy_eatext.algorithms import REGISTRY
from scrapy_eatext.execution.cascade import BREAKS, describe_error
from scrapy_eatext.review.labels import NEITHER, Found
from scrapy_eatext.review.markup import POLICY, framed
from scrapy_eatext.review.pages import teach

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_eatext.review.pages import Opened, Review

TOKEN_HEADER = "X-Review-Token"  # noqa: S105 - a header's name
_HOSTS = ("127.0.0.1", "localhost")
_APP_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# The most bytes of a request's body: twice the labels of the largest page.
_MAX_BODY = 4_000_000
# The timeout of a connection in seconds, and the most connections: a browser has six,
# and some for each further tab.
_TIMEOUT = 20.0
_MOST_CONNECTIONS = 32


class RequestError(Exception):
    """Refuses a request with a status and a reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ReviewServer(ThreadingHTTPServer):
    """Serves a review on loopback, in a bounded number of threads; ``url`` opens it."""

    daemon_threads = True

    def __init__(self, review: Review, sites: Path, port: int = 0) -> None:
        self._free = BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__(("127.0.0.1", port), Handler)
        self.review = review
        self.sites = sites
        self.token = secrets.token_urlsafe(24)
        # lxml's trees are read by one request at a time.
        self.reading = RLock()
        self.assets = {
            f"/{file.name}": file.read_bytes()
            for file in (files(__package__) / "assets").iterdir()
        }
        # As a fragment the token is in no request and no log.
        self.url = f"http://127.0.0.1:{self.server_port}/#{self.token}"
        self._thread = Thread(target=self.serve_forever, daemon=True)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client may be gone at any time.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def start(self) -> None:
        self.review.start()
        self._thread.start()

    def wait(self) -> None:
        self._thread.join()

    def close(self) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()
        self.review.close()

    def key(self, number: int) -> str:
        mac = hmac.new(self.token.encode(), str(number).encode(), hashlib.sha256)
        return mac.hexdigest()[:32]


class Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    protocol_version = "HTTP/1.1"
    # Answers are small, and the browser waits for each.
    disable_nagle_algorithm = True
    timeout = _TIMEOUT

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def _respond(self, answer: Callable[[], None]) -> None:
        self._is_read = self.command == "GET"
        try:
            self._check_origin()
            answer()
        except RequestError as error:
            self._refuse(error.status, str(error))
        except LookupError as error:
            self._refuse(404, str(error))
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except BREAKS as error:
            self._refuse(500, describe_error(error))
        if not self._is_read:
            # Bytes of the body would be read as the connection's next request.
            self.close_connection = True

    def _check_origin(self) -> None:
        """Refuse requests from pages of other sites, or with another Host."""
        hosts = [f"{name}:{self.server.server_port}" for name in _HOSTS]
        if self.headers.get("Host") not in hosts:
            raise RequestError(403, "the Host header is not this server's")
        origin = self.headers.get("Origin")
        if origin is not None and origin != f"http://{self.headers['Host']}":
            raise RequestError(403, "the Origin header is another site's")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise RequestError(403, "the request is from another site")

    def _check_token(self) -> None:
        token = self.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise RequestError(403, "the token is wrong: open the address as printed")

    def _get(self) -> None:
        address = urlsplit(self.path)
        path = "/index.html" if address.path == "/" else address.path
        if path in self.server.assets:
            suffix = path[path.rindex(".") :]
            policy = {"Content-Security-Policy": _APP_POLICY}
            self._send(200, self.server.assets[path], _TYPES[suffix], policy)
        elif path.startswith("/frame/"):
            self._frame(path)
        else:
            self._check_token()
            query = parse_qs(address.query)
            self._answer(_GET, path, {name: query[name][-1] for name in query})

    def _post(self) -> None:
        self._check_token()
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            raise RequestError(411, "the Content-Length is missing") from None
        if not 0 <= size <= _MAX_BODY:
            raise RequestError(413, "the request is too large")
        body = self.rfile.read(size)
        self._is_read = True
        try:
            query = json.loads(body)
        except (ValueError, RecursionError):
            raise RequestError(400, "the request is no JSON") from None
        if not isinstance(query, dict):
            raise RequestError(400, "the request is no JSON object")
        self._answer(_POST, self.path, query)

    def _answer(self, routes: Mapping[str, Route], path: str, query: Query) -> None:
        route = routes.get(path)
        if route is None:
            raise RequestError(404, f"there is no {path}")
        try:
            answer = route(self.server, query)
        except (KeyError, TypeError) as error:
            why = f"a value is missing or of a wrong type: {error}"
            raise RequestError(400, why) from error
        except (OSError, ValueError) as error:
            raise RequestError(409, describe_error(error)) from error
        self._send_json(200, answer)

    def _frame(self, path: str) -> None:
        number, _, key = path.removeprefix("/frame/").partition("/")
        wanted = _number(number)
        if not hmac.compare_digest(self.server.key(wanted).encode(), key.encode()):
            raise RequestError(403, "there is no such frame")
        with self.server.reading:
            shown = "".join(framed(self.server.review.opened(wanted).page))
        body = shown.encode("utf-8", "replace")
        policy = {"Content-Security-Policy": POLICY, "X-Frame-Options": "SAMEORIGIN"}
        self._send(200, body, "text/html; charset=utf-8", policy)

    def _refuse(self, status: int, why: str) -> None:
        self._send_json(status, {"error": why})

    def _send_json(self, status: int, value: object) -> None:
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        self._send(status, body, "application/json", {})

    def _send(
        self, status: int, body: bytes, kind: str, headers: Mapping[str, str]
    ) -> None:
        self.send_response(status)
        content = {"Content-Type": kind, "Content-Length": str(len(body))}
        for name, value in {**content, **_ALWAYS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Log nothing: the terminal is for errors."""

    def version_string(self) -> str:
        return "eatext"


# -- the routes

Query = Mapping[str, Any]
Route = Callable[[ReviewServer, Query], Any]


def _number(value: object) -> int:
    """The number of a page in a query or an address.  Raises RequestError."""
    digits = str(value)
    if not re.fullmatch(r"[0-9]{1,9}", digits):
        raise RequestError(404, "there is no such page")
    return int(digits)


def _of_page(route: Callable[[ReviewServer, Opened, Query], Any]) -> Route:
    """A route for the page in the query."""

    def answer(owner: ReviewServer, query: Query) -> Any:
        with owner.reading:
            return route(owner, owner.review.opened(_number(query["id"])), query)

    return answer


def _queue(owner: ReviewServer, query: Query) -> Any:
    try:
        since = int(query.get("since", -1))
    except ValueError:
        raise RequestError(400, "since must be a whole number") from None
    news = owner.review.news(since)
    if since < 0:
        news["algorithms"] = sorted(REGISTRY)
        news["labels"] = str(owner.review.labels.folder)
    return news


@_of_page
def _page(owner: ReviewServer, page: Opened, query: Query) -> Any:
    number = _number(query["id"])
    labels = page.look()
    try:
        proposed, why = page.proposed(page.first), ""
        chances, reasons = page.scores(page.first)
    except BREAKS as error:
        proposed, why = NEITHER * len(page.texts), describe_error(error)
        chances, reasons = [], []
    return {
        "id": number,
        "name": page.stored.name,
        "url": page.stored.url,
        "title": page.page.title[:300],
        "algorithm": page.first,
        "frame": f"/frame/{number}/{owner.key(number)}",
        "state": labels.state,
        "why": labels.why,
        "stored": labels.labels,
        "written": labels.written,
        "blocks": len(page.texts),
        "kinds": page.page.blocks.kinds,
        "proposed": proposed,
        "chances": chances,
        "reasons": reasons,
        "error": why,
    }


@_of_page
def _labels_by(owner: ReviewServer, page: Opened, query: Query) -> Any:
    name = str(query["algorithm"])
    text = getattr(page.result(name), _form(query))
    return {"labels": page.proposed(name), "text": text}


@_of_page
def _text(owner: ReviewServer, page: Opened, query: Query) -> Any:
    return {"text": page.shown(page.checked(query["labels"]), _form(query))}


@_of_page
def _lines(owner: ReviewServer, page: Opened, query: Query) -> Any:
    return page.lines(page.checked(query["labels"]))


@_of_page
def _write(owner: ReviewServer, page: Opened, query: Query) -> Any:
    labels = page.checked(query["labels"])
    accepted = query["accepted"] is True
    written = Found.own(labels, accepted=accepted).written
    # The labels on disk are equal if the browser sends them again after a lost answer.
    expected = (query.get("before"), written)
    if "before" in query and page.look().written not in expected:
        why = "the page was labelled in another tab; reload the review to see how"
        raise RequestError(409, why)
    row = owner.review.write(_number(query["id"]), labels, accepted=accepted)
    return {"state": row.state, "written": written}


def _teach(owner: ReviewServer, query: Query) -> Any:
    with owner.reading:
        keep = query.get("write") is True
        return teach(owner.review, str(query["host"]), owner.sites, keep=keep)


def _form(query: Query) -> str:
    return "markdown" if query.get("form") == "markdown" else "text"


_GET: Mapping[str, Route] = {
    "/api/queue": _queue,
    "/api/page": _page,
    "/api/algorithm": _labels_by,
}
_POST: Mapping[str, Route] = {
    "/api/labels": _write,
    "/api/lines": _lines,
    "/api/text": _text,
    "/api/teach": _teach,
}
