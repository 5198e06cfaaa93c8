"""Folders of labelled pages of made sites, in each of the layouts that training reads."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

from scrapy_eatext.learning.data import LabelledPage
from tests.support.passages import PROSE

WORDS = PROSE["en"].replace(".", "").replace(",", "").lower().split()


def sentences(chance: random.Random, count: int) -> str:
    return " ".join(
        " ".join(chance.choices(WORDS, k=chance.randint(8, 20))).capitalize() + "."
        for _ in range(count)
    )


def make_page(number: int, *, comments: bool = False) -> tuple[str, str, str]:
    """A page, its main text, and its readers' comments."""
    chance = random.Random(number)
    links = "".join(
        f"<li><a href=/{i}>{' '.join(chance.choices(WORDS, k=2))}</a></li>"
        for i in range(chance.randint(3, 9))
    )
    paragraphs = [sentences(chance, 3) for _ in range(chance.randint(3, 6))]
    said = [sentences(chance, 1) for _ in range(3 * comments)]
    body, below = (
        "".join(f"<p>{text}</p>" for text in texts) for texts in (paragraphs, said)
    )
    if comments:
        below = f"<div class=comments>{below}</div>"
    page = (
        f"<html><body><div class=nav><ul>{links}</ul></div>"
        f"<div class=article>{body}</div>{below}"
        f"<div class=footer><p><a href=/x>Terms</a> of use</p></div></body></html>"
    )
    return page, "\n".join(paragraphs), "\n".join(said)


def write_own(
    folder: Path, name: str, html: str, text: str, comments: str | None = None
) -> None:
    """A page in the layout of a user's own pages."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.html").write_text(html)
    (folder / f"{name}.txt").write_text(text)
    if comments is not None:
        (folder / f"{name}.comments.txt").write_text(comments)


def labelled(folder: Path, name: str, html: str, **labels: Any) -> LabelledPage:
    """A page in a file, and what is known of it."""
    file = folder / f"{name}.html"
    file.write_text(html)
    return LabelledPage(name, file, **labels)


def write_page(folder: Path, name: str, html: str, truth: dict[str, Any]) -> None:
    """A page in WCXB's layout; ``truth`` is its file of labels."""
    for part in ("ground-truth", "html"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "ground-truth" / f"{name}.json").write_text(json.dumps(truth))
    (folder / "html" / f"{name}.html.gz").write_bytes(gzip.compress(html.encode()))


def write_wcxb(
    folder: Path, count: int, *, comments: bool = False, known: bool = False
) -> Path:
    """Made pages in WCXB's layout, two of a site; with ``known``, labelled by block."""
    for number in range(count):
        html, text, said = make_page(number, comments=comments)
        labels = {"main_content": text}
        if known:
            labels = {"main_content": text.replace("\n", "\n\n"), "comments": said}
        truth = {
            "url": f"https://site{number // 2}.example/{number}",
            "_internal": {"page_type": {"primary": ["article", "forum"][number % 2]}},
            "ground_truth": labels,
        }
        write_page(folder, f"{number:04}", html, truth)
    return folder


def write_segments(folder: Path, pages: dict[str, tuple[str, dict[str, Any]]]) -> Path:
    """Pages of which segments are known: HTML and row of each."""
    (folder / "html").mkdir(parents=True, exist_ok=True)
    for name, (html, _) in pages.items():
        (folder / "html" / f"{name}.gz").write_bytes(gzip.compress(html.encode()))
    rows = {name: row for name, (_, row) in pages.items()}
    (folder / "truth.json").write_text(json.dumps(rows))
    return folder
