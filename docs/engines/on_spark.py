"""The pages of WARC files as texts in Parquet, by Spark."""

from pyspark.sql import SparkSession

from scrapy_eatext.archive.on_spark import extract, read

if __name__ == "__main__":
    session = (
        SparkSession.builder
        # Two processors, and four tries of a task; a cluster has its own master.
        .master("local[2,4]")
        # The rows of a batch: each may be of some megabytes.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 64)
        .getOrCreate()
    )
    # The folder may be s3://bucket/pages; a task reads some 32 MB or some files.
    pages = read(session, "pages", 8)
    texts = extract(pages, {"EATEXT_MIN_CHARS": 10}, where=["outcome=extracted"])
    texts.write.parquet("texts")
    session.stop()
