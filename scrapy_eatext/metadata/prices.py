"""Reads prices and currencies as shops write them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapy_eatext.page import dates

# Signs and names of currencies.  A sign that several countries use has its most common
# currency here; _BY_HOST has the others.
_CURRENCIES = {
    "US$": "USD", "A$": "AUD", "AU$": "AUD", "C$": "CAD", "CA$": "CAD", "NZ$": "NZD",
    "HK$": "HKD", "S$": "SGD", "NT$": "TWD", "MX$": "MXN", "R$": "BRL", "$": "USD",
    "£": "GBP", "€": "EUR", "¥": "JPY", "￥": "CNY", "円": "JPY", "元": "CNY",
    "₹": "INR", "Rs.": "INR", "Rs": "INR", "₽": "RUB", "руб": "RUB", "₩": "KRW",
    "원": "KRW", "₺": "TRY", "TL": "TRY", "₫": "VND", "₴": "UAH", "грн": "UAH", "б.р.": "BYN",
    "฿": "THB", "₪": "ILS", "zł": "PLN", "Kč": "CZK", "kr.": "DKK", "kr": "SEK",
    "Ft": "HUF", "lei": "RON", "Lei": "RON", "лв": "BGN", "RM": "MYR", "Rp": "IDR", "Fr.": "CHF",
    "SFr.": "CHF", "S/": "PEN", "euro": "EUR", "Euro": "EUR", "euros": "EUR", "EURO": "EUR",
    "RUR": "RUB", "Kr": "SEK", "KČ": "CZK", "₸": "KZT", "₾": "GEL", "₱": "PHP",
    "₦": "NGN", "৳": "BDT", "֏": "AMD", "؋": "AFN", "៛": "KHR", "₡": "CRC", "₭": "LAK",
    "₮": "MNT", "₲": "PYG", "₵": "GHS", "₼": "AZN", "₨": "INR", "đ": "VND", "VNĐ": "VND",
    "บาท": "THB", "টাকা": "BDT", "ብር": "ETB", "ကျပ်": "MMK", "KSh": "KES", "TSh": "TZS",
    "ر.س": "SAR", "ريال": "SAR", "د.إ": "AED", "درهم": "AED", "ج.م": "EGP", "د.ك": "KWD",
    "ریال": "IRR", "تومان": "IRT",
}  # fmt: skip
_CODES = frozenset(
    "AED ARS AUD BDT BGN BHD BRL BYN CAD CHF CLP CNY COP CZK DKK EGP ETB EUR GBP GHS HKD HUF "
    "IDR ILS INR IRR JOD JPY KES KRW KWD KZT LKR MMK MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR "
    "PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD TZS UAH UGX USD UZS VND ZAR".split()
)
# For signs of several currencies: the currency by the end of the page's host.
_BY_HOST = {
    "$": {"au": "AUD", "ca": "CAD", "nz": "NZD", "mx": "MXN", "sg": "SGD", "hk": "HKD",
          "ar": "ARS", "cl": "CLP", "co": "COP", "tw": "TWD"},
    "kr": {"no": "NOK", "dk": "DKK"},
    "kr.": {"no": "NOK", "se": "SEK"},
    "¥": {"cn": "CNY"},
    "元": {"tw": "TWD"},
    "Kr": {"no": "NOK", "dk": "DKK"},
    "Rs": {"pk": "PKR", "lk": "LKR"},
    "Rs.": {"pk": "PKR", "lk": "LKR"},
    "￥": {"jp": "JPY"},
}  # fmt: skip
# The same by the language of the page, if the host has none.
_RUPEES = {"ur": "PKR", "ne": "NPR", "si": "LKR"}
_BY_LANGUAGE = {"¥": {"zh": "CNY"}, "￥": {"ja": "JPY"}}
_BY_LANGUAGE |= dict.fromkeys(("Rs", "Rs.", "₨"), _RUPEES)
# Currencies with three decimals.
_THOUSANDTHS = frozenset(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"))


def _any_of(names: list[str]) -> str:
    """A pattern for any of some signs or names; those of letters are whole words."""
    # The Vietnamese letter begins many words.
    return "|".join(
        ("(?<![A-Za-z])" if name[0].isalpha() and name.isascii() else "")
        + re.escape(name)
        + ("(?![A-Za-z])" if name[-1].isalpha() and name[0].isascii() else "")
        + (r"(?!\w)" if name == "đ" else "")
        for name in sorted(names, key=len, reverse=True)
    )


_MACHINES = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")
# Before the cents alone: in "Rs.50" the dot is of the sign.
_NO_WHOLE = r"(?<!\w)\.(?=[0-9]{2}(?![0-9.,]))"
_AMOUNT = re.compile(rf"(?:{_NO_WHOLE})?[0-9](?:[0-9.,'’\s]{{0,30}}[0-9])?")
# Separators in Arabic numbers.
_ARABIC = str.maketrans("٬٫", ",.")
_SPACES = re.compile(r"['’\s]")
_SIGNS = _any_of([*_CURRENCIES, *_CODES])
_SIGN = re.compile(_SIGNS)
# A number in a text, and the signs before and behind it.  In India commas separate
# groups of two digits, but for the last three.
_NUMBER = re.compile(
    r"[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?![0-9])(?:\.[0-9]{1,2}(?![0-9]))?"
    r"|[0-9]{1,3}(?:[.,'’\s][0-9]{3})+(?![0-9])(?:[.,][0-9]{1,2}(?![0-9]))?"
    rf"|{_NO_WHOLE}[0-9]{{2}}"
    r"|[0-9]{1,12}(?:[.,][0-9]{1,2}(?![0-9]))?"
)
_BEFORE = re.compile(rf"({_SIGNS})[\s:]{{0,3}}$")
# Two numbers may share the sign, as in 25,00 – 30,00 €.
_BEHIND = re.compile(
    rf"(?:\s?[–-]\s?[0-9]{{1,12}}[.,][0-9]{{2}})?[\s,.–-]{{0,3}}({_SIGNS})"
)
_MOST_BEFORE = 8
# A number of thousands or millions is a salary or the like.
_ROUND = re.compile(r"[kKmM]\b")


def in_ascii(text: str) -> str:
    """A text with the digits of all scripts, and Arabic separators, in ASCII."""
    return text if text.isascii() else dates.in_ascii_digits(text).translate(_ARABIC)


def amount(price: object, currency: str = "") -> str:
    """The number in a price, such as "1299.95", or "" if there is none.

    A point or comma before the last three digits separates thousands, unless the
    currency has three decimals.
    """
    if isinstance(price, bool) or not isinstance(price, (int, float, str)):
        return ""
    text = in_ascii(price[:100]) if isinstance(price, str) else f"{price:.12g}"
    if not isinstance(price, str) and _MACHINES.fullmatch(text) is None:
        return ""
    match = _AMOUNT.search(text)
    if match is None:
        return ""
    digits = _SPACES.sub("", match[0])
    at = max(digits.rfind("."), digits.rfind(","))
    whole, fraction = (digits[:at], digits[at + 1 :]) if at >= 0 else (digits, "")
    if isinstance(price, str) and at >= 0:
        parts = digits.count(".") + digits.count(",")
        is_repeated = parts > 1 and digits.count(digits[at]) == parts
        is_thousands = len(fraction) == 3 and whole.strip("0") != ""
        if is_repeated or (is_thousands and currency not in _THOUSANDTHS):
            whole, fraction = digits, ""
    whole = whole.replace(".", "").replace(",", "").lstrip("0") or "0"
    # There are at least two decimals, and no further zeros.
    decimals = fraction[:2].ljust(2, "0") + fraction[2:].rstrip("0")
    return f"{whole}.{decimals}" if fraction else whole


def currency_of(sign: str, host: str = "", language: str = "") -> str:
    """The code of a currency from its code, sign or name; "" if it is unknown.

    If several countries use the sign, the host or else the language decides.
    """
    sign = sign.strip()[:20]
    is_code = len(sign) == 3 and sign.isascii() and sign.isalpha() and sign.isupper()
    if sign.upper() in _CODES or (is_code and sign not in _CURRENCIES):
        return sign.upper()
    known = sign_of(sign)
    other = _BY_HOST.get(known, {}).get(host.rpartition(".")[2])
    other = other or _BY_LANGUAGE.get(known, {}).get(language)
    return other or _CURRENCIES.get(known, known)


def sign_of(price: str) -> str:
    """The sign, name or code of a currency in a price, "" if it has none."""
    sign = _SIGN.search(price)
    return sign[0] if sign else ""


def prices_in(text: str) -> Iterator[tuple[int, int, str, str]]:
    """The prices in a short text: begin, end, number and sign of each."""
    text, end = in_ascii(text), 0
    for number in _NUMBER.finditer(text):
        if _ROUND.match(text, number.end()):
            continue
        before = text[max(end, number.start() - _MOST_BEFORE) : number.start()]
        if sign := _BEFORE.search(before):
            end = number.end()
            yield number.start() - len(sign[0]), end, number[0], sign[1]
        elif sign := _BEHIND.match(text, number.end()):
            end = sign.end()
            yield number.start(), end, number[0], sign[1]
