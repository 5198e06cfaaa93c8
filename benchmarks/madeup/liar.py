"""A site whose sitemap lies: dead and moved addresses, wrong days, half of it missing."""

from __future__ import annotations

from datetime import timedelta

from benchmarks.madeup.site import (
    TODAY,
    Answer,
    Magazine,
    MissingError,
    Query,
    Story,
    each,
    page_of,
    pages,
    paragraphs,
    route,
    urlset,
)

SIZE = 15
TOPICS = "town nature history people".split()


class Liar(Magazine):
    name = "liar"
    host = "stories.old-mill.example"
    title = "The Old Mill Stories"
    count = 420
    pace = 0.5
    robots = "User-agent: *\nAllow: /\nSitemap: BASE/sitemap.xml\n"

    def path(self, about: Story) -> str:
        return f"/stories/{about.number + 4000}-{about.slug.rpartition('-')[0]}.html"

    def topic(self, about: Story) -> str:
        return TOPICS[about.number % 4]

    def others(self) -> int:
        return (
            1 + pages(self.count, SIZE) + len(TOPICS) * pages(self.count // 4, SIZE) + 2
        )

    def layout(self, title: str, main: str, head: str = "") -> str:
        menu = each(
            '<li class="nav-item"><a class="nav-link" href="/topics/{0}">{0}</a></li>',
            TOPICS,
        )
        return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · {self.title}</title>{head}
<link rel="stylesheet" href="/css/bootstrap.css"></head><body><nav class="navbar navbar-expand-lg navbar-dark bg-dark"><div
class="container"><a class="navbar-brand" href="/">{self.title}</a><ul class="navbar-nav">{menu}<li class="nav-item"><a class="nav-link"
href="/stories">All stories</a></li><li class="nav-item"><a class="nav-link" href="/contact">Contact</a></li></ul></div></nav>
<div class="container my-4"><div class="row"><div class="col-lg-8">
{main}
</div><div class="col-lg-4"><div class="card mb-3"><div class="card-header">Support the mill</div><div class="card-body"><p
class="card-text">The mill lives on gifts. Every little helps.</p><a class="btn btn-primary" href="/donate">Donate</a></div></div>
</div></div></div><footer class="bg-light py-3"><div class="container"><small>© 2026 Old Mill Society · <a href="/contact">Imprint
</a></small></div></footer></body></html>"""

    def cards(self, found: list[Story]) -> str:
        return self.rows(
            '<div class="card mb-3"><div class="row g-0"><div class="col-md-4"><img class="img-fluid" src="/img/{0.number}.jpg" alt=""></div><div '
            'class="col-md-8"><div class="card-body"><h5 class="card-title"><a class="stretched-link" href="{path}">{0.title}</a></h5><p class="card-text">'
            '{teaser}</p><p class="card-text"><small class="text-muted">{0.day:%d %B %Y}</small></p></div></div></div></div>\n',
            found,
        )

    @route("/")
    def front(self, asked: Query) -> str:
        more = '<a class="btn btn-outline-primary" href="/stories">All stories</a>'
        lead = "<div class='jumbotron'><h1>Stories from the old mill</h1></div>"
        return self.layout("Home", lead + self.cards(self.stories[:9]) + more)

    @route(r"/(stories|topics/\w+)")
    def listing(self, asked: Query, path: str) -> str:
        topic = path.partition("/")[2]
        found = [one for one in self.stories if topic in ("", self.topic(one))]
        number = asked.get("page", "1")
        if not found or not number.isdigit():
            raise MissingError
        last = pages(len(found), SIZE)
        near = sorted(
            {1, last, *range(max(1, int(number) - 2), min(last, int(number) + 2) + 1)}
        )
        steps = each(
            '<li class="page-item{2}"><a class="page-link" href="/{0}?page={1}">{1}</a></li>',
            ((path, at, " active" * (at == int(number))) for at in near),
        )
        title = topic.title() or "All stories"
        return self.layout(
            title,
            f'<h1>{title}</h1>{self.cards(page_of(found, int(number), SIZE))}<nav><ul class="pagination">{steps}</ul></nav>',
        )

    @route(r"/stories/(\d+)-([\w-]+)\.html")
    def article(self, asked: Query, number: str, ending: str) -> str | Answer:
        if 7000 <= int(number) < 8000:  # there once was such a page
            return Answer(status=302, location=f"{self.base}/")
        if 6000 <= int(number) < 7000:
            return Answer(self.missing().body, 410)
        about = self.story(int(number) - 4000)
        path = self.path(about)
        if path != f"/stories/{number}-{ending}.html":
            raise MissingError
        near = [
            (word, self.path(self.stories[at]), self.stories[at].title)
            for word, at in (("Before", about.number + 1), ("After", about.number - 1))
            if 0 <= at < self.count
        ]
        steps = each(
            '<li class="list-group-item">{0}: <a href="{1}">{2}</a></li>', near
        )
        topic = self.topic(about)
        main = f"""<nav aria-label="breadcrumb"><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/">Home</a></li><li
class="breadcrumb-item"><a href="/topics/{topic}">{topic}</a></li></ol></nav><h1 class="display-5">{about.title}</h1><p class="text-muted">
{about.author}, {about.day:%d %B %Y}</p><p class="lead">{self.teaser(about)}</p>{paragraphs(self.body(about))}<ul class="list-group mt-4">{steps}</ul>"""
        return self.layout(
            about.title, main, f'<link rel="canonical" href="{self.base}{path}">'
        )

    @route(r"/story\.php")
    def moved(self, asked: Query) -> Answer:
        number = asked.get("id", "")
        about = self.story(int(number) - 4000 if number.isdigit() else -1)
        return Answer(status=301, location=self.base + self.path(about))

    def canonical_path(self, path: str, asked: Query) -> str:
        number = asked.get("id", "")
        if path == "/story.php" and number.isdigit():
            return self.path(self.story(int(number) - 4000))
        return path

    def is_trap(self, url: str) -> str:
        path = url.removeprefix(self.base)
        if path.startswith("/stories/7"):
            return "to the front page"
        gone = path.startswith(("/stories/6", "/stories/9"))
        return "dead" if gone else super().is_trap(url)

    @route(r"/(contact|donate)")
    def static(self, asked: Query, page: str) -> str:
        return self.layout(
            page.title(),
            f"<h1>{page.title()}</h1><p>Old Mill Society, 4 Mill Lane.</p>",
        )

    @route(r"/sitemap\.xml")
    def sitemap(self, asked: Query) -> Answer:
        rng = self.rng("sitemap")
        entries = []
        for one in self.stories:
            if one.number % 2:  # half of the pages are missing
                continue
            # The newest pages have old days, the older ones are all of today.
            day = TODAY - timedelta(days=5000) if one.number < 60 else TODAY
            path = self.path(one)
            if one.number % 10 == 4:
                path = f"/story.php?id={one.number + 4000}"
            entries.append((path, day))
        for first, count in ((6000, 60), (7000, 60), (9000, 60)):
            entries += [
                (
                    f"/stories/{first + at}-{self.speech.title(self.rng(first, at)).lower().replace(' ', '-')}.html",
                    TODAY,
                )
                for at in range(count)
            ]
        rng.shuffle(entries)
        return urlset(
            (self.base + path, f"<lastmod>{day}</lastmod>") for path, day in entries
        )
