"""Other extractors, each called as its documentation says: page -> text.

    pip install trafilatura lxml_html_clean readability-lxml html-text justext \
        boilerpy3 resiliparse turbohtml magic-html trafipy charset-normalizer

magic-html and trafipy (rs-trafilatura) need Python 3.12.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from scrapy_eatext.page.decode import decode

Extractor = Callable[[bytes, str], str]


def _text(html: bytes) -> str:
    """The page as text, for those that do not take bytes."""
    return decode(html)[1]


def trafilatura() -> Extractor:
    extract = import_module("trafilatura").extract

    def run(html: bytes, url: str) -> str:
        return extract(html, include_comments=False, include_tables=True) or ""

    return run


def readability() -> Extractor:
    document = import_module("readability").Document
    to_text = import_module("html_text").extract_text
    return lambda html, url: to_text(document(_text(html)).summary())


def justext() -> Extractor:
    package = import_module("justext")
    stoplist = package.get_stoplist("English")

    def run(html: bytes, url: str) -> str:
        paragraphs = package.justext(html, stoplist)
        return "\n".join(p.text for p in paragraphs if not p.is_boilerplate)

    return run


def boilerpy3() -> Extractor:
    extractor = import_module("boilerpy3.extractors").ArticleExtractor()
    return lambda html, url: extractor.get_content(_text(html))


def resiliparse() -> Extractor:
    to_text = import_module("resiliparse.extract.html2text").extract_plain_text
    encoding = import_module("resiliparse.parse.encoding")

    def run(html: bytes, url: str) -> str:
        text = encoding.bytes_to_str(html, encoding.detect_encoding(html))
        return to_text(text, main_content=True, preserve_formatting=True)

    return run


def turbohtml() -> Extractor:
    parse = import_module("turbohtml").parse
    return lambda html, url: parse(html).main_text() or ""


def magic_html() -> Extractor:
    extractor = import_module("magic_html").GeneralExtractor()
    fromstring = import_module("lxml.html").fromstring

    def run(html: bytes, url: str) -> str:
        found = extractor.extract(_text(html), base_url=url).get("html")
        return "\n".join(fromstring(found).itertext()) if found else ""

    return run


def rs_trafilatura() -> Extractor:
    extract = import_module("trafipy").extract
    return lambda html, url: extract(_text(html), url=url or None).text or ""


# What is printed of each, the package that holds it, and how it is called.
PEERS = {
    "trafilatura": ("trafilatura", trafilatura),
    "rs-trafilatura (trafipy)": ("trafipy", rs_trafilatura),
    "resiliparse": ("resiliparse", resiliparse),
    "readability-lxml": ("readability-lxml", readability),
    "magic-html": ("magic-html", magic_html),
    "jusText (package)": ("justext", justext),
    "boilerpy3": ("boilerpy3", boilerpy3),
    "turbohtml": ("turbohtml", turbohtml),
}
