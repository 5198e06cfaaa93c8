"""Queued requests in JSON, for scrapy-redis' SCHEDULER_SERIALIZER; docs/howto.md has it."""

from __future__ import annotations

import json
from typing import Any


def dumps(request: dict[str, Any]) -> str:
    """A request's dict; its bytes become text."""
    headers = {
        name.decode("latin-1"): [value.decode("latin-1") for value in values]
        for name, values in request["headers"].items()
    }
    body = request["body"].decode("latin-1")
    return json.dumps({**request, "headers": headers, "body": body})


def loads(data: bytes) -> dict[str, Any]:
    """The dict that dumps() wrote."""
    request: dict[str, Any] = json.loads(data)
    return {**request, "body": request["body"].encode("latin-1")}
