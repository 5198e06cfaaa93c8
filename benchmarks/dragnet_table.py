"""Dragnet's F1 by feature groups, as its paper has it, on labelled pages.

    python -m benchmarks.dragnet_table wcxb-dev

Five folds by site.  Writes benchmarks/results/dragnet.json, and the table beside it.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from benchmarks.tables import RESULTS, share, table, write_json
from scrapy_eatext.algorithms.dragnet import (
    DragnetOptions,
    Judge,
    judge_of,
    read_page,
    subset,
)
from scrapy_eatext.algorithms.modelfile import Model
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.evaluate import Score, report, word_score
from scrapy_eatext.learning.train import held_out, silent, take_samples, trainer
from scrapy_eatext.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ABOUT = """\
The table of the paper on Dragnet, by models that have not seen the page's site: on the left
with the original's blocks and features (the option `reference`), on the right with the
page's blocks.  On its own test pages, news and blogs only, the paper had .623 for all text,
.735 for CETR, .701 for ids and classes, .809 for shallow text, .824 for the last two
together and .836 for these with CETR.
"""
FOLDS = 5
# The paper's rows, and those with readability, which its authors added later.
ROWS = {
    "All text": "",
    "CETR": "cetr+clusters",
    "Ids and classes": "tokens",
    "Shallow text": "shallow",
    "Shallow text, ids and classes": "shallow+tokens",
    "Shallow text, ids and classes, CETR": "shallow+tokens+cetr+clusters",
    "Readability": "readability",
    "Shallow text, CETR, readability": "shallow+cetr+readability",
    "All": "shallow+tokens+cetr+clusters+readability",
}


# What is compared: a row and whether it is by the original's reading of a page.
Key = tuple[str, bool]


def needed(items: Sequence[Any], label: str) -> Sequence[Any]:
    """A progress that leaves out the models of comments, and those of other groups."""
    wanted = {subset(groups) for groups in ROWS.values() if groups}
    return [bits for bits in items if bits in wanted] if "content" in label else ()


def judges_of(model: Model) -> dict[Key, Judge]:
    """For each row but the first, with and without ``reference``, its regression."""
    return {
        (name, reference): judge_of(
            model, DragnetOptions(features=groups, reference=reference)
        )
        for name, groups in ROWS.items()
        for reference in (True, False)
        if groups
    }


def texts_of(page: Page, judges: dict[Key, Judge]) -> Iterator[tuple[Key, str]]:
    """What each judge keeps of a page, and the page's whole text."""
    for reference in (True, False):
        table, units = read_page(page, reference=reference)
        texts = [units.text(i) for i in range(len(units))]
        yield ("All text", reference), "\n".join(texts)
        # All judges of a reading look at the same columns.
        columns = None
        for key, judge in judges.items():
            if key[1] != reference:
                continue
            if len(texts) < 3:
                yield key, ""
                continue
            if columns is None:
                columns = judge.columns(page, table, reference=reference)
            kept = (judge.probabilities(columns) > 0.5).tolist()
            yield (
                key,
                "\n".join(t for t, keep in zip(texts, kept, strict=True) if keep),
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labelled", help="pages in WCXB's layout")
    args = parser.parse_args()
    pages = read_folder(args.labelled).pages
    made = trainer("dragnet")
    samples = take_samples(made, pages, skip=True, progress=silent)
    rows: dict[Key, list[tuple[str, Score]]] = {}
    for seen, unseen in held_out(pages, samples, 0, FOLDS):
        fitted = made.fit(seen, 0, needed)
        judges = judges_of(Model(fitted.version, fitted.header, fitted.arrays))
        for page in unseen:
            for key, text in texts_of(Page.of(page.html, page.url or None), judges):
                rows.setdefault(key, []).append(
                    (page.kind, word_score(text, page.text))
                )
        print(f"{len(unseen)} pages", flush=True)
    results = {
        f"{name}, {'original' if reference else 'page'} blocks": report(
            scored
        ).figures()
        for (name, reference), scored in rows.items()
    }
    write_json("dragnet", results)
    body = []
    for name in ROWS:
        means = [report(rows[name, reference]).mean for reference in (True, False)]
        figures = [f for m in means for f in (m.precision, m.recall, m.f1)]
        body.append([name, *map(share, figures)])
    head = ["", "P", "R", "F1, as the original", "P", "R", "F1, page blocks"]
    page = f"{ABOUT}\n{table(head, body)}\n"
    (RESULTS / "dragnet.md").write_text(page, "utf-8")


if __name__ == "__main__":
    main()
