"""Dates as pages write them, in ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from time import time

# Month names and their usual short forms, in the languages of most pages with such
# dates.  A name that means another month in a language of fewer pages, as Croatian's
# listopada does, has the meaning that it has on more.
_MONTHS = """
jan january januar janvier enero gennaio janeiro januari января ene gen janv stycznia \
    ocak ledna januára január ianuarie ιανουαρίου tammikuuta січня януари gener يناير
feb february februar février febrero febbraio fevereiro februari февраля fév fev lutego \
    şubat února februára február februarie φεβρουαρίου helmikuuta лютого февруари febrer \
    فبراير شباط
mar march märz mars marzo março maart марта mär mrt marca \
    mart března március martie μαρτίου maaliskuuta березня март març maret مارس آذار
apr april avril abril aprile апреля abr avr kwietnia \
    nisan dubna apríla április aprilie απριλίου huhtikuuta квітня април أبريل ابريل نيسان
may mai mayo maggio maio mei мая mag maj maja \
    mayıs května mája május μαΐου μαίου toukokuuta травня май maig مايو أيار
jun june juni juin junio giugno junho июня giu czerwca \
    haziran června júna június iunie ιουνίου kesäkuuta червня юни juny يونيو حزيران
jul july juli juillet julio luglio julho июля lug juil lipca \
    temmuz července júla július iulie ιουλίου heinäkuuta липня юли juliol يوليو تموز
aug august août agosto augustus augusti августа ago sierpnia \
    ağustos srpna augusta augusztus αυγούστου elokuuta серпня август agost agustus \
    أغسطس اغسطس
sep september septembre septiembre settembre setembro сентября sept set września \
    eylül září septembra szeptember septembrie σεπτεμβρίου syyskuuta вересня септември \
    setembre سبتمبر أيلول
oct october oktober octobre octubre ottobre outubro октября okt out października \
    ekim října októbra október octombrie οκτωβρίου lokakuuta жовтня октомври أكتوبر اكتوبر
nov november novembre noviembre novembro ноября novem listopada \
    kasım listopadu novembra noiembrie νοεμβρίου marraskuuta листопада ноември نوفمبر
dec december dezember décembre diciembre dicembre dezembro декабря dez dic déc grudnia \
    aralık prosince decembra decembrie δεκεμβρίου joulukuuta грудня декември desember \
    desembre ديسمبر
"""
_MONTH_OF = {
    name: number
    for number, line in enumerate(_MONTHS.split("\n")[1:-1], 1)
    for name in line.split()
}

# Each piece is bounded, so searching takes linear time.
# What may stand behind a time of day; the groups: half of the day, zone.  The zone of
# GMT+0200 is not GMT.
_BEHIND = (
    r"(?:\s?([AaPp])\.?[Mm]\b\.?)?(?:\s?((?:UTC|GMT)\s?[+-]\d{1,2}(?::?\d\d)?(?!\d)"
    r"|(?:UTC|GMT|[Zz])(?!\s?[+-]\d)|[+-]\d\d:?\d\d|[+-]\d\d\Z))?"
)
# The groups: year, separator, month, day, hour, minute, second, half of the day, zone.
_ISO = re.compile(
    r"((?:19|20)\d\d)([-/.]?)(\d{1,2})\2(\d{1,2})"
    r"(?:(?:T|t|\s{1,3})(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d{1,9})?"
    rf"{_BEHIND})?(?!\d)"
)
_WORD = r"[^\W\d_]{3,12}"
_DATE = re.compile(
    rf"(?<!\d)(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?\s{{0,3}}(?:de\s|of\s|/|-)?"
    rf"(?P<m1>{_WORD})\.?[,،]?(?:\s{{0,3}}(?:del?\s|of\s)?|/|-)(?P<y1>(?:19|20)\d\d)"
    rf"|(?P<y3>(?:19|20)\d\d)[-/.](?P<m3>\d{{1,2}})[-/.](?P<d3>\d{{1,2}})"
    rf"|(?P<y6>(?:19|20)\d\d)\.?\s(?P<m6>{_WORD})\s(?P<d6>\d{{1,2}})"
    r"|(?P<y4>(?:19|20)\d\d)\s?[年년]\s?(?P<m4>\d{1,2})\s?[月월]\s?(?P<d4>\d{1,2})\s?[日일]"
    r"|(?P<a5>\d{1,2})[./-](?P<b5>\d{1,2})[./-](?P<y5>(?:19|20)\d\d))(?!\d)"
    rf"|\b(?P<m2>{_WORD})\.?\s{{1,3}}(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,3}}"
    r"(?P<y2>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
# The capital that a month begins with, where a word ends in small letters before it.
_GLUED = re.compile(
    r"[A-Z](?<=[^\W\d_A-Z][A-Z])(?=[a-z]{2,9}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d)"
)
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
# A time of day behind a date, as in RFC 2822.
_TIME = re.compile(rf"[,\s]{{1,3}}(\d\d?):(\d\d)(?::(\d\d))?{_BEHIND}")

# No place on earth is further from Greenwich.
_FURTHEST_ZONE = 14
_EARLIEST = 1990
# How many days a page's clock may be ahead.
_AHEAD = 2
_EPOCH = date(1970, 1, 1).toordinal()
_SECONDS_A_DAY = 86400


def iso(text: str, *, day_first: bool = True) -> str:
    """A value that is a date, in ISO 8601; "" for another value.

    ``day_first`` tells how 3/4/2024 is meant.
    """
    text = _in_ascii_digits(text.strip()[:64])
    match = _ISO.match(text)
    if match is not None:
        year, sign, month, number, hour, *others = match.groups()
        if len(number) + len(month) + len(sign) > 3:
            day = _day(year, month, number)
            if not day or not hour:
                return day
            return _moment(day, hour, *others)
    for day, _, end in found(text, day_first=day_first):
        time = _TIME.match(text, end)
        return _moment(day, *time.groups()) if time is not None else day
    return ""


def found(text: str, *, day_first: bool = True) -> Iterator[tuple[str, int, int]]:
    """The dates in a text, in ISO 8601, each with the places of its beginning and end."""
    text = _in_ascii_digits(text)
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        if match["y1"]:
            day = _named(match["y1"], match["m1"], match["d1"])
        elif match["y2"]:
            day = _named(match["y2"], match["m2"], match["d2"])
        elif match["y3"]:
            day = _day(match["y3"], match["m3"], match["d3"])
        elif match["y6"]:
            day = _named(match["y6"], match["m6"], match["d6"])
        elif match["y4"]:
            day = _day(match["y4"], match["m4"], match["d4"])
        else:
            one, other = match["a5"], match["b5"]
            first, second = (one, other) if day_first else (other, one)
            year = match["y5"]
            day = _day(year, second, first) or _day(year, first, second)
        if day:
            yield day, match.start(), match.end()


def unglued(text: str) -> str:
    """A text with a space between a word and the date that is glued to it."""
    return _GLUED.sub(r" \g<0>", text)


def _in_ascii_digits(text: str) -> str:
    """A text with the digits of all scripts as ASCII's, each in its place."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def is_month(word: str) -> bool:
    """Whether a word is the name of a month."""
    return word.lower().strip(".") in _MONTH_OF


def _named(year: str, month: str, day: str) -> str:
    number = _MONTH_OF.get(month.lower())
    return _day(year, str(number), day) if number else ""


def _day(year: str, month: str, day: str) -> str:
    try:
        made = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    latest = _EPOCH + time() // _SECONDS_A_DAY + _AHEAD
    if made.year >= _EARLIEST and made.toordinal() <= latest:
        return made.isoformat()
    return ""


def _moment(day: str, hour: str, minute: str, second: str, half: str, zone: str) -> str:
    hours = int(hour)
    if half and hours <= 12:
        hours = hours % 12 + 12 * (half in "Pp")
    if hours > 23 or int(minute) > 59 or int(second or 0) > 59:
        return day
    made = f"{day}T{hours:02}:{minute}:{second or '00'}"
    if not zone:
        return made
    offset = zone.lstrip("UTCGM").strip()
    if offset[:1] not in ("+", "-"):
        return made + "+00:00"
    digits = offset[1:].replace(":", "")
    ahead, minutes = (digits, "00") if len(digits) < 3 else (digits[:-2], digits[-2:])
    if int(ahead) > _FURTHEST_ZONE or int(minutes) > 59:
        return made
    return f"{made}{offset[0]}{ahead:0>2}:{minutes}"
