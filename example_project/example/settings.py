"""The settings of the example: one line enables scrapy-eatext, most are Scrapy's."""

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"

# This line is all that scrapy-eatext needs.
ADDONS = {"scrapy_eatext.Addon": 500}
# This one adds to each item which algorithm found its text.
EATEXT_FIELDS = {"main_text": "text", "algorithm": "algorithm", "version": "version"}

USER_AGENT = "example (+https://example.com/about-this-crawler)"
ROBOTSTXT_OBEY = True

# Slow on other sites, fast on the bundled one.
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 1
DOWNLOAD_SLOTS = {"127.0.0.1": {"concurrency": 8, "delay": 0}}

# Every crawl writes its items in three formats at once.
FEEDS = {
    "output/%(name)s.jsonl": {"format": "jsonlines", "overwrite": True},
    "output/%(name)s.csv": {"format": "csv", "overwrite": True},
    "output/%(name)s.xml": {"format": "xml", "overwrite": True, "indent": 2},
}
FEED_EXPORT_ENCODING = "utf-8"

LOG_LEVEL = "INFO"
