"""A board of tables: forums, threads of several pages, session numbers in links."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

from benchmarks.madeup.site import (
    TODAY,
    Answer,
    MissingError,
    Query,
    Site,
    each,
    pages,
    route,
)
from benchmarks.madeup.words import TALK, name

FORUMS = (
    "General talk|Brakes and wheels|Frames and paint|Lights|For sale|Meetings".split(
        "|"
    )
)
THREADS = 60
LISTED, POSTS = 25, 10
USERS = 80


class Board(Site):
    name = "board"
    host = "forum.two-wheels.example"
    title = "Two Wheels Board"
    kinds = ("forum",)
    endless: ClassVar = {"sk": "sort", "view": "view"}
    robots = (
        "User-agent: *\nDisallow: /posting.php\nDisallow: /ucp.php\n"
        "Disallow: /memberlist.php\nDisallow: /report.php\n"
    )

    def others(self) -> int:
        return 1 + len(FORUMS) * pages(THREADS, LISTED) + USERS

    def posts(self, thread: int) -> int:
        return int(self.rng("posts", thread).paretovariate(0.7) * 2) % 57 + 1

    def paths(self) -> Iterator[str]:
        for thread in range(1, len(FORUMS) * THREADS + 1):
            for page in range(pages(self.posts(thread), POSTS)):
                start = f"&start={page * POSTS}" if page else ""
                yield f"/viewtopic.php?t={thread}{start}"

    def canonical_path(self, path: str, asked: Query) -> str:
        thread, start = asked.get("t", ""), asked.get("start", "0")
        if "p" in asked and asked["p"].isdigit():
            thread, at = map(str, divmod(int(asked["p"]), 100))
            start = str(int(at) // POSTS * POSTS)
        return f"{path}?t={thread}" + (f"&start={start}" if start != "0" else "")

    def user(self, number: int) -> str:
        return f"{name(self.rng('user', number)).split()[0].lower()}{number}"

    def subject(self, thread: int) -> str:
        return TALK.title(self.rng("subject", thread))

    def answer(self, target: str) -> Answer:
        """Links have the request's session, or a new one where it has none."""
        found = super().answer(target)
        sid = target.partition("sid=")[2]
        sid = sid[:32] or f"{self.rng('sid', target).getrandbits(128):032x}"
        return found._replace(body=found.body.replace("SID", f"sid={sid}"))

    def layout(self, title: str, main: str, head: str = "") -> str:
        jump = each('<option value="{0}">{1}</option>', enumerate(FORUMS, 1))
        return f"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "xhtml1.dtd">
<html lang="en-us"><head><meta http-equiv="content-type" content="text/html; charset=utf-8">
<title>{self.title} • {title}</title>{head}<link rel="stylesheet" href="style.css"></head>
<body class="ltr"><div id="wrapcentre"><div id="wrapheader"><div id="logodesc"><table width="100%"
cellspacing="0"><tr><td><a href="./index.php"><img src="logo.png" alt="{self.title}"></a></td><td
align="center" width="100%"><h1>{self.title}</h1><span class="gen">All about old bicycles</span>
</td></tr></table></div><div id="menubar"><table width="100%" cellspacing="0"><tr><td class="genmed">
<a href="./ucp.php?mode=login&amp;SID">Login</a> &nbsp;<a href="./ucp.php?mode=register&amp;SID">Register
</a></td><td class="genmed" align="right"><a href="./faq.php?SID">FAQ</a> &nbsp;<a
href="./search.php?SID">Search</a> &nbsp;<a href="./memberlist.php?SID">Members</a></td></tr></table>
</div><div id="datebar"><table width="100%"><tr><td class="gensmall">It is currently Tue Jun 30, 2026
10:15 am</td><td class="gensmall" align="right"><a href="./search.php?search_id=unanswered&amp;SID">
View unanswered posts</a> | <a href="./search.php?search_id=active_topics&amp;SID">View active topics
</a></td></tr></table></div></div><div id="wrapcentre2">
{main}
<br><table class="tablebg" width="100%" cellspacing="1"><tr><td class="row1"><p class="breadcrumbs"><a
href="./index.php?SID">Board index</a></p><p class="datetime">All times are UTC</p></td></tr></table>
<table width="100%"><tr><td align="right"><form action="./viewforum.php">Jump to: <select name="f">
{jump}</select> <input type="submit" value="Go"></form></td></tr></table></div><div id="wrapfooter">
<span class="copyright">Powered by <a href="https://board.invalid/">phpBB</a> © phpBB Group</span>
</div></div></body></html>"""

    @route(r"/(?:index\.php)?")
    def index(self, asked: Query) -> str:
        rows = each(
            """<tr><td class="row1" width="50" align="center"><img src="forum_read.png" alt=""></td><td
class="row1" width="100%"><a class="forumlink" href="./viewforum.php?f={0}&amp;SID">{1}</a><p
class="forumdesc">{2}</p></td><td class="row2" align="center"><p class="topicdetails">{3}</p></td><td
class="row2" align="center" nowrap="nowrap"><p class="topicdetails">Tue Jun 30, 2026 9:0{0} am</p><p
class="topicdetails"><a href="./memberlist.php?mode=viewprofile&amp;u={0}&amp;SID">{4}</a> <a
href="./viewtopic.php?p={5}&amp;SID#p{5}"><img src="icon_latest.png" alt="View the latest post"></a>
</p></td></tr>
""",
            (
                (
                    number,
                    title,
                    TALK.sentence(self.rng("forum", number)),
                    THREADS,
                    self.user(number),
                    ((number - 1) * THREADS + 3) * 100
                    + self.posts((number - 1) * THREADS + 3)
                    - 1,
                )
                for number, title in enumerate(FORUMS, 1)
            ),
        )
        return self.layout(
            "Index page",
            f"""<table class="tablebg" cellspacing="1" width="100%"><tr><td class="cat" colspan="4"><h4>
Forums</h4></td></tr><tr><th colspan="2">Forum</th><th>Topics</th><th>Last post</th></tr>{rows}</table>
<table class="tablebg" width="100%"><tr><th>Who is online</th></tr><tr><td class="row1"><p
class="gensmall">In total there are 14 users online: 2 registered and 12 guests.</p></td></tr></table>""",
        )

    def steps(self, address: str, count: int, size: int, start: int) -> str:
        """The numbers of a list's pages."""
        parts = []
        for page in range(pages(count, size)):
            at = f"&amp;start={page * size}" if page else ""
            if page * size == start:
                parts.append(f"<strong>{page + 1}</strong>")
            else:
                parts.append(f'<a href="{address}{at}&amp;SID">{page + 1}</a>')
        if start + size < count:
            parts.append(
                f'<a href="{address}&amp;start={start + size}&amp;SID">Next</a>'
            )
        return f"Page <strong>{start // size + 1}</strong> &nbsp; Go to page {', '.join(parts)}"

    def start_of(self, asked: Query, count: int, size: int) -> int:
        start = asked.get("start", "0")
        if not start.isdigit() or int(start) % size or int(start) >= count:
            raise MissingError
        return int(start)

    @route(r"/viewforum\.php")
    def forum(self, asked: Query) -> str:
        number = asked.get("f", "")
        if not number.isdigit() or not 1 <= int(number) <= len(FORUMS):
            raise MissingError
        first = (int(number) - 1) * THREADS + 1
        sticky = [first, first + 1]  # on top of each page
        plain = range(first + 2, first + THREADS)
        start = self.start_of(asked, len(plain), LISTED)
        shown = [*sticky, *plain[start : start + LISTED]]
        rows = "".join(self.row(thread, thread in sticky) for thread in shown)
        steps = self.steps(f"./viewforum.php?f={number}", len(plain), LISTED, start)
        title = FORUMS[int(number) - 1]
        return self.layout(
            f"View forum - {title}",
            f"""<div id="pageheader"><h2><a class="titles" href="./viewforum.php?f={number}&amp;SID">{title}
</a></h2></div><table width="100%" cellspacing="1"><tr><td><a
href="./posting.php?mode=post&amp;f={number}&amp;SID"><img src="newtopic.png" alt="Post new topic"></a></td>
<td class="gensmall" align="right">{steps}</td></tr></table><table class="tablebg" width="100%"
cellspacing="1"><tr><th colspan="2">Topics</th><th>Author</th><th>Replies</th><th>Last post</th></tr>
{rows}<tr><td class="cat" colspan="5">Display topics from previous: <a
href="./viewforum.php?f={number}&amp;st=7&amp;sk=t&amp;sd=d&amp;SID">7 days</a> <a
href="./viewforum.php?f={number}&amp;st=30&amp;sk=a&amp;sd=a&amp;SID">1 month, by author</a></td></tr></table>
<table width="100%"><tr><td class="gensmall">{steps}</td></tr></table>""",
        )

    def row(self, thread: int, sticky: bool) -> str:
        forum = (thread - 1) // THREADS + 1
        posts = self.posts(thread)
        rng = self.rng("row", thread)
        numbers = ", ".join(
            f'<a href="./viewtopic.php?f={forum}&amp;t={thread}&amp;start={page * POSTS}&amp;SID">{page + 1}</a>'
            for page in range(1, pages(posts, POSTS))
        )
        jump = (
            f'<p class="gensmall">[ Go to page: 1, {numbers} ]</p>' if numbers else ""
        )
        mark = "<b>Sticky:</b> " if sticky else ""
        last = thread * 100 + posts - 1
        return f"""<tr><td class="row1" width="25" align="center"><img src="topic.png" alt=""></td><td
class="row1">{mark}<a class="topictitle" href="./viewtopic.php?f={forum}&amp;t={thread}&amp;SID">{self.subject(thread)}</a>{jump}</td><td
class="row2" align="center"><p class="topicauthor"><a
href="./memberlist.php?mode=viewprofile&amp;u={thread % USERS}&amp;SID">{self.user(thread % USERS)}</a></p></td>
<td class="row1" align="center"><p class="topicdetails">{posts - 1}</p></td><td class="row1" align="center">
<p class="topicdetails">{TODAY - timedelta(days=thread % THREADS):%b %d, %Y}</p><p class="topicdetails"><a
href="./viewtopic.php?f={forum}&amp;p={last}&amp;SID#p{last}">{self.user(rng.randrange(USERS))}</a></p></td></tr>
"""

    @route(r"/viewtopic\.php")
    def topic(self, asked: Query) -> str:
        path = self.canonical_path("/viewtopic.php", asked)
        if f"{self.base}{path}" not in self.wanted:
            raise MissingError
        thread, _, start = path.partition("?t=")[2].partition("&start=")
        number, first = int(thread), int(start or 0)
        count = self.posts(number)
        title = self.subject(number)
        forum = (number - 1) // THREADS + 1
        posts = "".join(
            self.post(number, at, title)
            for at in range(first, min(count, first + POSTS))
        )
        address = f"./viewtopic.php?f={forum}&amp;t={number}"
        steps = self.steps(address, count, POSTS, first)
        tools = f"""<table width="100%"><tr><td><a href="./posting.php?mode=reply&amp;f={forum}&amp;t={number}&amp;SID"><img
src="reply.png" alt="Reply to topic"></a></td><td class="gensmall" align="right">{steps}</td></tr></table>"""
        return self.layout(
            f"View topic - {title}",
            f"""<div id="pageheader"><h2><a class="titles" href="{address}&amp;SID">{title}</a></h2></div>
{tools}<table class="tablebg" width="100%" cellspacing="1"><tr><td class="cat"><table width="100%"><tr><td
class="nav"><a href="{address}&amp;view=print&amp;SID">Print view</a></td><td class="nav" align="right"><a
href="{address}&amp;view=previous&amp;SID">Previous topic</a> | <a href="{address}&amp;view=next&amp;SID">Next topic
</a></td></tr></table></td></tr></table>{posts}{tools}<table class="tablebg" width="100%"><tr><th>Who is online
</th></tr><tr><td class="row1"><p class="gensmall">Users browsing this forum: No registered users and 3
guests</p></td></tr></table><table class="tablebg" width="100%"><tr><td class="row1 gensmall">You cannot post
new topics in this forum<br>You cannot reply to topics in this forum<br>You cannot edit your posts in this
forum</td></tr></table>""",
            f'<link rel="canonical" href="{self.base}{path.replace("&", "&amp;")}">',
        )

    def post(self, thread: int, at: int, title: str) -> str:
        rng = self.rng("post", thread, at)
        user = (thread + at * 7) % USERS
        number = thread * 100 + at
        day = TODAY - timedelta(days=thread % THREADS + 60 - at)
        texts = "<br><br>".join(TALK.paragraph(rng) for _ in range(rng.randint(1, 3)))
        if at and rng.random() < 0.3:
            said = TALK.sentence(rng)
            texts = (
                f'<div class="quotetitle">{self.user((user + 9) % USERS)} wrote:</div><div '
                f'class="quotecontent">{said}</div>{texts}'
            )
        if rng.random() < 0.3:
            texts += f'<br>_________________<br><span class="sig">{TALK.clause(self.rng("sig", user))}</span>'
        return f"""<table class="tablebg" width="100%" cellspacing="1"><tr class="row{at % 2 + 1}"><td align="center"
valign="middle"><a name="p{number}"></a><b class="postauthor">{self.user(user)}</b></td><td width="100%"
height="25"><table width="100%"><tr><td class="gensmall" width="100%"><b>Post subject:</b> Re: {title}</td><td
class="gensmall" nowrap="nowrap"><b>Posted:</b> {day:%a %b %d, %Y} {at % 12 + 1}:{number % 50 + 10} pm</td></tr>
</table></td></tr><tr class="row{at % 2 + 1}"><td valign="top" class="profile"><table cellspacing="4"><tr><td><img
src="avatar{user}.png" alt="User avatar"></td></tr></table><span class="postdetails"><b>Joined:</b> Mar 0{user % 9 + 1},
201{user % 10}<br><b>Posts:</b> {user * 13 + 5}<br><b>Location:</b> Northport</span></td><td valign="top"><table
width="100%" cellspacing="5"><tr><td><div class="postbody">{texts}</div></td></tr></table></td></tr><tr
class="row{at % 2 + 1}"><td class="profile"><strong><a href="#wrapheader">Top</a></strong></td><td><div
class="gensmall"><a href="./memberlist.php?mode=viewprofile&amp;u={user}&amp;SID"><img src="profile.png"
alt="Profile"></a> <a href="./report.php?p={number}&amp;SID"><img src="report.png" alt="Report this post"></a> <a
href="./posting.php?mode=quote&amp;p={number}&amp;SID"><img src="quote.png" alt="Reply with quote"></a></div></td>
</tr></table>
"""

    @route(r"/memberlist\.php")
    def member(self, asked: Query) -> str:
        number = asked.get("u", "0")
        user = self.user(int(number) if number.isdigit() else 0)
        return self.layout(
            f"Viewing profile - {user}",
            f"""<table class="tablebg" width="100%"><tr><th colspan="2">Viewing profile - {user}</th></tr><tr><td
class="row1">Username:</td><td class="row2">{user}</td></tr><tr><td class="row1">Joined:</td><td
class="row2">Mar 04, 2014</td></tr><tr><td class="row1">Total posts:</td><td class="row2">{number}5</td></tr></table>""",
        )

    @route(r"/(?:ucp|posting|report|search|faq)\.php", "login and forms")
    def login(self, asked: Query) -> str:
        return self.layout(
            "Login",
            """<form><table class="tablebg" width="100%"><tr><th>Login</th></tr><tr><td class="row1">You must
be registered and logged in to do that.</td></tr><tr><td class="row2">Username: <input name="username"> Password:
<input type="password" name="password"></td></tr></table></form>""",
        )
