"""Feeds in JSON Lines with a line for each chunk of a page's text."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import JsonLinesItemExporter


class ChunkItemExporter(JsonLinesItemExporter):
    """Writes each chunk of an item as a line of JSON, for FEED_EXPORTERS.

    The chunks are those that EATEXT_FIELDS puts into the field ``chunks``.  A line has
    the chunk's attributes, its ``index`` and the item's other fields; ``url`` is the
    chunk's.  An item without chunks has no line.
    """

    def export_item(self, item: Any) -> None:
        """Write the lines of an item."""
        fields = ItemAdapter(item).asdict()
        for index, chunk in enumerate(fields.pop("chunks", None) or ()):
            super().export_item({**fields, **chunk, "index": index})
