"""Pages a second from archives, beside other extractors in the same harness.

    python -m benchmarks.archives FOLDER --pages 100000

FOLDER has pages: a folder of labelled pages, or anything that can be read as an archive.
They are written many times over into WARC and into Parquet; then each extractor reads
them with the same readers, but for datatrove, which reads WARC with its own.  What is
done stands in the folder --work, with the inputs: the same command goes on from there.
At the end the table of docs/archives.md is written.

trafilatura, resiliparse and datatrove are taken from the interpreter that runs this, or
from that of --peers.  They get --peers-pages pages only, as their rate is the same for
all.  On a machine with other work, compare the processors' time, not the wall clock.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.tables import DOCS, fill, table
from scrapy_eatext.archive.readers import Reading, read
from scrapy_eatext.page.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_eatext.archive.progress import Progress

OURS = "scrapy-eatext"
FORMS = {"WARC": "warc.gz", "Parquet": "parquet"}
_FILE, _ROWS = 1000, 100  # pages of a file, and of a row group
_PART = 4 << 20
_MOST = 10_000_000
# Seconds of a run after which its remaining time counts, and those before its end in
# which it no longer does.
_AFTER, _BEFORE = 60.0, 15.0


@dataclass(frozen=True)
class Step:
    """One extractor over the files of one form, up to so many."""

    extractor: str
    form: str
    workers: int
    inputs: str
    output: str
    files: int

    @property
    def name(self) -> str:
        return f"{self.extractor}, {self.form}, {self.workers}, {self.files} files"

    def paths(self) -> list[Path]:
        return sorted(Path(self.inputs).iterdir())[: self.files]


# -- inputs


def pages_in(source: str) -> Iterator[bytes]:
    """The pages of a folder or of an archive, one after the other, without end."""
    labelled = Path(source, "html")
    while True:
        for one in read(str(labelled) if labelled.is_dir() else source):
            if one.html:
                yield one.html if isinstance(one.html, bytes) else one.html.encode()


def write(source: str, folder: Path, form: str, pages: int) -> None:
    """Pages in files of a form, each page with an address of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    endless = enumerate(pages_in(source))
    for start in range(0, pages, _FILE):
        count = min(_FILE, pages - start)
        some = (
            (f"http://s{i % 97}.example/{i}", html)
            for i, html in itertools.islice(endless, count)
        )
        path = folder / f"{start:08}-{count}.{FORMS[form]}"
        if path.exists():
            for _ in some:
                pass
            continue
        # Written whole, then named.
        draft = folder.parent / f"{path.name}.draft"
        _WRITERS[form](draft, some)
        draft.rename(path)
        print(f"{form}: {start + count:,} of {pages:,} pages", file=sys.stderr)


def write_warc(path: Path, pages: Iterator[tuple[str, bytes]]) -> None:
    with path.open("wb") as file:
        for url, html in pages:
            file.write(packed(url, html))


def write_parquet(path: Path, pages: Iterator[tuple[str, bytes]]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema({"url": pa.string(), "html": pa.binary()})
    with parquet.ParquetWriter(path, schema) as writer:
        while some := list(itertools.islice(pages, _ROWS)):
            rows = [{"url": url, "html": html} for url, html in some]
            writer.write_table(pa.Table.from_pylist(rows, schema))


_WRITERS = {"WARC": write_warc, "Parquet": write_parquet}


def packed(url: str, html: bytes) -> bytes:
    """A member of a WARC file."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2024-05-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:{url}>\r\nContent-Length: {len(block)}\r\n"
        "Content-Type: application/http; msgtype=response\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 5)


# -- extractors


def resident() -> list[float]:
    """MiB of this process, and of each of its descendants, the largest first."""
    parents, sizes = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(stat[1])
        pages = int(stat[21])
        sizes[int(folder.name)] = round(pages * resource.getpagesize() / (1 << 20), 1)

    def is_mine(pid: int) -> bool:
        while pid > 1:
            pid = parents.get(pid, 0)
            if pid == os.getpid():
                return True
        return False

    workers = (size for pid, size in sizes.items() if is_mine(pid))
    return [sizes[os.getpid()], *sorted(workers, reverse=True)]


def ours(step: Step) -> dict[str, Any]:
    from scrapy_eatext.archive.local import Run
    from scrapy_eatext.archive.shards import Plan
    from scrapy_eatext.commands.archive import bar

    memory: list[tuple[int, list[float]]] = []
    guesses: list[tuple[float, float]] = []
    began = shown = time.monotonic()

    def look(progress: Progress) -> None:
        nonlocal shown
        pages, now = progress.totals().total(), time.monotonic()
        if pages and (not memory or pages >= memory[-1][0] + 200):
            memory.append((pages, resident()))
        left = progress.remaining()
        if left is not None and (not guesses or now - began >= guesses[-1][0] + 2):
            guesses.append((now - began, left))
        if now >= shown + 5:
            shown = now
            print(f"  {bar(progress)}", file=sys.stderr)

    # A run that was stopped would not be one run.
    shutil.rmtree(step.output, ignore_errors=True)
    inputs = list(map(str, step.paths()))
    plan = Plan(inputs, Path(step.output), workers=step.workers, part_size=_PART)
    done = Run(plan).go(look)
    if done.errors:
        raise SystemExit(str(done.errors))
    end = time.monotonic() - began
    written = sum(file.stat().st_size for file in Path(step.output).iterdir())
    shutil.rmtree(step.output)
    return {
        "pages": done.counts.total(),
        "seconds": end,
        "counts": done.counts,
        "bytes out": written,
        "memory": memory,
        "remaining": [
            {"at": at, "estimate": left, "was": end - at} for at, left in guesses
        ],
    }


def _peer(task: tuple[str, str]) -> int:
    name, path = task
    if name == "trafilatura":
        from trafilatura import extract
    else:
        from resiliparse.extract.html2text import extract_plain_text
    count = 0
    for one in read(path, Reading(_MOST)):
        html = one.html or ""
        text = decode(html, one.encoding)[1] if isinstance(html, bytes) else html
        if name == "trafilatura":
            extract(text, url=one.url)
        else:
            extract_plain_text(text, main_content=True)
        count += 1
    return count


def peer(step: Step) -> dict[str, Any]:
    """An extractor in a pool of processes, a file after the other."""
    began, pages = time.monotonic(), 0
    todo = [(step.extractor, str(path)) for path in step.paths()]
    with multiprocessing.get_context("spawn").Pool(step.workers) as pool:
        for count in pool.imap_unordered(_peer, todo):
            pages += count
            rate = pages / (time.monotonic() - began)
            print(f"  {pages:,} pages, {rate:.0f} a second", file=sys.stderr)
        pool.close()
        pool.join()
    return {"pages": pages, "seconds": time.monotonic() - began}


def datatrove(step: Step) -> dict[str, Any]:
    """datatrove's reader of WARC and its trafilatura, as its examples have them."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader

    began = time.monotonic()
    with tempfile.TemporaryDirectory() as top:
        listed = Path(top, "paths")
        listed.write_text("\n".join(path.name for path in step.paths()))
        done = LocalPipelineExecutor(
            pipeline=[
                WarcReader(step.inputs, paths_file=str(listed), compression="gzip"),
                Trafilatura(),
            ],
            tasks=step.workers,
            workers=step.workers,
            logging_dir=str(Path(top, "logs")),
        ).run()
    taken = next(stats for stats in done.stats if "Trafilatura" in stats.name)
    pages = int(taken.stats["total"].total)
    return {"pages": pages, "seconds": time.monotonic() - began}


_EXTRACTORS = {
    OURS: ours,
    "trafilatura": peer,
    "resiliparse": peer,
    "datatrove": datatrove,
}


def run(step: Step) -> dict[str, Any]:
    """Do a step in this process; returns its figures."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = _EXTRACTORS[step.extractor](step)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    names = [step.extractor] + ["trafilatura"] * (step.extractor == "datatrove")
    return {
        **made,
        "step": asdict(step),
        "versions": {name: version(name) for name in names if name != OURS},
        "bytes in": sum(path.stat().st_size for path in step.paths()),
        "pages a second": made["pages"] / made["seconds"],
        "processor ms a page": 1000 * cpu / max(made["pages"], 1),
    }


# -- the table


def trend(memory: list[tuple[int, list[float]]]) -> str:
    """The most MiB of each process in the tenth thousand of pages and in the last."""
    if not memory:
        return ""
    last = memory[-1][0]
    spans = ((min(10_000, last) - 1000, 10_000), (last - 1000, last))
    most = []
    for first, end in spans:
        seen = [sizes for pages, sizes in memory if first <= pages <= end]
        each = map(max, itertools.zip_longest(*seen, fillvalue=0.0))
        most.append(", ".join(f"{size:.0f}" for size in each))
    return " to ".join(most)


def misses(remaining: list[dict[str, float]]) -> str:
    """How far the remaining time was off after a minute, and at most from then on."""
    off = [
        abs(one["estimate"] - one["was"]) / one["was"]
        for one in remaining
        if one["at"] >= _AFTER and one["was"] >= _BEFORE
    ]
    return f"{off[0]:.0%}, {max(off):.0%}" if off else "–"


def write_table(results: dict[str, Any]) -> None:
    """Write the table of docs/archives.md."""
    rows = []
    for made in results.values():
        step = made["step"]
        versions = " with ".join(f"{n} {v}" for n, v in made["versions"].items())
        rows.append(
            [
                versions or f"**{OURS}**",
                step["form"],
                str(step["workers"]),
                f"{made['pages']:,}",
                f"{made['pages a second']:.0f}",
                # datatrove's processes are ended before their time is known.
                "–"
                if step["extractor"] == "datatrove"
                else f"{made['processor ms a page']:.1f}",
                trend(made.get("memory", [])),
                misses(made.get("remaining", [])),
            ]
        )
    head = ["", "input", "workers", "pages", "pages a second", "processor ms a page"]
    head += [
        "MiB of parent and workers: tenth thousand to last",
        "remaining time off: after 1:00, at most",
    ]
    fill(DOCS / "archives.md", "archives", table(head, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--peers-pages", type=int, default=10_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    parser.add_argument(
        "--work", type=Path, help="default: a folder in that for temporary files"
    )
    parser.add_argument("--step", help="a step in JSON, for a process of its own")
    args = parser.parse_args()
    if args.step:
        print(json.dumps(run(Step(**json.loads(args.step)))))
        return
    if not args.folder:
        parser.error("a folder with pages is needed")
    work = args.work or Path(tempfile.gettempdir(), f"eatext-archives-{args.pages}")
    for form in FORMS:
        write(args.folder, work / form, form, args.pages)
    known = work / "results.json"
    results = json.loads(known.read_text()) if known.exists() else {}
    for form, workers, extractor in itertools.product(FORMS, args.workers, _EXTRACTORS):
        if extractor == "datatrove" and form != "WARC":
            continue
        own = extractor == OURS
        pages = args.pages if own else min(args.pages, args.peers_pages)
        output = str(work / "output")
        files = -(-pages // _FILE)
        step = Step(extractor, form, workers, str(work / form), output, files)
        if step.name in results:
            print(f"{step.name}: done before", file=sys.stderr)
            continue
        print(step.name, file=sys.stderr)
        python = sys.executable if own else args.peers
        command = [
            python,
            "-m",
            "benchmarks.archives",
            "--step",
            json.dumps(asdict(step)),
        ]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"{step.name} failed", file=sys.stderr)
            continue
        results[step.name] = json.loads(done.stdout.splitlines()[-1])
        draft = known.with_suffix(".draft")
        draft.write_text(json.dumps(results, indent=1))
        draft.rename(known)
    write_table(results)


if __name__ == "__main__":
    main()
