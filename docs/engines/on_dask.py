"""The pages of WARC files as texts in JSON Lines, by Dask, which needs no adapter."""

import json

import dask.bag

from scrapy_eatext.archive.core import batches_of, extract_batches
from scrapy_eatext.archive.tasks import records_of, tasks


def texts(task):
    batches = batches_of(records_of(task))
    found = extract_batches(
        batches, {"EATEXT_MIN_CHARS": 10}, where=["outcome=extracted"]
    )
    return [row for one in found for row in one.to_pylist()]


if __name__ == "__main__":
    found = tasks("pages", 8)
    rows = dask.bag.from_sequence(found, npartitions=len(found)).map(texts).flatten()
    rows.map(json.dumps).to_textfiles("texts/*.jsonl")
