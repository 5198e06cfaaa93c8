"""Results in the forms of --format."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scrapy_eatext.commands.terminal import cut, table
from scrapy_eatext.result import ATTRIBUTES, Block, MainText, to_json
from scrapy_eatext.review.compare import kept_blocks

TEXTS = tuple(name for name in ("text", "markdown", "html") if name in ATTRIBUTES)
FORMATS = (*TEXTS, "json", "blocks")

# The attributes that a line of JSON has beside a text.
_SHORT = frozenset(
    ("title", "algorithm", "version", "score", "page_type", "language", "origin")
)

_TEXT_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Run:
    """One algorithm's result for a page, with its blocks, and the time it took."""

    name: str
    result: MainText
    seconds: float


def show(result: MainText, form: str, encoding: str = "utf-8") -> str:
    """A result in one of FORMATS."""
    if form == "json":
        return as_json(result, encoding)
    if form == "blocks":
        return table_of_blocks(result.blocks)
    return str(getattr(result, form))


def as_json(result: MainText, encoding: str = "utf-8") -> str:
    """All attributes of a result, its blocks included."""
    return _json(_known(result, ATTRIBUTES), encoding, indent=2)


def line(file: str, result: MainText, form: str, encoding: str = "utf-8") -> str:
    """A result as a line of JSON: in one of TEXTS, with the attributes that cost
    nothing.

    In the form ``json`` with all attributes.
    """
    short = [form, *(name for name in ATTRIBUTES if name in _SHORT)]
    names = ATTRIBUTES if form == "json" else short
    return _json({"file": file, **_known(result, names)}, encoding)


def line_of_error(file: str, error: str, encoding: str = "utf-8") -> str:
    """The line of JSON of a page that has no result."""
    return _json({"file": file, "error": error}, encoding)


def _known(result: MainText, names: Iterable[str]) -> dict[str, Any]:
    return {name: to_json(result.value(name)) for name in names}


def _json(known: object, encoding: str, indent: int | None = None) -> str:
    # JSON can escape a letter that the terminal's encoding lacks.
    wide = codecs.lookup(encoding).name.startswith("utf")
    return json.dumps(known, ensure_ascii=not wide, indent=indent, default=str)


def table_of_blocks(blocks: Iterable[Block]) -> str:
    """A line a block: kept or not, score, kind, reason, its beginning, its XPath."""
    rows = [
        (
            "+" if block.kept else "-",
            f"{block.score:.2f}",
            f"{block.kind} {block.level}" if block.level else block.kind,
            block.reason,
            cut(block.text, _TEXT_WIDTH),
            block.xpath,
        )
        for block in blocks
    ]
    return table(("", "score", "kind", "reason", "text", "xpath"), rows)


def comparison(runs: Sequence[Run], texts: Sequence[str]) -> str:
    """Algorithms side by side: a line each, then the blocks of the page that each
    keeps.

    For algorithms that judge other units see kept_blocks().
    """
    figures = [
        (
            run.name,
            f"{len(run.result.text):,}",
            f"{len(run.result.text.split()):,}",
            f"{run.result.score:.2f}",
            run.result.language,
            f"{1000 * run.seconds:.1f}",
        )
        for run in runs
    ]
    head = ("algorithm", "characters", "words", "score", "language", "milliseconds")
    marks = [kept_blocks(run.result, texts) for run in runs]
    rows = [
        (*("+" if kept else "-" for kept in of_block), cut(text, _TEXT_WIDTH))
        for text, *of_block in zip(texts, *marks, strict=True)
    ]
    names = (*(run.name for run in runs), "text")
    return f"{table(head, figures)}\n\n{table(names, rows)}"
