"""Which language a page is in, by the stop list that its words hit most."""

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

# Languages of which only jusText has a list, without varieties of other languages:
# they are looked for if that package is installed.
_ONLY_JUSTEXT = "az be cy is ka kk kn ky mk ml ne pnb sq sr ta te uz".split()
# Languages whose list is nearly that of one with far more pages: chosen only if a
# page declares them.
_TWINS = frozenset(("ms",))  # of Indonesian
# A list of thousands of words is not needed to know a language.
_WORDS = 400
# A table for str.translate(): punctuation at the edges of words, not the apostrophe,
# which stands inside them ("don't").
PUNCTUATION = str.maketrans(dict.fromkeys(',.;:!?()[]{}"“”„«»‹›…–—/|*•·¿¡،؛؟।॥', " "))
# The hits of the declared language count so many times: enough to decide between near
# twins such as Danish and Norwegian, too little to outvote a text clearly in another.
_DECLARED = 1.25
# No list fits a text that has less than this part of the hits of running text.
_LEAST = 0.4
_ENOUGH_WORDS = 8


@lru_cache(maxsize=1)
def _index() -> dict[str, list[tuple[str, float]]]:
    """For each stop word the languages that have it, and the weight of a hit in each.

    The weight is one divided by the share of running text that the language's list
    makes up, so that a text in the language scores about 1 a word.  The table has about
    25,000 words.
    """
    index: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for code in SHARES:
        found = iso_list(code)
        if found is not None:
            for word in found.words:
                index[word].append((code, 1 / found.share))
    for code in _ONLY_JUSTEXT:
        # These lists come from encyclopedias with English and French in their
        # footnotes.  They are in the order of frequency, and their first words make up
        # nearly all of their share.
        for word in (justext_words(code) or [])[:_WORDS]:
            if not any(known in ("en", "fr") for known, _ in index.get(word, ())):
                index[word].append((code, 1 / (0.8 * JUSTEXT_SHARE)))
    return dict(index)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without the punctuation around them."""
    return text.lower().translate(PUNCTUATION).split()


def pick_language(text: str, declared: str = "") -> str:
    """The code of a text's language, or "" if no list fits.

    ``declared`` is the code that the page declares.  It decides if several lists are hit
    about as often, or if there is too little text to tell.
    """
    by_script = script_language(text, "ja" if declared == "ja" else "zh")
    if by_script:
        return by_script
    index = _index()
    counts = Counter(words_of(text))
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
    # Equal ones are chosen by their code, so that the answer never changes.
    best = max(sorted(scores), key=scores.__getitem__)
    return best if scores[best] >= _LEAST * total else ""
