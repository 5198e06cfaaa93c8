"""jusText: blocks judged by length, links and stop words, then by their neighbours.

After Jan Pomikálek, "Removing Boilerplate and Duplicate Content from Web Corpora"
(2011), and the package jusText 3.0.2.  The first stage classifies each block by itself.
It is bad if it has many links or few stop words, short if it is too short to decide,
good if it is a long text, and near-good if it is a shorter one.  The second stage
decides on short and near-good blocks by the blocks around them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, compress
from typing import TYPE_CHECKING

from scrapy_eatext.algorithms.base import Algorithm, Options, Unit, Units, Verdict
from scrapy_eatext.algorithms.justext.reference import paragraphs
from scrapy_eatext.algorithms.language import (
    JUSTEXT_SHARE,
    NAMES,
    justext_folder,
    justext_words,
    language_code,
    pick_language,
    stop_list,
    words_of,
)
from scrapy_eatext.algorithms.scripts import (
    SCRIPTS,
    letters,
    script_language,
    sign_density,
)
from scrapy_eatext.algorithms.trail import PageError, Trail, TrailUnits
from scrapy_eatext.deadline import watched
from scrapy_eatext.declared import OptionError, number, switch
from scrapy_eatext.declared import text as string

if TYPE_CHECKING:
    from scrapy_eatext.page import Page
    from scrapy_eatext.page.blocks import Blocks

GOOD, NEAR_GOOD, SHORT, BAD = "good", "neargood", "short", "bad"

# The characters of a page's text by which its language is found.
_SAMPLE = 6_000
# With less text than this, in characters, results are uncertain.
_LITTLE = 200
_LANGUAGES = 'a language such as "en" or "English", "auto" or "none"'


@dataclass(frozen=True)
class JustextOptions(Options):
    """The thresholds of jusText, with its own names and defaults."""

    language: str = string(
        "auto",
        _LANGUAGES,
        'Whose stop words to look for: a code (`"en"`, `"pt-BR"`), or a name as jusText '
        'has it (`"English"`). `"auto"` takes the language whose stop list the page\'s '
        'words hit most. `"none"` looks at no stop words: every block passes as if it '
        "had enough.",
    )
    length_low: int = number(
        70, 0, 1_000_000, doc="Characters below which a block is short."
    )
    length_high: int = number(
        200, 0, 1_000_000, doc="Characters above which a block can be good by itself."
    )
    stopwords_low: float = number(
        0.30, 0, 1, doc="Density of stop words from which on a block is near-good."
    )
    stopwords_high: float = number(
        0.32, 0, 1, doc="Density of stop words from which on a block is good."
    )
    max_link_density: float = number(
        0.2, 0, 1, doc="The part of a block's characters that may be in links."
    )
    max_heading_distance: int = number(
        200,
        0,
        1_000_000,
        doc="Characters that may stand between a heading and the text that it belongs "
        "to.",
    )
    no_headings: bool = switch(False, "Treat headings as any other block.")


@dataclass(frozen=True, slots=True)
class _OwnClass:
    """The class of a block by itself, and the reason."""

    kind: str
    reason: str


_LINKS = _OwnClass(BAD, "many links")
_COPYRIGHT = _OwnClass(BAD, "copyright notice")
_CONTROL = _OwnClass(BAD, "form control")
_SHORT_LINK = _OwnClass(BAD, "short, with a link")
_SHORT = _OwnClass(SHORT, "short")
_TEXT = _OwnClass(GOOD, "long, many stop words")
_SOME_TEXT = _OwnClass(NEAR_GOOD, "medium long, many stop words")
_PERHAPS_TEXT = _OwnClass(NEAR_GOOD, "some stop words")
_NO_TEXT = _OwnClass(BAD, "few stop words")

# The final reasons of blocks that are neither good nor bad by themselves.
_IN_CONTEXT = {
    (own, kept): f"{own.reason}, {where}"
    for own in (_SHORT, _SOME_TEXT, _PERHAPS_TEXT)
    for kept, where in ((True, "beside good text"), (False, "no good text beside"))
}

# The score of a block, by its own class and whether it is kept.
_SCORES = {
    (GOOD, True): 1.0,
    (NEAR_GOOD, True): 0.8,
    (SHORT, True): 0.6,
    (NEAR_GOOD, False): 0.4,
    (SHORT, False): 0.2,
    (BAD, False): 0.0,
}


class Justext(Algorithm[JustextOptions]):
    """jusText on a page's blocks, or, with ``reference``, exactly as its package."""

    name = "justext"
    version = "1"
    options_class = JustextOptions

    def __init__(self, options: JustextOptions) -> None:
        super().__init__(options)
        self._language = options.language.strip().lower()
        if options.reference and justext_folder() is None:
            raise OptionError(
                "reference",
                True,
                "False where jusText's own stop lists are not installed"
                ' (pip install "scrapy-eatext[justext]")',
            )
        if self._language in ("auto", "none"):
            return
        self._language = language_code(options.language) or ""
        words_in = justext_words if options.reference else stop_list
        by_character = self._language in SCRIPTS and not options.reference
        if not self._language or not (by_character or words_in(self._language)):
            raise OptionError("language", options.language, _LANGUAGES)

    def judge(self, page: Page) -> Verdict:
        return self._as_original(page) if self.options.reference else self._blocks(page)

    def _blocks(self, page: Page) -> Verdict:
        blocks = page.blocks
        texts = blocks.texts()
        widths = zip(texts, blocks.chars, blocks.column("wide"), strict=True)
        lengths = [letters(text) if wide else chars for text, chars, wide in widths]
        language = self._language_of(page, lambda: _sample(blocks, texts))
        measure = _measure(language, mixed=self._language == "auto")
        # A long text with the copyright sign is no copyright notice.
        long = self.options.length_high
        bad = [
            _COPYRIGHT if "©" in text and length <= long else None
            for text, length in zip(texts, lengths, strict=True)
        ]
        rows = zip(texts, lengths, blocks.link_chars, bad, strict=True)
        own = [self._own(*row, measure) for row in watched(rows)]
        return self._verdict(blocks, own, lengths, language)

    def _as_original(self, page: Page) -> Verdict:
        try:
            originals, trail = paragraphs(page.html if page.body is None else page.body)
        except PageError:
            originals, trail = [], Trail()
        texts = [p.text for p in originals]
        lengths = list(map(len, texts))
        language = self._language_of(page, lambda: "\n".join(texts)[:_SAMPLE])
        words = justext_words(language) if language in NAMES else None
        # The original splits words at white space alone.
        measure = _of_words(frozenset(words or ()), 1.0, lambda t: t.lower().split())
        own = []
        for p, length in zip(originals, lengths, strict=True):
            bad = _CONTROL if p.in_select else None
            if "©" in p.text or "&copy" in p.text:
                bad = _COPYRIGHT
            own.append(self._own(p.text, length, p.link_chars, bad, measure))
        kinds = ["heading" if p.heading else "paragraph" for p in originals]
        units = TrailUnits(map(Unit, texts, kinds), [p.place for p in originals], trail)
        verdict = self._verdict(units, own, lengths, language)
        return replace(verdict, text="\n".join(compress(texts, verdict.kept)))

    def _language_of(self, page: Page, sample: Callable[[], str]) -> str:
        if self._language != "auto":
            return self._language
        return pick_language(sample(), language_code(page.language) or "")

    def _verdict(
        self,
        units: Units,
        own: Sequence[_OwnClass],
        lengths: Sequence[int],
        language: str,
    ) -> Verdict:
        options = self.options
        kinds = [o.kind for o in own]
        if not options.reference and GOOD not in kinds:
            # On a page of short texts, near-good blocks count as good.
            kinds = [GOOD if kind == NEAR_GOOD else kind for kind in kinds]
        final = revise(
            kinds,
            [units.kind(i) == "heading" for i in range(len(units))],
            lengths,
            # Nothing is near then.
            -1 if options.no_headings else options.max_heading_distance,
            headings_first=not options.reference,
        )
        kept = [kind == GOOD for kind in final]
        judged = list(zip(own, kept, strict=True))
        return Verdict(
            units,
            kept,
            [_SCORES[o.kind, k] for o, k in judged],
            [_IN_CONTEXT.get((o, k), o.reason) for o, k in judged],
            score=_sureness(own, kept, lengths),
            language=language,
        )

    def _own(
        self,
        text: str,
        length: int,
        link_chars: int,
        bad: _OwnClass | None,
        measure: Callable[[str], float],
    ) -> _OwnClass:
        """The class of a block by itself; ``bad`` is one that its words do not decide."""
        options = self.options
        if link_chars / len(text) > options.max_link_density:
            return _LINKS
        if bad is not None:
            return bad
        if length < options.length_low:
            return _SHORT_LINK if link_chars else _SHORT
        density = measure(text)
        if density >= options.stopwords_high:
            return _TEXT if length > options.length_high else _SOME_TEXT
        return _PERHAPS_TEXT if density >= options.stopwords_low else _NO_TEXT


def _sample(blocks: Blocks, texts: Sequence[str]) -> str:
    """A sample of a page's text, of running text if it has any, to find its language."""
    columns = map(blocks.column, ("words", "wide", "chars", "link_chars"))
    rows = list(zip(texts, *columns, strict=True))
    for least in (8, 0):
        size, sample = 0, []
        for text, words, wide, chars, link_chars in rows:
            # In scripts without spaces running text is one word of many characters.
            if max(words, wide) >= least and 2 * link_chars <= chars:
                sample.append(text[:_SAMPLE])
                size += len(sample[-1])
                if size > _SAMPLE:
                    break
        if size >= _LITTLE:
            break
    return "\n".join(sample)


def _of_words(
    words: frozenset[str], scale: float, split: Callable[[str], list[str]]
) -> Callable[[str], float]:
    """A function for the density of stop words in a text, times ``scale``.

    Without stop words it is 1, which passes every threshold.
    """

    def density(text: str) -> float:
        if not words:
            return 1.0
        parts = split(text)
        return scale * sum(map(words.__contains__, parts)) / max(len(parts), 1)

    return density


def _measure(language: str, *, mixed: bool) -> Callable[[str], float]:
    """A function for the density of stop words, or of grammatical signs, in a language.

    With ``mixed``, the script of each block decides whether it is measured by character.
    """
    stop = stop_list(language) if language in NAMES else None
    words, share = (stop.words, stop.share) if stop else (frozenset(), 1.0)
    of_words = _of_words(words, JUSTEXT_SHARE / share, words_of)
    if not mixed and language not in SCRIPTS:
        return of_words

    def measure(text: str) -> float:
        script = language
        if mixed:
            script = script_language(text, "ja" if language == "ja" else "zh")
            if not script and language not in SCRIPTS:
                return of_words(text)
        script = script or language
        return JUSTEXT_SHARE / SCRIPTS[script].share * sign_density(text, script)

    return measure


def _sureness(
    own: Sequence[_OwnClass], kept: Sequence[bool], lengths: Sequence[int]
) -> float:
    """The share of kept text that is good, or half near-good, lowered if it is little."""
    worth = {GOOD: 1.0, NEAR_GOOD: 0.5}
    total = sum(compress(lengths, kept))
    weighed = (worth.get(o.kind, 0.0) * n for o, n in zip(own, lengths, strict=True))
    return sum(compress(weighed, kept)) / (total + _LITTLE) if total else 0.0


def revise(
    own: Sequence[str],
    headings: Sequence[bool],
    lengths: Sequence[int],
    max_heading_distance: int,
    *,
    headings_first: bool,
) -> list[str]:
    """The final classes, good or bad, from the blocks' own classes, in linear time.

    With ``headings_first``, a short heading shortly before a good block first becomes
    near-good, as in jusText's documentation.  Its code never does this, as it compares
    classes that are not set yet.
    """
    classes = list(own)

    def lift_headings(to: str, liftable: Callable[[int], bool]) -> None:
        # The characters between a block and the next good one.
        away = math.inf
        for i in range(len(classes) - 1, -1, -1):
            was_good = classes[i] == GOOD
            if headings[i] and away <= max_heading_distance and liftable(i):
                classes[i] = to
            away = 0 if was_good else away + lengths[i]

    if headings_first:
        lift_headings(NEAR_GOOD, lambda i: classes[i] == SHORT)
    _decide_short(classes)
    _decide_near_good(classes)
    lift_headings(GOOD, lambda i: classes[i] == BAD and own[i] != BAD)
    return classes


def _nearest(classes: Sequence[str], *passed: str) -> list[tuple[str, str]]:
    """For each block the classes of the nearest ones before and after it.

    Blocks of a class in ``passed`` are passed over; there are bad ones at the ends.
    """

    def step(nearest: str, one: str) -> str:
        return nearest if one in passed else one

    before, after = (
        list(accumulate(order, step, initial=BAD))[:-1]
        for order in (classes, reversed(classes))
    )
    return list(zip(before, reversed(after), strict=True))


def _decide_short(classes: list[str]) -> None:
    """Make every short block good or bad by the nearest good or bad block on each side.

    Between two good ones it is good, between two bad ones bad.  Between a good and a bad
    one it is good only if, on the bad side, the nearest block that is not short is
    near-good.
    """
    decided = _nearest(classes, SHORT, NEAR_GOOD)
    not_short = _nearest(classes, SHORT)
    for i, around in enumerate(decided):
        if classes[i] == SHORT:
            sides = zip(around, not_short[i], strict=True)
            leads_up = BAD not in around or (BAD, NEAR_GOOD) in sides
            classes[i] = GOOD if GOOD in around and leads_up else BAD


def _decide_near_good(classes: list[str]) -> None:
    """Make near-good blocks good, unless the nearest others on both sides are bad."""
    for i, around in enumerate(_nearest(classes, NEAR_GOOD)):
        if classes[i] == NEAR_GOOD:
            classes[i] = BAD if around == (BAD, BAD) else GOOD
