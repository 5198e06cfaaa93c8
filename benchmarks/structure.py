"""Headings, items, rows, code, links, images ... in Markdown, beside other extractors.

    npm install defuddle @mozilla/readability turndown turndown-plugin-gfm jsdom
    pip install trafilatura markdown-it-py
    python -m benchmarks.structure DATA --aside FILE
    python -m benchmarks.structure DATA [--model FILE] [--node FOLDER] [--missed KIND]
    python -m benchmarks.structure DATA --read formulas.json ...

DATA is the folder with labelled-dev and labelled-web.  structure.json has for 60 of their
pages what people read of the main content's structure, as hashes: of a heading's, an
item's, a row's, a caption's and a note's letters, of code without white space, and of
addresses.  A thing may have several hashes, one for each address of a picture; things
that may stand in the text or not count for nothing.  Each extractor's Markdown is made
HTML by a CommonMark renderer, and what stands there is compared.  Captions and notes are
found wherever their first letters stand, embeds where their address is linked; only
their recall is measured.  formulas.json has what people read of the formulas on 17 other
pages, as hashes of their letters and digits; in Markdown they stand between dollar signs
or the brackets of TeX.

The default model has learned which of these pages' blocks are main text; --model names
one that has not: --aside writes the corrections with which no page of their sites is
learned from (docs/training.md, "The shipped models").  FOLDER has node_modules.
--missed prints what the first extractor lacks or has too much of a kind.

Writes benchmarks/results/structure.json and a table into docs/output.md.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from statistics import mean
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

import trafilatura
from lxml import html
from markdown_it import MarkdownIt

from benchmarks import tables
from scrapy_eatext import __version__, extract
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.splits import site_of
from scrapy_eatext.page.decode import decode

FOLDERS = ("wcxb-dev", "labelled-dev", "segments-dev", "labelled-web")
CORRECTIONS = tables.ROOT / "tools" / "labels" / "corrections.json"
SCRIPT = Path(__file__).with_name("structure.mjs")
# So many letters of a text are compared: renderers differ in what follows, a nested list.
LETTERS = 40
EXACT = ("heading", "item", "row", "code", "link", "image", "formula")
# Their precision is not measured: a link may stand for an embed.
RECALLED = ("embed", "caption", "footnote")
ANYWHERE = ("caption", "footnote")
FORMULA = re.compile(
    r"\$\$(.+?)\$\$|\$([^$]+?)\$|\\{1,2}\((.+?)\\{1,2}\)|\\{1,2}\[(.+?)\\{1,2}\]",
    re.DOTALL,
)
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PLAYERS = ("iframe", "video", "audio", "embed", "object")
TAGS = (*"h1 h2 h3 h4 h5 h6 li dt dd tr pre a img".split(), *PLAYERS)
VIDEO = re.compile(
    r"(?:youtu\.be/|youtube[\w.-]*/(?:embed/|v/))([\w-]{6,})|vimeo\D+(\d{6,})"
)


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def address(url: str, base: str) -> str:
    """An address without its scheme, its fragment and a slash at the end."""
    try:
        url = urljoin(base, url.strip())
    except ValueError:
        return ""
    return unquote(url.partition("#")[0].partition("//")[2]).rstrip("/")


def image(url: str, base: str) -> str:
    """An image's address; its parameters are mostly its size."""
    path, _, query = address(url, base).partition("?")
    # Scripts have an image's name in a parameter.
    return path if re.search(r"\.\w{3,4}$", path) else f"{path}?{query}"


def embed(url: str, base: str) -> str:
    """The number of a video, else the address without its parameters."""
    url = address(url, base)
    if found := VIDEO.search(url):
        return next(filter(None, found.groups()))
    watched = parse_qs(urlsplit(f"//{url}").query).get("v")
    return watched[0] if watched else url.partition("?")[0]


def formula(tex: str) -> str:
    """A formula's letters and digits, without the size that MathJax is told."""
    return letters(tex.replace(r"\displaystyle", ""))


def own(element: html.HtmlElement) -> str:
    """An item's text without the lists in it."""
    parts = [element.text or ""]
    for child in element:
        if child.tag not in ("ul", "ol") and isinstance(child.tag, str):
            parts.append(own(child))
        parts.append(child.tail or "")
    return " ".join(parts)


def things(tree: html.HtmlElement, base: str) -> Iterator[tuple[str, str]]:
    """What stands in HTML: kinds and keys."""
    for element in tree.iter(*TAGS):
        tag = element.tag
        if re.fullmatch("h[1-6]", tag):
            yield "heading", letters(own(element))[:LETTERS]
        elif tag in ("li", "dt", "dd"):
            yield "item", letters(own(element))[:LETTERS]
        elif tag == "tr":
            cells = " ".join(own(cell) for cell in element if cell.tag in ("td", "th"))
            yield "row", letters(cells)[:LETTERS]
        elif tag == "pre":
            yield "code", "".join(element.text_content().split())[:LETTERS]
        elif tag == "a" and (href := element.get("href", "")):
            if not href.startswith(("#", "mailto:", "javascript:")):
                yield "link", address(href, base)
                yield "linked", embed(href, base)
        elif tag == "img" and (src := element.get("src", "")):
            if not src.startswith("data:"):
                yield "image", image(src, base)
                yield "linked", embed(src, base)
        elif tag in PLAYERS:
            for part in (element, *element.iter("source")):
                if src := part.get("src") or part.get("data"):
                    yield "embed", embed(src, base)


@dataclass
class Found:
    """What an extractor has of a page: hashes by kind, and all letters."""

    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    text: str = ""

    @classmethod
    def of(cls, markdown: str, base: str) -> Found:
        made = RENDERER.render(markdown) or ""
        found = cls()
        for match in FORMULA.finditer(markdown):
            key = formula(next(filter(None, match.groups())))
            found.keys.setdefault("formula", {})[digest(key)] = key
        if made.strip():
            tree = html.fromstring(f"<div>{made}</div>")
            found.text = letters(tree.text_content())
            for kind, key in things(tree, base):
                if key:
                    found.keys.setdefault(kind, {})[digest(key)] = key
        return found

    def anywhere(self, key: str) -> bool:
        """Whether as many letters have this hash: "12:HASH"."""
        length, _, wanted = key.partition(":")
        size = int(length)
        ends = range(len(self.text) - size + 1)
        return any(digest(self.text[at : at + size]) == wanted for at in ends)


@dataclass(frozen=True)
class Score:
    wanted: int
    found: int
    right: int
    """Of the wanted ones."""
    good: int
    """Of the found ones."""


def score(kind: str, truth: dict, found: Found) -> Score:
    wanted = truth["keep"].get(kind, [])
    if kind in ANYWHERE:
        right = sum(any(map(found.anywhere, one)) for one in wanted)
        return Score(len(wanted), right, right, right)
    known = found.keys.get(kind, {})
    # A video's player may be a link to it.
    linked = {**known, **found.keys.get("linked", {})} if kind == "embed" else known
    right = sum(any(key in linked for key in one) for one in wanted)
    allowed = {*chain(*wanted), *chain(*truth["optional"].get(kind, []))}
    if kind in ("link", "image"):
        # A link or image in place of a player is not wrong.
        parts = truth["keep"], truth["optional"]
        players = {*chain(*chain(*(part.get("embed", []) for part in parts)))}
        known = {
            key: value
            for key, value in known.items()
            if digest(embed(f"//{value}", "http://x/")) not in players
        }
    good = sum(key in allowed for key in known)
    return Score(len(wanted), len(known), right, good)


def pages(data: Path, read: dict) -> Iterator[tuple[str, str, str, bytes]]:
    """Of each page that was read: name, address, the document's base, bytes."""
    for name in read:
        folder, _, page = name.partition("/")
        source = gzip.decompress(
            (data / folder / "html" / f"{page}.html.gz").read_bytes()
        )
        labels = json.loads(
            (data / folder / "ground-truth" / f"{page}.json").read_text("utf-8")
        )
        url = (
            labels.get("url")
            or json.loads((data / folder / "pages.json").read_text("utf-8"))[page][
                "url"
            ]
        )
        tag = re.search(rb"<base\s[^>]*?href=[\"']?([^\"'\s>]+)", source, re.IGNORECASE)
        base = urljoin(url, tag[1].decode("utf-8", "replace")) if tag else url
        yield name, url, base, source


def by_node(
    folder: Path, sources: list[tuple[str, str]]
) -> tuple[dict[str, str], list[dict[str, str]]]:
    lines = "".join(
        json.dumps({"url": url, "html": text}) + "\n" for url, text in sources
    )
    script = folder / SCRIPT.name
    script.write_text(SCRIPT.read_text("utf-8"), "utf-8")
    done = subprocess.run(
        ["node", str(script)], input=lines, text=True, capture_output=True, check=True
    )
    versions, *made = map(json.loads, done.stdout.splitlines())
    return versions, made


def by_trafilatura(source: bytes, url: str) -> str:
    made = trafilatura.extract(
        source,
        url=url,
        output_format="markdown",
        include_links=True,
        include_images=True,
        include_tables=True,
        include_formatting=True,
        include_comments=False,
    )
    return made or ""


def figures(scores: list[Score]) -> dict[str, float]:
    """Recall and precision, of all things together and in the mean of the pages."""
    wanted, found = (
        sum(getattr(one, name) for one in scores) for name in ("wanted", "found")
    )
    return {
        "wanted": wanted,
        "recall": sum(one.right for one in scores) / (wanted or 1),
        "precision": sum(one.good for one in scores) / (found or 1),
        "mean recall": mean(one.right / one.wanted for one in scores if one.wanted),
        "mean precision": mean(
            [one.good / one.found for one in scores if one.found] or [0.0]
        ),
    }


def missed(kind: str, name: str, truth: dict, found: Found) -> None:
    """Print what is lacking, as numbers of the read things, and what is too much."""
    known = found.keys.get(kind, {})
    wanted = truth["keep"].get(kind, [])
    allowed = {*chain(*wanted), *chain(*truth["optional"].get(kind, []))}
    has = found.anywhere if kind in ANYWHERE else known.__contains__
    lacking = [one for one in wanted if not any(map(has, one))]
    wrong = [text for key, text in known.items() if key not in allowed]
    if lacking or wrong:
        print(f"{name}: {len(lacking)} of {len(wanted)} {kind} lacking {lacking[:5]}")
        for text in wrong:
            print(f"    wrong: {text}")


def leave_out(data: Path, file: Path, read: dict) -> None:
    """Write the corrections of the shipped models, and doubts of all pages of sites."""
    pages_of = [page for folder in FOLDERS for page in read_folder(data / folder).pages]
    sites = {
        site_of(page)
        for page in pages_of
        if f"{page.file.parent.parent.name}/{page.name}" in read
    }
    rows = json.loads(CORRECTIONS.read_text("utf-8"))
    aside = [page for page in pages_of if site_of(page) in sites]
    rows |= {page.digest: {"doubt": "kept aside"} for page in aside}
    file.write_text(json.dumps(rows), "utf-8")
    print(f"{len(aside)} pages of {len(sites)} sites are left out")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "data", type=Path, help="the folder of labelled-dev and labelled-web"
    )
    parser.add_argument("--aside", type=Path, help="where to write corrections")
    parser.add_argument("--model", help="one that has not learned from these pages")
    parser.add_argument("--node", type=Path, help="a folder with node_modules")
    parser.add_argument(
        "--read", default="structure.json", help="a file of this folder"
    )
    parser.add_argument("--missed", choices=(*EXACT, *RECALLED))
    args = parser.parse_args()
    truth = json.loads(Path(__file__).with_name(args.read).read_text("utf-8"))
    if args.aside:
        leave_out(args.data, args.aside, truth)
        return
    given = list(pages(args.data, truth))
    options = {"model": args.model} if args.model else None
    markdown = {
        "eatext": [
            extract(source, url=url, options=options).markdown
            for _, url, _, source in given
        ],
        "trafilatura": [by_trafilatura(source, url) for _, url, _, source in given],
    }
    versions = {"eatext": __version__, "trafilatura": trafilatura.__version__}
    if args.node:
        sources = [(url, decode(source)[1]) for _, url, _, source in given]
        more, made = by_node(args.node, sources)
        versions |= more
        for name in more:
            markdown[name] = [one[name] for one in made]
    results: dict[str, dict[str, dict[str, float]]] = {}
    for extractor, texts in markdown.items():
        scores: dict[str, list[Score]] = {kind: [] for kind in (*EXACT, *RECALLED)}
        for (name, _, base, _), text in zip(given, texts, strict=True):
            found = Found.of(text, base)
            for kind, rows in scores.items():
                rows.append(score(kind, truth[name], found))
            if args.missed and extractor == "eatext":
                missed(args.missed, name, truth[name], found)
        for kind, rows in scores.items():
            if any(one.wanted for one in rows):
                results.setdefault(kind, {})[extractor] = figures(rows)
    head = ["", "read", *(f"{name} {versions[name]}" for name in markdown)]
    lines = []
    for kind, found_by in results.items():
        for prefix, suffix in (("", ""), ("mean ", ", mean of pages")):
            names = ["recall"] if kind in RECALLED else ["recall", "precision"]
            shown = [
                " ".join(tables.share(row[prefix + name]) for name in names)
                for row in found_by.values()
            ]
            lines.append([kind + suffix, str(found_by["eatext"]["wanted"]), *shown])
    text = tables.table(head, lines)
    print(text)
    if args.node and not args.missed:
        about = {
            "versions": versions,
            "model": "given" if args.model else "default",
            "kinds": results,
        }
        name = Path(args.read).stem
        tables.write_json(name, about)
        tables.fill(tables.DOCS / "output.md", name, text)


if __name__ == "__main__":
    main()
