"""Bytes of a request in the queue of scrapy-redis, with the plugin and without.

    python -m benchmarks.queued

It starts redis-server and a server with pages, crawls a few of them with a spider whose
callback passes ``meta=response.meta`` on, and measures the requests left in the queue.
"""

from __future__ import annotations

from benchmarks.tables import table
from tests.archive.test_redis import ADDON, MIDDLEWARE, queued_requests, redis_server
from tests.support.mockserver import MockServer

SERIALIZERS = {
    "pickle": "scrapy_redis.picklecompat",
    "JSON": "tests.support.redisspider",
}
COMPONENTS = {
    "no plugin": {},
    "downloader middleware alone": MIDDLEWARE,
    "add-on": ADDON,
}


def main() -> None:
    body = []
    with MockServer() as server, redis_server() as database:
        for name, serializer in SERIALIZERS.items():
            row = [name]
            for components in COMPONENTS.values():
                queued = queued_requests(server, database, serializer, components)
                sizes = list(map(len, queued))
                row.append(f"{sum(sizes) / len(sizes):.0f}")
            body.append(row)
    head = ["bytes a queued request", *COMPONENTS]
    print(table(head, body))


if __name__ == "__main__":
    main()
