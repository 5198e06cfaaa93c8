"""Which responses are pages."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from scrapy_eatext.page.decode import is_binary

HTML = "<html><p>The water of the lake was low that summer.</p></html>"


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (HTML.encode(), "text/html", True),
        ((HTML * 9 + "\x0b").encode(), "text/html", True),
        (HTML.encode("utf-16-le"), "text/html; charset=utf-16-le", True),
        (HTML.encode("utf-16"), "text/html", True),
        (b"", "text/html", True),
        (b"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj", "text/html", False),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0", "text/html; charset=utf-8", False),
    ],
)
def test_pages_by_their_bytes(body, content_type, expected):
    headers = {"Content-Type": content_type}
    response = HtmlResponse("https://a.org/a.html", headers=headers, body=body)
    assert is_binary(response.body, response.encoding) is not expected
