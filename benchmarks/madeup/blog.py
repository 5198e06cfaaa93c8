"""A blog with ``?paged=N``, tags, comments and a feed of the last ten, no sitemap."""

from __future__ import annotations

from functools import cached_property
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
from benchmarks.madeup.words import TALK, name

CATEGORIES = "workshop tours parts reviews diary".split()
TAGS = (
    "brakes chain rust camping tyres winter lights tools paint gears rain maps".split()
)
SIZE = 10


class Blog(Magazine):
    name = "blog"
    host = "slow-wheels.example"
    title = "Slow Wheels"
    count = 340
    pace = 0.3
    speech = TALK
    robots = "User-agent: *\nDisallow: /wp-admin/\n"
    endless: ClassVar = {"replytocom": "reply"}

    def path(self, about: Story) -> str:
        return f"/{about.day:%Y/%m}/{about.slug}/"

    def category(self, about: Story) -> str:
        return self.rng("category", about.number).choice(CATEGORIES)

    def tags(self, about: Story) -> list[str]:
        return self.rng("tags", about.number).sample(TAGS, about.number % 3)

    @cached_property
    def lists(self) -> dict[str, list[Story]]:
        """The articles of each list, by its path."""
        found = {"/": self.stories}
        for one in self.stories:
            found.setdefault(f"/category/{self.category(one)}/", []).append(one)
            found.setdefault(f"/{one.day:%Y/%m}/", []).append(one)
            for tag in self.tags(one):
                found.setdefault(f"/tag/{tag}/", []).append(one)
        return found

    def others(self) -> int:
        return sum(pages(len(found), SIZE) for found in self.lists.values()) + 2

    @cached_property
    def sidebar(self) -> str:
        recent = self.rows('<li><a href="{path}">{0.title}</a></li>', self.stories[:5])
        months = each(
            '<li><a href="{0}">{1:%B %Y}</a></li>',
            {f"/{one.day:%Y/%m}/": one.day for one in self.stories}.items(),
        )
        categories = each(
            '<li class="cat-item"><a href="/category/{0}/">{0}</a></li>', CATEGORIES
        )
        cloud = each('<a class="tag-cloud-link" href="/tag/{0}/">{0}</a> ', TAGS)
        return f"""<section class="widget widget_search"><form role="search" action="/"><label>Search for:
<input type="search" name="s"></label></form></section>
<section class="widget widget_recent_entries"><h2 class="widget-title">Recent Posts</h2>
<ul>{recent}</ul></section>
<section class="widget widget_archive"><h2 class="widget-title">Archives</h2><ul>{months}
</ul></section><section class="widget widget_categories"><h2 class="widget-title">Categories
</h2><ul>{categories}</ul></section><section class="widget widget_tag_cloud"><div
class="tagcloud">{cloud}</div></section><section class="widget widget_meta"><h2
class="widget-title">Meta</h2><ul><li><a href="/wp-login.php">Log in</a></li><li><a
href="/feed/atom/">Entries feed</a></li></ul></section>"""

    def layout(self, title: str, main: str, head: str = "", cls: str = "blog") -> str:
        return f"""<!DOCTYPE html>
<html lang="en-GB"><head><meta charset="UTF-8"><title>{title} – {self.title}</title>
<link rel="alternate" type="application/atom+xml" href="/feed/atom/">
<meta name="generator" content="WordPress 6.5">{head}</head>
<body class="{cls} wp-embed-responsive"><div id="page" class="site">
<header id="masthead" class="site-header"><p class="site-title"><a href="/" rel="home">
{self.title}</a></p><p class="site-description">Old bicycles, long ways</p>
<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu">
<li class="menu-item"><a href="/">Home</a></li><li class="menu-item"><a href="/about/">About
</a></li><li class="menu-item"><a href="/contact/">Contact</a></li></ul></nav></header>
<div id="content" class="site-content"><main id="main" class="site-main">
{main}
</main><aside id="secondary" class="widget-area">
{self.sidebar}</aside></div>
<footer id="colophon" class="site-footer"><div class="site-info">Proudly powered by
<a href="https://press.invalid/">WordPress</a></div></footer></div></body></html>"""

    def entry(self, about: Story) -> str:
        more = link(
            self.path(about), "Continue reading →", ' class="more-link" rel="nofollow"'
        )
        return f"""<article class="post type-post"><header class="entry-header"><h2
class="entry-title"><a href="{self.path(about)}" rel="bookmark">{about.title}</a></h2>
{self.meta(about)}</header><div class="entry-summary"><p>{self.teaser(about)} {more}</p></div>
{self.foot(about)}</article>
"""

    def meta(self, about: Story) -> str:
        return (
            f'<div class="entry-meta">Posted on <time class="entry-date published" '
            f'datetime="{about.iso}">{about.day:%d %B %Y}</time> by <span class="author vcard">'
            "Edith</span></div>"
        )

    def foot(self, about: Story) -> str:
        category = self.category(about)
        tags = each('<a href="/tag/{0}/" rel="tag">{0}</a> ', self.tags(about))
        return (
            '<footer class="entry-footer"><span class="cat-links">Posted in <a '
            f'href="/category/{category}/" rel="category tag">{category}</a></span> <span '
            f'class="tags-links">{tags}</span></footer>'
        )

    @route(r"(/|/(?:category|tag)/\w+/|/\d{4}/\d\d/)")
    def listing(self, asked: Query, path: str) -> str:
        found = self.lists.get(path, [])
        number = asked.get("paged", "1")
        if not found or not number.isdigit():
            raise MissingError
        part = page_of(found, int(number), SIZE)
        title = path.strip("/").rpartition("/")[2] or "Home"
        around = [
            (f"{path}?paged={page}" if page > 1 else path, page, text, cls)
            for page, text, cls in (
                (int(number) - 1, "Newer posts", "next"),
                (int(number) + 1, "Older posts", "previous"),
            )
            if 1 <= page <= pages(len(found), SIZE)
        ]
        steps = each('<div class="nav-{3}"><a href="{0}">{2}</a></div>', around)
        header = (
            f'<header class="page-header"><h1 class="page-title">{title}</h1></header>'
        )
        entries = "".join(map(self.entry, part))
        steps = f'<nav class="navigation"><div class="nav-links">{steps}</div></nav>'
        if path == "/":
            return self.layout(title, entries + steps, cls="home blog")
        return self.layout(title, header + entries + steps, cls="archive")

    @route(r"/(\d{4}/\d\d)/([\w-]+)/")
    def post(self, asked: Query, month: str, ending: str) -> str:
        about = self.named(ending)
        if f"{about.day:%Y/%m}" != month:
            raise MissingError
        texts = self.body(about, 200, 800)
        rng = self.rng("post", about.number)
        for at in range(3, len(texts), 4):
            texts[at] += (
                f'</p><figure class="wp-block-image"><img src="/wp-content/{about.number}-{at}.jpg" alt="" '
                f"width=1024 height=768><figcaption>{TALK.sentence(rng)}</figcaption></figure><h2 "
                f'class="wp-block-heading">{TALK.title(rng)}</h2><p>'
            )
        if rng.random() < 0.5:
            steps = each("<li>{}</li>", (TALK.sentence(rng) for _ in range(4)))
            texts.insert(2, f'</p><ul class="wp-block-list">{steps}</ul><p>')
        near = [
            (word, self.path(self.stories[number]), self.stories[number].title)
            for word, number in (
                ("previous", about.number + 1),
                ("next", about.number - 1),
            )
            if 0 <= number < self.count
        ]
        steps = each('<div class="nav-{0}"><a href="{1}" rel="{0}">{2}</a></div>', near)
        comments = each(
            '<li class="comment"><article class="comment-body"><footer class="comment-meta">'
            '<div class="comment-author vcard"><img alt="" src="https://avatar.invalid/{1}" class="avatar '
            'avatar-42 photo" height="42" width="42"><b class="fn">{0}</b> says:</div><div '
            'class="comment-metadata"><a href="#comment-{1}"><time>{2}</time></a></div>'
            '</footer><div class="comment-content"><p>{3}</p></div><div class="reply"><a '
            'rel="nofollow" class="comment-reply-link" href="?replytocom={1}#respond">Reply'
            "</a></div></article></li>\n",
            (
                (
                    name(rng),
                    about.number * 10 + at,
                    f"{about.day:%d %B %Y} at 9:{at}1 pm",
                    TALK.paragraph(rng, rng.randint(1, 2)),
                )
                for at in range(min(12, int(rng.paretovariate(1.2)) - 1))
            ),
        )
        main = f"""<article class="post type-post"><header class="entry-header"><h1
class="entry-title">{about.title}</h1>{self.meta(about)}</header><div class="entry-content">
{paragraphs(texts)}</div>{self.foot(about)}</article>
<nav class="navigation post-navigation"><div class="nav-links">{steps}</div></nav>
<div id="comments" class="comments-area"><h2 class="comments-title">Thoughts on “{about.title}”
</h2><ol class="comment-list">{comments}</ol><div id="respond" class="comment-respond"><h3>
Leave a Reply</h3><form><p>Your email address will not be published.</p><p class="comment-form-comment"><label>Comment
<textarea name="comment"></textarea></label></p><p><label>Name <input name="author"></label></p><p><label>Email <input name="email">
</label></p><p class="form-submit"><input type="submit" value="Post Comment"></p></form></div></div>"""
        head = f'<link rel="canonical" href="{self.base}{self.path(about)}">'
        return self.layout(about.title, main, head, "single single-post")

    @route(r"/(about|contact)/")
    def static(self, asked: Query, page: str) -> str:
        text = self.speech.paragraph(self.rng(page), 4)
        return self.layout(page.title(), f"<h1>{page.title()}</h1><p>{text}</p>")

    @route(r"/wp-login\.php", "login and search")
    def login(self, asked: Query) -> str:
        form = "<form><input name=log><input type=password name=pwd></form>"
        return f"<!DOCTYPE html><title>Log In</title><h1>Log in</h1>{form}"

    @route(r"/feed/atom/")
    def feed(self, asked: Query) -> Answer:
        entries = self.rows(
            f'<entry><title>{{0.title}}</title><link href="{self.base}{{path}}"/><id>{self.base}{{path}}'
            "</id><updated>{0.iso}</updated><summary>{teaser}</summary></entry>\n",
            self.stories[:10],
        )
        return Answer(
            '<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>'
            f'{self.title}</title><link href="{self.base}/"/>{entries}</feed>',
            type="application/atom+xml",
        )
