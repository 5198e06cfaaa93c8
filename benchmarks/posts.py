"""Measures the posts of threads that people have read, by recall and precision.

    python -m benchmarks.posts DATA [DATA ...]

Each DATA is a folder with ``html/ID.html.gz``; posts.json has the folder's name, the IDs,
and of each post the hashes of its author, its day, and its first and last letters, without
quotes and signatures.  A post is found if it begins or ends as one that was read, and is
whole if it does both.  Posts that were read as ``others``, such as remarks on an answer,
count neither way.
"""

from __future__ import annotations

import argparse
import gzip
import json
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_eatext import extract

if TYPE_CHECKING:
    from scrapy_eatext.result import Post

TRUTH = Path(__file__).with_name("posts.json")
# How many letters and digits of a post's beginning and of its end are compared.
LETTERS = 24
PARTS = ("develop", "held out")


def letters_of(text: str) -> str:
    """A text's letters and digits, folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


def hashed(text: str) -> str:
    """A text's hash, of its letters and digits alone."""
    return sha256(letters_of(text).encode()).hexdigest()[:12]


def ends_of(text: str) -> tuple[str, str]:
    """The hashes of a text's first and last letters."""
    letters = letters_of(text)
    return hashed(letters[:LETTERS]), hashed(letters[-LETTERS:])


def compare(
    found: Sequence[Post],
    read: Sequence[Sequence[str]],
    others: Sequence[Sequence[str]],
) -> Counter[str]:
    """How many posts were read and found, and what of them is right."""
    counts = Counter(read=len(read))
    left = dict(enumerate(read))
    for post in found:
        if not post.text:  # it only quotes, as none of those that were read
            continue
        first, last = ends_of(post.text)
        numbers = [n for n, (*_, begin, end) in left.items() if first == begin] or [
            n for n, (*_, begin, end) in left.items() if last == end
        ]
        if not numbers:
            counts["found"] += [first, last] not in others and all(
                first != begin and last != end for begin, end in others
            )
            continue
        author, day, begin, end = left.pop(numbers[0])
        counts["found"] += 1
        counts["right"] += 1
        counts["whole"] += (first, last) == (begin, end)
        counts["authors"] += hashed(post.author) == author
        counts["days"] += hashed(post.time[:10]) == day
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--pages", action="store_true", help="a line for each page")
    options = parser.parse_args()
    folders = {folder.name: folder for folder in options.data}
    truth = json.loads(TRUTH.read_text("utf-8"))
    for part in [options.part] if options.part else PARTS:
        total: Counter[str] = Counter()
        pages = 0
        for name, page in truth[part].items():
            folder, _, number = name.partition("/")
            path = folders[folder] / "html" / f"{number}.html.gz"
            result = extract(gzip.decompress(path.read_bytes()), url=page["url"])
            counts = compare(result.posts, page["posts"], page["others"])
            total += counts
            pages += 1
            if options.pages:
                print(f"{name:18} {line(counts)}", flush=True)
        print(f"{part}, {pages} pages: {line(total)}")


def line(counts: Counter[str]) -> str:
    """The figures of some pages."""
    read, found = counts["read"] or 1, counts["found"] or 1
    shares = [
        ("recall", counts["right"] / read),
        ("precision", counts["right"] / found),
        ("authors' recall", counts["authors"] / read),
        ("authors' precision", counts["authors"] / found),
        ("days", counts["days"] / read),
        ("whole", counts["whole"] / read),
    ]
    figures = ", ".join(f"{name} {value:.3f}" for name, value in shares)
    return f"{counts['read']} read, {counts['found']} found: {figures}"


if __name__ == "__main__":
    main()
