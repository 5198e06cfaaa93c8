"""A magazine in five languages, of which the German pages are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from benchmarks.madeup.site import (
    Answer,
    MissingError,
    Query,
    Site,
    Story,
    each,
    page_of,
    pages,
    paragraphs,
    route,
    story,
    urlset,
)
from benchmarks.madeup.words import LANGUAGES

COUNT = 130
SIZE = 12
# Name, word for articles, older, newer, about, motto.
WORDS = {
    code: words.split("|")
    for code, words in {
        "en": "English|articles|Older|Newer|about-us|A magazine for the coast",
        "de": "Deutsch|beitraege|Ältere|Neuere|ueber-uns|Ein Magazin für die Küste",
        "fr": "Français|articles|Plus anciens|Plus récents|a-propos|Un magazine pour la côte",
        "es": "Español|articulos|Anteriores|Siguientes|sobre-nosotros|Una revista para la costa",
        "it": "Italiano|articoli|Precedenti|Successivi|chi-siamo|Una rivista per la costa",
    }.items()
}
WANTED = "de"


class Languages(Site):
    name = "languages"
    host = "www.coast-magazine.example"
    title = "Coast"
    language = WANTED
    robots = "User-agent: *\nAllow: /\nSitemap: BASE/sitemap.xml\n"

    def stories(self, language: str) -> list[Story]:
        """Those that were translated: all in English, nine of ten in other languages."""
        if language not in LANGUAGES:
            raise MissingError
        return self._stories[language]

    @cached_property
    def _stories(self) -> dict[str, list[Story]]:
        return {
            language: [
                story(self.name + language, speech, number, number * 5)
                for number in range(COUNT)
                if language == "en" or self.rng(language, number).random() < 0.9
            ]
            for language, speech in LANGUAGES.items()
        }

    def path(self, language: str, about: Story) -> str:
        return f"/{language}/{WORDS[language][1]}/{about.slug}"

    def paths(self) -> Iterator[str]:
        return (self.path(WANTED, about) for about in self.stories(WANTED))

    def others(self) -> int:
        return pages(len(self.stories(WANTED)), SIZE) + 2

    def is_trap(self, url: str) -> str:
        path = url.removeprefix(self.base)
        # The first page of a language leads to the others.
        other = path[1:3] in LANGUAGES and path[4:] and path[1:3] != WANTED
        return "other language" if other else super().is_trap(url)

    def page(
        self, language: str, title: str, main: str, same: dict[str, str], head: str = ""
    ) -> str:
        """A page around its part; ``same`` are paths of the page in other languages."""
        _, _, _, _, about, motto = WORDS[language]
        switch = each(
            '<li class="lang-{0}"><a href="{1}" class="language-link" hreflang="{0}">{2}</a></li>',
            (
                (code, same.get(code, f"/{code}/"), words[0])
                for code, words in WORDS.items()
            ),
        )
        alternates = each(
            '<link rel="alternate" hreflang="{0}" href="{1}{2}">\n',
            ((code, self.base, path) for code, path in same.items()),
        )
        recent = each(
            '<div class="views-row"><span class="field-content"><a href="{0}">{1}</a></span></div>',
            (
                (self.path(language, one), one.title)
                for one in self.stories(language)[:4]
            ),
        )
        return f"""<!DOCTYPE html>
<html lang="{language}" dir="ltr"><head><meta charset="utf-8"><title>{title} | {self.title}</title>
<meta name="Generator" content="Drupal 10">{alternates}{head}</head>
<body class="path-node"><div class="dialog-off-canvas-main-canvas"><div id="page-wrapper"><div class="region region-header">
<div class="site-branding"><a href="/{language}/">{self.title}</a><div class="site-branding__slogan">{motto}</div></div>
<div class="block-language"><ul class="links">{switch}</ul></div><div class="block-menu"><ul class="menu"><li><a href="/{language}/">
{self.title}</a></li><li><a href="/{language}/{WORDS[language][1]}">{WORDS[language][1].title()}</a></li><li><a
href="/{language}/{about}">{about.replace("-", " ").title()}</a></li></ul></div></div>
<div class="layout-main"><div class="region region-content"><div class="block block-system-main">
{main}
</div></div><div class="region region-sidebar"><div class="views-element-container">{recent}</div></div></div>
<div class="region region-footer"><p>© 2026 {self.title}</p><ul class="menu"><li><a href="/{language}/{about}">
{about.replace("-", " ")}</a></li></ul></div></div></div></body></html>"""

    def layout(self, title: str, main: str, head: str = "") -> str:
        return self.page("en", title, main, {})

    def list_of(self, language: str, found: list[Story]) -> str:
        speech = LANGUAGES[language]
        return each(
            '<div class="views-row"><div class="node node--type-article node--view-mode-teaser"><h2 class="node__title"><a '
            'href="{0}">{1}</a></h2><div class="node__meta">{2}, {3:%d.%m.%Y}</div><div class="node__content"><div class="field">'
            "{4}</div></div></div></div>\n",
            (
                (
                    self.path(language, one),
                    one.title,
                    one.author,
                    one.day,
                    speech.paragraph(self.rng(language, "teaser", one.number), 2),
                )
                for one in found
            ),
        )

    @route("/")
    def front(self, asked: Query) -> Answer:
        return Answer(status=302, location=f"{self.base}/en/")

    @route(r"/(\w\w)/")
    def home(self, asked: Query, language: str) -> str:
        main = self.list_of(language, self.stories(language)[:6])
        return self.page(
            language, WORDS[language][5], main, {code: f"/{code}/" for code in WORDS}
        )

    @route(r"/(\w\w)/([a-z]+)")
    def listing(self, asked: Query, language: str, word: str) -> str:
        found = self.stories(language)
        page = asked.get("page", "0")
        if word != WORDS[language][1] or not page.isdigit():
            raise MissingError
        main = self.list_of(language, page_of(found, int(page) + 1, SIZE))
        steps = [
            (f"?page={at}", text)
            for at, text in (
                (int(page) - 1, WORDS[language][3]),
                (int(page) + 1, WORDS[language][2]),
            )
            if 0 <= at < pages(len(found), SIZE)
        ]
        pager = each('<li class="pager__item"><a href="{0}">{1}</a></li>', steps)
        same = {code: f"/{code}/{words[1]}" for code, words in WORDS.items()}
        main += f'<nav class="pager"><ul>{pager}</ul></nav>'
        return self.page(language, word.title(), f"<h1>{word.title()}</h1>{main}", same)

    @route(r"/(\w\w)/(about-us|ueber-uns|a-propos|sobre-nosotros|chi-siamo)")
    def about(self, asked: Query, language: str, word: str) -> str:
        if language not in WORDS or WORDS[language][4] != word:
            raise MissingError
        texts = LANGUAGES[language].text(self.rng("about", language), 60)
        same = {code: f"/{code}/{words[4]}" for code, words in WORDS.items()}
        return self.page(
            language, self.title, f"<h1>{self.title}</h1>{paragraphs(texts)}", same
        )

    @route(r"/(\w\w)/([a-z]+)/([\w-]+)")
    def article(self, asked: Query, language: str, word: str, ending: str) -> str:
        found = {one.slug: one for one in self.stories(language)}
        if word != WORDS[language][1] or ending not in found:
            raise MissingError
        about = found[ending]
        rng = self.rng(language, "body", about.number)
        speech = LANGUAGES[language]
        texts = paragraphs(speech.text(rng, rng.randint(200, 500)))
        main = f"""<article class="node node--type-article node--view-mode-full"><h1 class="page-title"><span>{about.title}</span></h1>
<div class="node__meta"><span>{about.author}</span> <time datetime="{about.iso}">{about.day:%d.%m.%Y}</time></div><div
class="node__content"><div class="clearfix text-formatted field field--name-body">{texts}</div></div></article>"""
        head = f'<link rel="canonical" href="{self.base}{self.path(language, about)}">'
        return self.page(language, about.title, main, self.same(about.number), head)

    def same(self, number: int) -> dict[str, str]:
        return {
            code: self.path(code, one)
            for code in WORDS
            for one in self.stories(code)
            if one.number == number
        }

    @route(r"/sitemap\.xml")
    def sitemap(self, asked: Query) -> Answer:
        entries = []
        for number in range(COUNT):
            same = self.same(number)
            alternates = each(
                '<xhtml:link rel="alternate" hreflang="{0}" href="{1}{2}"/>',
                ((code, self.base, path) for code, path in same.items()),
            )
            entries += [(self.base + path, alternates) for path in same.values()]
        return urlset(entries, ' xmlns:xhtml="http://www.w3.org/1999/xhtml"')
