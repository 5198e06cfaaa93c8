"""Stop lists by language, and the language of a text: that of the list with most hits.

The lists are those of the package stopwordsiso and, if it is installed, of jusText.  A
list of jusText has a language's most frequent words, which make up about 55 percent of
running text, and jusText's thresholds on the density of stop words assume this.  Other
lists make up other shares: each comes with its share, by which a density is scaled.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from scrapy_eatext.algorithms.scripts import script_language

# The share of running text that a list of jusText makes up: by the frequencies of
# wordfreq, .45 to .63 in 38 languages, .55 in the mean (tools/stop_list_shares.py).
JUSTEXT_SHARE = 0.55

# The languages by code, with jusText's names for them.  ``share`` in the file is the
# share of running text that the list of stopwordsiso 0.7.1 makes up, computed by
# tools/stop_list_shares.py from the frequencies of wordfreq, or else from the ranks of
# the words in jusText's list.  Hausa, Somali, Sotho and Zulu are in neither: theirs is
# a guess.  Languages without spaces between words, or with particles attached to words,
# have no share: they are measured by character.
with Path(__file__).with_name("languages.csv").open(encoding="utf-8") as _file:
    _LANGUAGES = list(csv.DictReader(_file))
NAMES = {row["code"]: row["name"] for row in _LANGUAGES}
SHARES = {row["code"]: float(row["share"]) for row in _LANGUAGES if row["share"]}
_CODES = {
    name: row["code"]
    for row in _LANGUAGES
    for name in (row["code"], row["name"].lower(), *row["others"].split())
}
# Languages of which only jusText has a list, without varieties of other languages; they
# are found if that package is installed.
_ONLY_JUSTEXT = "az be cy is ka kk kn ky mk ml ne pnb sq sr ta te uz".split()
# Those lists are from encyclopedias with these languages in footnotes.
_IN_FOOTNOTES = frozenset(("en", "fr"))
# The weight of a hit: 1 divided by the share of running text that a language's list makes
# up, so that a text in the language scores about 1 per word.  jusText's lists are in order
# of frequency, so the first _WORDS make up nearly all of their share.
_WEIGHTS = {code: 1 / share for code, share in SHARES.items()}
_WEIGHTS |= dict.fromkeys(_ONLY_JUSTEXT, 1 / (0.8 * JUSTEXT_SHARE))
# Malay has nearly the same list as Indonesian, and far fewer pages: it is chosen only if
# a page declares it.  The list of Latin has words of all its daughters.
_IF_DECLARED = ("la", "ms")
# Letters that are in no word of a language.  A text with one of them among a hundred
# characters is in a similar language.
_FOREIGN = {
    "be": "ищъї", "bg": "ыэёіїєј", "mk": "йщьюяыэъ", "ru": "іїєґјўђћ", "sr": "йщьюяыэъ",
    "uk": "ыэъё", "eo": "éèàçêqwxy", "et": "yå", "gl": "yj", "lt": "áéíóúýěřůłśńćżźöüäõåğışçñ",
}  # fmt: skip
# Alphabets of one language, or of one with nearly all pages: the first letter and the last.
_ALPHABETS = {
    "el": "ͰϿ", "hy": "Աև", "he": "את", "pa": "ਁੵ", "gu": "ઁ૱", "or": "ଁୱ", "ta": "ஂ௺",
    "te": "ఁ౿", "kn": "ಁೲ", "ml": "ംൿ", "si": "ංෳ", "ka": "Ⴀჿ", "am": "ሀፚ",
}  # fmt: skip
# The most words of a list, as a language is recognized with few.
_WORDS = 400
# A table for str.translate(): punctuation at the edges of words, not the apostrophe,
# which stands inside them ("don't").
PUNCTUATION = str.maketrans(dict.fromkeys(',.;:!?()[]{}"“”„«»‹›…–—/|*•·¿¡،؛؟।॥', " "))


class _Doubt(NamedTuple):
    """When a language is found."""

    least: float  # the least share of the hits of running text
    declared: float  # the factor of the declared language's hits
    words: int  # the least number of words


# The factor is enough to decide between similar languages such as Danish and Norwegian,
# too little to change a clear result.
_FINDING = _Doubt(0.4, 1.25, 8)
# A page is in another language than it declares: text without sentences, as lists of
# goods, has hits by chance.
_CONTRADICTING = _Doubt(0.5, 1.6, 30)
# The most characters of a text in which its language is looked for.
_SAMPLE = 2_000


@dataclass(frozen=True, slots=True)
class StopList:
    """The stop words of a language in lower case, and their share of running text."""

    words: frozenset[str]
    share: float


def language_code(language: str) -> str | None:
    """The code of a language by code ("en", "en-GB") or name ("English"), or None."""
    key = language.strip().lower().replace(" ", "_")
    primary = key.replace("_", "-").partition("-")[0]
    return _CODES.get(key) or _CODES.get(primary)


@lru_cache(maxsize=1)
def justext_folder() -> Path | None:
    """The folder of the lists of the package justext; None if it is not installed.

    The package is not imported, as that would need lxml_html_clean.
    """
    spec = find_spec("justext")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "stoplists"


def justext_words(code: str, most: int | None = None) -> list[str] | None:
    """The list of jusText for a language, or its ``most`` frequent words, or None."""
    folder = justext_folder()
    path = folder / f"{NAMES[code]}.txt" if folder is not None else None
    if path is None or not path.is_file():
        return None
    with path.open(encoding="utf-8") as lines:
        return [line.rstrip("\n").lower() for line in islice(lines, most)]


# A crawl meets few languages; all of jusText's lists have 188,000 words.
@lru_cache(maxsize=32)
def stop_list(code: str) -> StopList | None:
    """The stop list of a language: jusText's, else that of stopwordsiso, else None."""
    words = justext_words(code)
    if words is not None:
        return StopList(frozenset(words), JUSTEXT_SHARE)
    return iso_list(code)


@lru_cache(maxsize=1)
def _iso_words() -> dict[str, list[str]]:
    """The words of stopwordsiso by language.

    They are read from its file: importing the package takes ten times as long.
    """
    # The package is a dependency, so it is there.
    folder, *_ = find_spec("stopwordsiso").submodule_search_locations  # type: ignore[misc, union-attr]
    file = Path(folder, "stopwords-iso.json")
    words: dict[str, list[str]] = json.loads(file.read_bytes())
    return words


def iso_list(code: str) -> StopList | None:
    """The stop list of stopwordsiso, or None for a language without a share."""
    if code not in SHARES:
        return None
    return StopList(frozenset(map(str.lower, _iso_words()[code])), SHARES[code])


@lru_cache(maxsize=1)
def _index() -> dict[str, tuple[str, ...]]:
    """The codes of the languages that have each of about 25,000 stop words."""
    index: dict[str, tuple[str, ...]] = {}
    for code in (*SHARES, *_ONLY_JUSTEXT):
        # Most words are of one language: these share a tuple.
        own, iso = (code,), iso_list(code)
        for word in iso.words if iso else justext_words(code, _WORDS) or ():
            known = index.get(word, ())
            if iso or _IN_FOOTNOTES.isdisjoint(known):
                index[word] = known + own
    return index


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without the punctuation around them."""
    return text.lower().translate(PUNCTUATION).split()


def pick_language(text: str, declared: str = "", doubt: _Doubt = _FINDING) -> str:
    """The code of a text's language, or "" if no list fits.

    The code that the page declares decides on short texts, and between similar lists.
    """
    by_script = script_language(text, "ja" if declared == "ja" else "zh")
    if by_script:
        return by_script
    index = _index()
    # Some lists have digits.
    counts = Counter(word for word in words_of(text) if not word.isdigit())
    total = counts.total()
    scores: defaultdict[str, float] = defaultdict(float)
    # In the order of the text: that of a set, and so the last bit of a sum, may differ
    # from one process to the next.
    for word, count in counts.items():
        for code in index.get(word, ()):
            scores[code] += count * _WEIGHTS[code]
    for code in _IF_DECLARED:
        if code != declared:
            scores.pop(code, None)
    lower = text.lower()
    for code in _FOREIGN.keys() & scores.keys():
        if 100 * sum(map(lower.count, _FOREIGN[code])) > len(lower):
            del scores[code]
    if declared in scores:
        scores[declared] *= doubt.declared
    if total < doubt.words or not scores:
        return declared
    # Ties are decided by the code, so that the answer is deterministic.
    best = max(sorted(scores), key=scores.__getitem__)
    return best if scores[best] >= doubt.least * total else ""


def _alphabet_language(text: str) -> str:
    """The language whose alphabet most letters of a text are of, "" for other texts."""
    letters = list(filter(str.isalpha, text))
    for code, ends in _ALPHABETS.items():
        if 2 * sum(ends[0] <= letter <= ends[1] for letter in letters) > len(letters):
            return code
    return ""


def text_language(text: str, declared: str = "") -> str:
    """The language of a text, or the one that its page declares if that is unsure."""
    code = language_code(declared) or ""
    if declared and not code:
        return declared  # of a language without a list a similar one would be found
    found = pick_language(
        text[:_SAMPLE], code, _CONTRADICTING if declared else _FINDING
    )
    if not declared and not found:
        return _alphabet_language(text[:_SAMPLE])
    return declared if found in ("", code) else found
