"""Declarations of values: what they take, what they say, and that the docs say the same.

``python -m tests.test_declared`` writes the docs' table of settings and lists of
options anew.
"""

from __future__ import annotations

import json
import math
import re
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass
from pathlib import Path
from textwrap import fill as wrapped
from typing import Any

import pytest

from benchmarks.tables import DOCS, ROOT, fill
from scrapy_eatext.algorithms import REGISTRY, algorithm_class
from scrapy_eatext.algorithms.base import Options, make_options
from scrapy_eatext.crawl.settings import KEYS, SETTINGS
from scrapy_eatext.declared import (
    OptionError,
    declarations,
    limit,
    number,
    one_of,
    switch,
    text,
)
from scrapy_eatext.execution.choice import OVERRIDES
from scrapy_eatext.result import ATTRIBUTES


@dataclass(frozen=True)
class Sample(Options):
    size: int = number(2, 1, 1_000_000)
    share: float = number(0.5, 0, 1)
    least: int = number(0, 0, math.inf)
    level: float | str = number("mean", 0, 1, "mean")
    seconds: float = limit(1.0, "seconds", 60)
    bytes: int = limit(1, "bytes")
    word: str = one_of("a", "a", "b")
    one: int = one_of(1, 1, 2)
    on: bool = switch(False)
    path: str = text("", "a path")


@pytest.mark.parametrize(
    ("name", "allowed", "good", "bad"),
    [
        ("size", "a whole number from 1 to 1000000", [1, 10**6], [0, 10**7, 1.0, "1"]),
        ("share", "a number from 0 to 1", [0, 0.5, 1], [-0.1, 1.1, math.nan, True]),
        ("least", "a whole number, 0 or more", [0, 10**400], [-1, math.inf, "1"]),
        ("level", "a number from 0 to 1 or 'mean'", ["mean", 0], ["median", 2]),
        (
            "seconds",
            "a number of seconds from 0 (no limit) to 60",
            [0, 60.0],
            [61, 10**400, -1, math.inf, math.nan, "9" * 100_000],
        ),
        ("bytes", "a whole number of bytes, 0 (no limit) or more", [0, 9], [-1, 0.5]),
        ("word", "one of 'a', 'b'", ["b"], ["c", 1, None, ["a"]]),
        ("one", "one of 1, 2", [1, 2], [True, "1", 1.0]),
        ("on", "True or False", [True, False], [1, 0, "True"]),
        ("path", "a path", ["x"], [1, None, b"x"]),
    ],
)
def test_what_is_taken_and_what_is_said_of_the_rest(name, allowed, good, bad):
    assert declarations(Sample)[name].metadata["kind"].allowed() == allowed
    for value in good:
        assert getattr(make_options(Sample, {name: value}), name) == value
    for value in bad:
        with pytest.raises(OptionError) as caught:
            make_options(Sample, {name: value})
        assert str(caught.value) == f"{name} is {value!r:.200}, it must be {allowed}"
        assert (caught.value.name, caught.value.value) == (name, value)


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("size", " 20 ", 20),
        ("size", "2.0", "2.0"),
        ("size", "9" * 5000, "9" * 5000),
        ("share", "0.25", 0.25),
        ("level", "mean", "mean"),
        ("on", "TRUE", True),
        ("on", 0, False),
        ("on", "yes", "yes"),
        ("path", "1", "1"),
    ],
)
def test_what_a_command_line_means(name, given, value):
    assert declarations(Sample)[name].metadata["kind"].parse(given) == value


def default_of(field: Field[Any]) -> str:
    """A default as it is written in Python."""
    if field.metadata["shown"]:
        return str(field.metadata["shown"])
    value = field.default
    if field.default_factory is not MISSING:
        value = field.default_factory()
    if isinstance(value, tuple):
        (value,) = value
    if isinstance(value, int) and value >= 1_000_000:
        return f"`{value:_}`"
    return f"`{json.dumps(value) if isinstance(value, (str, dict)) else repr(value)}`"


def allowed_of(field: Field[Any]) -> str:
    """What a value may be, as in the error, with its words as code."""
    allowed = field.metadata["kind"].allowed().replace("->", "→")
    return re.sub(r"(['\"])(.*?)\1", r'`"\2"`', allowed)


def settings_table() -> str:
    """The table of the README, which docs/settings.md includes."""
    lines = ["| setting | default | meaning |", "|---|---|---|"]
    for key, field in zip(KEYS, SETTINGS.values(), strict=True):
        lines.append(f"| `{key}` | {default_of(field)} | {field.metadata['doc']} |")
    return "\n".join(lines)


def attributes_list() -> str:
    """What ``EATEXT_FIELDS`` may name."""
    names = ", ".join(f"`{name}`" for name in ATTRIBUTES)
    return wrapped(names, 88, break_long_words=False, break_on_hyphens=False)


# Options that several algorithms have, which docs/algorithms/index.md describes.
SHARED = ("model", "reference")


def own_options(name: str) -> dict[str, Field[Any]]:
    """The options of an algorithm, less those that another page describes."""
    kind = algorithm_class(name).options_class
    described = {*declarations(kind.__base__), *SHARED}
    return {
        option: field
        for option, field in declarations(kind).items()
        if option not in described
    }


def options_list(options: dict[str, Field[Any]]) -> str:
    """Options as a list of definitions."""
    entries = []
    for option, field in options.items():
        allowed = allowed_of(field)
        body = f"{allowed[0].upper()}{allowed[1:]}. {field.metadata['doc']}"
        body = wrapped(
            body,
            88,
            initial_indent=": ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        entries.append(f"`{option}` ({default_of(field)})\n{body}")
    return "\n\n".join(entries)


def made() -> Iterator[tuple[Path, str, str]]:
    """The page, the name and the text of all that is made from declarations."""
    yield ROOT / "README.md", "settings", settings_table()
    yield DOCS / "settings.md", "fields", attributes_list()
    for name in sorted(REGISTRY):
        if options := own_options(name):
            yield DOCS / "algorithms" / f"{name}.md", "options", options_list(options)
    shared = declarations(algorithm_class("dragnet").options_class)
    listed = options_list({option: shared[option] for option in SHARED})
    yield DOCS / "algorithms" / "index.md", "options", listed


@pytest.mark.parametrize(("page", "name", "expected"), list(made()))
def test_the_docs_have_what_is_declared(page, name, expected):
    rest = page.read_text("utf-8").partition(f"<!-- table {name} -->\n")[2]
    written = rest.partition(f"\n<!-- end {name} -->")[0]
    assert written == expected, "python -m tests.test_declared"


def test_every_declaration_says_what_it_means():
    options = [
        (name, option, field)
        for name in REGISTRY
        for option, field in declarations(algorithm_class(name).options_class).items()
    ]
    settings = [("EATEXT", name, field) for name, field in SETTINGS.items()]
    assert [
        told[:2] for told in options + settings if not told[2].metadata["doc"]
    ] == []


def test_defaults_in_the_sections_on_settings():
    """Where a section names defaults, they are those that hold, in the heading's order."""
    source = (DOCS / "settings.md").read_text("utf-8")
    defaults = dict(zip(KEYS, map(default_of, SETTINGS.values()), strict=True))
    sections = re.findall(
        r"^### (`EATEXT_.*)\n\n(?:Default: (.*))?", source, re.MULTILINE
    )
    assert sections
    for heading, said in sections:
        keys = re.findall(r"`(\w+)`", heading)
        values = re.findall(r"`([^`]*)`", said)
        for key, value in zip(keys, values, strict=False):
            assert literal_eval(value) == literal_eval(defaults[key].strip("`")), key


def test_the_docs_on_meta_have_every_key():
    rows = re.findall(
        r"^\| (`.*?`) \|", (DOCS / "meta.md").read_text("utf-8"), re.MULTILINE
    )
    keys = re.findall(r"`(\w+)`", " ".join(rows))
    assert [key for key in keys if key in OVERRIDES] == list(OVERRIDES)


def main() -> None:
    for page, name, expected in made():
        fill(page, name, expected)


if __name__ == "__main__":
    main()
