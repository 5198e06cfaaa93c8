"""A site full of traps, with articles among them."""

from __future__ import annotations

from calendar import Calendar
from datetime import date, timedelta
from typing import ClassVar

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
)

SIZE = 20
TOPICS = "life work home garden".split()


class Traps(Magazine):
    name = "traps"
    host = "www.village-paper.example"
    title = "Village Paper"
    count = 300
    pace = 0.4
    robots = "User-agent: *\nDisallow: /admin\n"
    endless: ClassVar = {
        "sort": "sort",
        "dir": "sort",
        "PHPSESSID": "session",
        "print": "printed copy",
        "offset": "load more",
    }

    def path(self, about: Story) -> str:
        return f"/article/{about.slug}/"

    def topic(self, about: Story) -> str:
        return TOPICS[about.number % 4]

    def others(self) -> int:
        return 2 + len(TOPICS) * (1 + pages(self.count // 4, SIZE))

    def canonical_path(self, path: str, asked: Query) -> str:
        parts = path.removeprefix("/m").split("/")
        if len(parts) > 1 and parts[1].startswith("s-"):
            del parts[1]
        if parts[-1] == "print":
            parts[-1] = ""
        return "/".join(parts)

    def layout(self, title: str, main: str, head: str = "", session: str = "") -> str:
        menu = each(
            '<td><a href="{1}/topic/{0}/">{0}</a></td>',
            ((topic, session) for topic in TOPICS),
        )
        return f"""<html lang="en"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><title>{self.title}: {title}</title>
{head}</head><body bgcolor="#ffffff"><center><table width="900" border="0"><tr><td colspan="3"><a href="{session}/"><font size="6">{self.title}
</font></a></td></tr><tr class="menu">{menu}<td><a href="/calendar/2026/06/">Events</a></td><td><a href="/members/area">Members</a></td><td><a
href="/search/?q=&sort=date">Search</a></td></tr></table><table width="900"><tr><td valign="top" width="640">
{main}
</td><td valign="top" width="240"><div class="box"><b>Today in the village</b><br>Market in the square, 9 am.<br><a href="/calendar/2026/06/30/">
All events of the day</a></div><div class="box"><b>Members</b><br><a href="/members/login?next={session}/">Log in</a> or <a
href="/members/join">join</a></div></td></tr></table><table width="900"><tr><td><font size="1">Copyright 1999-2026 {self.title}. <a
href="/imprint">Imprint</a></font></td></tr></table></center></body></html>"""

    def row(self, about: Story, session: str = "") -> str:
        path = session + self.path(about)
        again = f"{path}?PHPSESSID={self.rng(about.number).getrandbits(64):016x}"
        return f"""<div class="entry"><a href="{path}"><img src="/pic/{about.number}.jpg" width="80" height="60" alt=""></a><h3><a
href="{path}">{about.title}</a></h3><p class="date">{about.day:%d.%m.%Y}</p><p>{self.teaser(about)} <a href="{again}">more</a></p><div
class="tools"><a href="{path}print">print</a> <a href="/m{self.path(about)}">mobile</a></div></div>
"""

    @route(r"((?:/s-\w+)?)/")
    def front(self, asked: Query, session: str) -> str:
        # A visitor without a session gets one, and all links have it.
        session = session or "/s-4f2a"
        rows = "".join(self.row(about, session) for about in self.stories[:10])
        rows += "".join(self.row(about) for about in self.stories[10:15])
        more = link("/more?offset=20", "Load more", ' class="more"')
        return self.layout(
            "News", f"<div class=entries>{rows}</div>{more}", session=session
        )

    @route(r"((?:/s-\w+)?)/topic/(\w+)/(?:(\d+)/)?")
    def listing(
        self, asked: Query, session: str, topic: str, number: str | None
    ) -> str:
        found = [about for about in self.stories if self.topic(about) == topic]
        page = int(number or 1)
        if not found:
            raise MissingError
        if asked.get("dir") == "asc":
            found.reverse()
        if asked.get("sort") in ("title", "author"):
            found.sort(key=lambda about: getattr(about, asked["sort"]))
        part = page_of(found, page, SIZE)
        orders = each(
            '<a href="?sort={0}&amp;dir={1}">{0} {1}</a> ',
            (
                (order, way)
                for order in ("title", "author", "date", "views")
                for way in ("asc", "desc")
            ),
        )
        rows = "".join(self.row(about, session) for about in part)
        steps = each(
            '<a href="/topic/{0}/{1}/">{1}</a> ',
            ((topic, at) for at in range(1, pages(len(found), SIZE) + 1)),
        )
        if page < pages(len(found), SIZE):
            steps += link(f"/topic/{topic}/{page + 1}/", "next page")
        title = topic.title()
        return self.layout(
            title,
            f"<h1>{title}</h1>Sort: {orders}<div class=entries>{rows}</div>Pages: {steps}",
            session=session,
        )

    @route(r"/s-\w+/article/([\w-]+)/", "session")
    def with_session(self, asked: Query, ending: str) -> str:
        # Each article with a session starts a new one.
        return self.article(asked, ending, f"/s-{self.rng(ending).getrandbits(32):08x}")

    @route(r"(?:/s-\w+)?/article/([\w-]+)/print", "printed copy")
    def printed(self, asked: Query, ending: str) -> str:
        about = self.named(ending)
        head = f'<link rel="canonical" href="{self.base}{self.path(about)}">'
        return (
            f'<html lang="en"><head><title>{about.title}</title>{head}</head><body onload="print()"><h1>{about.title}</h1>'
            f"<p>{about.author}</p>{paragraphs(self.body(about))}</body></html>"
        )

    @route(r"/m/article/([\w-]+)/", "mobile copy")
    def mobile(self, asked: Query, ending: str) -> str:
        about = self.named(ending)
        near = self.stories[(about.number + 1) % self.count]
        more = link(f"/m{self.path(near)}", near.title)
        head = f'<link rel="canonical" href="{self.base}{self.path(about)}">'
        return (
            f'<html lang="en"><head><title>{about.title}</title><meta name="viewport" content="width=320">{head}</head><body><div class="m-top"><a '
            f'href="/m/">{self.title}</a></div><h1>{about.title}</h1>{paragraphs(self.body(about))}<div class="m-next">{more}</div></body></html>'
        )

    @route(r"/article/([\w-]+)/")
    def article(self, asked: Query, ending: str, session: str = "") -> str:
        about = self.named(ending)
        path = self.path(about)
        near = [
            self.stories[(about.number + step) % self.count] for step in (1, 40, 83)
        ]
        related = each(
            '<li><a href="{1}{0}">{2}</a></li>',
            ((self.path(one), session, one.title) for one in near),
        )
        tags = each('<a href="tags/{0}/">{0}</a> ', TOPICS)  # relative by mistake
        main = f"""<font size="1"><a href="/topic/{self.topic(about)}/">{self.topic(about)}</a></font><h1>{about.title}</h1><font size="2"><i>{about.author},
{about.day:%d.%m.%Y}</i></font>{paragraphs(self.body(about))}<p class="tools"><a href="{path}print">Print this article</a> <a href="/m{path}">Mobile
version</a> <a href="/members/comment?article={about.number}">Comment</a></p><p class="tags">Tags: {tags}</p><b>See also</b><ul>{related}</ul>"""
        head = f'<link rel="canonical" href="{self.base}{path}">'
        return self.layout(about.title, main, head, session)

    @route(r".*/tags/(\w+)/", "soft 404")
    def soft(self, asked: Query, tag: str) -> str:
        # Says that there is no page, with status 200, and its links lead further down.
        links = each('<a href="tags/{0}/">{0}</a> ', TOPICS)
        text = "<h1>Sorry</h1><p>The page that you are looking for does not exist any more.</p>"
        return self.layout("Not found", f"{text}<p>Try one of these: {links}</p>")

    def missing(self) -> Answer:
        text = "<h1>Sorry</h1><p>The page that you are looking for does not exist any more.</p>"
        return Answer(self.layout("Not found", text))

    @route(r"/calendar/(\d{4})/(\d\d)/(?:(\d\d)/)?", "calendar")
    def calendar(self, asked: Query, year: str, month: str, day: str | None) -> str:
        try:
            first = date(int(year), int(month), int(day or 1))
        except ValueError:
            raise MissingError from None
        around = [
            first - timedelta(days=1 if day else 28),
            first + timedelta(days=1 if day else 31),
        ]
        form = "{:%Y/%m/%d}" if day else "{:%Y/%m}"
        steps = each(
            '<a href="/calendar/{0}/">{1}</a> ',
            zip(map(form.format, around), ("« before", "after »"), strict=True),
        )
        if day:
            return self.layout(
                f"{first}",
                f"<h1>Events on {first:%d %B %Y}</h1><p>Nothing happens on this day.</p>{steps}",
            )
        weeks = "".join(
            "<tr>"
            + each('<td><a href="/calendar/{0:%Y/%m/%d}/">{0.day}</a></td>', week)
            + "</tr>"
            for week in Calendar().monthdatescalendar(int(year), int(month))
        )
        return self.layout(
            f"{first:%B %Y}",
            f"<h1>Events in {first:%B %Y}</h1><table>{weeks}</table>{steps}",
        )

    @route(r"/more", "load more")
    def more(self, asked: Query) -> str:
        offset = asked.get("offset", "0")
        # Behind the last page the last entries come again and again.
        start = min(int(offset) if offset.isdigit() else 0, 40)
        rows = "".join(map(self.row, self.stories[start : start + 20]))
        more = link(
            f"/more?offset={int(offset) + 20 if offset.isdigit() else 20}",
            "Load more",
            ' class="more" rel="next"',
        )
        return self.layout("More news", f"<div class=entries>{rows}</div>{more}")

    @route(r"/members/(?:area|join|comment)", "login")
    def members(self, asked: Query) -> Answer:
        back = asked.get("article", "")
        return Answer(
            status=302, location=f"{self.base}/members/login?next=/article/{back}"
        )

    @route(r"/members/login", "login")
    def login(self, asked: Query) -> str:
        form = "<form method=post><input name=user><input type=password name=password></form>"
        return self.layout(
            "Log in", f"<h1>Log in</h1><p>Please log in to see this page.</p>{form}"
        )

    @route(r"/search/", "sort")
    def search(self, asked: Query) -> str:
        orders = each(
            '<a href="?q=&amp;sort={0}&amp;offset={1}">{0}</a> ',
            ((order, at) for order in ("date", "title") for at in (0, 20)),
        )
        return self.layout("Search", f"<h1>Search</h1>{orders}")

    @route(r"/imprint")
    def imprint(self, asked: Query) -> str:
        return self.layout(
            "Imprint", "<h1>Imprint</h1><p>Village Paper, 2 Church Lane.</p>"
        )
