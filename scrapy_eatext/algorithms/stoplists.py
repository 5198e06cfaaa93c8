"""Stop lists by language, and the share of running text that each makes up.

The lists are those of the package stopwordsiso and, if it is installed, of jusText.
A list of jusText has a language's most frequent words, as many as make up about 55
percent of running text, and jusText's thresholds on the density of stop words are
fitted to that.  Other lists make up other shares: so each comes with its share, and a
density found with it is put in proportion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

# What part of running text is in a list of jusText.  With the frequencies of
# wordfreq it is .45 to .63 in 38 languages, .55 in the mean
# (tools/stop_list_shares.py).
JUSTEXT_SHARE = 0.55

# The languages by code.  The names are jusText's where it has the language.
NAMES = {
    "af": "Afrikaans",
    "an": "Aragonese",
    "ar": "Arabic",
    "ast": "Asturian",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "be-tarask": "Belarusian_Taraskievica",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "bpy": "Bishnupriya_Manipuri",
    "br": "Breton",
    "bs": "Bosnian",
    "ca": "Catalan",
    "ceb": "Cebuano",
    "cs": "Czech",
    "cv": "Chuvash",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "fy": "West_Frisian",
    "ga": "Irish",
    "gl": "Galician",
    "gu": "Gujarati",
    "ha": "Hausa",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "ht": "Haitian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "ig": "Igbo",
    "io": "Ido",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "jv": "Javanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "ku": "Kurdish",
    "ky": "Kyrgyz",
    "la": "Latin",
    "lb": "Luxembourgish",
    "lmo": "Lombard",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mr": "Marathi",
    "ms": "Malay",
    "mt": "Maltese",
    "my": "Burmese",
    "nap": "Neapolitan",
    "nds": "Low_Saxon",
    "ne": "Nepali",
    "new": "Newar",
    "nl": "Dutch",
    "nn": "Norwegian_Nynorsk",
    "no": "Norwegian_Bokmal",
    "oc": "Occitan",
    "pl": "Polish",
    "pms": "Piedmontese",
    "pnb": "Western_Panjabi",
    "pt": "Portuguese",
    "qu": "Quechua",
    "ro": "Romanian",
    "ru": "Russian",
    "rup": "Aromanian",
    "scn": "Sicilian",
    "sgs": "Samogitian",
    "sh": "Serbo_Croatian",
    "simple": "Simple_English",
    "sk": "Slovak",
    "sl": "Slovenian",
    "so": "Somali",
    "sq": "Albanian",
    "sr": "Serbian",
    "st": "Sotho",
    "su": "Sundanese",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "th": "Thai",
    "tk": "Turkmen",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vi": "Vietnamese",
    "vo": "Volapuk",
    "wa": "Walloon",
    "war": "Waray_Waray",
    "yo": "Yoruba",
    "zh": "Chinese",
    "zu": "Zulu",
}
_CODES = {name.lower(): code for code, name in NAMES.items()} | {
    # other names and codes for the same
    "fil": "tl",
    "in": "id",
    "iw": "he",
    "nb": "no",
    "norwegian": "no",
    "cmn": "zh",
    "yue": "zh",
    "wuu": "zh",
}

# The part of running text that is in each list of stopwordsiso 0.7.1, by
# tools/stop_list_shares.py: from the frequencies of wordfreq, and where that
# lacks the language from the ranks of the words in jusText's list.  Hausa,
# Somali, Sotho and Zulu are in neither and have a guess.  Not here are the
# languages that write without spaces or join particles to words: those are
# measured by character.
SHARES = {
    "af": 0.42,
    "ar": 0.28,
    "bg": 0.51,
    "bn": 0.34,
    "br": 0.58,
    "ca": 0.52,
    "cs": 0.40,
    "da": 0.54,
    "de": 0.56,
    "el": 0.39,
    "en": 0.60,
    "eo": 0.36,
    "es": 0.60,
    "et": 0.15,
    "eu": 0.20,
    "fa": 0.44,
    "fi": 0.38,
    "fr": 0.60,
    "ga": 0.46,
    "gl": 0.45,
    "gu": 0.28,
    "ha": 0.30,
    "he": 0.23,
    "hi": 0.45,
    "hr": 0.37,
    "hu": 0.45,
    "hy": 0.23,
    "id": 0.48,
    "it": 0.56,
    "la": 0.22,
    "lt": 0.19,
    "lv": 0.24,
    "mr": 0.18,
    "ms": 0.39,
    "nl": 0.57,
    "no": 0.54,
    "pl": 0.44,
    "pt": 0.56,
    "ro": 0.46,
    "ru": 0.41,
    "sk": 0.39,
    "sl": 0.43,
    "so": 0.30,
    "st": 0.30,
    "sv": 0.59,
    "sw": 0.36,
    "tl": 0.51,
    "tr": 0.26,
    "uk": 0.15,
    "ur": 0.25,
    "vi": 0.38,
    "yo": 0.27,
    "zu": 0.30,
}


@dataclass(frozen=True, slots=True)
class StopList:
    """The stop words of a language in lower case, and their share of running text."""

    words: frozenset[str]
    share: float


def language_code(language: str) -> str | None:
    """The code of a language given by code ("en", "en-GB") or name ("English").

    None where there is no such language.
    """
    key = language.strip().lower().replace(" ", "_")
    if key in NAMES:
        return key
    if key in _CODES:
        return _CODES[key]
    primary = key.replace("_", "-").partition("-")[0]
    return primary if primary in NAMES else _CODES.get(primary)


@lru_cache(maxsize=1)
def justext_folder() -> Path | None:
    """Where the lists of the package justext are; None if it is not installed.

    The package is not imported: it needs lxml_html_clean, the lists do not.
    """
    found = find_spec("justext")
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "stoplists"


def justext_words(code: str) -> list[str] | None:
    """A language's list of jusText, the most frequent word first; None without one."""
    folder = justext_folder()
    path = folder / f"{NAMES[code]}.txt" if folder is not None else None
    if path is None or not path.is_file():
        return None
    return [line.lower() for line in path.read_text(encoding="utf-8").splitlines()]


# A crawl meets few languages; all of jusText's lists would be 188,000 words.
@lru_cache(maxsize=32)
def stop_list(code: str) -> StopList | None:
    """The stop list of a language: jusText's own, else that of stopwordsiso.

    None where neither has the language.
    """
    words = justext_words(code)
    if words is not None:
        return StopList(frozenset(words), JUSTEXT_SHARE)
    return iso_list(code)


def iso_list(code: str) -> StopList | None:
    """The stop list of stopwordsiso, or None where it has no use for a language."""
    from stopwordsiso import stopwords

    if code not in SHARES:
        return None
    return StopList(frozenset(word.lower() for word in stopwords(code)), SHARES[code])
