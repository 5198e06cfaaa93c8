"""How many pages without a declaration are decoded right, by Scrapy and by this package.

    python -m benchmarks.encodings DATA [DATA ...]

Labelled pages (``html/ID.html.gz``) are written in the encodings that were usual for
their declared languages, without the characters that these lack, and without their
declarations.  A page is right if its text is decoded without an error.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from scrapy.http import HtmlResponse

from benchmarks.tables import table
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.page.decode import decode, text_of

ENCODINGS = {
    "cp1252": "da de en es fi fr is it nb nl no pt sv",
    "cp1250": "cs hr hu pl ro sk sl",
    "iso8859-2": "cs hr hu pl ro sk sl",
    "cp1251": "bg ru",
    "koi8-r": "ru",
    "cp1253": "el",
    "cp1254": "tr",
    "cp1256": "ar fa",
    "cp1257": "lt lv",
    "cp874": "th",
    "gb18030": "zh",
    "big5": "zh",
    "cp932": "ja",
    "euc_jp": "ja",
    "euc_kr": "ko",
}
_LANGUAGE = re.compile(r"<html[^>]{0,300}\slang\s*=\s*[\"']?([a-zA-Z]{2})")
_DECLARATION = re.compile("charset|encoding", re.IGNORECASE)
# The most pages of a language.
_MOST = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    pages: dict[str, list[str]] = {}
    for folder in parser.parse_args().folders:
        for page in read_folder(folder).pages:
            html = decode(page.html)[1]
            if found := _LANGUAGE.search(html[:5000]):
                pages.setdefault(found[1].lower(), []).append(html)
    rows = []
    for encoding, languages in ENCODINGS.items():
        counts: Counter[str] = Counter()
        for language in languages.split():
            for html in pages.get(language, [])[:_MOST]:
                body = _DECLARATION.sub("", html).encode(encoding, "ignore")
                if not body.isascii():
                    counts.update(_right(body, body.decode(encoding)))
        of = counts["pages"]
        rows.append([encoding, *(f"{counts[by]} of {of}" for by in ("Scrapy", "own"))])
    print(table(["encoding", "right by Scrapy", "right here"], rows))


def _right(body: bytes, html: str) -> dict[str, int]:
    response = HtmlResponse("http://page.invalid/", body=body)
    return {
        "pages": 1,
        "Scrapy": int(response.text == html),
        "own": int(text_of(response) == decode(body)[1] == html),
    }


if __name__ == "__main__":
    main()
