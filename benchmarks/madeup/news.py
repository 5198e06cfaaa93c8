"""A newspaper: sections and a monthly archive, sitemaps by month, feeds."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

from benchmarks.madeup.site import (
    Answer,
    Magazine,
    MissingError,
    Query,
    Story,
    each,
    link,
    page_of,
    pages,
    paragraphs,
    route,
    sitemap_index,
    urlset,
)

SECTIONS = "politics business region culture science sport travel opinion".split()
SIZE = 20
TOPICS = (
    "bridges budget courts elections energy exhibitions farming festivals fishing football "
    "gardens harbour health housing libraries markets music railways schools ships taxes "
    "theatre weather wages"
).split()
ICON = '<svg class="icon" width="24" height="24"><path d="M4 4h16v16H4z"></path></svg>'
STATIC = "about contact privacy terms advertise jobs".split()


class News(Magazine):
    name = "newspaper"
    host = "www.harbour-herald.example"
    title = "The Harbour Herald"
    count = 520
    pace = 1.5
    robots = (
        "User-agent: *\nDisallow: /search\nDisallow: /login\n\n"
        "Sitemap: BASE/news-sitemap.xml\nSitemap: BASE/sitemap_index.xml\n"
    )

    def section(self, about: Story) -> str:
        # Sections are not of one size.
        return SECTIONS[self.rng("section", about.number).randrange(80) % 13 % 8]

    def path(self, about: Story) -> str:
        return f"/{self.section(about)}/{about.day:%Y/%m/%d}/{about.slug}"

    def others(self) -> int:
        lists = sum(pages(len(self.of[section]), SIZE) for section in SECTIONS)
        return 2 + lists + len(TOPICS) + len(self.months()) + len(STATIC)

    @cached_property
    def of(self) -> dict[str, list[Story]]:
        """The articles of each section."""
        return {
            section: [one for one in self.stories if self.section(one) == section]
            for section in SECTIONS
        }

    def months(self) -> list[str]:
        return list(dict.fromkeys(f"{about.day:%Y/%m}" for about in self.stories))

    @cached_property
    def on(self) -> dict[str, list[Story]]:
        """The articles on each topic."""
        found: dict[str, list[Story]] = {topic: [] for topic in TOPICS}
        for one in self.stories:
            for topic in self.topics(one):
                found[topic].append(one)
        return found

    def topics(self, about: Story) -> list[str]:
        return self.rng("topics", about.number).sample(TOPICS, 3)

    def layout(self, title: str, main: str, head: str = "", cls: str = "front") -> str:
        menu = each(
            '<li class="nav__item"><a class="nav__link" href="/{0}/">{1}</a><ul class="nav__sub">{2}</ul></li>',
            (
                (
                    section,
                    section.title(),
                    each(
                        '<li><a href="/topic/{0}/">{0}</a></li>',
                        TOPICS[at * 3 : at * 3 + 3],
                    ),
                )
                for at, section in enumerate(SECTIONS)
            ),
        )
        read = self.rows(
            '<div class="mostread__item"><span class="mostread__rank">{at}</span>'
            '<a href="{path}">{0.title}</a></div>',
            self.stories[3:8],
        )
        foot = each('<li><a href="/{0}/">{0}</a></li>', SECTIONS)
        foot += "</ul><ul>" + each('<li><a href="/topic/{0}/">{0}</a></li>', TOPICS)
        foot += "</ul><ul>" + each('<li><a href="/{0}.html">{0}</a></li>', STATIC)
        return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title} | {self.title}</title>
<meta property="og:site_name" content="{self.title}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/assets/main.css">
<link rel="alternate" type="application/rss+xml" href="/rss.xml" title="{self.title}">
{head}<script src="/assets/app.js" async></script></head>
<body class="page page--{cls}">
<div class="skip"><a href="#main">Skip to content</a></div>
<div class="header"><div class="header__top"><span class="header__date">Tuesday, June 30
2026</span> <a href="/login?next=/" class="btn">Sign in</a> <a href="/subscribe.html"
class="btn btn--primary">Subscribe for 1 a week</a></div>
<a class="header__logo" href="/">{self.title}</a>
<div class="nav" role="navigation"><ul class="nav__list">{menu}</ul></div>
<form action="/search" class="search"><input name="q" placeholder="Search"></form></div>
<div id="main" class="wrap"><div class="wrap__col wrap__col--main">
{main}
</div>
<div class="wrap__col wrap__col--side"><div class="mostread"><div class="mostread__title">
Most read</div>{read}</div><div class="promo"><div class="promo__title">Get our morning
newsletter</div><div>All that matters in the harbour, at seven in your inbox.</div><form
action="/newsletter" method="post"><input type="email" name="mail"><button>Sign up
</button></form></div></div></div>
<div class="footer"><div class="footer__links"><ul>{foot}</ul></div><div class="footer__legal">©
2026 Harbour Herald Media. All rights reserved. No part of this may be reproduced.</div>
<div class="footer__social"><a href="https://social.invalid/herald">Follow us</a></div>
</div><div class="cookie">We use cookies to improve your experience. <button>Accept
</button> <button>Settings</button></div></body></html>"""

    def card(self, about: Story, size: str = "m") -> str:
        section = self.section(about)
        lead = f'<div class="card__lead">{self.teaser(about)}</div>' * (size != "xs")
        return f"""<div class="card card--{size}"><a class="card__image" href="{self.path(about)}"><img
src="/img/{about.number}.jpg" alt="" width="320" height="180"></a><div class="card__body"><div
class="card__kicker"><a href="/{section}/">{section.title()}</a></div><h3 class="card__title"><a
href="{self.path(about)}">{about.title}</a></h3>{lead}
<div class="card__meta">By {about.author} · {about.day:%B %d, %Y}</div></div></div>
"""

    @route("/")
    def front(self, asked: Query) -> str:
        top = "".join(self.card(about, "l") for about in self.stories[:8])
        boxes = ""
        for section in SECTIONS:
            cards = "".join(self.card(about, "s") for about in self.of[section][:4])
            title = link(f"/{section}/", section.title())
            boxes += (
                f'<div class="box"><h2 class="box__title">{title}</h2>{cards}</div>'
            )
        return self.layout(
            "News from the coast", f'<div class="top">{top}</div>{boxes}'
        )

    @route(rf"/({'|'.join(SECTIONS)})/(?:page/(\d+)/)?")
    def section_page(self, asked: Query, section: str, number: str | None) -> str:
        found = self.of[section]
        page = int(number or 1)
        cards = "".join(map(self.card, page_of(found, page, SIZE)))
        pager = ""
        if page > 1:
            pager += link(f"/{section}/page/{page - 1}/", "« Newer", ' rel="prev"')
        pager += f'<span class="pager__now">Page {page}</span>'
        if page < pages(len(found), SIZE):
            pager += link(f"/{section}/page/{page + 1}/", "Older »", ' rel="next"')
        return self.layout(
            section.title(),
            f'<h1 class="headline">{section.title()}</h1>{cards}<div class="pager">{pager}</div>',
            cls="section",
        )

    @route(rf"/topic/({'|'.join(TOPICS)})/")
    def topic(self, asked: Query, topic: str) -> str:
        cards = "".join(map(self.card, self.on[topic][:SIZE]))
        return self.layout(topic.title(), f'<h1 class="headline">{topic}</h1>{cards}')

    @route(r"/archive/")
    def archive(self, asked: Query) -> str:
        months = each('<li><a href="/archive/{0}/">{0}</a></li>', self.months())
        return self.layout("Archive", f"<h1>Archive</h1><ul class=months>{months}</ul>")

    @route(r"/archive/(\d{4}/\d\d)/")
    def month(self, asked: Query, month: str) -> str:
        found = [about for about in self.stories if f"{about.day:%Y/%m}" == month]
        if not found:
            raise MissingError
        rows = self.rows(
            '<div class="row"><span class="row__date">{0.day:%d %b}</span> <a href="{path}">'
            "{0.title}</a></div>",
            found,
        )
        months = self.months()
        before = months[months.index(month) + 1 :][:1]
        more = each('<a href="/archive/{0}/">Earlier month</a>', before)
        return self.layout(f"Archive {month}", f"<h1>Archive {month}</h1>{rows}{more}")

    @route(rf"/({'|'.join(SECTIONS)})/(\d{{4}}/\d\d/\d\d)/([\w-]+)")
    def article(self, asked: Query, section: str, day: str, ending: str) -> str:
        about = self.named(ending)
        if self.path(about) != f"/{section}/{day}/{ending}":
            raise MissingError
        texts = self.body(about)
        related = [
            self.story((about.number * 7 + step * 31) % self.count)
            for step in (1, 2, 3)
        ]
        inline = link(self.path(related[0]), related[0].title)
        texts[1:1] = [f'<span class="readmore">Read also: {inline}</span>']
        if len(texts) > 5:
            texts[4] += (
                f'</p><h2 class="sub">{self.speech.title(self.rng(ending))}</h2><p>'
            )
        url = f"{self.base}{self.path(about)}"
        data: dict[str, Any] = {
            "@context": "https://schema.org",
            "@type": "NewsArticle",
            "headline": about.title,
            "datePublished": about.iso,
            "author": {"@type": "Person", "name": about.author},
            "mainEntityOfPage": url,
        }
        head = f"""<link rel="canonical" href="{url}"><meta property="og:type" content="article">
<meta property="og:title" content="{about.title}"><meta property="og:url" content="{url}">
<script type="application/ld+json">{json.dumps(data)}</script>
"""
        share = each(
            '<a class="share__link" href="https://{0}.invalid/share?u={1}" title="{0}">{2}</a> ',
            ((network, url, ICON) for network in ("social", "chat", "mail")),
        )
        tags = each(
            '<li class="tags__item"><a href="/topic/{0}/">{0}</a></li>',
            self.topics(about),
        )
        cards = "".join(self.card(one, "xs") for one in related)
        main = f"""<div class="article"><div class="article__kicker"><a href="/{section}/">{section.title()}</a>
</div><h1 class="article__title">{about.title}</h1><div class="article__lead">{self.teaser(about)}</div>
<div class="article__byline">By <span class="author">{about.author}</span>, <time
datetime="{about.iso}">{about.day:%B %d, %Y}</time></div><div class="share">{share}</div>
<figure class="figure"><img src="/img/{about.number}.jpg" width="960" height="540" alt=""><figcaption
class="figure__caption">{self.speech.sentence(self.rng("caption", about.number))}
(Photo: {about.author})</figcaption></figure><div class="article__body">{paragraphs(texts)}</div><ul class="tags">{tags}</ul></div>
<div class="related"><div class="related__title">More on this</div>{cards}</div>"""
        return self.layout(about.title, main, head, "article")

    @route(rf"/({'|'.join(STATIC)}|subscribe)\.html")
    def static(self, asked: Query, page: str) -> str:
        text = f"<h1>{page.title()}</h1><p>Harbour Herald Media, 1 Quay Street.</p>"
        more = link("/archive/", "All articles by month")
        return self.layout(page.title(), f"{text}<p>{more}</p>")

    @route(r"/(?:login|search|newsletter)", "login and search")
    def login(self, asked: Query) -> str:
        form = "<form><input name=user><input type=password><button>Sign in</button></form>"
        return self.layout("Sign in", f"<h1>Sign in</h1>{form}")

    @route(r"/rss\.xml")
    def rss(self, asked: Query) -> Answer:
        items = self.rows(
            f"<item><title>{{0.title}}</title><link>{self.base}{{path}}?utm_source=rss</link><guid>"
            f"{self.base}{{path}}</guid><pubDate>{{0.day:%a, %d %b %Y}} 06:00:00 GMT</pubDate>"
            "<description>{teaser}</description></item>\n",
            self.stories[:30],
        )
        channel = f"<title>{self.title}</title><link>{self.base}/</link>{items}"
        return Answer(
            f'<?xml version="1.0"?>\n<rss version="2.0"><channel>{channel}</channel></rss>',
            type="application/rss+xml",
        )

    @route(r"/news-sitemap\.xml")
    def news_sitemap(self, asked: Query) -> Answer:
        return urlset(
            (
                (
                    self.base + self.path(one),
                    (
                        "<news:news><news:publication><news:name>Harbour Herald</news:name>"
                        "<news:language>en</news:language></news:publication><news:publication_date>"
                        f"{one.iso}</news:publication_date><news:title>{one.title}</news:title></news:news>"
                    ),
                )
                for one in self.stories[:12]
            ),
            ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
        )

    @route(r"/sitemap_index\.xml")
    def index(self, asked: Query) -> Answer:
        months = (
            (
                f"{self.base}/sitemaps/articles-{month.replace('/', '-')}.xml",
                f"{month.replace('/', '-')}-28",
            )
            for month in self.months()
        )
        return sitemap_index(
            [*months, (f"{self.base}/sitemaps/pages.xml", "2024-01-01")]
        )

    @route(r"/sitemaps/(pages|articles-(\d{4}-\d\d))\.xml")
    def sitemap(self, asked: Query, which: str, month: str | None) -> Answer:
        if month is None:
            paths = [f"/{section}/" for section in SECTIONS]
            paths += [f"/{page}.html" for page in STATIC]
            return urlset(
                (self.base + path, "<lastmod>2024-01-01</lastmod>") for path in paths
            )
        return urlset(
            (self.base + self.path(one), f"<lastmod>{one.iso}</lastmod>")
            for one in self.stories
            if f"{one.day:%Y-%m}" == month
        )
