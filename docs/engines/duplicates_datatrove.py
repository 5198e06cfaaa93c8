"""The texts in Parquet without exact and near duplicates, by datatrove's own steps."""

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashConfig,
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter

# Near duplicates are texts of which some 70 % of five words in a row are the same.
CONFIG = MinhashConfig(n_grams=5, num_buckets=14, hashes_per_bucket=8)
TASKS, WORKERS = 4, 2


def texts():
    """The rows of `scrapy eatext archive`, whose columns become metadata."""
    return ParquetReader("texts", glob_pattern="*.parquet", id_key="id")


def run(tasks, *steps):
    LocalPipelineExecutor(pipeline=list(steps), tasks=tasks, workers=WORKERS).run()


if __name__ == "__main__":
    run(TASKS, texts(), MinhashDedupSignature("signatures", CONFIG))
    run(CONFIG.num_buckets, MinhashDedupBuckets("signatures", "buckets", config=CONFIG))
    run(1, MinhashDedupCluster("buckets", "removed", config=CONFIG))
    run(TASKS, texts(), MinhashDedupFilter("removed"), ParquetWriter("unique"))
