"""Reviews: pages for them, requests to them, and reviews in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from scrapy_eatext.page import Page
from scrapy_eatext.review.server import TOKEN_HEADER
from tests import ROOT
from tests.support.passages import PROSE

SENTENCE = PROSE["en"]


def article(title: str, paragraphs: int = 6) -> str:
    """A page of so many blocks and four more: two before the title, one behind all."""
    text = "".join(f"<p>{SENTENCE} {title}. Number {i}.</p>" for i in range(paragraphs))
    return (
        f"<!DOCTYPE html><html lang=en><title>{title}</title><body>"
        "<nav><ul><li><a href=/a>Home</a><li><a href=/b>News</a></ul></nav>"
        f"<main><article><h1>{title}</h1>{text}</article></main>"
        "<footer><p>All rights reserved by nobody.</p></footer>"
    )


def odd(number):
    """A page whose main text stands where menus do, beside prose that is the same."""
    notes = "".join(
        f"<li class='note n{number}'><a href=/{i}>Day {number}, note {i}: boats came in.</a>"
        for i in range(6)
    )
    return Page.of(
        f"<body class=day-{number}><main><article><h1>About</h1>"
        f"<p>{SENTENCE}</p><p>{SENTENCE} Again.</p></article></main>"
        f"<nav class='menu sidebar'><ul>{notes}</ul></nav>",
        f"https://odd.example/{number}",
    )


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    def json(self):
        return json.loads(self.body)


def ask(url: str, path: str, body: object = None, token=None, **headers) -> Answer:
    """Ask a review at the address that it prints; a body is posted, as JSON."""
    address = urlsplit(url)
    connection = HTTPConnection("127.0.0.1", address.port or 0)
    sent = {TOKEN_HEADER: address.fragment if token is None else token}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    connection.request("GET" if body is None else "POST", path, body, sent)
    answer = connection.getresponse()
    found = Answer(answer.status, dict(answer.getheaders()), answer.read())
    connection.close()
    return found


class ReviewProcess:
    """`scrapy eatext review` as a user starts it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "scrapy", "eatext", "review", "--no-browser"]
        self.process = subprocess.Popen(
            [*command, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().removeprefix("Review at ").strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; with SIGKILL as a machine does that goes down."""
        self.process.send_signal(how)
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
