"""Finds the names of people in the texts of bylines, and in values for machines.

It reads texts alone; visible.py finds the texts on a page.
"""

from __future__ import annotations

import re

from scrapy_eatext.page import dates
from scrapy_eatext.page.values import COMMAS

# The most characters of a name.
MAX_NAME = 60
_DIGIT = re.compile(r"\d")
# Words that make a "by" after them a byline's, in languages where "by" has more
# meanings.
_MADE = (
    r"(?:geschrieben|verfasst|erstellt|veröffentlicht|artikel|beitrag|publié|écrit|rédigé"
    r"|publicad[ao]|escrit[ao]|redactad[ao]|postado|geschreven|geplaatst|gepubliceerd"
    r"|skrevet|skriven|publicerad|publisert|diposting|ditulis)"
)
_BY = re.compile(
    r"^(?:(?:(?:article|post|posted|published|reported|reviewed|story|submitted|text|words"
    r"|written)\s+)?by|"
    rf"(?:(?:ein\s)?{_MADE}\s)?(?:von|par|por|door|av|af|oleh)|di|scritto\sda"
    r"|author(?:ed by|s)?|autor|auteur|written\s+by|מאת|بقلم)\b\s*(?::\s*|\s+|$)"
    # A link or another element may begin directly behind it.
    r"|^(?:written\s+)?by(?=(?-i:[A-Z][a-z.]))"
    # Words that begin a byline only before a colon.
    r"|^(?:interview|авторы?|текст|te(?:xte?|kst)(?:\s(?:och|og|und|en)\s[^\W\d_]{4,9})?|yazar|yazan"
    r"|penulis|tác giả|írta|kirjoittaja|συντάκτης|الكاتب|كتبت?|نویسنده|تحریر|כתבה?|लेखक|লেখক|எழுதியவர்"
    r"|โดย|ผู้เขียน|ដោយ|ავტორი|հեղինակ|ጸሐፊ"
    r"|作者|记者|記者|编辑|著者|執筆者?|筆者|投稿者|撰文|文|글|기자)\s?[:：＝՝፦៖]\s*"
    r"|^(?:โดย|ရေးသားသူ\s?-)\s+|^γράφει\s(?:ο|η)\s+"
    # The same person may have taken the photographs.
    r"|^(?:取材・)?文(?:・(?:写真|構成))*[・＝／](?!写真|構成)(?=\w)"
    # In Greek the name is in the genitive.
    r"|^(?:του|της)\s+(?=(?-i:[Ά-Ϋ][ά-ώ]+\s[Ά-Ϋ][ά-ώ]+)\s{0,9}(?:[^\w\s]|\d|$))"
    # "Reporter" before a name, in Chinese.
    r"|^(?:本报|本報)?(?:(?:作者|记者|記者|文|撰文)[\s/／|]{1,3}|(?:记者|記者)(?=[^\s／/|]{2,4}[／/]))"
    # Such a set takes milliseconds to compile, and twice as many without (?-i:).
    r"(?=(?-i:[\u4e00-\u9fff]{2,4})(?:[\s／/|]|$))",
    re.IGNORECASE,
)
# In Korean a name stands before the word for reporter.
_REPORTER = re.compile(r"([\uac00-\ud7a3]{2,4})\s?(?:기자|특파원)(?![\uac00-\ud7a3])")
# Where a name ends in a byline; runs of spaces are bounded, for linear time.  In
# Chinese, Japanese and Korean the next label may follow after a space.
_NAME_END = re.compile(
    r"\s{0,9}(?:[|•·⋅»—–;:：،\n(\[（<／]|(?<!\s)/(?!\s)|\s(?-i:[\u3400-\u9fff\uac00-\ud7a3]){1,6}[:：]"
    r"|\s-\s|\s\d|\s@|[^\s@]{0,40}@[^\s@]{1,40}\.|\bon\s|\b(?:in|for|at)(?:\s|$)|\ben\s(?!\S+\s{1,9}\S)"
    r"|(?-i:\s(?:le|el|am|op|il)\s{0,9}(?:\d|$))"
    r"|\bupdated|\b(?:re)?publi(?:shed\b|é|cad|cerad|sert)|\bposted\b|\bcomments?\b"
    r"|\breviewed\b|\bread more\b|\bwritten\b|\blast\s|(?-i:(?<=[a-z])(?:Publish|Updated|Posted)))",
    re.IGNORECASE,
)
# A byline in the middle of a line: the name begins with a capital.
_BY_INSIDE = re.compile(
    r"(?:^|[|·•—–\d,-]\s{0,3}|\b(?:article|asked|authored|created|post|posted|published"
    r"|started|story|submitted|text|words|written)\s{1,3})by:?\s+(?=[^\W\d_])"
    r"|\bposted in [^,.]{1,40}? by\s+(?=[^\W\d_])"
    rf"|(?:\b{_MADE}|(?P<dated>\b(?:19|20)\d\d,?|:\d\d))\s(?:von|par|por|door|av|af)\s"
    r"(?=[^\W\d_])"
    r"|(?<=\s)(?:作者|记者|記者|著者|執筆者|筆者)\s?[:：]\s?",
    re.IGNORECASE,
)
# What parts a byline from the date beside it.
_BESIDE = re.compile(r"\s[|•·⋅–—-]\s")
# A line in which _BY_INSIDE matches has one of these words, "by" or 者.
_BYS = frozenset(("von", "par", "por", "door", "av", "af"))
# A word of a name, or an initial.
_CAPITAL = re.compile(r"[^\W\d_][\w.'’-]*")
# Separators of names.  Words for "and" that may be part of a name, or have another
# meaning as "en" in Spanish, count only before a full name.
_AND = re.compile(
    r",?\s{1,9}(?:and|&|und|et|och|og|with)\s{1,9}"
    r"|,?\s{1,9}(?:y|e|i|en|и)\s{1,9}(?=[^\W\d_]\S*\s{1,9}[^\W\d_])"
    r"|\s?[，、]\s?|\s/\s",
    re.IGNORECASE,
)
# A comma, unless a part of the name such as "Jr" follows.
_LIST_COMMA = re.compile(r",(?!\s{0,9}(?:jr|sr|ii|iii)\b)\s*", re.IGNORECASE)
# Words of jobs, which may stand after a name.
_JOBS = frozenset(
    "analyst bureau ceo chief columnist contributing contributor correspondent cto deputy "
    "desk director editor editors expert founder freelance freelancer intern journalist "
    "lecturer manager managing officer photographer photojournalist president producer "
    "professor redakteur redakteurin reporter reporters researcher senior special staff "
    "writer writers".split()
)
# Separators of names in a value for machines.
_BETWEEN = re.compile(
    rf"\s{{0,9}}[{COMMAS}]\s{{0,9}}(?:(?:and|und|et|&)\s{{1,9}})?"
    r"|\s{0,9}[|&]\s{0,9}|\s(?:and|und|et)\s"
)
_NO_NAME = frozenset(
    "about admin administrator advertisement all anonymous article author authors bio by "
    "category comment comments contributor correspondent default desk details e-mail edit "
    "editor editorial editors email facebook fail false featured follow foto guest home "
    "info information interest interview login message more n/a nan nobody none null "
    "obituaries opinion our permalink photo "
    "photography photos post posts "
    "press print profile published read release released reply reporter senior share "
    "special staff subscribe super team the this true tweet twitter undefined unknown "
    "update updated us user version view web website writer writers written".split()
)
# The ends of names that have a dot, as they are abbreviations.
_DOTTED = re.compile(r"\b(?:Corp|Inc|[JS]r|Ltd)\Z")
# Web and mail addresses, and signs of unfilled templates.
_ADDRESS = re.compile(r"://|^www\.|\S@\S+\.\S|[{}\[\]<>]|%%")


def trimmed(text: str) -> str:
    """A name without punctuation around it, but with the dot of an abbreviation."""
    name = text.strip(" ,.*@●\t")
    return f"{name}." if _DOTTED.search(name) and f"{name}." in text else name


def without_by(text: str) -> str:
    """A byline without the "by" before its names."""
    return _BY.sub("", text, count=1)


def names_by(line: str, following: str) -> list[str]:
    """The names after a "by" in a line, or in the next line if the "by" is alone."""
    if (by := _BY.match(line)) is not None:
        is_alone = not any(map(str.isalnum, line[by.end() :]))
        # A name in small letters is a user name.
        return [
            name
            for name in names_in(f"{line}\n{following}" if is_alone else line)
            if not (name.isalpha() and _is_small(name))
        ]
    parts = [part for part in _BESIDE.split(line)[1:] if _BY.match(part)]
    if parts and has_date(line):
        return [
            name for name in names_in(parts[0]) if not _is_small(name.split()[-1][0])
        ]
    lower = line.lower()
    if "by" in lower or "者" in lower or not _BYS.isdisjoint(lower.split()):
        match = _BY_INSIDE.search(line)
        if match is None:
            return []
        name = line[match.end() :]
        if match["dated"] and not has_date(line[: match.end("dated")]):
            return []
        if name[:1].isupper() or "者" in match[0]:
            return names_in(name)
    elif "기자" in line or "특파원" in line:
        matches = map(_REPORTER.match, _BESIDE.split(line))
        return [match[1] for match in matches if match][:1]
    return []


def is_full_name(text: str) -> bool:
    """Whether a text looks like a first and a family name."""
    words = text.split()
    return 2 <= len(words) <= 4 and all(
        _CAPITAL.fullmatch(word)
        and word[0].isupper()
        and not word.isupper()
        and not dates.is_month(word)
        and word.lower() not in _NO_NAME
        for word in words
    )


def names_in(text: str) -> list[str]:
    """The names in a byline, none if it does not look like a byline."""
    line = without_by(text.strip()).partition("\n")[0]
    if all(word.strip(":").lower() in _NO_NAME for word in line.split()):
        return []  # labels
    if _DIGIT.search(line):
        _, begin, _ = next(dates.found(line), ("", len(line), 0))
        line = line[:begin]
    end = _NAME_END.search(line)
    if end:
        line = line[: end.start()]
        before, _, last = line.rpartition(" ")
        # The month of a date that could not be read, as of one without a year.
        line = before if dates.is_month(last) else line
    return list(filter(is_name, map(trimmed, _listed(line))))


def has_date(line: str) -> bool:
    return bool(_DIGIT.search(line)) and any(dates.found(line))


def _listed(line: str) -> list[str]:
    """The names in a list, without the job, place or agency after a name's comma."""
    first, *others = _AND.split(line)
    name, *behind = _LIST_COMMA.split(first)
    names = [name]
    if others and all(map(is_full_name, behind)):
        # In "A, B and C" commas separate names.
        names += [*behind, *(_LIST_COMMA.split(part)[0] for part in others)]
    return names


def people_in(text: str) -> list[str]:
    """The names in a value for machines, which may have several names and jobs.

    A value that does not look so is one name, as that of a company.
    """
    parts = [part for part in _BETWEEN.split(text) if part]
    names = [part for part in parts if _may_be_one(part)]
    others = [part for part in parts if not _may_be_one(part)]
    # Otherwise it is as Food and Drug Administration, or Smith, John.
    is_list = names[:1] == parts[:1] and all(map(is_job, others))
    return names if is_list else [text]


def _may_be_one(name: str) -> bool:
    """Whether a text looks like one whole name, by its words or its script."""
    words = name.split()
    if any(word.lower() in _JOBS or word.lower() in _NO_NAME for word in words):
        return False
    if name.upper() == name.lower():
        return any(c.isalpha() for c in name)
    return 2 <= len(words) <= 5 and words[-1][0].isupper()


def is_job(text: str) -> bool:
    """Whether a text has a word of jobs."""
    return any(word in _JOBS for word in text.replace(".", "").lower().split())


def is_uncapitalized(text: str) -> bool:
    """Whether a value for machines may be a first and a family name in small letters."""
    words = text.split()
    return 2 <= len(words) <= 4 and all(
        word.isalpha() and word.islower() and word not in _JOBS and word not in _NO_NAME
        for word in words
    )


def _is_small(text: str) -> bool:
    """Whether a text is in small letters, in a script that begins names with capitals.

    Georgian has capitals, but does not.
    """
    return text.islower() and text != text.title()


def is_name(text: str) -> bool:
    """Whether a text may be a name."""
    words = text.split()
    if not words or len(text) > MAX_NAME or len(words) > 6:
        return False
    if _ADDRESS.search(text) or all(word.lower() in _NO_NAME for word in words):
        return False
    if dates.is_month(words[0]) and (
        len(words) == 1 or not words[-1][0].isupper() or _DIGIT.search(text)
    ):
        # It is a date, but for people whose name is Jan, May or August.
        return False
    if len(words) > 1 and not any(word[0].isupper() for word in words):
        # In scripts without capitals any words may be a name.
        return not any(map(_is_small, text))
    first = words[0]
    if len(words) > 1 and first.isalpha() and _is_small(first):
        return False
    return any(c.isalpha() for c in text)
