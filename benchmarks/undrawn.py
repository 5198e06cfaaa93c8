"""Main text from a page's data alone, as a page has before a script draws it.

    python -m benchmarks.undrawn DATA [DATA ...]

Of each labelled page (``html/ID.html.gz``) the head and the scripts are left.  The table
has the pages with a text, by its origin, and the mean word F1 of these texts.  Most pages'
scripts have no text of theirs, so there is no figure for all pages.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from statistics import mean

from benchmarks.tables import table
from scrapy_eatext import extract
from scrapy_eatext.learning.data import read_folder
from scrapy_eatext.learning.evaluate import word_score
from scrapy_eatext.page.decode import decode

_HEAD = re.compile(r"<head\b.*?</head>", re.DOTALL | re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b[^>]*>.*?</script>", re.DOTALL | re.IGNORECASE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    scores: dict[str, list[float]] = {}
    for folder in parser.parse_args().folders:
        for page in read_folder(folder).pages:
            html = decode(page.html)[1]
            head = "".join(_HEAD.findall(html)[:1])
            scripts = "".join(_SCRIPT.findall(html.replace(head, "")))
            found = extract(f"{head}<div id=root></div>{scripts}", url=page.url or None)
            if found.text and page.text:
                scores.setdefault(found.origin, []).append(
                    word_score(found.text, page.text).f1
                )
    rows = [
        [origin, str(len(f1)), str(sum(x > 0.5 for x in f1)), f"{mean(f1):.3f}"]
        for origin, f1 in sorted(scores.items())
    ]
    print(table(["origin", "pages", "above .5", "mean F1"], rows))


if __name__ == "__main__":
    main()
