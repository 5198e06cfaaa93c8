"""Commands of the `scrapy` tool."""
