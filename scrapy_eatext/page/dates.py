"""Reads dates as pages write them, and returns them in ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timezone
from pathlib import Path
from time import time

# Month names and their usual short forms in the languages of most pages, a line for each
# month, the last line for those of Iran.  If a name is another month in another language,
# as Polish and Croatian listopada, the language of more pages counts, except for _DOTTED.
_LINES = Path(__file__).with_name("months.txt").read_text("utf-8").splitlines()
_MONTH_OF = {
    name: number for number in range(1, 13) for name in _LINES[number - 1].split()
}
_PERSIAN = {name: number for number, name in enumerate(_LINES[12].split(), 1)}
# Croatian writes a dot behind the day; Polish, where it is the next month, does not.
_DOTTED = {"listopada": 10, "lis": 10}

# Each repetition is bounded, so searching takes linear time.
# AM or PM and a time zone, which may follow a time of day; the groups are A or P and
# the zone.  The lookahead keeps GMT+0200 from being read as GMT.
_BEHIND = (
    r"(?:\s?([AaPp])\.?[Mm]\b\.?)?(?:\s?((?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?(?!\d)"
    r"|(?:UTC|GMT|[Zz])(?!\s?[+-]\d)|[+-]\d\d:?\d\d|[+-]\d\d\Z))?"
)
# The groups: year, separator, month, day, hour, minute, second, A or P, zone.
_ISO = re.compile(
    r"((?:19|20)\d\d)([-/.]?)(\d{1,2})\2(\d{1,2})"
    r"(?:(?:T|t|\s{1,3}|(?<=\d{8}))(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d{1,9})?"
    rf"{_BEHIND})?(?!\d)"
)
# Seconds or milliseconds since 1970, of the years from 2001 to 2033.
_SINCE_1970 = re.compile(r"(1\d{9})(?:\d{3})?(?:\.\d{1,9})?")
_WORD = r"[^\W\d_]{3,12}"
# In some scripts words contain combining marks, and the names of some months have two
# characters.  Thai abbreviates months with dots.
_ANY_WORD = (
    r"(?:[^\W\d_][^\s\d!-@\[-`{-\xb4\xb6-\xbf،\u2000-\u200b\u200e-\u206f\u3000-\u303f]{2,11}"
    r"|[\u0e01-\u0e2e\u0e40]{1,2}\u0e34?\u0e35?\.[\u0e01-\u0e2e]\.|[\u0620-\u139f]{2})"
)
_DATE = re.compile(
    rf"(?<!\d)(?=\d)(?:(?:(?P<d1>\d{{1,2}})(?P<dot>\.)?(?:st|nd|rd|th|er|º)?\s{{0,3}}"
    rf"(?:de\s|d['’]|of\s|/|-)?(?P<m1>{_ANY_WORD})\.?[,،]?(?:\s{{0,3}}(?:del?\s|of\s|[คพ]\.ศ\.\s?)?|/|-)"
    r"(?P<y1>(?:1[349]|20|25)\d\d|(?<=[a-zA-Z][/-])\d\d)"
    r"|(?P<y3>(?:19|20)\d\d|1[34]\d\d(?=/\d\d/\d\d))(?:[-/.]|\.\s)(?P<m3>\d{1,2})(?:[-/.]|\.\s)(?P<d3>\d{1,2})"
    rf"|(?P<y9>(?:19|20)\d\d)\.?\s(?:gada|ж\.)\s(?P<d9>\d{{1,2}})\.?\s(?P<m9>{_WORD})"
    rf"|(?P<y6>(?:19|20)\d\d)(?:\s(?:m|թ|ခုနှစ်))?(?:[.,]?\s|-)(?P<m6>{_ANY_WORD})\.?[\s-](?P<d6>\d{{1,2}})"
    r"|(?P<d5>\d{1,2})(?:\u200f?[./-]|\.\s)(?P<m5>\d{1,2})(?:\u200f?[./-]|\.\s)(?P<y5>(?:19|20)\d\d|(?<=/)25\d\d)"
    # Two digits each; not a part of a telephone number.
    r"|(?<!\d\.)(?P<d8>\d\d)\.(?P<m8>\d\d)\.(?P<y8>\d\d)(?!\.?\d)"
    r"|(?P<d7>\d{1,2})\sth(?:án)?g\s(?P<m7>\d{1,2})(?:,|\snăm)?\s(?P<y7>(?:19|20)\d\d))(?!\d)"
    # A time of day may follow at once.
    r"|(?P<y4>(?:19|20)\d\d)\s?[年년]\s?(?P<m4>\d{1,2})\s?[月월]\s?(?P<d4>\d{1,2})\s?[日일])"
    rf"|\b(?P<m2>{_ANY_WORD})\.?\s{{1,3}}(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s{{0,3}}|\s{{1,3}})"
    # The time of day, as asctime() writes it, and a zone.
    r"(?:\d\d:\d\d:\d\d\s(?:[A-Z]{2,5}\s|[+-]\d{4}\s)?)?(?P<y2>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
# The forms with the name of a month, and those whose day may be either number.
_NAMED_FORMS, _AMBIGUOUS = "1269", "58"
# A word to which the name of a month is glued, as in "onMarch 1, 2024".
_GLUED = re.compile(r".*[a-z](?=[A-Z])")
# A digit of another script; none has a smaller code, and a search for a set is fast.
# Without "^" it takes milliseconds to compile.
_OTHER_DIGIT = re.compile("[^\0-\u065f](?<=\\d)")
# A weekday before an ambiguous date tells which number is the day.
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_WEEKDAY = re.compile(rf"\b({'|'.join(_WEEKDAYS)})[a-z]{{0,6}},?\s\Z", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[349]|2[05])\d\d|(?:\d\.\d\d\.|[a-zA-Z][/-])\d\d")
# Two digits above these are of the last century.
_LAST_YEAR = "89"
# Thai months are written with years of the Buddhist era, which is 543 years ahead.
_THAI = re.compile(r"[\u0e01-\u0e4e]")
_BUDDHIST = 543
# In Iran a year begins in March; 8 of 33 are leap years.  This is the day before the
# first of the year 0, as an ordinal.
_PERSIAN_EPOCH = 226_529
# Years below this one, as texts, are Persian.  With a Latin letter so many characters
# before it, 1402/12/11 is the number of a product.
_AFTER_PERSIAN, _LATIN, _NEAR = "15", re.compile("[A-Za-z]"), 20
# A time of day behind a date, as in RFC 2822, or before its year.
_TIME = re.compile(
    rf"(?:[,،.\s]{{1,3}}(?:(?:[A-Za-zà-ÿ\u0370-\u04ff]{{1,3}}\.?|@)\s)?|(?<=日))(\d\d?)[:h](\d\d)(?::(\d\d))?{_BEHIND}"
)

# Hours: no time zone is further from UTC.
_MAX_OFFSET = 14
_EARLIEST_YEAR = 1990
# How many days in the future a date may be, as clocks and time zones differ.
DAYS_AHEAD = 2
_EPOCH = date(1970, 1, 1).toordinal()
_SECONDS_A_DAY = 86400


def iso(text: str, *, day_first: bool = True, ahead: int = DAYS_AHEAD) -> str:
    """The date, or date and time, of a value in ISO 8601; "" for another value.

    With ``day_first`` 3/4/2024 is in April, otherwise in March; 3.4.2024 always is in
    April.  Only dates since 1990 and at most ``ahead`` days in the future count.
    """
    text = in_ascii_digits(text.strip()[:64])
    match = _SINCE_1970.fullmatch(text)
    if match is not None:
        moment = datetime.fromtimestamp(int(match[1]), timezone.utc)
        return moment.isoformat() if _is_past(moment.date(), ahead) else ""
    match = _ISO.match(text)
    if match is not None:
        year, separator, month, day_of_month, hour, *others = match.groups()
        # Without separators month and day need two digits each.
        if len(day_of_month) + len(month) + len(separator) > 3:
            day = _day(year, month, day_of_month, ahead)
            return _moment(day, hour, *others) if day and hour else day
    for day, begin, end in found(text, day_first=day_first, ahead=ahead):
        time_of_day = _TIME.match(text, end) or _TIME.search(text, begin, end)
        return _moment(day, *time_of_day.groups()) if time_of_day is not None else day
    return ""


def found(
    text: str, *, day_first: bool = True, ahead: int = DAYS_AHEAD
) -> Iterator[tuple[str, int, int]]:
    """The dates in a text, in ISO 8601, each with its start and end in the text."""
    text = in_ascii_digits(text)
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        form = next(form for form in "123456789" if match[f"y{form}"])
        year, month, day_of_month = (match[f"{part}{form}"] for part in "ymd")
        if len(year) == 2:
            year = f"{19 if year > _LAST_YEAR else 20}{year}"
        if form in _NAMED_FORMS:
            day = _named(year, month, day_of_month, ahead, has_dot=bool(match["dot"]))
        elif form in _AMBIGUOUS:
            ways = [(month, day_of_month), (day_of_month, month)]
            # With dots, and in Thailand, the day is first everywhere.
            if not (day_first or "." in match[0] or year.startswith("25")):
                ways.reverse()
            days = [day for way in ways if (day := _day(year, *way, ahead))]
            begin = match.start()
            if weekday := _WEEKDAY.search(text, max(begin - _NEAR, 0), begin):
                days.sort(key=lambda day: not _is_on(day, weekday[1].lower()))
            day = days[0] if days else ""
        else:
            day = _day(year, month, day_of_month, ahead)
            if year < _AFTER_PERSIAN:
                begin = match.start()
                day = "" if _LATIN.search(text, begin - _NEAR, begin) else day
        if day:
            yield day, match.start(), match.end()


def _is_on(day: str, weekday: str) -> bool:
    """Whether a day in ISO 8601 is the weekday with an English short name."""
    return _WEEKDAYS[date.fromisoformat(day).weekday()] == weekday


def in_ascii_digits(text: str) -> str:
    """A text with the decimal digits of all scripts replaced by ASCII digits."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def is_month(word: str) -> bool:
    """Whether a word is the name of a month."""
    return word.lower().strip(".") in _MONTH_OF


def _named(year: str, month: str, day: str, ahead: int, *, has_dot: bool) -> str:
    """The day of a date with the name of a month, "" if the date is invalid."""
    name = _GLUED.sub("", month).lower()
    if year < _AFTER_PERSIAN:
        number = _PERSIAN.get(name)
    else:
        number = (has_dot and _DOTTED.get(name)) or _MONTH_OF.get(name)
    if not number or (year.startswith("25") and not _THAI.match(name)):
        return ""
    return _day(year, str(number), day, ahead)


def _day(year: str, month: str, day: str, ahead: int) -> str:
    """A day in ISO 8601, also of a Buddhist or Persian year, "" if it is invalid."""
    era = _BUDDHIST if year.startswith("25") else 0
    numbers = int(year) - era, int(month), int(day)
    try:
        value = _of_persian(*numbers) if year < _AFTER_PERSIAN else date(*numbers)
    except ValueError:
        return ""
    is_valid = value.year >= _EARLIEST_YEAR and _is_past(value, ahead)
    return value.isoformat() if is_valid else ""


def _of_persian(year: int, month: int, day: int) -> date:
    if not (1 <= month <= 12 and 1 <= day <= 31 - (month > 6)):
        raise ValueError
    before = 365 * year + (8 * year + 21) // 33 + 31 * (month - 1) - max(month - 7, 0)
    return date.fromordinal(_PERSIAN_EPOCH + before + day)


def _is_past(day: date, ahead: int) -> bool:
    return day.toordinal() <= _EPOCH + time() // _SECONDS_A_DAY + ahead


def _moment(day: str, hour: str, minute: str, second: str, half: str, zone: str) -> str:
    """A day with its time and time zone, each of which is left out if invalid."""
    hours = int(hour)
    if half and hours <= 12:
        hours = hours % 12 + 12 * (half in "Pp")
    if hours > 23 or int(minute) > 59 or int(second or 0) > 59:
        return day
    moment = f"{day}T{hours:02}:{minute}:{second or '00'}"
    if not zone:
        return moment
    offset = zone.lstrip("UTCGM").strip()
    if offset[:1] not in ("+", "-"):
        return moment + "+00:00"
    digits = offset[1:].replace(":", "")
    if len(digits) < 3:
        digits += "00"
    zone_hours, minutes = digits[:-2], digits[-2:]
    if int(zone_hours) > _MAX_OFFSET or int(minutes) > 59:
        return moment
    return f"{moment}{offset[0]}{zone_hours:0>2}:{minutes}"
