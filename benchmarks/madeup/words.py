"""Sentences from lists of words, in five languages and three manners of speaking."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random


@dataclass(frozen=True, eq=False)
class Speech:
    """What sentences are made of; ``#`` stands for a number."""

    subjects: list[str]
    verbs: list[str]
    objects: list[str]
    places: list[str]
    joints: list[str]
    said: str
    quotes: str

    def clause(self, rng: Random) -> str:
        parts = (self.subjects, self.verbs, self.objects)
        return _numbered(" ".join(map(rng.choice, parts)), rng)

    def sentence(self, rng: Random) -> str:
        text = self.clause(rng)
        if rng.random() < 0.7:
            text += f" {rng.choice(self.places)}"
        if rng.random() < 0.4:
            text += f", {rng.choice(self.joints)} {self.clause(rng)}"
        text = f"{text[0].upper()}{_numbered(text[1:], rng)}."
        if rng.random() < 0.1:
            start, end = self.quotes
            text = f"{start}{text[:-1]},{end} {self.said} {name(rng)}."
        return text

    def paragraph(self, rng: Random, sentences: int | None = None) -> str:
        count = sentences or rng.randint(2, 6)
        return " ".join(self.sentence(rng) for _ in range(count))

    def text(self, rng: Random, words: int) -> list[str]:
        """Paragraphs that have so many words or a few more."""
        found: list[str] = []
        while words > 0:
            found.append(self.paragraph(rng))
            words -= found[-1].count(" ") + 1
        return found

    def title(self, rng: Random) -> str:
        text = self.clause(rng)
        if rng.random() < 0.4:
            text += f" {rng.choice(self.places)}"
        return text[0].upper() + _numbered(text[1:], rng)


def _numbered(text: str, rng: Random) -> str:
    return text.replace("#", str(rng.randint(3, 90))) if "#" in text else text


def slug(title: str) -> str:
    """A title as part of an address."""
    plain = unicodedata.normalize("NFKD", title.lower().replace("ß", "ss"))
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode()).strip(
        "-"
    )


FIRST = "Alma Bruno Clara Dario Edith Felix Greta Hugo Ines Jonas Karla Leon Mira Nils \
Olga Paul Rosa Simon Thea Viktor Wanda Yusuf Zita Anton".split()
LAST = "Abel Brandt Castell Dorn Ekman Ferrari Grant Holm Iversen Jansen Keller Lund \
Moreau Novak Olsen Pereira Quint Rossi Sander Torres Ulrich Vidal Winter Zeller".split()


def name(rng: Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def _read() -> Iterator[tuple[str, Speech]]:
    """The speeches of words.txt, a paragraph each; a list goes on behind a ``|``."""
    text = Path(__file__).with_name("words.txt").read_text("utf-8")
    for paragraph in text.replace("|\n", "|").split("\n\n"):
        key, *lists, said, quotes = paragraph.splitlines()
        yield key, Speech(*(words.split("|") for words in lists), said, quotes)


# By language; and as people write in a forum or a diary, and as manuals are written.
LANGUAGES = dict(_read())
TALK, MANUAL = LANGUAGES.pop("talk"), LANGUAGES.pop("manual")
