"""The texts in Parquet without exact and near duplicates, by Spark's own steps."""

from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, Tokenizer
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

# Texts of which more than so many of the five words in a row differ are no duplicates.
DISTANCE = 0.3

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
    hashed = HashingTF(inputCol="grams", outputCol="features", binary=True)
    pages = hashed.transform(grams).select("key", "features").cache()
    model = MinHashLSH(inputCol="features", numHashTables=20, seed=1).fit(pages)
    pairs = model.approxSimilarityJoin(pages, pages, DISTANCE)
    # Of two alike, that with the lesser key stays.
    removed = pairs.where("datasetA.key < datasetB.key").select("datasetB.key")
    texts.join(removed.distinct(), "key", "left_anti").drop("key").write.parquet(
        "unique"
    )
    session.stop()
