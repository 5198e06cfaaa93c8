"""Ray Data: `dataset.map_batches(Extract, fn_constructor_kwargs=..., batch_format=...)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scrapy_eatext.archive.core import Extractor
from scrapy_eatext.archive.record import MissingError


class Extract:
    """An actor's work: a batch of pages in, a batch of texts out.

    It keeps one worker process for all batches.  The arguments are extract_batches()'s.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        html: bool = False,
        html_column: str = "html",
        url_column: str = "url",
    ) -> None:
        self._extractor = Extractor(settings, html=html)
        self._columns = html_column, url_column

    def __call__(self, table: Any) -> Any:
        """The texts of a pyarrow.Table, as one."""
        import pyarrow as pa

        return pa.Table.from_batches([self._extractor.batch(table, *self._columns)])


def extract(
    dataset: Any,
    settings: Mapping[str, Any] | None = None,
    *,
    actors: int = 1,
    **how: Any,
) -> Any:
    """The texts of a dataset's pages, by so many actors; see Extract for ``how``."""
    try:
        import ray.data
    except ImportError:
        raise MissingError("extraction on Ray", "ray", "ray") from None
    return dataset.map_batches(
        Extract,
        fn_constructor_kwargs={"settings": dict(settings or {}), **how},
        batch_format="pyarrow",
        batch_size=64,
        compute=ray.data.ActorPoolStrategy(size=actors),
    )
