from __future__ import annotations

import time

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
    words_of,
)
from scrapy_eatext.algorithms.scripts import (
    SCRIPTS,
    letters,
    script_language,
    sign_density,
)
from tests.support.passages import PROSE, UNSPACED_MENUS, UNSPACED_PROSE

pytestmark = pytest.mark.slow


@pytest.fixture
def without_justext(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(language, "justext_folder", lambda: None)
    for cached in (stop_list, language._index):
        cached.cache_clear()
    yield
    for cached in (stop_list, language._index):
        cached.cache_clear()


@pytest.mark.parametrize("code", PROSE)
def test_language_of_prose(code):
    assert pick_language(PROSE[code]) == code


@pytest.mark.parametrize("code", PROSE)
@pytest.mark.usefixtures("without_justext")
def test_language_of_prose_by_the_installed_lists_alone(code):
    assert pick_language(PROSE[code]) == code


@pytest.mark.parametrize("code", UNSPACED_PROSE)
def test_language_of_prose_by_script(code):
    assert pick_language(UNSPACED_PROSE[code]) == code[:2]


def test_at_least_fifty_languages_without_justext():
    assert len(SHARES) + len(SCRIPTS) >= 50
    for code in SHARES:
        found = iso_list(code)
        assert found is not None
        assert found.words
        assert all(word == word.lower() for word in found.words)


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


def test_declared_language_decides_between_twins():
    text = PROSE["id"]
    assert pick_language(text, "ms") == "ms"
    assert pick_language(text, "id") == pick_language(text) == "id"


def test_declared_language_does_not_win_against_the_text():
    assert pick_language(PROSE["de"], "en") == "de"


def test_declared_language_where_there_is_too_little_text():
    assert pick_language("Kontakt", "de") == "de"
    assert pick_language("Kontakt") == ""
    assert pick_language("") == ""


def test_no_language_where_no_list_fits():
    assert pick_language("lorem xyzzy qwerty plugh " * 10) == ""


def test_chinese_characters_alone_may_be_japanese():
    assert script_language("会社概要 製品情報") == "zh"
    assert script_language("会社概要 製品情報", "ja") == "ja"
    assert pick_language("会社概要 製品情報", "ja") == "ja"
    assert script_language("안녕하세요 漢字", "ja") == "ko"


def test_script_of_most_letters_decides():
    assert script_language("The word 川 means river") == ""
    assert script_language("The word") == ""
    assert script_language("123 … !") == ""
    assert script_language("川の水は静かです river") == "ja"


def test_letters_count_ideographs_threefold():
    assert letters("river") == 5
    assert letters("Fluß") == 4
    assert letters("川") == 3
    assert letters("かわ") == 4
    assert letters("강") == 2
    assert letters("แม่น้ำ") == len("แม่น้ำ")


def test_sign_density_without_letters_of_the_script():
    assert sign_density("river", "zh") == 0.0


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("en", "en"),
        ("EN", "en"),
        ("en-GB", "en"),
        ("pt_BR", "pt"),
        ("English", "en"),
        ("english", "en"),
        ("Norwegian_Bokmal", "no"),
        ("norwegian bokmal", "no"),
        ("nb", "no"),
        ("nb-NO", "no"),
        ("iw", "he"),
        ("zh-Hant-TW", "zh"),
        ("Chinese", "zh"),
        (" de ", "de"),
        ("Klingon", None),
        ("", None),
    ],
)
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


@pytest.mark.usefixtures("without_justext")
def test_lists_without_justext():
    assert stop_list("en") == iso_list("en")
    assert stop_list("is") is None


def test_no_folder_of_justext_where_it_is_not_installed(monkeypatch):
    justext_folder.cache_clear()
    monkeypatch.setattr(language, "find_spec", lambda name: None)
    assert justext_folder() is None
    justext_folder.cache_clear()


def test_picking_is_quick():
    text = " ".join(PROSE.values()) * 3
    pick_language(text)
    start = time.process_time()
    for _ in range(20):
        pick_language(text)
    # It takes about a millisecond; the rest is for a machine that is busy.
    assert (time.process_time() - start) / 20 < 0.05


@pytest.mark.parametrize("text", ["的" * 200_000, "ที่" * 100_000, "ก" * 300_000])
def test_scripts_are_measured_in_linear_time(text):
    start = time.process_time()
    code = script_language(text)
    sign_density(text, code)
    letters(text)
    assert time.process_time() - start < 3
