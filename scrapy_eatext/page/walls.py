"""Detects walls, such as captchas and log-ins, and shells that scripts would fill.

A wall is short, and its title, headings or few words name it; a form for a password may
also be named by its address.  A page with a main text is not a wall, whatever it is about
and whatever is beside the text: many pages have a captcha below their comments, or a
banner that asks for consent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_eatext.page.names import HUMAN_TESTS
from scrapy_eatext.page.urls import LOGIN_SEGMENTS

if TYPE_CHECKING:
    from scrapy_eatext.page.page import Page

# A page is not a wall if its main text, or its whole text or number of blocks, exceeds
# these limits.
LONGEST = 1000
_MOST_CHARS, _MOST_BLOCKS = 2500, 60
# Some kinds of walls have a main text shorter than this.
_FEW_CHARS = 400
# With a main text this long, the words that name a wall have to be in it or in
# headings; with less they may be anywhere on the page.
_SOME_CHARS = 150
# A phrase that is a whole title or heading, or all of it besides the site's name, has
# these patterns before and after it.
_EDGE = r"(?:^|[|–—:•»«·-]\s|\n)[\s!:,…'’\"-]{0,8}(?:\d{3,4}[\s:-]{1,3})?"
_END = r"[\s!.:,\d…'’\"-]{0,8}(?:$|\s[|–—•»«·-]|[!.:\n])"
# Separators of the parts of titles and headings.
_PARTS = re.compile(r"\n|\s[|–—:•»«·-]{1,3}\s|:\s")


def _phrases(*ways: str) -> re.Pattern[str]:
    return re.compile("|".join(ways), re.IGNORECASE)


def _titled(*ways: str) -> re.Pattern[str]:
    return re.compile(rf"{_EDGE}(?:{'|'.join(ways)}){_END}", re.IGNORECASE)


_CHECKING = _phrases(
    r"checking (?:if the site connection is secure|your browser)",
    r"ddos protection by",
    r"verifying (?:that )?you are (?:a )?human|(?:verifying|validating) your browser",
    r"made us think (?:that )?you (?:might be|were|are) a (?:ro)?bot",
    r"please wait while (?:we|your request)[\w\s]{0,20} (?:verif|check)",
    r"(?:enable|turn on) javascript and cookies to continue",
    r"enable js and disable any ad ?blocker",
    r"(?:browser|navigateur|navegador) wird (?:geprüft|überprüft)",
    r"vérification de votre navigateur|comprobando (?:tu|su) navegador",
)
_JUST_A_MOMENT = _titled(
    "just a moment|one moment,? please|einen moment,? bitte",
    "(?:human|bot) verification|pardon our interruption",
)
_CAPTCHA = _phrases(
    r"(?:verify|confirm|prove)(?: that)? you(?:['’]re|\s+are) (?:a human|human|not a (?:ro)?bot)",
    r"(?:are you|i['’]?a?m|you(?:['’]re| are)) (?:a human\?|not a (?:ro)?bot|a (?:ro)?bot\?)",
    r"(?:solve|complete|enter) (?:the |this |a )?(?:captcha|security check|characters you see)",
    r"unusual (?:traffic|activity) from your",
    r"press (?:&|and) hold",
    r"kein roboter|pas un robot|no (?:eres|soy|es) un robot|não (?:é|sou) um robô",
)
_BLOCKED = _titled(
    r"access (?:to this (?:page|site) )?(?:has been )?(?:denied|blocked)",
    r"(?:403 )?forbidden",
    r"(?:your )?request (?:has been )?blocked",
    r"(?:sorry, )?you have been blocked",
    r"zugriff verweigert|accès refusé|acceso denegado|acesso negado",
)
_CONSENT = _phrases(
    r"before you continue",
    r"(?:bevor (?:du|sie) fortf|avant de continuer|antes de continuar)",
    r"we (?:value|respect|care about) your privacy",
    r"(?:accept|allow|agree to|reject) (?:all )?(?:the )?(?:use of )?cookies",
    r"(?:alle )?cookies (?:akzeptieren|zulassen)|accepter (?:tous )?les cookies",
    r"aceptar (?:todas )?las cookies",
    r"consent to (?:the |our )?(?:use|processing|storage)",
)
_LOGIN = _titled(
    r"(?:please )?(?:log|sign)[ -]?in(?: or (?:register|sign up|create an account))?"
    r"(?: (?:to|with)[\w\s]{1,30})?",
    r"login|anmelden|anmeldung|einloggen|connexion|se connecter|iniciar sesión"
    r"|entrar|accedi|inloggen|logga in|войти|вход|登录|ログイン",
)
_LOGIN_PATH = re.compile(
    rf"\w+://[^?#]*/(?:{LOGIN_SEGMENTS})(?:\.\w{{1,5}})?(?:[/?#;]|$)", re.IGNORECASE
)
_NOT_FOUND = _titled(
    r"(?:sorry,? )?(?:error )?(?:404|410)(?: (?:error|page))?",
    r"(?:(?:sorry|oops)[,!.]{0,3} )?(?:error )?(?:404 ?)?(?:this |that |the )?"
    r"(?:requested )?(?:page|file|content|document|url)?(?: you requested)?"
    r"(?: (?:is|was|could|can|cannot|can['’]t|couldn['’]t))?(?: not)?(?: be)? ?"
    r"(?:not found|couldn['’]t be found|could not be found|cannot be found"
    r"|can['’]t be found|does(?: not|n['’]t) exist|no longer exists)",
    r"seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)"
    r"|página no encontrada|página não encontrada|pagina non trovata"
    r"|pagina niet gevonden|sidan hittades inte|страница не найдена",
)
# A status code at the edge of a title or heading, which needs no language.  Those above
# 499, which are often other numbers, count only at the beginning.
_STATUS = re.compile(
    r"^\W{0,3}(?:4(?:0[0-689]|10|29|51)|50[0-4])(?![\w.,%/-])"
    r"|(?<![\w.,/$€£#-])4(?:0[0-689]|10|29|51)[\s)!.]{0,3}$",
    re.MULTILINE,
)
_NEEDS_SCRIPTS = _phrases(
    r"(?:enable|activate|turn on|requires?|needs?|without) (?:\w+ ){0,2}javascript",
    r"javascript (?:is|to be|must be|has been)? ?(?:disabled|required|enabled|needed|turned off)",
    r"javascript (?:aktivieren|einschalten)|activer (?:le )?javascript"
    r"|(?:activar?|habilit(?:e|ar)) (?:el )?javascript",
)
_LOADING = re.compile(r"[\W_]*(?:(?:loading|please wait|wird geladen|chargement|cargando"
                      r"|загрузка)[\W_]*)?", re.IGNORECASE)  # fmt: skip
# An executable script, not data.  The length of its attributes is bounded.
_SCRIPT = re.compile(
    rb"<script(?![^>]{0,500}(?:ld\+json|text/template|text/html))[\s>]", re.IGNORECASE
)

# Names of scripts and frames of services that test browsers.  A page that passed the
# test may have them too, but has a text.
_TESTS = re.compile(
    r"_Incapsula_Resource|captcha-delivery\.com|token\.awswaf\.com|/_sec/cp_challenge"
    r"|/KP_UIDz|px-captcha|/cdn-cgi/challenge-platform/"
)

# The kinds of walls, and those that a browser or another IP address may pass.
WALLS = ("captcha", "checking", "blocked", "consent", "login", "not_found", "shell")
PASSABLE = frozenset(WALLS) - {"login", "not_found"}


def wall_of(page: Page, text: str) -> str:
    """The kind of wall that a page with this main text is, "" for none."""
    if len(text) > LONGEST:
        return ""
    # An address names it in any language, and whatever the size of the menus.
    is_to_log_in = len(text) < _FEW_CHARS and _LOGIN_PATH.match(page.url or "")
    if is_to_log_in and _has_password_field(page):
        return "login"
    blocks = page.blocks
    if len(blocks) > _MOST_BLOCKS or sum(blocks.chars) > _MOST_CHARS:
        return ""
    texts = _texts(page, text)
    return next((kind for kind, is_one in _KINDS if is_one(texts)), "")


class _Texts(NamedTuple):
    """The texts of a short page, in which the names of walls are searched for.

    ``main`` is the main text, ``all`` that of all blocks.  ``heads`` is the title with
    the headings, ``top_heads`` with the main headings alone.  A phrase may name a wall
    anywhere in ``named``, or only in ``top_named`` if articles have it too.
    """

    page: Page
    main: str
    all: str
    heads: str
    top_heads: str
    named: str
    top_named: str

    @property
    def has_few(self) -> bool:
        return len(self.main) < _FEW_CHARS

    @property
    def has_some(self) -> bool:
        return len(self.main) >= _SOME_CHARS


def _texts(page: Page, text: str) -> _Texts:
    blocks = page.blocks
    block_texts = blocks.texts()
    page_text = "\n".join(block_texts)
    headings = [i for i in range(len(blocks)) if blocks.kind(i) == "heading"]
    top = [i for i in headings if blocks.level(i) == 1] or headings[:1]
    heads, top_heads = (
        "\n".join([page.title, *(block_texts[i] for i in numbers)])
        for numbers in (headings, top)
    )
    if len(text) < _SOME_CHARS:
        named = f"{page.title}\n{page_text}"
        return _Texts(page, text, page_text, heads, top_heads, named, heads)
    # A heading that the title repeats is one phrase, which has no site's name: "Access
    # denied: a novel" names no wall.
    repeated = (block_texts[i] for i in top if block_texts[i] in page.title)
    for head in dict.fromkeys(repeated):
        whole = _PARTS.sub(" ", head)
        heads, top_heads = (s.replace(head, whole) for s in (heads, top_heads))
    if len(text) < _FEW_CHARS:
        named = f"{heads}\n{text}"
        return _Texts(page, text, page_text, heads, top_heads, named, top_heads)
    # Other headings may be those of an article about captchas.
    named = "\n".join(filter(_begins_as_wall, _PARTS.split(top_heads)))
    return _Texts(page, text, page_text, top_heads, top_heads, named, named)


def _begins_as_wall(head: str) -> bool:
    return any(way.match(head) for way in (_CHECKING, _CAPTCHA, _CONSENT))


def _is_checking(texts: _Texts) -> object:
    return _CHECKING.search(texts.named) or _JUST_A_MOMENT.search(texts.heads)


def _is_captcha(texts: _Texts) -> object:
    # A text of some length may be about such tests: then it needs one beside it.
    is_about = texts.has_few and texts.has_some
    return _CAPTCHA.search(texts.heads if is_about else texts.named) or (
        HUMAN_TESTS.rows(texts.page.blocks.walk)
        and (_is_blocked(texts) or _CAPTCHA.search(texts.main))
    )


def _is_blocked(texts: _Texts) -> object:
    return _BLOCKED.search(texts.heads)


def _is_not_found(texts: _Texts) -> object:
    if not texts.has_few:
        return _NOT_FOUND.search(texts.top_heads.partition("\n")[0])
    return _NOT_FOUND.search(texts.heads) or _STATUS.search(texts.top_heads)


def _is_login(texts: _Texts) -> object:
    heads = texts.top_heads if texts.has_some else texts.heads
    return texts.has_few and _LOGIN.search(heads) and _has_password_field(texts.page)


def _is_consent(texts: _Texts) -> object:
    is_named = _CONSENT.search(texts.top_named)
    return is_named or (texts.has_few and _CONSENT.search(texts.main))


def _is_tested(texts: _Texts) -> object:
    is_short = not texts.main and len(texts.all) < _SOME_CHARS
    return is_short and _TESTS.search(texts.page.html)


def _is_shell(texts: _Texts) -> object:
    needs = texts.has_few and _NEEDS_SCRIPTS.search(texts.main or texts.all)
    is_empty = needs or _LOADING.fullmatch(texts.all)
    return is_empty and has_scripts(texts.page.html.encode("utf-8", "replace"))


# The kinds of walls with their tests, in order: the first kind that passes is reported.
_KINDS = (
    ("checking", _is_checking),
    ("captcha", _is_captcha),
    ("blocked", _is_blocked),
    ("not_found", _is_not_found),
    ("login", _is_login),
    ("consent", _is_consent),
    ("checking", _is_tested),
    ("shell", _is_shell),
)


def has_scripts(source: bytes) -> bool:
    return _SCRIPT.search(source) is not None


def _has_password_field(page: Page) -> bool:
    fields = page.root.iter("input")
    return any((field.get("type") or "").lower() == "password" for field in fields)
