"""Draw the rooms of the package, floor by floor: the picture in architecture.md.

``python -m docs.house`` takes the floors from the test of imports, and each room's text
from the first line of its docstring, and writes docs/images/house.svg.
"""

from __future__ import annotations

import ast
from html import escape
from pathlib import Path
from textwrap import wrap

from tests.test_architecture import FLOORS, PACKAGE

PICTURE = Path(__file__).parent / "images/house.svg"

# In pixels.
WIDTH, GAP, PADDING, LINE, FONT, TITLE = 900, 8, 9, 15, 12, 14
# The width of a character on average, to break lines by.
CHARACTER = 6.2
ROOM, EDGE, INK, FAINT = "#eef4fb", "#5b87b5", "#16324f", "#4c6278"


def about(room: str) -> str:
    """The first line of a room's docstring."""
    path = PACKAGE / room.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    doc = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return " ".join(doc.partition("\n\n")[0].split())


def floor(rooms: list[str], y: int) -> tuple[list[str], int]:
    """The SVG of the rooms of a floor, side by side, and where the floor ends."""
    width = (WIDTH - GAP * (len(rooms) - 1)) // len(rooms)
    texts = [
        wrap(about(room), int((width - 2 * PADDING) / CHARACTER)) for room in rooms
    ]
    height = 2 * PADDING + TITLE + LINE * max(map(len, texts))
    parts = []
    for i, (room, lines) in enumerate(zip(rooms, texts, strict=True)):
        x = i * (width + GAP)
        parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" '
            f'fill="{ROOM}" stroke="{EDGE}"/><text x="{x + PADDING}" '
            f'y="{y + PADDING + TITLE - 3}" font-size="{TITLE}" font-weight="bold" '
            f'fill="{INK}">{escape(room.replace(".", "/"))}</text>'
        )
        parts += [
            f'<text x="{x + PADDING}" y="{y + PADDING + TITLE + n * LINE - 2}" '
            f'fill="{FAINT}">{escape(line)}</text>'
            for n, line in enumerate(lines, 1)
        ]
    return parts, y + height + GAP


def draw() -> str:
    """The picture, as SVG."""
    parts: list[str] = []
    y = 0
    for rooms in FLOORS:
        drawn, y = floor(rooms, y)
        parts += drawn
    box = f"-1 -1 {WIDTH + 2} {y}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" '
    head += f'font-family="sans-serif" font-size="{FONT}">'
    return "\n".join([head, *parts, "</svg>\n"])


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
