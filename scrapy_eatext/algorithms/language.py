"""Which language a page is in, by the stop list that its words hit most."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from scrapy_eatext.algorithms.scripts import script_language
from scrapy_eatext.algorithms.stoplists import (
    JUSTEXT_SHARE,
    SHARES,
    iso_list,
    justext_words,
)

# Languages that only jusText has a list for, and that are no variety of
# another one: they are looked for where that package is installed.
_ONLY_JUSTEXT = "az be cy is ka kk kn ky mk ml ne pnb sq sr ta te uz".split()
# Nearly the list of a language with far more pages: chosen only if declared.
_TWINS = frozenset(("ms",))  # of Indonesian
# A list of thousands of words is not needed to know a language.
_WORDS = 400
# Punctuation that stands at a word's edge; what is inside words ("don't")
# stays.  A table for str.translate().
PUNCTUATION = str.maketrans(dict.fromkeys(',.;:!?()[]{}"“”„«»‹›…–—/|*•·¿¡،؛؟।॥', " "))
# What is declared counts as this much more: it decides between near twins such
# as Danish and Norwegian, and never against a text that is clearly another.
_DECLARED = 1.25
# With fewer hits than this part of what running text has, no list fits.
_LEAST = 0.4
_ENOUGH_WORDS = 8


@lru_cache(maxsize=1)
def _index() -> dict[str, list[tuple[str, float]]]:
    """For each stop word its languages, and what a hit counts for each.

    A hit counts one by the share of running text that the list makes up, so
    that text in the language scores about 1 for every word.  The table has
    about 25,000 words.
    """
    index: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for code in SHARES:
        found = iso_list(code)
        if found is not None:
            for word in found.words:
                index[word].append((code, 1 / found.share))
    for code in _ONLY_JUSTEXT:
        # These lists come from encyclopedias with English and French in their
        # footnotes.  The first words of a list, which is in the order of
        # frequency, make up nearly all of its share.
        for word in (justext_words(code) or [])[:_WORDS]:
            if not _foreign(word, index):
                index[word].append((code, 1 / (0.8 * JUSTEXT_SHARE)))
    return dict(index)


def _foreign(word: str, index: Mapping[str, list[tuple[str, float]]]) -> bool:
    return any(code in ("en", "fr") for code, _ in index.get(word, ()))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without the punctuation around them."""
    return text.lower().translate(PUNCTUATION).split()


def pick_language(text: str, declared: str = "") -> str:
    """The code of a text's language, or nothing where no list fits.

    ``declared`` is the code that the page gives; it decides where lists are
    hit about alike, or where there is too little text to tell.
    """
    by_script = script_language(text, "ja" if declared == "ja" else "zh")
    if by_script:
        return by_script
    return _by_words(words_of(text), declared)


def _by_words(words: Iterable[str], declared: str) -> str:
    index = _index()
    counts = Counter(words)
    total = counts.total()
    scores: defaultdict[str, float] = defaultdict(float)
    for word in counts.keys() & index.keys():
        count = counts[word]
        for code, weight in index[word]:
            scores[code] += count * weight
    for twin in _TWINS - {declared}:
        scores.pop(twin, None)
    if declared in scores:
        scores[declared] *= _DECLARED
    if total < _ENOUGH_WORDS or not scores:
        return declared
    # By code where two are equal, so that the answer never changes.
    best = max(sorted(scores), key=scores.__getitem__)
    return best if scores[best] >= _LEAST * total else ""
