"""Every page of a WARC file is read, whoever wrote it, and whatever is damaged."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from unittest.mock import Mock

import pytest

from scrapy_eatext.archive.packed import CHUNK, unpacked
from scrapy_eatext.archive.readers import Reading, parts, read, warc
from tests.support.archives import (
    ALL,
    URL,
    page,
    page_record,
    pages_of,
    read_in_parts,
    record,
    response,
)

pytestmark = pytest.mark.slow

zstd = pytest.importorskip(
    "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
)

PACKINGS: dict[str, Callable[[list[bytes]], bytes]] = {
    "plain": b"".join,
    "gzip": lambda records: b"".join(map(gzip.compress, records)),
    "gzip in one": lambda records: gzip.compress(b"".join(records)),
    "zstd": lambda records: b"".join(map(zstd.compress, records)),
    "zstd in one": lambda records: zstd.compress(b"".join(records)),
    # Members that end anywhere, as bgzip writes.
    "blocks": lambda records: b"".join(
        gzip.compress(b"".join(records)[at : at + 700])
        for at in range(0, len(b"".join(records)), 700)
    ),
}
BY_ITSELF = ("plain", "gzip", "zstd")


def records_of(data: bytes, most: int = 0, cuts: Sequence[int] = ()):
    """The records of a file, or of all parts that it is cut into."""
    spans = pairwise([0, *cuts, 1 << 62])
    return [one for span in spans for one in warc.read(io.BytesIO(data), *span, most)]


def whole_of(found) -> dict[str, bytes]:
    return {one.url: one.html for one in found if not one.error}


def outcomes_of(found) -> list[str]:
    return [one.outcome for one in found]


FIVE = [page_record(i) for i in range(5)]


@pytest.mark.parametrize("packing", PACKINGS)
def test_every_page_of_a_warc_and_of_its_parts(packing, tmp_path):
    data = PACKINGS[packing](FIVE)
    found = records_of(data)
    assert pages_of(found) == ALL
    assert {(one.encoding, one.outcome, one.error) for one in found} == {
        ("utf-8", "", "")
    }
    ending = {"p": ".warc", "g": ".warc.gz", "b": ".warc.gz", "z": ".warc.zst"}
    path = tmp_path / f"pages{ending[packing[0]]}"
    path.write_bytes(data)
    size = 1000 if packing == "plain" else 300
    assert len(list(parts(str(path), size))) > 1 or packing not in BY_ITSELF
    assert [(one.url, one.html) for one in read_in_parts(path, size)] == [*ALL.items()]


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("most", [0, 1 << 16])
@pytest.mark.parametrize("wrong", [-300, 300, 700, 3000, 10**12, 10**17])
def test_a_record_whose_length_is_wrong_costs_no_page(packing, most, wrong):
    length = len(response(page(1))) + wrong
    records = [FIVE[0], page_record(1, length=length), *FIVE[2:]]
    found = records_of(PACKINGS[packing](records), most)
    assert pages_of(found) == ALL
    assert [one.url for one in found if "length is wrong" in one.error] == [
        URL.format(1)
    ]


def test_a_record_whose_start_is_damaged_costs_its_own_page_alone():
    records = [page_record(i) for i in range(5)]
    for number in (1, 3):
        records[number] = records[number].replace(b"WARC/", b"WXRC/", 1)
    found = records_of(b"".join(records))
    assert outcomes_of(found) == ["", "unreadable", "", "unreadable", ""]
    pages = [one.html for one in found if not one.outcome]
    assert pages == [page(0), page(2), page(4)]


def test_a_length_beyond_the_largest_page_ends_at_the_next_record():
    body = b"x" * (3 << 20)
    wrong = record(response(body), URL.format(9), length=1 << 40)
    found = records_of(gzip.compress(FIVE[0] + wrong + FIVE[2]), 1000)
    assert [(one.url, bool(one.error)) for one in found] == [
        (URL.format(0), False),
        (URL.format(9), True),
        (URL.format(2), False),
    ]


SHORT = [page_record(i, words=8) for i in range(3)]


@pytest.mark.parametrize("packing", BY_ITSELF)
def test_a_record_that_is_cut_off_anywhere_costs_no_other(packing):
    first, second, third = (PACKINGS[packing]([one]) for one in SHORT)
    for size, after in product(range(1, len(second)), (b"", third)):
        found = records_of(first + second[:size] + after)
        whole = whole_of(found)
        urls = {0, 2} if after else {0}
        if packing == "plain" and size >= len(second) - 4:  # line ends alone
            urls |= {1}
        assert whole == {URL.format(i): page(i, 8) for i in urls}, size
        assert (len(found) > len(whole)) == (1 not in urls), size


def test_a_record_that_is_cut_off_in_a_file_that_is_packed_as_a_whole():
    for size in range(len(b"WARC/1.0\r\n"), SHORT[1].index(b"\r\n\r\n")):
        found = records_of(gzip.compress(SHORT[0] + SHORT[1][:size] + SHORT[2]))
        assert outcomes_of(found) == ["", "unreadable", ""], size


def test_an_address_that_ends_like_a_first_line():
    url = "http://site.example/WARC/1.1"
    block = response(page(1))
    first = record(block, url)
    lines = first[: -len(block) - 8].split(b"\r\n")
    other = b"\r\n".join([lines[0], lines[-1], *lines[1:-1], b"", b""]) + block
    for one in (first, other + b"\r\n\r\n"):
        found = records_of(one + FIVE[2])
        assert [(r.url, r.html, r.error) for r in found] == [
            (url, page(1), ""),
            (URL.format(2), page(2), ""),
        ]


def test_a_record_without_length():
    without = FIVE[1].replace(b"Content-Length", b"Content-Size")
    assert pages_of(records_of(b"".join([FIVE[0], without, *FIVE[2:]]))) == ALL


@pytest.mark.parametrize("packing", PACKINGS)
def test_an_archive_that_is_cut_off_gives_what_it_has(packing):
    data = PACKINGS[packing](FIVE)
    for size in (len(data) - 9, len(data) - 90, len(data) // 2, 40, 5):
        found = records_of(data[:size])
        whole = [one for one in found if not one.error]
        assert len(found) - len(whole) == 1, size
        assert all(ALL[one.url] == one.html for one in whole)
        # All pages before the cut are there.
        assert [one.url for one in whole] == list(ALL)[: len(whole)]
        if packing in BY_ITSELF:
            assert len(whole) >= size * 5 // len(data) - 1
    if packing == "gzip":
        # The beginning of a page is kept.
        last = records_of(data[:-100])[-1]
        assert page(4).startswith(last.html)
        assert len(last.html) > 100
        assert last.error


def with_damage(packed: list[bytes], at: int, bits: int) -> bytes:
    """Members, of which the second one is damaged."""
    damaged = bytearray(packed[1])
    damaged[at] ^= bits
    return b"".join([packed[0], damaged, *packed[2:]])


@pytest.mark.parametrize("at", [-6, -2])
def test_a_page_with_a_wrong_checksum_is_all_there(at):
    found = records_of(with_damage([gzip.compress(one) for one in FIVE], at, 255))
    assert pages_of(found) == ALL
    assert [one.url for one in found if one.error] == [URL.format(1)]


def named(data: bytes) -> bytes:
    """A member with a name and a field in its header, as tools write them."""
    packed = gzip.compress(data, mtime=1_700_000_000)
    extra = b"\x04\x00name"
    return packed[:3] + b"\x0c" + packed[4:10] + extra + b"pages.warc\0" + packed[10:]


def checked(data: bytes) -> bytes:
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return zstd.compress(data, options=options)


MEMBERS = {"gzip": gzip.compress, "gzip with a name": named, "zstd": checked}


@pytest.mark.parametrize("packing", MEMBERS)
@pytest.mark.parametrize("bits", [1, 4, 8, 28, 64, 255])
def test_damage_anywhere_in_a_member_costs_no_other(packing, bits):
    packed = [MEMBERS[packing](one) for one in FIVE]
    # Of the data behind a member's head, other bits of other bytes.
    for at in (*range(40), *range(40 + bits % 3, len(packed[1]), 3)):
        found = records_of(with_damage(packed, at, bits))
        whole = whole_of(found)
        # Some bits of a member do not matter.
        assert len(found) - len(whole) == 1 or whole == ALL, at
        assert {URL.format(1): page(1)} | whole == ALL, at


@pytest.mark.parametrize("flags", range(32))
@pytest.mark.parametrize("packing", ["gzip", "gzip with a name"])
def test_a_page_is_read_whatever_flags_its_member_has(packing, flags):
    packed = [MEMBERS[packing](one) for one in FIVE]
    bits = flags ^ packed[1][3]
    assert pages_of(records_of(with_damage(packed, 3, bits))) == ALL


@pytest.mark.parametrize(
    "other",
    [
        # Without a time, which would be in the test's name.
        gzip.compress(b"no record at all, but a member that is whole", mtime=0),
        b"no record" * 9,
    ],
)
def test_what_is_no_record_is_counted(other):
    packed = [gzip.compress(one) for one in FIVE]
    found = records_of(b"".join([packed[0], other, *packed[1:]]))
    assert outcomes_of(found) == ["", "unreadable", "", "", "", ""]
    assert whole_of(found) == ALL
    assert outcomes_of(records_of(b"this is no WARC at all")) == ["unreadable"]
    assert records_of(b"") == []


def test_records_without_pages():
    software, host = b"software: a crawler\r\n", b"site.example. 1 IN A 127.0.0.1"
    info = record(software, kind="warcinfo", media="application/warc-fields")
    others = {
        "revisit": record(b"HTTP/1.1 200 OK\r\n\r\n", "revisit", "revisit"),
        "dns:a": record(host, "dns:a", media="text/dns"),
        "log": record(b"a log", "log", "resource", "text/plain"),
        "unknown": record(b"what", "unknown", "snapshot"),
        # wget puts addresses into brackets.
        "moved": record(response(b"", status="301 Moved"), "<moved>"),
        "digits": record(response(b"", status="9" * 5000), "digits"),
        "picture": record(response(b"\x89PNG", "image/png"), "picture"),
    }
    found = records_of(b"".join([info, *others.values(), *FIVE]))
    assert pages_of(found) == ALL
    assert {one.url: one.outcome for one in found if one.outcome} == {
        "revisit": "skipped_revisit",
        "dns:a": "skipped_type",
        "log": "skipped_type",
        "unknown": "skipped_record",
        "moved": "skipped_status",
        "digits": "skipped_status",
        "picture": "skipped_type",
    }


@pytest.mark.parametrize("kind", ["resource", "conversion"])
def test_a_page_without_a_response(kind):
    found = records_of(
        record(page(0), URL.format(0), kind, "text/html; charset=latin-1")
    )
    assert [(one.url, one.html, one.encoding) for one in found] == [
        (URL.format(0), page(0), "cp1252")
    ]


@pytest.mark.parametrize(
    "name", ["WARC-Identified-Payload-Type", "WARC-Identified-Content-Type"]
)
def test_the_identified_type_counts_where_there_is_no_other(name):
    for media, detected, outcome in (
        ("", "text/html", ""),
        ("", "application/xhtml+xml", ""),
        ("", "application/pdf", "skipped_type"),
        ("text/html", "application/pdf", ""),
        ("application/pdf", "text/html", "skipped_type"),
    ):
        data = record(response(b"<p>A text.", media), more=[f"{name}: {detected}"])
        assert outcomes_of(records_of(data)) == [outcome], (media, detected)


@pytest.mark.parametrize("line", ["\r\n", "\n"])
@pytest.mark.parametrize("empty", ["\r\n", "\n"])
def test_a_header_whose_lines_end_unlike(line, empty):
    html = page(0).replace(b"<article>", b"\n\n<article>")
    head = f"HTTP/1.1 200 OK{line}Content-Type: text/html{line}{empty}"
    (found,) = records_of(record(head.encode() + html, "x"))
    assert (found.html, found.error) == (html, "")


def chunked(body: bytes, size: int = 100) -> bytes:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("deflate, gzip", lambda body: gzip.compress(zlib.compress(body))),
    ("zstd", zstd.compress),
]


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_bodies_in_chunks_and_packed(coding, pack):
    body = pack(page(0))
    head = [f"Content-Encoding: {coding}"]
    transfer = [f"Transfer-Encoding: {coding}, chunked"]
    sent = response(chunked(body), more=[*head, "Transfer-Encoding: chunked"])
    for block in (
        response(body, more=head),
        response(chunked(body), more=transfer),
        sent,
        # Unpacked and put together by the archive's writer, its headers left.
        response(page(0), more=[*head, "Transfer-Encoding: chunked"]),
    ):
        assert pages_of(records_of(record(block, "u"))) == {"u": page(0)}


def read_in_little_memory(read: Callable[[], list], least: int):
    """The records, of which the peak of memory was below so many bytes."""
    tracemalloc.start()
    found = read()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < least
    return found


@pytest.mark.parametrize("packing", ["plain", "gzip", "gzip in one", "zstd"])
def test_a_huge_record_takes_little_memory(packing, tmp_path):
    huge = record(response(b"<p>" + bytes(80_000_000)), "huge")
    path = tmp_path / "huge.warc"
    path.write_bytes(PACKINGS[packing]([FIVE[0], huge, FIVE[1]]))
    del huge
    reading = Reading(most=1_000_000)
    found = read_in_little_memory(lambda: list(read(str(path), reading)), 20_000_000)
    sizes = [len(page(0)), 1_000_001, len(page(1))]
    assert [len(one.html) for one in found] == sizes


def test_a_bomb_takes_little_memory():
    bomb = gzip.compress(bytes(100_000_000))
    data = gzip.compress(record(response(bomb, more=["Content-Encoding: gzip"])))
    (found,) = read_in_little_memory(lambda: records_of(data, 1_000_000), 10_000_000)
    assert len(found.html) == 1_000_001


# A crawl of archives has such pages.
NESTED = record(
    response(b"".join(gzip.compress(one, 0) for one in FIVE[3:]), "application/gzip"),
    "http://site.example/archive.warc.gz",
)
TEXT_OF_RECORDS = record(response(b"<p>" + FIVE[3] + FIVE[4]), "http://s.example/warc")


@pytest.mark.parametrize("before", [0, 100, 1 << 19])
@pytest.mark.parametrize("damage", [None, b"WARC/1:0", b"WARC/x.0"])
@pytest.mark.parametrize("packing", PACKINGS)
def test_a_file_may_be_cut_anywhere(packing, damage, before, monkeypatch):
    monkeypatch.setattr("scrapy_eatext.archive.packed.BEFORE", before)
    records = list(FIVE)
    if damage:
        records[2] = records[2].replace(b"WARC/1.0", damage)
    data = PACKINGS[packing](records)
    found = records_of(data)
    assert len(found) >= 5
    step = 131 if before else 37
    for at in range(1, len(data), step):
        assert records_of(data, cuts=[at, at + 400]) == found, at


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_records_in_a_record_are_none_of_the_file(packing):
    records = [*FIVE[:2], NESTED, TEXT_OF_RECORDS, FIVE[2]]
    data = PACKINGS[packing](records)
    found = records_of(data)
    assert len(found) == 5
    for at in range(1, len(data), 29):
        assert records_of(data, cuts=[at]) == found, at


def test_a_file_that_is_packed_as_a_whole_is_not_read_by_each_part():
    data = gzip.compress(b"".join(page_record(i, 9000) for i in range(20)), 1)
    sizes = []

    class Counting(io.BytesIO):
        def read(self, size=-1):
            sizes.append(size)
            return super().read(size)

    parts = [(at, at + 10_000) for at in range(100_000, len(data), 10_000)]
    assert not [r for part in parts for r in warc.read(Counting(data), *part, 0)]
    assert len(parts) < len(sizes) < 20 * len(parts)


def test_zstd_with_a_dictionary(tmp_path):
    samples = [page_record(i) for i in range(1000)]
    trained = zstd.train_dict(samples, 4000)
    for content in (trained.dict_content, zstd.compress(trained.dict_content)):
        head = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
        path = tmp_path / "pages.warc.zst"
        packed = [zstd.compress(one, zstd_dict=trained) for one in FIVE]
        path.write_bytes(head + b"".join(packed))
        assert pages_of(read_in_parts(path, 200)) == ALL


FIRST = b"WARC/1.0\r\n"


@pytest.mark.parametrize("packing", BY_ITSELF)
@pytest.mark.parametrize("line", [FIRST, b"a: " + FIRST, FIRST + b"b: c\r\n"])
def test_many_first_lines_are_one_damage(packing, line):
    for after, outcomes in (([], ["unreadable"]), (FIVE[:1], ["unreadable", ""])):
        data = PACKINGS[packing]([FIRST + line * 9000 + b"".join(after)])
        assert outcomes_of(records_of(data)) == outcomes


def test_a_header_that_is_longer_than_any_costs_no_other():
    data = FIRST + b"a: b\r\n" * 200_000
    found = records_of(data + b"".join(FIVE))
    assert outcomes_of(found) == ["unreadable", *[""] * 5]


def test_many_lengths_that_are_too_large(monkeypatch):
    wrong = FIRST + b"Content-Length: 99999999\r\n\r\n"
    sizes = []
    drop = warc._Segment.drop

    def counted(segment, size):
        # Each call copies all of these.
        sizes.append(len(segment._data))
        drop(segment, size)

    monkeypatch.setattr(warc._Segment, "drop", counted)
    found = records_of(gzip.compress(wrong * 10_000))
    assert len(found) == 10_000
    assert max(sizes) <= 2 * CHUNK


def test_a_field_many_times(monkeypatch):
    # Each call copies all values of the field.
    add = Mock()
    monkeypatch.setattr(warc.Headers, "appendlist", add)
    more = ["a: b"] * 5000
    data = record(response(page(0), more=more), URL.format(0), more=more)
    assert pages_of(records_of(data)) == {URL.format(0): page(0)}
    assert add.call_count <= 1


def test_few_codings_are_undone():
    body = page(0)
    for _ in range(7):
        body = gzip.compress(body)
    codings = ",".join(["gzip"] * 7)
    assert gzip.decompress(gzip.decompress(unpacked(body, codings, 0))) == page(0)
