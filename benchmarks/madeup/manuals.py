"""Documentation in several versions, with a menu of all pages on each page."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from random import Random

from benchmarks.madeup.site import (
    Answer,
    MissingError,
    Query,
    Site,
    each,
    route,
)
from benchmarks.madeup.words import MANUAL, slug

VERSIONS = ["stable", "latest", "1.8", "1.7", "1.6"]
PARTS = {
    "tutorial": 20,
    "guide": 90,
    "howto": 50,
    "reference": 100,
}
ACTIONS = (
    "Install Configure Extend Monitor Test Deploy Limit Resume Schedule Debug".split()
)
THINGS = (
    "workers|queues|the scheduler|plugins|timeouts|retries|the cache|logging|connections|"
    "callbacks|the storage|signals"
).split("|")
CLASSES = (
    "Worker Queue Scheduler Plugin Cache Client Pool Parser Handler Record".split()
)

METHODS = "run stop reset dump submit".split()
# What stands for some words of the sentences.
NAMES = {
    words: f'<code class="xref py docutils literal notranslate"><span class="pre">{code}</span></code>'
    for words, code in {
        "the scheduler": "Scheduler",
        "a queue": "Queue",
        "unknown keys": "Worker.keys()",
        "strict mode": "strict=True",
        "the command line": "taskmill run",
        "the storage backend": "STORAGE",
        "the parser": '<a class="reference internal" href="../reference/taskmill-parser-pool.html">Parser</a>',
    }.items()
}


class Manuals(Site):
    name = "manuals"
    host = "docs.taskmill.example"
    title = "Taskmill"
    kinds = ("documentation",)
    robots = "User-agent: *\nDisallow: /search\n"

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of all pages of a version in their order, by path."""
        found = {}
        for part, count in PARTS.items():
            for at in range(count):
                title = f"{ACTIONS[at % 10]} {THINGS[at * 7 // 10 % 12]}"
                if part == "reference":
                    title = f"taskmill.{CLASSES[at % 10].lower()}.{CLASSES[at // 10]}"
                path = f"{part}/{slug(title)}.html"
                if path in found:
                    path = path.replace(".html", f"-{at}.html")
                found[path] = title
        return found

    @cached_property
    def menu(self) -> str:
        return "".join(
            f'<p class="caption" role="heading"><span class="caption-text">{part.title()}</span></p><ul>'
            + each(
                '<li class="toctree-l1"><a class="reference internal" href="ROOT/{0}">{1}</a></li>\n',
                (item for item in self.titles.items() if item[0].startswith(part)),
            )
            + "</ul>"
            for part in PARTS
        )

    def paths(self) -> Iterator[str]:
        return (f"/en/stable/{path}" for path in self.titles)

    def others(self) -> int:
        return 2 + len(PARTS)

    def canonical_path(self, path: str, asked: Query) -> str:
        _, _, version, *rest = [*path.split("/"), "", ""]
        return (
            f"/en/stable/{'/'.join(rest).rstrip('/')}" if version in VERSIONS else path
        )

    def is_trap(self, url: str) -> str:
        path = url.removeprefix(self.base)
        old = path.startswith(tuple(f"/en/{version}/" for version in VERSIONS[1:]))
        return "old version" if old else super().is_trap(url)

    def layout(
        self, title: str, main: str, head: str = "", version: str = "stable"
    ) -> str:
        root = f"/en/{version}"
        menu = self.menu.replace("ROOT", root)
        versions = each('<dd><a href="/en/{0}/">{0}</a></dd>', VERSIONS)
        return f"""<!DOCTYPE html>
<html class="writer-html5" lang="en"><head><meta charset="utf-8"><title>{title} — {self.title} documentation</title>
<meta name="generator" content="Docutils 0.20: https://docutils.sourceforge.io/">{head}
<link rel="index" title="Index" href="{root}/genindex.html"><link rel="search" title="Search" href="{root}/search.html"></head>
<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav data-toggle="wy-nav-shift" class="wy-nav-side"><div
class="wy-side-scroll"><div class="wy-side-nav-search"><a href="{root}/" class="icon icon-home">{self.title}</a><div
class="version">{version}</div><div role="search"><form class="wy-form" action="{root}/search.html"><input name="q"
placeholder="Search docs"></form></div></div><div class="wy-menu wy-menu-vertical" role="navigation">{menu}</div></div></nav>
<section class="wy-nav-content-wrap"><nav class="wy-nav-top"><a href="{root}/">{self.title}</a></nav><div
class="wy-nav-content"><div class="rst-content"><div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs">
<li><a href="{root}/" class="icon icon-home"></a></li><li class="breadcrumb-item active">{title}</li></ul><hr></div>
<div role="main" class="document" itemscope="itemscope" itemtype="http://schema.org/Article"><div itemprop="articleBody">
{main}
</div></div><footer><hr><div role="contentinfo"><p>© Copyright 2026, the Taskmill developers.</p></div>Built with
<a href="https://sphinx.invalid/">Sphinx</a> using a theme.</footer></div></div></section></div><div class="rst-versions"><span
class="rst-current-version">v: {version}</span><div class="rst-other-versions"><dl><dt>Versions</dt>{versions}</dl></div></div>
</body></html>"""

    @route("/")
    def front(self, asked: Query) -> Answer:
        return Answer(status=302, location=f"{self.base}/en/stable/")

    @route(r"/en/([\w.]+)/(?:index\.html)?")
    def contents(self, asked: Query, version: str) -> str:
        self.checked(version)
        indices = (
            '<section><h2>Indices and tables</h2><ul class="simple"><li><p><a href="genindex.html">'
            'Index</a></p></li><li><p><a href="search.html">Search Page</a></p></li></ul></section>'
        )
        parts = "".join(
            f"<section><h2>{part.title()}</h2><p>{MANUAL.sentence(self.rng(part))}</p><div class='toctree-wrapper'><ul>"
            + each(
                '<li class="toctree-l1"><a class="reference internal" href="{0}">{1}</a></li>',
                (
                    (path, title)
                    for path, title in self.titles.items()
                    if path.startswith(part)
                ),
            )
            + "</ul></div></section>"
            for part in PARTS
        )
        return self.layout(
            "Contents",
            f"<h1>{self.title} documentation</h1>{parts}{indices}",
            version=version,
        )

    @route(r"/en/([\w.]+)/(genindex|search)\.html", "index and search")
    def index(self, asked: Query, version: str, page: str) -> str:
        self.checked(version)
        rows = each(
            '<dt><a href="/en/{0}/{1}#run">run() ({2} method)</a></dt>',
            (
                (version, path, title)
                for path, title in self.titles.items()
                if path.startswith("ref")
            ),
        )
        return self.layout("Index", f"<h1>Index</h1><dl>{rows}</dl>", version=version)

    @route(r"/_sources/(.+)\.rst\.txt", "source")
    def source(self, asked: Query, path: str) -> Answer:
        title = self.titles.get(f"{path}.html")
        if title is None:
            raise MissingError
        return Answer(f"{title}\n{'=' * len(title)}\n", type="text/plain")

    def checked(self, version: str) -> None:
        if version not in VERSIONS:
            raise MissingError

    @route(r"/en/([\w.]+)/((?:tutorial|guide|howto|reference)/[\w.-]+\.html)")
    def page(self, asked: Query, version: str, path: str) -> str:
        self.checked(version)
        title = self.titles.get(path)
        if title is None:
            raise MissingError
        rng = self.rng("page", path)
        make = self.reference if path.startswith("reference") else self.guide
        all_paths = list(self.titles)
        at = all_paths.index(path)
        near = [
            (rel, f"/en/{version}/{all_paths[other]}", word)
            for rel, other, word in (
                ("prev", at - 1, "Previous"),
                ("next", at + 1, "Next"),
            )
            if 0 <= other < len(all_paths)
        ]
        steps = each('<a href="{1}" class="btn btn-neutral" rel="{0}">{2}</a> ', near)
        head = f'<link rel="canonical" href="{self.base}/en/stable/{path}">'
        head += each('<link rel="{0}" href="{1}">', near)
        source = f'<a href="/_sources/{path[:-5]}.rst.txt" rel="nofollow">View page source</a>'
        main = f"""<section id="top"><h1>{title}<a class="headerlink" href="#top">¶</a></h1>
{make(rng, title)}</section></div></div><div class="rst-footer-buttons">{steps}</div><div>{source}"""
        return self.layout(title, main, head, version)

    def code(self, rng: Random) -> str:
        """An example of some lines, with an element for each token."""
        thing = rng.choice(CLASSES)
        name = f'<span class="n">{thing.lower()}</span>'
        seconds = f'<span class="mi">{rng.randint(5, 90)}</span>'
        call = f'{name} <span class="o">=</span> <span class="n">{thing}</span><span class="p">(</span>'
        imported = f'<span class="kn">import</span> <span class="n">{thing}</span>'
        lines = [
            f'<span class="kn">from</span> <span class="nn">taskmill</span> {imported}',
            "",
            f'{call}<span class="n">timeout</span><span class="o">=</span>{seconds}<span class="p">)</span>',
        ]
        lines += [
            f'{name}<span class="o">.</span><span class="n">{method}</span><span class="p">(</span>'
            f'<span class="s2">&quot;{rng.choice(METHODS)}&quot;</span><span class="p">)</span>  '
            f'<span class="c1"># {MANUAL.clause(rng)}</span>'
            for method in rng.sample(METHODS, rng.randint(1, 4))
        ]
        return (
            '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>'
            + "\n".join(lines)
            + "\n</pre></div></div>\n"
        )

    def prose(self, rng: Random, sentences: int) -> str:
        """A paragraph in which names are code, or links to the reference."""
        text = MANUAL.paragraph(rng, sentences)
        for words, replacement in NAMES.items():
            text = text.replace(words, replacement)
        return f"<p>{text}</p>\n"

    def section(self, rng: Random, name: str) -> str:
        title = (
            f"{rng.choice(ACTIONS)[:-1].lower()}ing {rng.choice(THINGS)}".capitalize()
        )
        parts = [self.prose(rng, rng.randint(1, 3)), self.code(rng)]
        if rng.random() < 0.5:
            items = (self.prose(rng, 1) for _ in range(rng.randint(2, 5)))
            parts.append(f'<ul class="simple">{each("<li>{}</li>", items)}</ul>')
        if rng.random() < 0.3:
            parts.append(
                '<div class="admonition note"><p class="admonition-title">Note</p>'
                f"{self.prose(rng, 1)}</div>"
            )
        parts += [self.prose(rng, 2)]
        return (
            f'<section id="{name}"><h2>{title}<a class="headerlink" href="#{name}">¶</a></h2>\n'
            f"{''.join(parts)}</section>\n"
        )

    def guide(self, rng: Random, title: str) -> str:
        sections = (self.section(rng, f"id{at}") for at in range(rng.randint(2, 6)))
        return self.prose(rng, 2) + "".join(sections)

    def reference(self, rng: Random, title: str) -> str:
        def member(name: str) -> str:
            said = MANUAL.clause(rng)
            fields = (
                '<dl class="field-list"><dt>Parameters<span class="colon">:</span></dt><dd><p><strong>value'
                f"</strong> (<em>str</em>) – {said}</p></dd></dl>"
            )
            more = rng.choice([fields, self.code(rng), ""])
            return (
                f'<dl class="py method"><dt class="sig sig-object py" id="{name}"><span class="sig-name '
                f'descname"><span class="pre">{name}</span></span><span class="sig-paren">(</span><em '
                'class="sig-param"><span class="pre">value</span></em>, <em class="sig-param"><span '
                'class="pre">timeout=30</span></em><span class="sig-paren">)</span><a class="headerlink" '
                f'href="#{name}">¶</a></dt><dd>{self.prose(rng, 2)}{more}</dd></dl>\n'
            )

        rows = each(
            '<tr><td><p><code class="docutils literal notranslate"><span class="pre">{0}</span></code></p></td>'
            "<td><p>{1}</p></td></tr>",
            ((key, MANUAL.sentence(rng)) for key in ("timeout", "retries", "strict")),
        )
        return f"""{self.prose(rng, 2)}<dl class="py class"><dt class="sig sig-object py" id="{title}"><em
class="property">class</em> <span class="sig-prename">{title.rpartition(".")[0]}.</span><span
class="sig-name">{title.rpartition(".")[2]}</span>(<em>*args</em>)<a class="headerlink" href="#{title}">¶</a></dt><dd>
{self.prose(rng, 3)}{self.code(rng)}{"".join(map(member, METHODS))}</dd></dl><section id="options"><h2>Options<a
class="headerlink" href="#options">¶</a></h2><table class="docutils align-default"><thead><tr><th class="head"><p>Option</p></th><th
class="head"><p>Meaning</p></th></tr></thead><tbody>{rows}</tbody></table></section>"""
