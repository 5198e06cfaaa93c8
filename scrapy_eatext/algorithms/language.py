"""Finds the language of a page: that of the stop list with the most hits."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache

from scrapy_eatext.algorithms.scripts import script_language
from scrapy_eatext.algorithms.stoplists import (
    JUSTEXT_SHARE,
    SHARES,
    iso_list,
    justext_words,
)

# Languages of which only jusText has a list, without varieties of other languages; they
# are found if that package is installed.
_ONLY_JUSTEXT = "az be cy is ka kk kn ky mk ml ne pnb sq sr ta te uz".split()
# Languages with nearly the same list as one with far more pages: they are chosen only
# if a page declares them.
_TWINS = frozenset(("ms",))  # of Indonesian
# The most words of a list, as a language is recognized with few.
_WORDS = 400
# A table for str.translate(): punctuation at the edges of words, not the apostrophe,
# which stands inside them ("don't").
PUNCTUATION = str.maketrans(dict.fromkeys(',.;:!?()[]{}"“”„«»‹›…–—/|*•·¿¡،؛؟।॥', " "))
# The factor of the declared language's hits: enough to decide between similar languages
# such as Danish and Norwegian, too little to change a clear result.
_DECLARED = 1.25
# The least share of the hits of running text with which a list fits.
_LEAST = 0.4
_ENOUGH_WORDS = 8


@lru_cache(maxsize=1)
def _index() -> dict[str, list[tuple[str, float]]]:
    """For each stop word the languages that have it, and the weight of a hit in each.

    The weight is 1 divided by the share of running text that the language's list makes
    up, so that a text in the language scores about 1 per word.  The table has about
    25,000 words.
    """
    index: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for code in SHARES:
        stop_words = iso_list(code)
        if stop_words is not None:
            for word in stop_words.words:
                index[word].append((code, 1 / stop_words.share))
    for code in _ONLY_JUSTEXT:
        # These lists are from encyclopedias with English and French in footnotes.  They
        # are in order of frequency, so their first words make up nearly all of their
        # share.
        for word in (justext_words(code) or [])[:_WORDS]:
            if not any(known in ("en", "fr") for known, _ in index.get(word, ())):
                index[word].append((code, 1 / (0.8 * JUSTEXT_SHARE)))
    return dict(index)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without the punctuation around them."""
    return text.lower().translate(PUNCTUATION).split()


def pick_language(text: str, declared: str = "") -> str:
    """The code of a text's language, or "" if no list fits.

    ``declared`` is the code that the page declares.  It decides between lists with
    similar numbers of hits, and for short texts.
    """
    by_script = script_language(text, "ja" if declared == "ja" else "zh")
    if by_script:
        return by_script
    index = _index()
    counts = Counter(words_of(text))
    total = counts.total()
    scores: defaultdict[str, float] = defaultdict(float)
    # In the order of the text: that of a set, and so the last bit of a sum, may differ
    # from one process to the next.
    for word, count in counts.items():
        for code, weight in index.get(word, ()):
            scores[code] += count * weight
    for twin in _TWINS - {declared}:
        scores.pop(twin, None)
    if declared in scores:
        scores[declared] *= _DECLARED
    if total < _ENOUGH_WORDS or not scores:
        return declared
    # Ties are decided by the code, so that the answer is deterministic.
    best = max(sorted(scores), key=scores.__getitem__)
    return best if scores[best] >= _LEAST * total else ""
