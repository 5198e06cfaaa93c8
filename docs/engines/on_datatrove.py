"""The pages of WARC files as texts in Parquet, by datatrove."""

from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import ParquetWriter

from scrapy_eatext.archive.on_datatrove import ArchiveReader, Extract

if __name__ == "__main__":
    LocalPipelineExecutor(
        pipeline=[
            # May be s3://bucket/pages; a task reads some 32 MB or some files.
            ArchiveReader("pages"),
            Extract({"EATEXT_MIN_CHARS": 10}, where=["outcome=extracted"]),
            ParquetWriter("texts"),
        ],
        tasks=8,
        workers=2,
        logging_dir="logs",
    ).run()
