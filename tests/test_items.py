"""Items ready to use are filled whole."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from scrapy_eatext import extract, items
from scrapy_eatext.crawl.settings import Config
from tests.support.passages import BOATS


@pytest.mark.parametrize(
    ("fields", "cls"),
    [
        (items.ARTICLE_FIELDS, items.Article),
        (items.DOCUMENT_FIELDS, items.Document),
        (Config().fields, items.PageText),
    ],
)
def test_fields_fit_their_items(fields, cls):
    config = Config.from_settings(Settings({"EATEXT_FIELDS": fields}))
    result = extract(BOATS, url="https://example.com/", algorithm="density")
    values = {name: getattr(result, what) for name, what in config.fields.items()}
    item = cls(url="https://example.com/", **values)
    assert set(fields) == set(cls.__dataclass_fields__) - {"url"}
    for name, value in values.items():
        assert isinstance(value, type(getattr(cls(url=""), name))), name
    assert "river" in getattr(item, "text", getattr(item, "main_text", ""))
    assert "river" not in repr(item)
