"""The pages of WARC files as texts in Parquet, by Ray Data."""

import ray

from scrapy_eatext.archive.on_ray import extract, read

if __name__ == "__main__":
    ray.init()
    # The folder may be s3://bucket/pages; a task reads some 32 MB or some files.
    pages = read("pages", 8, num_cpus=0.5)
    texts = extract(
        pages,
        {"EATEXT_MIN_CHARS": 10},
        how={"where": ["outcome=extracted"]},
        # Actors: from one to two, each with a processor and memory of its own.
        concurrency=(1, 2),
        num_cpus=1,
        memory=500_000_000,
        max_restarts=-1,
        max_task_retries=-1,
    )
    texts.write_parquet("texts")
