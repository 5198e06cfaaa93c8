"""What Dragnet sees of a page, drawn: its features by block, and CETR's clusters.

    python benchmarks/plots.py [page.html]

Without an argument the page is one of the example project's.  Writes two pictures
into docs/images/.  Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import matplotlib as mpl
import numpy as np

from scrapy_eatext.algorithms.dragnet import MODEL, DragnetOptions, judge_of
from scrapy_eatext.algorithms.dragnet.blocks import page_blocks
from scrapy_eatext.algorithms.dragnet.features import cetr, clusters, page_tokens
from scrapy_eatext.algorithms.modelfile import SHIPPED, load_model
from scrapy_eatext.page import Page

mpl.use("svg")
# The same picture each time, and text that stays text.
mpl.rcParams["svg.hashsalt"] = "scrapy-eatext"
mpl.rcParams["svg.fonttype"] = "none"
mpl.rcParams["font.size"] = 9

from matplotlib import pyplot as plt

PAGE = ROOT / "example_project" / "site" / "herald" / "lighthouse-lamp.html"
IMAGES = ROOT / "docs" / "images"
KEPT, LEFT = "#2b6cb0", "#cbd5e0"


def blocks(page: Page) -> plt.Figure:
    """Four panels: text, link and id/class density, and the model's probability."""
    model = load_model(SHIPPED / MODEL, "dragnet")
    judge = judge_of(model, DragnetOptions())
    table = page_blocks(page.blocks)
    likely = judge.probabilities(judge.columns(page, table, reference=False))
    card = json.loads((SHIPPED / MODEL).with_suffix(".json").read_text("utf-8"))
    # A token speaks for content if its odds are above even.
    signs = [np.sign(np.log(card["tokens"][n]["odds"])) for n in model.header["tokens"]]
    tokens = page_tokens(page.blocks.walk, judge.vocabulary)[:, judge.chosen]
    panels = {
        "words a line": table.text_density,
        "share in links": table.link_density,
        "id/class density": tokens @ np.array(signs),
        "probability": likely,
    }
    figure, axes = plt.subplots(len(panels), sharex=True, figsize=(8, 6))
    colours = np.where(likely > 0.5, KEPT, LEFT)
    for axis, (name, values) in zip(axes, panels.items(), strict=True):
        axis.bar(np.arange(len(values)), values, color=colours, width=0.9)
        axis.set_ylabel(name)
        axis.axhline(0, color="black", linewidth=0.5)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].axhline(0.5, color="black", linewidth=0.5, linestyle="dashed")
    axes[-1].set_ylim(0, 1)
    axes[-1].set_xlabel("block")
    figure.align_ylabels()
    return figure


def scatter(page: Page) -> plt.Figure:
    """The blocks in the plane of CETR, by cluster."""
    points = cetr(page_blocks(page.blocks))
    found = clusters(points)
    figure, axis = plt.subplots(figsize=(6, 4))
    names = ("no content (centre at the origin)", "content", "content")
    for k, (name, colour) in enumerate(
        zip(names, (LEFT, KEPT, "#dd6b20"), strict=True)
    ):
        chosen = points[found == k]
        label = f"{name}: {len(chosen)} blocks"
        axis.scatter(*chosen.T, color=colour, edgecolor="black", lw=0.4, label=label)
    axis.set_xlabel("characters to a tag, smoothed")
    axis.set_ylabel("slope, smoothed")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", nargs="?", default=str(PAGE))
    page = Page.of(Path(parser.parse_args().page).read_bytes())
    IMAGES.mkdir(exist_ok=True)
    for name, draw in (("dragnet-blocks", blocks), ("cetr-clusters", scatter)):
        figure = draw(page)
        figure.tight_layout()
        figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
