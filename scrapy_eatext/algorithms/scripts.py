"""Measures, by character, texts in scripts in which stop lists do not work.

Chinese, Japanese, Thai, Lao, Khmer and Burmese have no spaces between words, and Korean
attaches particles to words.  Their grammatical signs are found nevertheless: in Chinese
function characters, in Japanese the kana of particles and endings, in Korean the
syllables of particles and endings, in the others short function words inside the
running text.  The share of a text that these signs make up replaces the density of stop
words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Script:
    """Patterns of runs of a script and of grammatical signs; these signs' share of text."""

    letters: str
    signs: str
    share: float


_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_HIRAGANA = "\u3041-\u3096"
_KANA = _HIRAGANA + "\u30a1-\u30fa\u30fc"
_HANGUL = "\uac00-\ud7a3"
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
_LAO = "\u0e81-\u0ece\u0edc-\u0edf"
_KHMER = "\u1780-\u17d3\u17dc\u17dd"
_BURMESE = "\u1000-\u103f\u104c-\u109f\uaa60-\uaa7f"

# Particles, pronouns, prepositions, conjunctions, auxiliaries and the commonest
# adverbs, in simplified and traditional characters.
_CHINESE_SIGNS = (
    "的了是在不和有我他她它您你们們这這那哪个個也就都而与與及或但并並且被把给給从從"
    "对對为為以于於之其将將会會能可要想让讓使所很更最太再又还還只才已经經着著过過得地吗嗎"
    "呢吧啊么麼没沒无無非如若因此则則即虽雖然却卻当當时時后後前中上下里裡到去来來说說"
)
# Syllables that particles and endings of verbs are made of.
_KOREAN_SIGNS = (
    "은는이가을를에의도로와과고다며면서지만나까부터께한하해했할함된되될됐던있었였겠습니"
    "요네죠거것수때등그저"
)
_THAI_SIGNS = (
    "และ ที่ ของ ใน การ เป็น มี ได้ ให้ ว่า จะ ไม่ กับ จาก แต่ นี้ นั้น โดย ซึ่ง เพื่อ หรือ"
    " ก็ ต้อง แล้ว ไป มา อยู่ ถึง ถ้า เมื่อ กัน ความ ด้วย คือ อย่าง ยัง มาก กว่า เพราะ ทำ ตาม ผู้"
    " คน เขา เรา ฉัน ผม เธอ มัน ทุก บาง หลาย ขึ้น ลง ออก เข้า ต่อ ตั้งแต่ ระหว่าง ทั้ง เคย กำลัง"
    " อาจ ควร ถูก พวก เอง เลย นะ ครับ ค่ะ"
)
_LAO_SIGNS = (
    "ແລະ ທີ່ ຂອງ ໃນ ການ ເປັນ ມີ ໄດ້ ໃຫ້ ວ່າ ຈະ ບໍ່ ກັບ ຈາກ ແຕ່ ນີ້ ນັ້ນ ໂດຍ ຊຶ່ງ ເຊິ່ງ ເພື່ອ ຫຼື"
    " ກໍ ຕ້ອງ ແລ້ວ ໄປ ມາ ຢູ່ ເຖິງ ຖ້າ ເມື່ອ ກັນ ຄວາມ ດ້ວຍ ຄື ຍັງ ຫຼາຍ ກວ່າ ເພາະ ເຮັດ ຕາມ ຜູ້ ຄົນ ເຂົາ"
    " ພວກ ຂ້ອຍ ມັນ ທຸກ ບາງ ຂຶ້ນ ລົງ ອອກ ເຂົ້າ ຕໍ່ ທັງ ເຄີຍ ກໍາລັງ ຖືກ ເອງ"
)
_KHMER_SIGNS = (
    "និង ដែល របស់ នៅ ក្នុង ជា មាន បាន ឱ្យ ឲ្យ ថា នឹង មិន ពី ទៅ ប៉ុន្តែ នេះ នោះ ដោយ ដើម្បី ឬ ត្រូវ"
    " ហើយ មក ដល់ បើ ពេល ការ ចំពោះ អំពី គឺ ទេ គេ ខ្ញុំ យើង គាត់ វា ទាំង ដូច ព្រោះ ចេញ ចូល លើ ក្រោម"
    " ជាមួយ ក៏ អ្នក ច្រើន ជាង រួច កំពុង ធ្លាប់"
)
_BURMESE_SIGNS = (
    "သည် ၏ ကို မှ တွင် နှင့် များ ရှိ ဖြစ် တယ် မှာ နဲ့ ပါ လည်း ၍ သော မည် ခဲ့ ဖို့ အတွက် ကြ လို့"
    " ရန် ပြီး တဲ့ တို့ ရဲ့ ပေမယ့် သူ ဒီ ထို ဤ ဘူး ရာ လာ သွား နေ လျှင် ရင် ပဲ တော့"
)


def _any_of(words: str) -> str:
    """A pattern for the words; of several that begin at a place it finds the longest."""
    return "|".join(sorted(words.split(), key=len, reverse=True))


def _runs(ranges: str) -> str:
    return f"[{ranges}]+"


# The patterns are compiled when they are first used, as most crawls meet few of the
# scripts and compiling all takes 10 ms.  The shares of Chinese, Japanese and Korean are by
# tools/stop_list_shares.py; those of the others were read off prose in newspapers' style,
# somewhat low, so that it passes (tests/algorithms/test_language.py).
SCRIPTS = {
    "zh": Script(_runs(_HAN), _runs(_CHINESE_SIGNS), 0.32),
    "ja": Script(_runs(_HAN + _KANA), _runs(_HIRAGANA), 0.57),
    "ko": Script(_runs(_HANGUL), _runs(_KOREAN_SIGNS), 0.40),
    "th": Script(_runs(_THAI), _any_of(_THAI_SIGNS), 0.35),
    "lo": Script(_runs(_LAO), _any_of(_LAO_SIGNS), 0.35),
    "km": Script(_runs(_KHMER), _any_of(_KHMER_SIGNS), 0.3),
    "my": Script(_runs(_BURMESE), _any_of(_BURMESE_SIGNS), 0.3),
}

_EAST_ASIAN = f"[{_HAN}]+|([{_KANA}]+)|([{_HANGUL}]+)"
# The languages by script; Chinese characters are of several languages.
_GROUPS = ("han", "ja", "ko", "th", "lo", "km", "my")
_RANGES = (_HAN, _KANA, _HANGUL, _THAI, _LAO, _KHMER, _BURMESE)
_MEASURED = "|".join(f"([{ranges}]+)" for ranges in _RANGES)
# Japanese prose is half kana, Chinese has them in a name at most.
_KANA_SHARE = 0.08


def script_language(text: str, among_han: str = "zh") -> str:
    """The language that a text is in, if it is one measured by character, else "".

    The script of most letters decides.  ``among_han`` is the answer for a text in
    Chinese characters alone, which may be a Japanese heading.
    """
    if text.isascii():
        return ""
    counts = dict.fromkeys(_GROUPS, 0)
    for run in re.finditer(_MEASURED, text):
        counts[_GROUPS[run.lastindex - 1]] += run.end() - run.start()  # type: ignore[operator]
    total = sum(counts.values())
    if not total or 2 * total < sum(map(str.isalpha, text)):
        return ""
    han, kana = counts.pop("han"), counts["ja"]
    counts["ja"] = 0
    if kana > _KANA_SHARE * (han + kana):
        counts["ja"] = han + kana
    elif han:
        counts[among_han] = counts.get(among_han, 0) + han + kana
    return max(counts, key=counts.__getitem__)


def sign_density(text: str, language: str) -> float:
    """The share of grammatical signs in a text's letters; 0 without such letters."""
    script = SCRIPTS[language]
    letters = sum(map(len, re.findall(script.letters, text)))
    return sum(map(len, re.findall(script.signs, text))) / letters if letters else 0.0


def letters(text: str) -> int:
    """The length of a text for thresholds that are made for alphabetic writing.

    A Chinese character counts as three letters, one of kana or Hangul as two.
    """
    if text.isascii():
        return len(text)
    more = 0
    for run in re.finditer(_EAST_ASIAN, text):
        more += (run.end() - run.start()) * (1 if run.lastindex else 2)
    return len(text) + more
