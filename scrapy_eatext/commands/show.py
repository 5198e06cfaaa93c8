"""Formats results for --format and --compare."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scrapy_eatext.commands.terminal import cut, encoding, table
from scrapy_eatext.result import ATTRIBUTES, MainText, to_json
from scrapy_eatext.review.labels import kept_blocks

TEXTS = ("text", "markdown", "html")
FORMATS = (*TEXTS, "json", "blocks")

# The attributes that a line of JSON has beside the text, which are computed fast.
_SHORT = ("title", "algorithm", "version", "score", "page_type", "language", "origin")

_TEXT_WIDTH = 60


class Run(NamedTuple):
    """One algorithm's result for a page, and the time that it and its blocks took."""

    name: str
    result: MainText
    seconds: float


def show(result: MainText, form: str) -> str:
    """A result in one of FORMATS."""
    if form == "json":
        return as_json(_values(result, ATTRIBUTES), indent=2)
    return _blocks(result) if form == "blocks" else str(result.value(form))


def line(result: MainText, form: str, file: str) -> str:
    """A result as a line of JSON: a form of TEXTS and _SHORT, or all with "json"."""
    names = ATTRIBUTES if form == "json" else (form, *_SHORT)
    return as_json({"file": file, **_values(result, names)})


def as_json(values: object, indent: int | None = None) -> str:
    # Other encodings than UTF lack characters: JSON escapes them.
    is_utf = codecs.lookup(encoding()).name.startswith("utf")
    return json.dumps(values, ensure_ascii=not is_utf, indent=indent, default=str)


def _values(result: MainText, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_json(result.value(name)) for name in names}


def _blocks(result: MainText) -> str:
    """A table with a row for each block."""
    rows = [
        (
            "+" if block.kept else "-",
            f"{block.score:.2f}",
            f"{block.kind} {block.level}" if block.level else block.kind,
            block.reason,
            cut(block.text, _TEXT_WIDTH),
            block.xpath,
        )
        for block in result.blocks
    ]
    return table(("", "score", "kind", "reason", "text", "xpath"), rows)


def comparison(runs: Sequence[Run], texts: Sequence[str]) -> str:
    """A table of the algorithms, and one of which blocks, given as texts, each keeps."""
    figures = [
        (
            name,
            f"{len(result.text):,}",
            f"{len(result.text.split()):,}",
            f"{result.score:.2f}",
            result.language,
            f"{1000 * seconds:.1f}",
        )
        for name, result, seconds in runs
    ]
    head = ("algorithm", "characters", "words", "score", "language", "milliseconds")
    marks = [kept_blocks(run.result, texts) for run in runs]
    rows = [
        (*("+" if is_kept else "-" for is_kept in kept_by), cut(text, _TEXT_WIDTH))
        for text, *kept_by in zip(texts, *marks, strict=True)
    ]
    names = (*(run.name for run in runs), "text")
    return f"{table(head, figures)}\n\n{table(names, rows)}"
