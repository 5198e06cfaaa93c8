"""The gain in word F1 from a few labelled pages of a site, site by site.

    python -m benchmarks.sites wcxb-dev labelled-dev --models folds

Takes the sites with four pages and more of folders in WCXB's layout.  From each so many
pages are drawn to be learned from, again and again; the others are judged before and
after.  Every file has passed the gate of ``scrapy eatext learn``, or nothing is changed.

``--models`` is a folder with a model for each of three folds by site, so that each site
is judged by a model that has not seen it.  Those that are missing are trained there:
smaller ones than the shipped model, as in holdout.py.  Without it the shipped model
judges, which has seen the sites of WCXB.

Writes benchmarks/results/sites.json and tables into docs/teaching.md.

    python -m benchmarks.sites wcxb-dev --cost

measures instead what a site file costs a page, and writes that into docs/teaching.md:
extraction as in a crawl with a file learned from the page itself, less extraction
without, over lxml's bare parse.  Pages come in turns, so that none finds its data in the
processor's caches, and of each the shortest of several times counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import holdout
from benchmarks.clock import bare_parse, source_of
from benchmarks.tables import DOCS, fill, share, table, write_json
from scrapy_eatext import compiled
from scrapy_eatext.algorithms import DEFAULT
from scrapy_eatext.execution.cascade import cascade
from scrapy_eatext.execution.choice import Choice
from scrapy_eatext.learning import DataError
from scrapy_eatext.learning.data import LabelledPage, read_folder
from scrapy_eatext.learning.refinement import bag, words_of
from scrapy_eatext.learning.sites import study
from scrapy_eatext.learning.splits import folds, site_of
from scrapy_eatext.learning.train import save, silent, trainer
from scrapy_eatext.page import Page
from scrapy_eatext.sites.evidence import Lesson
from scrapy_eatext.sites.learning import Studied, learn

FOLDS = 3
LABELLED = (1, 2, 5)
DRAWS = 5
LOST = 0.005
COST_PAGES, ROUNDS = 60, 25


def pages_of(folders: Sequence[str]) -> list[LabelledPage]:
    """All pages, each once."""
    known = {}
    for folder in folders:
        for page in read_folder(folder).pages:
            known.setdefault(page.digest, page)
    return list(known.values())


def trained(pages: Sequence[LabelledPage], folder: Path) -> dict[str, str]:
    """For each site the file of a model that has not seen it; trained if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / "sites.json"
    if not known.exists():
        sites = [site_of(page) for page in pages]
        places = dict(zip(sites, folds(sites, FOLDS, 0), strict=True))
        known.write_text(json.dumps(places, indent=1, sort_keys=True), "utf-8")
    places = json.loads(known.read_text("utf-8"))
    samples = None
    for fold in range(FOLDS):
        if (folder / f"fold{fold}" / "eatext.model").exists():
            continue
        holdout.small()
        made = trainer("eatext")
        samples = samples or holdout.take(pages)
        seen = [s for page, s, _ in samples if s and places[site_of(page)] != fold]
        model = made.fit(seen, 0, silent)
        (folder / f"fold{fold}").mkdir(exist_ok=True)
        save("eatext", model, folder / f"fold{fold}")
        print(f"trained fold {fold}", flush=True)
    return {
        site: str(folder / f"fold{fold}" / "eatext.model")
        for site, fold in places.items()
    }


class Judged:
    """A page of a site, and how its text is scored."""

    def __init__(self, page: LabelledPage, model: str) -> None:
        self.studied: Studied = study(page, model)
        self.bags = [bag(text) for text in self.studied.texts]
        self.true = bag(page.text)
        self.before = self.f1(self.studied.kept_blocks())

    def f1(self, kept: Any) -> float:
        """WCXB's measure of the text of the blocks kept."""
        held = words_of(self.bags, kept.tolist())
        given, wanted = held.total(), self.true.total()
        if not wanted:
            return float(not given)
        return 2 * (held & self.true).total() / (given + wanted)

    def after(self, lesson: Lesson) -> float:
        evidence, _ = lesson.evidence(self.studied.walk)
        return self.f1(self.studied.kept_blocks(evidence))


def taught(site: str, pages: Sequence[Judged], count: int) -> dict[str, float] | None:
    """Mean F1 of the pages that nothing was learned from, before and after."""
    if len(pages) <= count:
        return None
    drawn = random.Random(f"{site} {count}")
    before, after, files = [], [], 0
    for _ in range(DRAWS):
        chosen = set(drawn.sample(range(len(pages)), count))
        found = learn(site, [pages[i].studied for i in sorted(chosen)])
        lesson = Lesson(found.site) if found.helps else None
        files += found.helps
        for i, page in enumerate(pages):
            if i not in chosen:
                before.append(page.before)
                after.append(page.after(lesson) if lesson else page.before)
    return {
        "before": sum(before) / len(before),
        "after": sum(after) / len(after),
        "files": files / DRAWS,
    }


def with_files(
    pages: Sequence[LabelledPage], folder: Path
) -> Iterator[tuple[bytes, str]]:
    """Pages with addresses of which the folder has site files, each learned from its page."""
    for number, page in enumerate(pages):
        host = f"site{number}.example"
        try:
            learned = learn(host, [study(page)]).file
        except DataError:
            continue
        # Without a weight, so that no page is faster as it has less text to write.
        found = replace(learned, site=replace(learned.site, strength=0))
        (folder / found.name).write_text(found.as_json(), "utf-8")
        yield page.html, f"https://{host}/"


def cost(pages: Sequence[LabelledPage]) -> None:
    """Measure what a site file costs a page, and write it into the docs."""
    chosen = random.Random(0).sample(pages, min(len(pages), 2 * COST_PAGES))
    with tempfile.TemporaryDirectory() as name:
        found = list(with_files(chosen, Path(name)))[:COST_PAGES]
        plain, with_file = Choice(), Choice(options={DEFAULT: {"site_files": name}})
        sources = [(source_of(html),) for html, _ in found]
        ways: list[tuple[Callable[..., object], Sequence[tuple[Any, ...]]]] = [
            (bare_parse, sources),
            (lambda *page: cascade(plain, Page.of(*page), []), found),
            (lambda *page: cascade(with_file, Page.of(*page), []), found),
        ]
        times: list[list[list[float]]] = [[[] for _ in found] for _ in ways]
        gc.disable()
        for lap in range(ROUNDS * len(ways)):
            for i in range(len(found)):
                way = (lap + i) % len(ways)
                call, given = ways[way]
                start = time.process_time()
                call(*given[i])
                times[way][i].append(time.process_time() - start)
            gc.collect()
        gc.enable()
    parse, without, after = (sum(map(min, way)) / len(found) * 1e3 for way in times)
    more = after - without
    part = f"{more / parse:.2f}".removeprefix("0")
    text = (
        f"A site file costs a page {more:.2f} ms, {part} × the time of parsing it:"
        f" the mean\nover {len(found)} pages, each with a file learned from itself.\n"
    )
    print("compiled" if compiled else "in Python")
    print(f"parse {parse:.3f}, without {without:.3f}, with {after:.3f} ms")
    print(text)
    if compiled:
        fill(DOCS / "teaching.md", "cost of sites", text)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--models", type=Path, help="the folder of the folds' models")
    parser.add_argument(
        "--cost", action="store_true", help="measure the cost of site files alone"
    )
    args = parser.parse_args()
    pages = pages_of(args.folder)
    if args.cost:
        cost(pages)
        return
    models = trained(pages, args.models) if args.models else {}
    sites: dict[str, list[LabelledPage]] = {}
    for page in pages:
        if (
            "." in (site := site_of(page))
            and " " not in site
            and ".invalid" not in site
        ):
            sites.setdefault(site, []).append(page)
    rows: dict[str, Any] = {}
    slowest = 0.0
    for site in sorted(sites):
        if len(sites[site]) < 4 or (models and site not in models):
            continue
        judged = []
        for page in sites[site]:
            try:
                judged.append(Judged(page, models.get(site, "")))
            except DataError:  # noqa: PERF203 - of one page
                continue
        if len(judged) < 4:
            continue
        started = time.process_time()
        learn(site, [page.studied for page in judged])
        slowest = max(slowest, time.process_time() - started)
        rows[site] = {
            "pages": len(judged),
            **{str(n): taught(site, judged, n) for n in LABELLED},
        }
        print(site, json.dumps(rows[site]), flush=True)
    results = {
        "model": "unseen" if models else "shipped",
        "draws": DRAWS,
        "slowest": round(slowest, 3),
        "sites": rows,
    }
    write_json("sites", results)
    write(results)


def write(results: dict[str, Any]) -> None:
    """The table of sites whose F1 changes, and the average of all sites."""
    rows, lost = [], dict.fromkeys(LABELLED, 0)
    for site, found in sorted(
        results["sites"].items(), key=lambda r: (-r[1]["pages"], r[0])
    ):
        row, moved = [site, str(found["pages"])], False
        for n in LABELLED:
            one = found[str(n)]
            if one is None:
                row += ["", ""]
                continue
            gain = one["after"] - one["before"]
            lost[n] += gain < -LOST
            moved |= abs(gain) >= LOST
            row += [share(one["before"]), f"{gain:+.3f}" if one["files"] else "–"]
        if moved:
            rows.append(row)
    means = ["**mean**", ""]
    for n in LABELLED:
        known = [r[str(n)] for r in results["sites"].values() if r[str(n)]]
        before = sum(one["before"] for one in known) / len(known)
        after = sum(one["after"] for one in known) / len(known)
        means += [share(before), f"{after - before:+.3f}"]
    head = ["site", "pages"]
    for n in LABELLED:
        head += [f"F1, {n} labelled", "gain"]
    judge = (
        "models, smaller than the shipped one, that have not seen the site"
        if results["model"] == "unseen"
        else "the shipped model, which has seen the sites of WCXB"
    )
    losers = ", ".join(f"{lost[n]} with {n}" for n in LABELLED)
    text = (
        f"Judged by {judge}; {results['draws']} draws of labelled pages a site, scored on\n"
        "the others. A dash stands where no draw passed the gate, so no file was made.\n"
        f"{len(results['sites']) - len(rows)} of {len(results['sites'])} sites change by less than {LOST} and are left out.\n"
        f"Sites that lose more than {LOST}: {losers}.\n\n"
    )
    fill(DOCS / "teaching.md", "sites", text + table(head, [means, *rows]))


if __name__ == "__main__":
    main()
