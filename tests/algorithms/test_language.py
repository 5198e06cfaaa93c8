from __future__ import annotations

import pytest

from scrapy_eatext.algorithms import language
from scrapy_eatext.algorithms.language import (
    JUSTEXT_SHARE,
    NAMES,
    SHARES,
    iso_list,
    justext_folder,
    justext_words,
    language_code,
    pick_language,
    stop_list,
    text_language,
    words_of,
)
from scrapy_eatext.algorithms.scripts import (
    SCRIPTS,
    letters,
    script_language,
    sign_density,
)
from tests.support.passages import PROSE, UNSPACED_MENUS, UNSPACED_PROSE
from tests.support.suites import values_of

pytestmark = pytest.mark.slow

_BULGARIAN = (
    "Машината прави две чаши едновременно, а резервоарът за вода се сваля лесно"
)


@pytest.fixture
def without_justext(monkeypatch: pytest.MonkeyPatch):
    cached = (stop_list, language._index)
    monkeypatch.setattr(language, "justext_folder", lambda: None)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("without_justext")
def test_languages_without_justext():
    for code, prose in PROSE.items():
        assert pick_language(prose) == code
    assert len(SHARES) + len(SCRIPTS) >= 50
    for code in SHARES:
        words = iso_list(code).words
        assert words == {word.lower() for word in words} != set()
    assert stop_list("en") == iso_list("en")
    assert stop_list("is") is None


@pytest.mark.parametrize("code", PROSE)
def test_lists_in_proportion_to_their_share(code):
    found = iso_list(code)
    words = words_of(PROSE[code])
    density = sum(word in found.words for word in words) / len(words)
    # Both would pass the thresholds, .30 and .32 of a list that holds .55.
    assert density * JUSTEXT_SHARE / found.share > 0.32


@pytest.mark.parametrize("code", UNSPACED_PROSE)
def test_signs_tell_prose_from_menus(code):
    prose = sign_density(UNSPACED_PROSE[code], code[:2])
    menu = sign_density(UNSPACED_MENUS[code], code[:2])
    scale = JUSTEXT_SHARE / SCRIPTS[code[:2]].share
    assert prose * scale > 0.5
    assert menu * scale < 0.35
    assert menu < prose / 2


@pytest.mark.parametrize(
    ("read", "text", "declared", "code"),
    [
        # It decides between twins, and where there is too little text.
        (pick_language, PROSE["id"], "ms", "ms"),
        (pick_language, PROSE["id"], "id", "id"),
        (pick_language, "Kontakt", "de", "de"),
        # But it does not win against the text.
        (pick_language, PROSE["de"], "en", "de"),
        (pick_language, "Kontakt", "", ""),
        (pick_language, "", "", ""),
        (pick_language, "lorem xyzzy qwerty plugh " * 10, "", ""),
        (pick_language, "会社概要 製品情報", "ja", "ja"),
        (text_language, PROSE["de"], "en", "de"),
        (text_language, PROSE["de"], "", "de"),
        # Too few words, and words of no sentence.
        (text_language, PROSE["de"][:100], "en", "en"),
        (text_language, "Kontakt", "", ""),
        # Of an alphabet for one language, whatever the number of words.
        (text_language, "კონტაქტი", "", "ka"),
        (text_language, "የከተማው ቤተ መጻሕፍት Facebook", "", "am"),
        (text_language, "መነሻ ፖለቲካ", "ti", "ti"),
        # A list that fits, with letters that its language does not have.
        (pick_language, _BULGARIAN, "", "bg"),
        (text_language, "aguja 0 hilo 5 tela 7 lana 3 " * 40, "de", "de"),
        # There is no list of the declared language.
        (text_language, PROSE["de"], "gsw", "gsw"),
    ],
)
def test_the_text_against_what_the_page_declares(read, text, declared, code):
    assert read(text, declared) == code


@pytest.mark.parametrize("codes", [("sv", "da", "nb"), ("nb", "da", "sv")])
def test_of_lists_that_fit_alike_the_code_or_the_page_decides(monkeypatch, codes):
    monkeypatch.setattr(language, "_index", lambda: dict.fromkeys(("og", "er"), codes))
    monkeypatch.setattr(language, "_WEIGHTS", dict.fromkeys(codes, 1.0))
    assert pick_language("og er " * 5) == "da"
    assert pick_language("og er " * 5, "sv") == "sv"


@pytest.mark.parametrize(
    ("text", "among_han", "code"),
    [
        # Chinese characters alone may be Japanese.
        ("会社概要 製品情報", "zh", "zh"),
        ("会社概要 製品情報", "ja", "ja"),
        ("안녕하세요 漢字", "ja", "ko"),
        # The script of most letters decides.
        ("The word 川 means river", "zh", ""),
        ("The word", "zh", ""),
        ("123 … !", "zh", ""),
        ("川の水は静かです river", "zh", "ja"),
    ],
)
def test_languages_of_scripts(text, among_han, code):
    assert script_language(text, among_han) == code


@pytest.mark.parametrize(
    ("text", "count"),
    [("river", 5), ("Fluß", 4), ("川", 3), ("かわ", 4), ("강", 2), ("แม่น้ำ", 6)],
)
def test_letters_count_ideographs_threefold(text, count):
    assert letters(text) == count
    assert sign_density("river", "zh") == 0.0  # none is of the script


@pytest.mark.parametrize(("given", "code"), values_of("tables/language_names.txt"))
def test_names_of_languages(given, code):
    assert language_code(given) == code


def test_lists_of_justext_come_first():
    pytest.importorskip("justext")
    import justext

    assert stop_list("en").words == justext.get_stoplist("English")
    assert stop_list("en").share == JUSTEXT_SHARE
    folder = justext_folder()
    names = {path.stem for path in folder.iterdir()}
    assert "English" in names
    assert names <= set(NAMES.values())
    assert justext_words("zu") is None
    assert stop_list("zu") == iso_list("zu")
    assert stop_list("zh") is None


def test_no_folder_of_justext_where_it_is_not_installed(monkeypatch):
    justext_folder.cache_clear()
    monkeypatch.setattr(language, "find_spec", lambda name: None)
    assert justext_folder() is None
    justext_folder.cache_clear()
