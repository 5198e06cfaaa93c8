"""Stop lists by language, and the share of running text that each makes up.

The lists are those of the package stopwordsiso and, if it is installed, of jusText.  A
list of jusText has a language's most frequent words, which make up about 55 percent of
running text, and jusText's thresholds on the density of stop words assume this.  Other
lists make up other shares: each comes with its share, by which a density is scaled.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

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
    other: row["code"]
    for row in _LANGUAGES
    for other in (row["name"].lower(), *row["others"].split())
}


@dataclass(frozen=True, slots=True)
class StopList:
    """The stop words of a language in lower case, and their share of running text."""

    words: frozenset[str]
    share: float


def language_code(language: str) -> str | None:
    """The code of a language by code ("en", "en-GB") or name ("English"), or None."""
    key = language.strip().lower().replace(" ", "_")
    if key in NAMES:
        return key
    if key in _CODES:
        return _CODES[key]
    primary = key.replace("_", "-").partition("-")[0]
    return primary if primary in NAMES else _CODES.get(primary)


@lru_cache(maxsize=1)
def justext_folder() -> Path | None:
    """The folder of the lists of the package justext; None if it is not installed.

    The package is not imported, as that would need lxml_html_clean.
    """
    spec = find_spec("justext")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "stoplists"


def justext_words(code: str) -> list[str] | None:
    """The list of jusText for a language, most frequent words first, or None."""
    folder = justext_folder()
    path = folder / f"{NAMES[code]}.txt" if folder is not None else None
    if path is None or not path.is_file():
        return None
    return [line.lower() for line in path.read_text(encoding="utf-8").splitlines()]


# A crawl meets few languages; all of jusText's lists have 188,000 words.
@lru_cache(maxsize=32)
def stop_list(code: str) -> StopList | None:
    """The stop list of a language: jusText's, else that of stopwordsiso, else None."""
    words = justext_words(code)
    if words is not None:
        return StopList(frozenset(words), JUSTEXT_SHARE)
    return iso_list(code)


def iso_list(code: str) -> StopList | None:
    """The stop list of stopwordsiso, or None for a language without a share."""
    from stopwordsiso import stopwords

    if code not in SHARES:
        return None
    return StopList(frozenset(word.lower() for word in stopwords(code)), SHARES[code])
