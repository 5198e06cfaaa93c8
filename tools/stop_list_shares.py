"""How much of running text is in each stop list: the figures in languages.csv.

Needs wordfreq, stopwordsiso and jusText (which is only read):

    python -m pip install wordfreq stopwordsiso jusText
    python tools/stop_list_shares.py

For each language: the size and share of stopwordsiso's list by the frequencies
of wordfreq; the same of jusText's list; and an estimate of the first from the
second.  The estimate takes jusText's list for what it is, the most frequent
words in order, gives them frequencies by Zipf's law with Mandelbrot's offset
and adds up those that are in stopwordsiso's.  It comes out low by about a
third where both can be had, and so is raised by that.  At the end stand the
shares of the signs that stand for stop words in Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
import statistics

import stopwordsiso
import wordfreq

from scrapy_eatext.algorithms.language import (
    JUSTEXT_SHARE,
    NAMES,
    SHARES,
    justext_words,
)
from scrapy_eatext.algorithms.scripts import SCRIPTS

# wordfreq's codes where they are not ours.
WORDFREQ = {"no": "nb", "hr": "sh", "tl": "fil"}
LOW_BY = 1.35
OFFSET = 2.7


def main() -> None:
    known = wordfreq.available_languages()
    justext_shares = []
    print("code  words  share  jusText  estimate  in languages.csv")
    for code in sorted(NAMES):
        ranked = justext_words(code)
        iso = {word.lower() for word in stopwordsiso.stopwords(code)}
        share = of_justext = None
        if WORDFREQ.get(code, code) in known:
            frequencies = wordfreq.get_frequency_dict(WORDFREQ.get(code, code))
            share = sum(frequencies.get(word, 0.0) for word in iso)
            if ranked:
                of_justext = sum(frequencies.get(w, 0.0) for w in set(ranked))
                justext_shares.append(of_justext)
        guess = estimate(ranked, iso) if ranked and iso else None
        row = (share, of_justext, guess, SHARES.get(code))
        cells = "  ".join("    -" if x is None else f"{x:5.2f}" for x in row)
        print(f"{code:9} {len(iso):5}  {cells}")
    low, high = min(justext_shares), max(justext_shares)
    mean = statistics.mean(justext_shares)
    print(f"jusText's lists: {low:.2f} to {high:.2f}, mean {mean:.3f}")
    for code in ("zh", "ja", "ko"):
        print(code, f"{signs(code):.2f}", SCRIPTS[code].share)


def estimate(ranked: list[str], iso: set[str]) -> float:
    """The share of a list from the ranks that its words have in jusText's."""
    ranked = list(dict.fromkeys(ranked))
    total = sum(1 / (rank + OFFSET) for rank in range(1, len(ranked) + 1))
    found = sum(1 / (rank + OFFSET) for rank, w in enumerate(ranked, 1) if w in iso)
    return LOW_BY * JUSTEXT_SHARE * found / total


def signs(code: str) -> float:
    """The part of a language's characters that are signs of grammar."""
    script = SCRIPTS[code]
    letters = found = 0.0
    for word, frequency in wordfreq.get_frequency_dict(code).items():
        letters += frequency * sum(map(len, re.findall(script.letters, word)))
        found += frequency * sum(map(len, re.findall(script.signs, word)))
    return found / letters


if __name__ == "__main__":
    main()
