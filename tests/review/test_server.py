"""The review's server: who may ask, and what it writes."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import BadStatusLine, HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from scrapy_eatext.archive.readers import Reading
from scrapy_eatext.execution.cascade import Limits
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.marked import CONTENT, read_marked
from scrapy_eatext.learning.train import train
from scrapy_eatext.page import Page
from scrapy_eatext.review.labels import (
    ACCEPTED,
    CHANGED,
    DAMAGED,
    DRAFT,
    FOREIGN,
    NEW,
    LabelError,
    LabelFolder,
    carry,
)
from scrapy_eatext.review.markup import POLICY, framed
from scrapy_eatext.review.pages import Opened, Review, Stored, teach
from scrapy_eatext.review.server import (
    _MOST_CONNECTIONS,
    TOKEN_HEADER,
    Handler,
    ReviewServer,
)
from scrapy_eatext.review.sources import Spool, stored_in
from tests.support import reviewing
from tests.support.archives import URL, warc
from tests.support.archives import article as text_of_article
from tests.support.archives import page as archived
from tests.support.crawling import UrlSpider, crawl, happens
from tests.support.files import Small
from tests.support.reviewing import Answer, ReviewProcess, article

pytestmark = pytest.mark.slow

LIMITS = Limits(10, 10**6)
# Of the eight blocks of a page of four paragraphs.
SIGNS = "-mm--mm-"


def page_of(name: str) -> bytes:
    return article(name, 4).encode()


def stored(name: str, url: str = "") -> Stored:
    return Stored(name, url, lambda: page_of(name))


def of_example(*names: str) -> list[Stored]:
    return [stored(name, f"https://example.com/{name}") for name in names]


def reviewed(pages: Iterable[Stored], folder: LabelFolder) -> Review:
    return Review(pages, folder, lambda url: Choice(), LIMITS)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ReviewServer]:
    folder = LabelFolder(tmp_path / "labels")
    review = reviewed(of_example("one", "two", "three"), folder)
    server = ReviewServer(review, tmp_path / "sites")
    server.start()
    assert happens(
        lambda: not review.reading and all(row.score is not None for row in review.rows)
    )
    yield server
    server.close()


def ask(served: ReviewServer, *arguments: Any, **more: Any) -> Answer:
    return reviewing.ask(served.url, *arguments, **more)


def test_it_listens_on_loopback_alone(served: ReviewServer) -> None:
    assert served.server_address[0] == "127.0.0.1"
    assert urlsplit(served.url).query == ""


def test_without_the_token_nothing_is_sent(served: ReviewServer) -> None:
    for path in ("/api/queue", "/api/page?id=0"):
        assert ask(served, path)[0] == 200
        for token in ("", "x", served.token[:-1]):
            answer = ask(served, path, token=token)
            assert answer.status == 403
            assert b"example.com" not in answer.body


FROM_ELSEWHERE = [
    {"Host": "evil.example"},
    {"Host": "127.0.0.1"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
]


def test_other_sites_are_refused(served: ReviewServer) -> None:
    labels = {"id": 0, "labels": "-" * 8, "accepted": True}
    for path in ("/", "/api/queue", f"/frame/0/{served.key(0)}", "/api/labels"):
        for headers in FROM_ELSEWHERE:
            body = labels if "labels" in path else None
            assert ask(served, path, body, **headers)[0] == 403, (path, headers)
    assert not list((served.review.labels.folder / "ground-truth").iterdir())


def test_a_frame_has_a_key_of_its_own_and_its_header(served: ReviewServer) -> None:
    status, headers, body = ask(served, f"/frame/0/{served.key(0)}", token="")
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert policy == POLICY
    for part in (
        "default-src 'none'",
        "style-src 'unsafe-inline'",
        "form-action 'none'",
        "base-uri 'none'",
        "sandbox",
    ):
        assert part in policy
    assert "allow-scripts" not in policy
    assert b'<eatext-t b="0">Home</eatext-t>' in body
    for path, status in (
        (f"/frame/1/{served.key(0)}", 403),
        ("/frame/0/", 403),
        ("/frame/0", 403),
        (f"/frame/0/{served.token}", 403),
        (f"/frame/99/{served.key(98)}", 403),
    ):
        assert ask(served, path)[0] == status


def test_the_app_loads_nothing_from_elsewhere(served: ReviewServer) -> None:
    _, headers, _ = ask(served, "/", token="")
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    for path, body in served.assets.items():
        text = body.decode()
        assert "https://" not in text, path
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), path


def test_wrong_questions_get_an_answer(served: ReviewServer) -> None:
    for path, body, status in (
        ("/api/nothing", None, 404),
        ("/../setup.cfg", None, 404),
        *((f"/api/page?id={n}", None, 404) for n in NUMBERS),
        *((f"/frame/{n}/{served.key(0)}", None, 404) for n in NUMBERS[1:]),
        ("/api/page", None, 400),
        ("/api/queue?since=abc", None, 400),
        ("/api/labels", b"no JSON", 400),
        ("/api/labels", [1], 400),
        ("/api/labels", {"id": 0}, 400),
        ("/api/labels", {"id": 0, "labels": "mm", "accepted": False}, 409),
        ("/api/labels", {"id": 0, "labels": "mmmmmmm?", "accepted": False}, 409),
        ("/api/teach", {"host": "nowhere.example"}, 409),
        ("/api/algorithm?id=0&algorithm=nothing", None, 409),
    ):
        found, _, body_of_answer = ask(served, path, body)
        assert found == status, (path, body_of_answer)
        assert "frame" in path or json.loads(body_of_answer)["error"]
        assert ask(served, "/api/queue")[0] == 200
    assert ask(served, "/api/labels", b"x", Content_Length="99999999")[0] == 413


# Numbers that no page has; with the first of them a frame's key is wrong, too.
NUMBERS = ["99", "-1", "x", "1e3", "%D9%A3", "9" * 5000]


def test_labels_are_what_training_reads(served: ReviewServer, tmp_path: Path) -> None:
    page = ask(served, "/api/page?id=0").json()
    labels = list(page["proposed"])
    assert page["state"] == NEW
    labels[0], labels[4] = "c", "-"
    written = "".join(labels)
    for number in range(3):
        labels_of_page = {"id": number, "labels": written, "accepted": number == 0}
        assert ask(served, "/api/labels", labels_of_page)[0] == 200
    again = ask(served, "/api/page?id=0").json()
    assert (again["state"], again["stored"]) == (ACCEPTED, written)
    assert ask(served, "/api/page?id=1").json()["state"] == DRAFT
    data = read_folder(tmp_path / "labels")
    first = next(page for page in data.pages if page.url.endswith("/one"))
    assert first.comments == "Home"
    assert "Number 0." in first.text
    assert "Number 1." not in first.text
    assert first.html == page_of("one")
    page = served.review.opened(0)
    assert first.kind == page.result(page.first).page_type
    marked = read_marked(tmp_path / "labels" / "marked", CONTENT)
    texts = {page.name: page.text.split() for page in marked.pages}
    assert texts[first.name] == first.text.split()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[LabelFolder]:
    folder = LabelFolder(tmp_path / "labels")
    yield folder
    folder.close()


@pytest.fixture
def page(folder: LabelFolder) -> Opened:
    """A page with labels."""
    page = Opened(reviewed([], folder), stored("a"))
    page.write(SIGNS, accepted=True)
    return page


def test_line_models_train_from_labels(folder: LabelFolder, tmp_path: Path) -> None:
    for number in range(6):
        one = Opened(reviewed([], folder), stored(f"page{number}"))
        one.write("--mmmm--", accepted=True)
    for name, data in (
        ("perceptron", read_folder(tmp_path / "labels")),
        ("ngram", read_marked(tmp_path / "labels" / "marked", CONTENT)),
    ):
        model, _ = train(name, data, count=0, skip=name == "ngram")
        assert model.arrays


def one_file(folder: LabelFolder) -> Path:
    (file,) = (folder.folder / "ground-truth").glob("*.json")
    return file


def test_labels_outlive_a_new_walk(folder: LabelFolder, page: Opened) -> None:
    # The same bytes, of which another walk makes other blocks: one is cut in two.
    texts = page.texts
    cut = [*texts[:5], texts[5][:30], texts[5][30:], *texts[6:]]
    found = folder.find("a", page.html, cut)
    assert found.state == CHANGED
    assert found.labels == "-mm--mmm-"
    assert "other blocks" in found.why


def test_labels_of_another_version_are_not_taken_for_these(
    folder: LabelFolder, page: Opened
) -> None:
    texts = [*page.texts[:6], "New.", *page.texts[6:]]
    found = folder.find("a", article("a", 5).encode(), texts)
    assert found.state == CHANGED
    assert "earlier version" in found.why
    file = one_file(folder)
    data = json.loads(file.read_text("utf-8"))
    data["review"]["version"] = 99
    file.write_text(json.dumps(data), "utf-8")
    found = folder.find("a", page.html, page.texts)
    assert (found.state, "99" in found.why) == (FOREIGN, True)
    # Writing anew keeps what a later release had written.
    page.write("--------", accepted=False)
    before = file.with_suffix(".json.before")
    assert json.loads(before.read_text("utf-8"))["review"]["version"] == 99
    assert folder.find("a", page.html, page.texts).state == DRAFT


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"ground_truth": {}, "review": {"version": 1}}']
)
def test_damaged_labels_are_told(
    folder: LabelFolder, page: Opened, content: str
) -> None:
    one_file(folder).write_text(content, "utf-8")
    found = folder.find("a", page.html, page.texts)
    assert found.state in (DAMAGED, FOREIGN)
    assert found.labels in ("", "-" * 8)
    assert one_file(folder).name in found.why


def test_a_second_review_of_a_label_folder_is_refused(tmp_path: Path) -> None:
    first = LabelFolder(tmp_path / "labels")
    with pytest.raises(LabelError, match="open in another review"):
        LabelFolder(tmp_path / "labels")
    first.close()
    LabelFolder(tmp_path / "labels").close()


def test_what_repeats_keeps_its_own_label() -> None:
    blocks = [("m", "Read on"), ("-", "Read on"), ("c", "Nice")]
    assert carry(blocks, ["Read on", "Read on", "Nice"]) == ("m-c", 2)


def test_what_another_tab_has_written_is_not_written_over(served: ReviewServer) -> None:
    tabs = [ask(served, "/api/page?id=0").json()["written"] for _ in range(2)]
    assert tabs == ["", ""]

    def write(labels: str, before: str) -> tuple[int, dict[str, str]]:
        question = {"id": 0, "labels": labels, "accepted": False, "before": before}
        answer = ask(served, "/api/labels", question)
        return answer.status, answer.json()

    status, answer = write(SIGNS, tabs[0])
    assert (status, answer["written"]) == (200, f"draft {SIGNS}")
    status, refused = write("-------c", tabs[1])
    assert (status, "in another tab" in refused["error"]) == (409, True)
    assert served.review.opened(0).look().labels == SIGNS
    # The tab itself goes on, also where an answer was lost on its way.
    assert write("-m---mm-", answer["written"])[0] == 200
    assert write("-m---mm-", answer["written"])[0] == 200
    # And the other one once it has read these labels.
    found = ask(served, "/api/page?id=0").json()
    assert found["stored"] == "-m---mm-"
    assert write("-------c", found["written"])[0] == 200


def test_a_refused_request_leaves_its_connection_usable(served: ReviewServer) -> None:
    connection = HTTPConnection("127.0.0.1", served.server_port)
    body = json.dumps({"id": 0, "labels": "mm", "accepted": False})
    for what, token, status in (
        (("GET", "/api/queue", None), "old", 403),
        (("POST", "/api/labels", body), served.token, 409),
        (("POST", "/api/labels", body), "old", 403),
    ):
        connection.request(*what, {TOKEN_HEADER: token})
        answer = connection.getresponse()
        assert (answer.status, list(json.loads(answer.read()))) == (status, ["error"])
    connection.close()


@contextmanager
def connected(served: ReviewServer, sent: bytes) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", served.server_port), 30) as made:
        made.sendall(sent)
        yield made


def test_host_and_token_are_checked_before_a_body_is_read(served: ReviewServer) -> None:
    own = f"127.0.0.1:{served.server_port}"
    for host, token in (("evil.example", served.token), (own, "x")):
        head = (
            f"POST /api/labels HTTP/1.1\r\nHost: {host}\r\n"
            f"Content-Length: 3000000\r\n{TOKEN_HEADER}: {token}\r\n\r\n"
        )
        with connected(served, head.encode()) as client:
            assert client.recv(100).startswith(b"HTTP/1.1 403 ")
            while client.recv(10_000):  # until the server closes
                pass


def test_neither_a_client_that_is_gone_nor_a_wrong_key_is_an_error(
    served: ReviewServer, capsys: pytest.CaptureFixture[str]
) -> None:
    # With this option a socket is closed at once, and the server's answer refused.
    at_once = struct.pack("ii", 1, 0)
    for sent in (b"GET / HT", b"GET /none HTTP/1.1\r\n\r\n"):
        with connected(served, sent) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
    head = f"GET /frame/0/\xe9 HTTP/1.1\r\nHost: 127.0.0.1:{served.server_port}\r\n\r\n"
    with connected(served, head.encode()) as client:
        assert client.recv(100).startswith(b"HTTP/1.1 403 ")
    assert capsys.readouterr().err == ""


def test_who_sends_nothing_is_left(
    served: ReviewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Handler.timeout, "none would wait for ever"
    monkeypatch.setattr(Handler, "timeout", 0.2)
    body = f"POST /api/labels HTTP/1.1\r\nHost: 127.0.0.1:{served.server_port}\r\n"
    body += f"{TOKEN_HEADER}: {served.token}\r\nContent-Length: 9\r\n\r\n12"
    for sent in (b"", b"GET / HT", body.encode()):
        with connected(served, sent) as client:
            assert client.recv(100) == b""


def test_connections_are_bounded(served: ReviewServer) -> None:
    with ExitStack() as stack:
        for _ in range(_MOST_CONNECTIONS):
            stack.enter_context(connected(served, b"G"))
        with pytest.raises((ConnectionError, BadStatusLine)):
            ask(served, "/")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(ConnectionError, BadStatusLine):
            assert ask(served, "/")[0] == 200
            return
    pytest.fail("connections that end free no place")


def test_labels_that_do_not_fit_their_page_teach_nothing(
    folder: LabelFolder, tmp_path: Path
) -> None:
    pages = of_example("a", "b")
    review = reviewed(pages, folder)
    Opened(review, pages[0]).write(SIGNS, accepted=True)
    file = one_file(folder)
    data = json.loads(file.read_text("utf-8"))
    data["review"]["blocks"][2][1] += " and more"
    file.write_text(json.dumps(data), "utf-8")
    review._work()
    # The list goes by the name of the file.
    assert [row.state for row in review.rows] == [ACCEPTED, NEW]
    with pytest.raises(ValueError, match=r"no page of example\.com is labelled"):
        teach(review, "example.com", tmp_path / "sites", keep=False)


def test_a_page_that_cannot_be_read_does_not_end_teaching(
    folder: LabelFolder, tmp_path: Path
) -> None:
    def gone() -> bytes:
        raise FileNotFoundError(2, "No such file or directory", "b.html")

    review = reviewed([], folder)
    for page in (*of_example("a", "c"), Stored("b", "https://example.com/b", gone)):
        review._add(page)
    review.write(0, SIGNS, accepted=True)
    found = teach(review, "example.com", tmp_path / "sites", keep=False)
    assert found["looked"] == 1


def test_pages_before_a_source_that_breaks_are_reviewed(folder: LabelFolder) -> None:
    def pages() -> Iterator[Stored]:
        yield stored("a")
        raise OSError(28, "No space left on device")

    review = reviewed(pages(), folder)
    review._work()
    assert not review.reading
    good, broken = review.rows
    assert (good.name, good.error, bool(good.score)) == ("a", "", True)
    assert "No space left on device" in broken.error


def test_a_page_that_cannot_be_written_keeps_its_labels(
    folder: LabelFolder, page: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = one_file(folder).read_bytes()

    def full(path: Path, data: bytes) -> None:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr("scrapy_eatext.review.labels.write_whole", full)
    with pytest.raises(OSError, match="No space left"):
        page.write("mmmmmmmm", accepted=True)
    assert one_file(folder).read_bytes() == before
    assert page.found.labels == SIGNS


def test_a_large_page_says_so(folder: LabelFolder) -> None:
    review = reviewed([], folder)
    review.limits = Limits(10, 1000)
    with pytest.raises(ValueError, match="EATEXT_MAX_SIZE is 1,000"):
        Opened(review, stored("a"))


def test_every_block_is_found_in_its_frame() -> None:
    html = (
        "<p>One <b>two</b> three<div>four<br>five<p>six<!-- x -->seven</div>eight"
        "<ul><li>nine<li>nine</ul><pre>ten\n  eleven</pre><p hidden>ten</p>"
        "<table><tr><td>ten<td>&shy;el&shy;even</table>"
        # Formulas are read as TeX, and names are as authors make them.
        "<p>Let <math><mfrac><mi>x</mi><mi>y</mi></mfrac></math> be "
        "<img class=latex alt='\\frac{a}{b}' src=x> and "
        "<script type='math/tex'>x^2</script>.<p><a:b:c>twelve</a:b:c> <x{y>thirteen"
    )
    page = Page.of(html)
    shown = Page.of("".join(framed(page))).root
    pieces: dict[int, str] = {}
    for piece in shown.iter("eatext-t"):
        number = int(piece.get("b"))
        pieces[number] = pieces.get(number, "") + (piece.text or "")
    texts = page.blocks.texts()
    assert sorted(pieces) == list(range(len(texts)))
    for number, text in enumerate(texts):
        bare = pieces[number].replace("\xad", "")
        assert "".join(bare.split()) == "".join(text.split())


# -- the pages of every kind of source, as the command is started


def of_warc(folder, server):
    (folder / "pages.warc.gz").write_bytes(warc(3))
    return ["pages.warc.gz"]


def of_parquet(folder, server):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [{"address": URL.format(i), "body": archived(i)} for i in range(3)]
    parquet.write_table(pa.Table.from_pylist(rows), folder / "pages.parquet")
    return ["pages.parquet", "--html-field", "body", "--url-field", "address"]


def of_json(folder, server):
    rows = [{"url": URL.format(i), "html": archived(i).decode()} for i in range(3)]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return ["pages.jsonl"]


def of_cache(folder, server):
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(folder / "cache")}
    done = crawl(UrlSpider, settings, urls=(*of_urls(folder, server), server("/x.png")))
    assert len(done.items) == 3
    return ["cache"]


def of_urls(folder, server):
    return [server(f"/word/{i}") for i in range(3)]


def test_a_label_folder_is_reviewed_with_its_labels(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_bytes(archived(0))
    # This page names a canonical address, by which its labels are not filed.
    canonical = b'<link rel=canonical href="https://example.com/b">' + archived(1)
    (pages / "b.html").write_bytes(canonical)
    states = []
    with closing(Spool()) as spool:
        for source in (pages, tmp_path / "labels"):
            folder = LabelFolder(tmp_path / "labels")
            review = reviewed(stored_in(str(source), Reading(), spool), folder)
            review._work()
            states.append([row.state for row in review.rows])
            for number in range(2):
                signs = "m" * len(review.opened(number).texts)
                review.write(number, signs, accepted=True)
            folder.close()
    assert states == [["new", "new"], ["accepted", "accepted"]]
    assert len(list((tmp_path / "labels" / "ground-truth").iterdir())) == 2


def test_a_page_without_room_costs_no_other(monkeypatch):
    monkeypatch.setattr(
        "scrapy_eatext.review.sources.TemporaryFile", lambda **_: Small(99)
    )
    with closing(Spool()) as spool:
        kept = spool.keep("a", "", b"first")
        with pytest.raises(OSError, match="No space left"):
            spool.keep("b", "", os.urandom(100))
        assert kept.load() == b"first"


@pytest.mark.parametrize("source", [of_warc, of_parquet, of_json, of_cache, of_urls])
def test_pages_of_a_source(source, server, tmp_path):
    run = ReviewProcess(tmp_path, *source(tmp_path, server))
    rows: list[dict[str, Any]] = []

    def is_scored() -> bool:
        queue = reviewing.ask(run.url, "/api/queue").json()
        rows[:] = [r for r in queue["rows"] if not r["error"].startswith("skipped")]
        return not queue["reading"] and all(r["score"] is not None for r in rows)

    try:
        assert happens(is_scored)
        served = source in (of_cache, of_urls)
        urls = of_urls(tmp_path, server) if served else map(URL.format, range(3))
        good = {r["url"]: r["id"] for r in rows if not r["error"]}
        assert len(good) == 3
        for number, url in enumerate(urls):
            page = f"?id={good[url]}"
            found = reviewing.ask(run.url, f"/api/page{page}").json()
            assert found["state"] == "new"
            path = f"/api/algorithm{page}&algorithm=eatext"
            text = f"This is the text of page {number}"
            text = text if served else text_of_article(number)
            assert text in reviewing.ask(run.url, path).json()["text"]
    finally:
        run.end()
