"""Draw a page's blocks before and after: the picture in the README.

``python docs/picture.py`` extracts a bundled page with the default algorithm
and writes docs/images/blocks.svg; another page and another file may be named.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from textwrap import shorten, wrap
from typing import TYPE_CHECKING

from scrapy_eatext import extract

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_eatext import Block

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "example_project/site/herald/ferry-timetable.html"
PICTURE = ROOT / "docs/images/blocks.svg"

# In pixels.  A column holds a line of CHARS characters of the font's size.
WIDTH, GAP, PADDING, LINE, FONT = 470, 20, 5, 12, 9
CHARS = 92
MAX_LINES = 2
KEPT, LEFT_OUT = ("#e3f4e1", "#2f8f3a", "#12340f"), ("#f3f3f3", "#c4c4c4", "#8a8a8a")


def lines_of(block: Block) -> list[str]:
    """What is shown of a block: its first lines."""
    text = " ".join(block.text.split())
    return wrap(shorten(text, MAX_LINES * CHARS - 8, placeholder=" …"), CHARS) or [""]


def column(blocks: Iterable[Block], x: int, title: str) -> tuple[list[str], int]:
    """The SVG of a column of blocks, and where it ends."""
    head = f'<text x="{x}" y="16" font-size="12" font-weight="bold" fill="#333">'
    parts = [f"{head}{escape(title)}</text>"]
    y = 28
    for block in blocks:
        fill, edge, ink = KEPT if block.kept else LEFT_OUT
        lines = lines_of(block)
        height = len(lines) * LINE + PADDING
        parts.append(
            f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{height}" rx="2" '
            f'fill="{fill}"/><rect x="{x}" y="{y}" width="3" height="{height}" '
            f'fill="{edge}"/>'
        )
        weight = ' font-weight="bold"' if block.kind == "heading" else ""
        for n, line in enumerate(lines, 1):
            parts.append(
                f'<text x="{x + 9}" y="{y + n * LINE}" fill="{ink}"{weight}>'
                f"{escape(line)}</text>"
            )
        y += height + 2
    return parts, y


def draw(html: bytes) -> str:
    """The SVG: every block of a page on the left, its main text on the right."""
    blocks = extract(html, blocks=True).blocks or ()
    kept = [block for block in blocks if block.kept]
    left, left_end = column(blocks, 0, f"The page: {len(blocks)} blocks")
    right, right_end = column(
        kept, WIDTH + GAP, f"response.meta['main_text']: {len(kept)} blocks"
    )
    width, height = 2 * WIDTH + GAP, max(left_end, right_end)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-size="{FONT}" '
        'font-family="Helvetica, Arial, sans-serif">\n'
        f'<rect width="{width}" height="{height}" fill="white"/>'
    )
    return "\n".join([head, *left, *right, "</svg>\n"])


def main() -> None:
    page, picture = (*map(Path, sys.argv[1:]), *(PAGE, PICTURE)[len(sys.argv) - 1 :])
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(draw(page.read_bytes()), "utf-8")


if __name__ == "__main__":
    main()
