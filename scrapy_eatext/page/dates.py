"""Reads dates as pages write them, and returns them in ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timezone
from time import time

# Month names and their usual short forms in the languages of most pages.  If a name is
# another month in another language, as Polish and Croatian listopada, the language of
# more pages counts, except for _DOTTED.
_MONTHS = """
jan january januar janvier enero gennaio janeiro januari января ene gen janv \
    stycznia ocak ledna januára január ianuarie ιανουαρίου tammikuuta січня януари \
    gener يناير jänner sty stycz янв oca siječnja jaanuar janar yanvar јануар \
    јануара јануари sausio janúar қаңтар იანვარი հունվարի січ জানুয়ারি জানুয়ারী \
    जनवरी ינואר בינואר ژانویه جنوری جانفي มกราคม ม.ค.
feb february februar février febrero febbraio fevereiro februari февраля fév fev \
    lutego şubat února februára február februarie φεβρουαρίου helmikuuta лютого \
    февруари febrer فبراير شباط févr lut фев февр şub veljače veebruar shkurt \
    fevral фебруар фебруара vasario febrúar ақпан თებერვალი փետրվարի лют \
    ফেব্রুয়ারি ফেব্রুয়ারী फरवरी फ़रवरी פברואר בפברואר فوریه فروری فيفري \
    กุมภาพันธ์ ก.พ. pebrero
mar march märz mars marzo março maart марта mär mrt marca mart března március \
    martie μαρτίου maaliskuuta березня март març maret مارس آذار marts märts მარტი \
    мар ožujka marta kovo mac machi marso наурыз մարտի бер মার্চ मार्च מרץ במרץ \
    מרס במרס مارچ มีนาคม มี.ค.
apr april avril abril aprile апреля abr avr kwietnia nisan dubna apríla április \
    aprilie απριλίου huhtikuuta квітня април أبريل ابريل نيسان апр kwi nis travnja \
    aprill prill aprel априла balandžio apríl aprili сәуір აპრილი ապրիլի квіт \
    এপ্রিল अप्रैल אפריל באפריל آوریل اپریل أفريل เมษายน เม.ย.
may mai mayo maggio maio mei мая mag maj maja mayıs května mája május μαΐου μαίου \
    toukokuuta травня май maig مايو أيار svibnja мај маја gegužės maí мамыр მაისი \
    մայիսի трав মে मई מאי במאי مه مئی ماي พฤษภาคม พ.ค.
jun june juni juin junio giugno junho июня giu czerwca haziran června júna június \
    iunie ιουνίου kesäkuuta червня юни juny يونيو حزيران cze haz июн lipnja juuni \
    qershor iyun јун јуна birželio júní маусым ივნისი հունիսի черв জুন जून יוני \
    ביוני ژوئن جون جوان มิถุนายน มิ.ย. hunyo junija
jul july juli juillet julio luglio julho июля lug juil lipca temmuz července júla \
    július iulie ιουλίου heinäkuuta липня юли juliol يوليو تموز juill июл tem \
    srpnja juuli korrik iyul јул јула liepos júlí шілде ივლისი հուլիսի лип জুলাই \
    जुलाई יולי ביולי ژوئیه جولائی جويلية يوليوز กรกฎาคม ก.ค. julai hulyo julija
aug august août agosto augustus augusti августа ago sierpnia ağustos srpna augusta \
    augusztus αυγούστου elokuuta серпня август agost agustus أغسطس اغسطس sie ağu \
    авг kolovoza avgust avgusta gusht avqust rugpjūčio ágúst тамыз აგვისტო \
    օգոստոսի серп আগস্ট अगस्त אוגוסט באוגוסט اوت اگست أوت غشت สิงหาคม ส.ค. ogos \
    agosti agu agt
sep september septembre septiembre settembre setembro сентября sept set września \
    eylül září septembra szeptember septembrie σεπτεμβρίου syyskuuta вересня \
    септември setembre سبتمبر أيلول wrz eyl сен сент rujna shtator sentyabr \
    sentabr septembar септембар септембра rugsėjo қыркүйек სექტემბერი սեպտեմբերի \
    вер সেপ্টেম্বর सितंबर सितम्बर ספטמבר בספטמבר سپتامبر ستمبر شتنبر กันยายน ก.ย. \
    septemba setyembre
oct october oktober octobre octubre ottobre outubro октября okt out października \
    ekim října októbra október octombrie οκτωβρίου lokakuuta жовтня октомври \
    أكتوبر اكتوبر ott paź eki окт oktoober tetor oktyabr oktabr oktobar oktobra \
    октобар октобра spalio қазан ოქტომბერი հոկտեմբերի жовт অক্টোবর अक्टूबर अक्तूबर \
    אוקטובר באוקטובר اکتبر اکتوبر ตุลาคม ต.ค. oktoba oktubre
nov november novembre noviembre novembro ноября novem listopada kasım listopadu \
    novembra noiembrie νοεμβρίου marraskuuta листопада ноември نوفمبر lis kas ноя \
    нояб studenog studenoga nëntor noyabr novembar новембар новембра lapkričio \
    nóvember қараша ნოემბერი նոյեմբերի лист নভেম্বর नवंबर नवम्बर נובמבר בנובמבר \
    نوامبر نومبر نونبر พฤศจิกายน พ.ย. nobyembre novemba
dec december dezember décembre diciembre dicembre dezembro декабря dez dic déc \
    grudnia aralık prosince decembra decembrie δεκεμβρίου joulukuuta грудня \
    декември desember desembre ديسمبر gru ara дек prosinca detsember dhjetor \
    dekabr decembar децембар децембра gruodžio желтоқсан დეკემბერი դեկտեմբերի груд \
    ডিসেম্বর दिसंबर दिसम्बर דצמבר בדצמבר دسامبر دسمبر دجنبر ธันวาคม ธ.ค. des \
    disember disyembre desemba
"""
_MONTH_OF = {
    name: number
    for number, line in enumerate(_MONTHS.split("\n")[1:-1], 1)
    for name in line.split()
}
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
# In some scripts words contain combining marks.  Thai abbreviates months with dots, and
# Hindi's May has two characters.  All these write the day before the month.
_ANY_WORD = (
    r"(?:[^\W\d_][^\s\d!-@\[-`{-\xb4\xb6-\xbf،\u2000-\u206f\u3000-\u303f]{2,11}"
    r"|[\u0e01-\u0e2e\u0e40]{1,2}\u0e34?\u0e35?\.[\u0e01-\u0e2e]\.|मई)"
)
_DATE = re.compile(
    rf"(?<!\d)(?=\d)(?:(?:(?P<d1>\d{{1,2}})(?P<dot>\.)?(?:st|nd|rd|th|er|º)?\s{{0,3}}"
    rf"(?:de\s|of\s|/|-)?(?P<m1>{_ANY_WORD})\.?[,،]?(?:\s{{0,3}}(?:del?\s|of\s|พ\.ศ\.\s?)?|/|-)"
    r"(?P<y1>(?:19|20|25)\d\d)"
    r"|(?P<y3>(?:19|20)\d\d)(?:[-/.]|\.\s)(?P<m3>\d{1,2})(?:[-/.]|\.\s)(?P<d3>\d{1,2})"
    rf"|(?P<y6>(?:19|20)\d\d)(?:\sm)?(?:[.,]?\s|-)(?P<m6>{_WORD})[\s-](?P<d6>\d{{1,2}})"
    r"|(?P<d5>\d{1,2})(?:[./-]|\.\s)(?P<m5>\d{1,2})(?:[./-]|\.\s)(?P<y5>(?:19|20)\d\d)"
    # Two digits each; not a part of a telephone number.
    r"|(?<!\d\.)(?P<d8>\d\d)\.(?P<m8>\d\d)\.(?P<y8>\d\d)(?!\.?\d)"
    r"|(?P<d7>\d{1,2})\stháng\s(?P<m7>\d{1,2})(?:,|\snăm)?\s(?P<y7>(?:19|20)\d\d))(?!\d)"
    # A time of day may follow at once.
    r"|(?P<y4>(?:19|20)\d\d)\s?[年년]\s?(?P<m4>\d{1,2})\s?[月월]\s?(?P<d4>\d{1,2})\s?[日일])"
    rf"|\b(?P<m2>{_WORD})\.?\s{{1,3}}(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s{{0,3}}|\s{{1,3}})"
    # The time of day, as asctime() writes it, and a zone.
    r"(?:\d\d:\d\d:\d\d\s(?:[A-Z]{2,5}\s|[+-]\d{4}\s)?)?(?P<y2>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
# The forms with the name of a month, and those whose day may be either number.
_NAMED_FORMS, _AMBIGUOUS = "126", "58"
# A word to which the name of a month is glued, as in "onMarch 1, 2024".
_GLUED = re.compile(r".*[a-z](?=[A-Z])")
# A digit of another script; none has a smaller code, and a search for a set is fast.
_OTHER_DIGIT = re.compile("[\u0660-\U0010ffff](?<=\\d)")
_YEAR = re.compile(r"(?:19|20|25)\d\d|\d\.\d\d\.\d\d")
# Two digits above these are of the last century.
_LAST_YEAR = "89"
# Thai months are written with years of the Buddhist era, which is 543 years ahead.
_THAI = re.compile(r"[\u0e01-\u0e4e]")
_BUDDHIST = 543
# A time of day behind a date, as in RFC 2822, or before its year.
_TIME = re.compile(
    rf"(?:[,.\s]{{1,3}}(?:(?:at|um|à|às|@)\s)?|(?<=日))(\d\d?):(\d\d)(?::(\d\d))?{_BEHIND}"
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
    text = _in_ascii_digits(text.strip()[:64])
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
    text = _in_ascii_digits(text)
    if not _YEAR.search(text):
        return
    for match in _DATE.finditer(text):
        form = next(form for form in "12345678" if match[f"y{form}"])
        year, month, day_of_month = (match[f"{part}{form}"] for part in "ymd")
        if len(year) == 2:
            year = f"{19 if year > _LAST_YEAR else 20}{year}"
        if form in _NAMED_FORMS:
            day = _named(year, month, day_of_month, ahead, has_dot=bool(match["dot"]))
        elif form in _AMBIGUOUS:
            ways = (month, day_of_month), (day_of_month, month)
            # With dots the day is first everywhere.
            is_first = day_first or "." in match[0]
            likely, unlikely = ways if is_first else reversed(ways)
            day = _day(year, *likely, ahead) or _day(year, *unlikely, ahead)
        else:
            day = _day(year, month, day_of_month, ahead)
        if day:
            yield day, match.start(), match.end()


def _in_ascii_digits(text: str) -> str:
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
    number = (has_dot and _DOTTED.get(name)) or _MONTH_OF.get(name)
    if not number:
        return ""
    if year.startswith("25") and _THAI.match(name):
        year = str(int(year) - _BUDDHIST)
    return _day(year, str(number), day, ahead)


def _day(year: str, month: str, day: str, ahead: int) -> str:
    try:
        value = date(int(year), int(month), int(day))
    except ValueError:
        return ""
    is_valid = value.year >= _EARLIEST_YEAR and _is_past(value, ahead)
    return value.isoformat() if is_valid else ""


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
