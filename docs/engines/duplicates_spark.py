"""The texts in Parquet without exact and near duplicates, by Spark's own steps."""

from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, Tokenizer
from pyspark.ml.functions import vector_to_array
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

# Near duplicates are texts of which some 70 % of five words in a row are the same: all
# MinHashes of one band of 14 are then likely to be.
BANDS, HASHES = 14, 8

if __name__ == "__main__":
    session = (
        SparkSession.builder.master("local[2]")
        # Spark's 200 are for clusters.
        .config("spark.sql.shuffle.partitions", 8)
        .getOrCreate()
    )
    texts = session.read.parquet("texts/*.parquet").dropDuplicates(["text"])
    texts = texts.withColumn("key", f.xxhash64("source", "offset", "id", "url"))
    words = Tokenizer(inputCol="text", outputCol="words").transform(texts)
    grams = NGram(n=5, inputCol="words", outputCol="grams").transform(words)
    # A text of four words or fewer has none, and stays.
    grams = grams.where(f.size("grams") > 0)
    pages = HashingTF(inputCol="grams", outputCol="features", binary=True)
    pages = pages.transform(grams).select("key", "features")
    hashing = MinHashLSH(inputCol="features", outputCol="hashes", seed=1)
    hashed = hashing.setNumHashTables(BANDS * HASHES).fit(pages).transform(pages)
    # Spark's own join compares all texts that have a single hash in common.
    each = hashed.select("key", f.posexplode("hashes").alias("number", "value"))
    each = each.withColumn("value", vector_to_array("value")[0])
    bands = each.groupBy("key", f.floor(each.number / HASHES).alias("band"))
    alike = f.sort_array(f.collect_list(f.struct("number", "value")))
    buckets = bands.agg(f.xxhash64(alike).alias("bucket")).cache()
    # Of texts alike, that with the least key stays.
    first = buckets.groupBy("bucket").agg(f.min("key").alias("first"))
    removed = buckets.join(first, "bucket").where("key > first").select("key")
    kept = texts.join(removed.distinct(), "key", "left_anti")
    kept.drop("key").write.parquet("unique")
    session.stop()
