"""Archives that other programs wrote, and those on other file systems."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
from dataclasses import replace

import pytest

pytest.importorskip("pyarrow")

from scrapy_eatext.archive.files import written
from scrapy_eatext.archive.local import Run
from scrapy_eatext.archive.manifest import Entry, Manifest, OutputError, outputs
from scrapy_eatext.archive.readers import ArchiveError, Reading, parts, read, read_part
from scrapy_eatext.archive.shards import Plan
from tests.support.archives import ALL, URL, filled, page, record, response, warc
from tests.support.commands import run_command

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("gzipped", [True, False])
def test_archives_of_warcio(gzipped, tmp_path):
    warcwriter = pytest.importorskip("warcio.warcwriter")
    from warcio.statusandheaders import StatusAndHeaders

    path = tmp_path / "pages.warc.gz"
    with path.open("wb") as file:
        writer = warcwriter.WARCWriter(file, gzip=gzipped)
        writer.write_record(writer.create_warcinfo_record("pages", {"software": "x"}))
        for url, html in ALL.items():
            headers = StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html")], "HTTP/1.0"
            )
            for kind in ("response", "request"):
                writer.write_record(
                    writer.create_warc_record(
                        url, kind, payload=io.BytesIO(html), http_headers=headers
                    )
                )
    assert {one.url: one.html for one in read(str(path))} == ALL


def test_archives_of_fastwarc(tmp_path):
    fastwarc = pytest.importorskip("fastwarc.warc")
    path = tmp_path / "pages.warc"
    with path.open("wb") as file:
        for url, html in ALL.items():
            one = fastwarc.WarcRecord()
            one.init_headers(record_type=fastwarc.WarcRecordType.response)
            one.headers["WARC-Target-URI"] = url
            one.set_bytes_content(response(html))
            one.headers["Content-Type"] = "application/http; msgtype=response"
            one.write(file)
    assert {one.url: one.html for one in read(str(path))} == ALL


def test_archives_of_wget(server, tmp_path):
    try:
        subprocess.run(["wget", "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no wget")
    urls = [server(f"/{path}") for path in ("page/1", "page/2", "gzip/3", "redirect/4")]
    command = ["wget", "-q", "--warc-file=pages", "--delete-after", *urls]
    subprocess.run([*command, server("/image.png")], check=True, cwd=tmp_path)
    found = list(read(str(tmp_path / "pages.warc.gz")))
    assert not any(one.error for one in found)
    pages = {one.url: one.html for one in found if not one.outcome}
    expected = (server(f"/{path}") for path in ("gzip/3", "page/1", "page/2", "page/4"))
    assert sorted(pages) == [*expected]
    assert all(b"This is the text of page" in html for html in pages.values())


@pytest.fixture
def store(monkeypatch):
    """An object store with a bucket: its client, and the requests that it got."""
    moto = pytest.importorskip("moto.server")
    from werkzeug.serving import WSGIRequestHandler

    requests = []

    def log(handler, code="-", size="-"):
        requests.append((handler.command, handler.path, handler.headers.get("Range")))

    monkeypatch.setattr(WSGIRequestHandler, "log_request", log)
    server = moto.ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
            ("AWS_ACCESS_KEY_ID", "test"),
            ("AWS_SECRET_ACCESS_KEY", "test"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ):
            monkeypatch.setenv(name, value)
        from boto3 import client

        bucket = client("s3")
        bucket.create_bucket(Bucket="crawl")
        yield bucket, requests
        bucket.close()
    finally:
        server.stop()


@pytest.mark.parametrize("system", ["pyarrow", "fsspec", "s3"])
def test_other_file_systems(system, tmp_path, request):
    files = {"pages.warc.gz": warc(3), "b/more.html": page(4)}
    if system == "pyarrow":
        root = filled(tmp_path, files).as_uri()
    elif system == "fsspec":
        fsspec = pytest.importorskip("fsspec")
        root = "memory://archives"
        memory = {f"/archives/{name}": data for name, data in files.items()}
        fsspec.filesystem("memory").pipe(memory)
    else:
        bucket, _ = request.getfixturevalue("store")
        root = "s3://crawl/a"
        for name, data in files.items():
            bucket.put_object(Bucket="crawl", Key=f"a/{name}", Body=data)
    found = [one.html for one in read(root)]
    assert found == [page(0), page(1), page(2), page(4)]
    path = f"{root}/pages.warc.gz"
    cut = list(parts(path, 500))
    assert len(cut) > 1
    for records in (
        read(path),
        (one for part in cut for one in read_part(part, Reading())),
    ):
        assert [one.html for one in records] == found[:3]
    with pytest.raises(ArchiveError, match="no such file"):
        list(read(f"{root}/none.warc"))


@pytest.mark.parametrize("workers", [1, 8])
def test_a_large_file_takes_few_requests_and_no_byte_twice(store, workers):
    bucket, requests = store
    noise = [b"<!--" + os.urandom(55_000).hex().encode() + b"-->" for _ in range(390)]
    data = b"".join(
        gzip.compress(record(response(page(i) + some), URL.format(i)), 0)
        for i, some in enumerate(noise)
    )
    assert len(data) > 43_000_000
    bucket.put_object(Bucket="crawl", Key="in/a.warc.gz", Body=data)
    requests.clear()
    settings = {"EATEXT_EXECUTOR": "inline", "EATEXT_ALGORITHM": "density"}
    made = Plan(
        ["s3://crawl/in/a.warc.gz"], "s3://crawl/out", settings, workers=workers
    )
    run = Run(made)
    done = run.go()
    assert (done.errors, done.counts.total()) == ({}, 390)
    assert len(outputs("s3://crawl/out")) == done.parts > 1
    reads = [one for one in requests if "out" not in one[1]]
    spans = [one[2][6:].split("-") for one in reads if one[2]]
    moved = sum(int(end) - int(start) + 1 for start, end in spans)
    assert len(reads) <= 10
    assert moved < 1.1 * len(data)
    assert run.report()["rows"] == 390
    again = Run(made).go()
    assert (again.parts, again.errors) == (0, {})
    bucket.delete_object(Bucket="crawl", Key=outputs("s3://crawl/out")[0][11:])
    assert Run(made).go().parts == 1


def test_the_output_is_on_any_file_system(tmp_path):
    pytest.importorskip("fsspec")
    (tmp_path / "a.warc.gz").write_bytes(warc(9))
    made = Plan([str(tmp_path / "a.warc.gz")], "memory://texts", form="jsonl")
    manifest = Manifest(made.folder, made.made_by())
    with written("memory://texts/a.jsonl") as file:
        file.write(b"{}")
    manifest.add(Entry("a", "x", "a.jsonl", digest="", rows=1))
    # Beyond so many lines another file is begun.
    for i in range(600):
        manifest.add(Entry(f"part {i}", "x"))
    found = Manifest(made.folder, made.made_by())
    assert len(found.entries) == 601
    assert found.is_done("a", "x")
    assert outputs("memory://texts") == ["memory://texts/a.jsonl"]
    found.add(Entry("a", ""))
    assert outputs("memory://texts") == []
    with pytest.raises(OutputError, match="form: jsonl then, parquet now"):
        Manifest(made.folder, replace(made, form="parquet").made_by())


def test_a_file_system_that_fails_is_one_line(tmp_path, capsys, monkeypatch):
    pytest.importorskip("fsspec")
    import fsspec

    class Failing(fsspec.AbstractFileSystem):
        def info(self, path, **kwargs):
            raise RuntimeError("no such data set,\nor no token")

    monkeypatch.setattr("fsspec.core.url_to_fs", lambda path: (Failing(), path))
    out = str(tmp_path / "out")
    assert run_command("archive", "odd://a/b.parquet", "-o", out) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("scrapy eatext: odd://a/b.parquet: ")
    assert "no such data set, or no token" in errors
    assert errors.count("\n") == 1
