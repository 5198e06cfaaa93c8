"""Spark: `mapInArrow` over a frame of pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scrapy_eatext.archive.core import extract_batches, schema
from scrapy_eatext.archive.record import MissingError


def extract(frame: Any, settings: Mapping[str, Any] | None = None, **how: Any) -> Any:
    """The texts of a frame's pages; ``how`` are extract_batches()'s other arguments."""
    try:
        from pyspark.sql.pandas.types import from_arrow_schema
    except ImportError:
        raise MissingError("extraction on Spark", "spark", "pyspark") from None
    given = dict(settings or {})

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        return extract_batches(batches, given, **how)

    columns = from_arrow_schema(schema(html=how.get("html", False)))
    return frame.mapInArrow(work, columns)
