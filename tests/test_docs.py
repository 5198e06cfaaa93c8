"""README and docs hold: their commands, settings and snippets run, links lead on.

Every fenced block of a page is run in order, in a sandbox: a project as the tutorial
makes it, with pages, labels and an archive in it.  Addresses at example.com lead to the
bundled site.  A block is not run if its section says so: "not run by the tests".
"""

from __future__ import annotations

import ast
import doctest
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import scrapy
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from scrapy_eatext import extract
from scrapy_eatext.algorithms.base import Algorithm
from scrapy_eatext.crawl.settings import KEYS, Config
from scrapy_eatext.deadline import watched
from scrapy_eatext.page import Page
from scrapy_eatext.spiders import SiteSpider
from scrapy_eatext.spiders.state import Visit
from tests.support import archives, crawling
from tests.support.commands import run_scrapy
from tests.support.crawling import DOCS, PATIENCE, fed

pytestmark = pytest.mark.slow

ROOT = DOCS.parent
EXAMPLE = ROOT / "example_project"
PAGES = sorted(DOCS.rglob("*.md"))
README = ROOT / "README.md"
ARTICLE = EXAMPLE / "site/herald/market-hall.html"
FERRY = EXAMPLE / "site/herald/ferry-timetable.html"
ADDRESS = "https://example.com/article"

BLOCK = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
# A file that the paragraph before a block tells to put it into.
FILE = re.compile(r"Save this as `(\w+\.py)`|`(\w+/[\w/]+\.py)`")
NOT_RUN = "not run by the tests"
COMMANDS = ("scrapy", "python", "pip", "cd", "curl")
# What is shown, not run.
SHOWN = ("text", "json")
EXTRAS = ConfigParser()
EXTRAS.read(ROOT / "setup.cfg")


@dataclass(frozen=True)
class Fenced:
    """A fenced block, and the text of its section before it."""

    page: Path
    line: int
    language: str
    code: str
    before: str

    @property
    def is_run(self) -> bool:
        return NOT_RUN not in " ".join(self.before.split())

    @property
    def file(self) -> str:
        """The file to put the block into, or nothing."""
        match = FILE.search(self.before.rstrip().rpartition("\n\n")[2])
        return match[1] or match[2] if match else ""

    def commands(self) -> list[str]:
        """The commands of a block of the console, each in one line."""
        lines = self.code.replace("\\\n", " ").splitlines()
        if any(line.startswith("$ ") for line in lines):
            return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [line for line in lines if line]


def blocks(page: Path) -> Iterator[Fenced]:
    text = page.read_text("utf-8")
    for match in BLOCK.finditer(text):
        words = BLOCK.sub("```", text[: match.start()])
        before = re.split(r"^#+ .*$", words, flags=re.MULTILINE)[-1]
        line = text.count("\n", 0, match.start()) + 1
        code = textwrap.dedent(match[3])
        language = match[2]
        if not language and code.startswith(COMMANDS):
            language = "console"
        yield Fenced(page, line, language, code, before)


def here(text: str, site: str) -> str:
    """A text with the bundled site's addresses for those at example.com."""
    root = site.removesuffix("/index.html")
    text = re.sub(r"https://example\.com/\w+", f"{root}/herald/market-hall.html", text)
    text = re.sub(r"https://example\.com/?", f"{root}/", text)
    return re.sub(r"(allowed_domains = )\[.*\]", r'\1["127.0.0.1"]', text)


def is_settings(tree: ast.Module) -> bool:
    """Whether a block has nothing but settings, and imports for them."""
    return all(
        isinstance(node, ast.ImportFrom)
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper())
        for node in tree.body
    )


@dataclass
class Sandbox:
    """Where the blocks of one page are run."""

    root: Path
    site: str
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        html = ARTICLE.read_bytes()
        response = HtmlResponse(ADDRESS, body=html, request=scrapy.Request(ADDRESS))
        result = extract(response)
        response.meta["main_text"] = result
        self.names |= {"html": html, "url": ADDRESS, "response": response}
        self.names |= {"result": result, "page": Page.of(html), "scrapy": scrapy}
        self.names |= {"watched": watched, "client": None}
        if find_spec("pyarrow"):
            row = {"html": html.decode(), "url": ADDRESS}
            batch = import_module("pyarrow").RecordBatch.from_pylist([row])
            self.names["batches"] = [batch]

    # -- commands

    def command(self, command: str) -> None:
        words = shlex.split(command)
        if words[0] == "cd":
            # What is in a clone stands beside the project here.
            inside, beside = self.folder / words[1], self.root / words[1]
            self.folder = inside if inside.is_dir() else beside
            assert self.folder.is_dir(), command
        elif words[0] == "pip":
            self.pip(words)
        elif words[1:3] == ["eatext", "diff"]:
            for run_of in words[3:5]:
                shutil.copytree(self.folder / "texts", self.folder / run_of)
            self.shell(command)
        elif words[1:3] == ["eatext", "review"]:
            self.review(command)
        elif "curl" not in words or shutil.which("curl"):
            self.shell(command)

    def pip(self, words: list[str]) -> None:
        """Installing is left to tools/wheels.py; the extra has to be there."""
        assert words[1] == "install"
        assert words[-1].startswith("scrapy-eatext")
        for extra in re.findall(r"\[(\w+)\]", words[-1]):
            assert extra in EXTRAS["options.extras_require"]

    def review(self, command: str) -> None:
        """It serves until it is told to end."""
        with subprocess.Popen(
            f"exec {command} --no-browser", stdout=subprocess.PIPE, **self.inside()
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("Review at http://127.0.0.1:")
            process.terminate()

    def shell(self, command: str) -> None:
        crawls = command.startswith(("scrapy crawl", "scrapy runspider"))
        quick = " -s DOWNLOAD_DELAY=0 -s HTTPCACHE_ENABLED=1" * crawls
        if command.startswith("scrapy eatext site"):
            quick = " -s DOWNLOAD_DELAY=0 -s AUTOTHROTTLE_ENABLED=0"
        done = subprocess.run(
            here(command, self.site) + quick,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            **self.inside(),
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        assert not re.search(r"\b(ERROR|Traceback)\b", done.stderr), done.stderr

    def inside(self) -> dict[str, Any]:
        """The arguments of a process that runs a command in the sandbox."""
        paths = [str(self.root / "bin"), os.environ["PATH"]]
        env = {**os.environ, "PATH": os.pathsep.join(paths), "PYTHONPATH": str(ROOT)}
        env.pop("SCRAPY_SETTINGS_MODULE", None)
        return {"shell": True, "cwd": self.folder, "env": env, "encoding": "utf-8"}

    # -- Python

    def python(self, block: Fenced) -> None:
        code = here(block.code, self.site)
        if block.file:
            path = self.folder / block.file
            with path.open("a", encoding="utf-8") as file:
                file.write("\n" + code)
        if ">>>" in code:
            return  # all of a page together
        name = f"{block.page.name}, line {block.line}"
        try:
            compiled = compile(code, name, "exec")
        except SyntaxError:  # it yields outside of a function
            code = f"def parse(self, response):\n{textwrap.indent(code, '    ')}"
            compiled = compile(code, name, "exec")
        if is_settings(ast.parse(code)):
            found: dict[str, Any] = {}
            exec(compiled, found)
            self.settings({key: found[key] for key in found if key.isupper()})
            return
        before = dict(self.names)
        with importable(self.folder):
            if block.file:
                module = block.file.removesuffix(".py").replace("/", ".")
                self.names |= vars(import_module(module))
            else:
                exec(compiled, self.names)
            for key, value in list(self.names.items()):
                if before.get(key) is not value:
                    self.use(key, value)

    def settings(self, settings: dict[str, Any]) -> None:
        """A crawl would start with them, and finds the classes that they name."""
        for key, value in settings.items():
            if isinstance(value, dict) and not key.startswith("EATEXT_"):
                for path in [*value, *value.values()]:
                    if "." in str(path) and find_spec(path.partition(".")[0]):
                        load_object(path)
        with importable(self.folder):
            Config.from_settings(Settings(settings))

    def use(self, name: str, value: Any) -> None:
        """Run what a block defines: a callback, a spider, an algorithm."""
        if name == "parse":
            engine = SimpleNamespace(download_async=self.download)
            crawler = SimpleNamespace(engine=engine)
            spider = SimpleNamespace(
                crawler=crawler, parse_listing=None, parse_article=None
            )
            asked = list(inspect.signature(value).parameters)[2:]
            # What scrapy-poet hands to the callback.
            given = {name: self.names[name.title()](url=ADDRESS) for name in asked}
            drain(value(spider, self.page, **given))
        elif isinstance(value, type) and issubclass(value, SiteSpider):
            spider, found = value(urls=ADDRESS), extract(self.page)
            assert spider.wants(self.page, found) in (True, False)
            assert spider.priority(Visit(ADDRESS, priority=1)) == 1
            assert spider.item(self.page, found)["url"] == self.page.url
        elif isinstance(value, type) and issubclass(value, scrapy.Spider):
            made = [*value().parse(self.page)]
            items = [one for one in made if not isinstance(one, scrapy.Request)]
            assert items or value.__name__ == "ArticlesSpider"
        elif isinstance(value, type) and issubclass(value, Algorithm):
            assert (
                value is Algorithm or extract(self.names["html"], algorithm=value).text
            )

    @property
    def page(self) -> HtmlResponse:
        found: HtmlResponse = self.names["response"]
        return found

    async def download(self, request: scrapy.Request) -> HtmlResponse:
        return self.page


@contextmanager
def importable(folder: Path) -> Iterator[None]:
    """Let a project's own modules be imported, and forget them."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "news"]:
            del sys.modules[name]


def drain(made: Any) -> None:
    """Take all that a callback yields."""
    if inspect.isasyncgen(made):

        async def take() -> list[Any]:
            return [one async for one in made]

        # Not asyncio.run(), which takes away the loop of the reactor.
        assert crawling.run(take())
    else:
        assert list(made)


def run(page: Path, sandbox: Sandbox) -> None:
    for block in blocks(page):
        if not block.is_run:
            continue
        if block.language == "console":
            for command in block.commands():
                sandbox.command(command)
        elif block.language == "python":
            sandbox.python(block)


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory, example_site: str) -> Path:
    """The sandbox in which the tutorial was followed, word for word."""
    root = tmp_path_factory.mktemp("docs")
    (root / "bin").mkdir()
    for name, module in {"scrapy": "-m scrapy", "python": ""}.items():
        script = root / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        script.chmod(0o755)
    shutil.copytree(EXAMPLE / "almanac", root / "example_project/almanac")
    run(DOCS / "tutorial.md", Sandbox(root, example_site, root))
    return root


@pytest.fixture
def sandbox(
    tutorial: Path, example_site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Sandbox:
    """The tutorial's project, with what the other pages take for granted."""
    folder = tmp_path / "project"
    shutil.copytree(tutorial / "news", folder)
    shutil.copy(ARTICLE, folder / "page.html")
    for name in ("pages", "sites", "my-models"):
        (folder / name).mkdir()
    for path in sorted((EXAMPLE / "expected/herald").glob("*.txt")):
        shutil.copy(path, folder / "pages")
        shutil.copy(EXAMPLE / "site/herald" / f"{path.stem}.html", folder / "pages")
    shutil.copytree(EXAMPLE / "almanac/labels", folder / "labels")
    (folder / "crawl.warc.gz").write_bytes(archives.warc(30))
    model = ROOT / "scrapy_eatext/algorithms/models/dragnet.model"
    shutil.copy(model, folder / "my-models")
    monkeypatch.chdir(folder)
    stand_in(monkeypatch)
    return Sandbox(tutorial, example_site, folder)


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that snippets import, and that nobody installs for tests."""
    bulk = ModuleType("elasticsearch.helpers")
    bulk.bulk = lambda client, actions: list(actions)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "elasticsearch", ModuleType("elasticsearch"))
    monkeypatch.setitem(sys.modules, "elasticsearch.helpers", bulk)


def test_the_tutorial_makes_a_feed(tutorial: Path) -> None:
    items = fed(tutorial / "news/articles.jsonl")
    assert len(items) >= 20
    assert all(len(item["main_text"]) > 100 for item in items)
    sites = tutorial / "example_project/almanac/my-sites"
    assert [path.name for path in sites.iterdir()] == ["almanac.example.json"]
    shown = [b.code for b in blocks(DOCS / "tutorial.md") if b.language == "json"]
    assert shown
    for line in "".join(shown).splitlines():
        assert json.loads(line).keys() == items[0].keys()


OTHERS = [page for page in PAGES if page.name not in {"tutorial.md", "index.md"}]


@pytest.mark.parametrize("page", [README, *OTHERS], ids=lambda page: page.stem)
def test_every_block_runs(page: Path, sandbox: Sandbox) -> None:
    if page.stem == "archives":
        pytest.importorskip("pyarrow")
    run(page, sandbox)


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.stem)
def test_examples_have_their_results(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    examples = "".join(block.code for block in blocks(page) if ">>>" in block.code)
    test = doctest.DocTestParser().get_doctest(examples, {}, page.name, None, None)
    assert test.examples or page != README
    assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_are_of_known_kinds_and_settings_are_there(page: Path) -> None:
    for block in blocks(page):
        is_directive = block.language.startswith("{")
        known = block.language in {"console", "python", *SHOWN}
        assert known or is_directive, f"{page.name}, line {block.line}"
    named = set(re.findall(r"\bEATEXT_[A-Z_]+\b", page.read_text("utf-8")))
    assert named - set(KEYS) - {"EATEXT_"} == set()


def test_the_front_page_shows_what_comes_out(
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("pyarrow")
    url, html = "https://example.com/ferry-timetable.html", FERRY.read_bytes()
    sandbox.folder = tmp_path / "empty"
    sandbox.folder.mkdir()
    monkeypatch.chdir(sandbox.folder)
    Path("crawl.warc.gz").write_bytes(archives.record(archives.response(html), url))
    run(DOCS / "index.md", sandbox)
    shown = list(blocks(DOCS / "index.md"))
    assert [capsys.readouterr().out] == [b.code for b in shown if b.language == "text"]
    lines = [block.code for block in shown if block.language == "json"]
    for name, line in zip(("news.jsonl", "passages.jsonl"), lines, strict=True):
        expected = json.loads(line)
        made = next(
            item
            for item in fed(Path(name))
            if Path(urlsplit(item["url"]).path).name == FERRY.name
            and item.get("index") == expected.get("index")
        )
        made["url"] = url + made["url"].partition(FERRY.name)[2]
        # The last value is cut short.
        key, value = expected.popitem()
        assert made.pop(key).startswith(value.removesuffix("…"))
        assert made == expected


def test_the_spider_of_the_readme_fills_its_items(tmp_path: Path) -> None:
    """As it stands there, sent to a page of the bundled site."""
    codes = [block.code for block in blocks(README)]
    spider = next(code for code in codes if "class NewsSpider" in code)
    assert "https://example.com/news" in spider
    spider = spider.replace("https://example.com/news", ARTICLE.as_uri())
    (tmp_path / "spider.py").write_text(spider, "utf-8")
    addons = next(code for code in codes if code.startswith("ADDONS"))
    (tmp_path / "settings.py").write_text(addons, "utf-8")
    command = ("runspider", "spider.py", "-O", "out.jsonl")
    done = run_scrapy(tmp_path, *command, path=(tmp_path, ROOT), settings="settings")
    assert done.returncode == 0, done.stderr
    (item,) = fed(tmp_path / "out.jsonl")
    assert item["headline"] == "What the market hall was hiding under its floor"
    assert "two hundred and six stoneware jars" in item["main_text"]


def test_defaults_in_the_readme_are_those_that_hold() -> None:
    row = re.compile(r"^\| `(EATEXT_\w+)` \| `([^`]+)` \|", re.MULTILINE)
    rows = row.findall(README.read_text("utf-8"))
    settings = Settings({key: ast.literal_eval(value) for key, value in rows})
    # Not in code: a number that the machine sets.
    assert len(rows) == len(KEYS) - 1
    assert Config.from_settings(settings) == Config()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_to_files(name: str) -> None:
    links = re.findall(r"\]\(((?!https?:)[^)#]+)\)", (ROOT / name).read_text("utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_bundled_site_is_as_large_as_the_readme_says() -> None:
    words = {50: "fifty", 13: "thirteen"}
    pages = list((EXAMPLE / "site").rglob("*.html"))
    declared = re.compile(rb"<html[^>]*?\blang=\"?([a-z]+)", re.IGNORECASE)
    found = [declared.search(page.read_bytes()) for page in pages]
    languages = {match[1] for match in found if match}
    said = f"{words[len(pages)]} pages in {words[len(languages)]} languages"
    assert said in " ".join(README.read_text("utf-8").split())


def test_wheels_are_built_for_each_python_that_is_named() -> None:
    project, setup = (ROOT / "pyproject.toml"), (ROOT / "setup.cfg")
    built = re.findall(r'"cp3(\d+)-\*"', project.read_text("utf-8"))
    assert built == re.findall(r":: Python :: 3\.(\d+)", setup.read_text("utf-8"))


def test_a_block_that_does_not_run_is_found(sandbox: Sandbox, tmp_path: Path) -> None:
    """The runner itself: each kind of block can fail."""
    page = tmp_path / "page.md"
    for wrong in (
        "```console\n$ scrapy eatext nothing.html\n```\n",
        "```python\nEATEXT_BELOW = 'sink'\n```\n",
    ):
        page.write_text(f"# A page\n\n{wrong}", "utf-8")
        with pytest.raises((AssertionError, ValueError)):
            run(page, sandbox)
        page.write_text(
            f"# A page\n\nThis is not run\nby the tests:\n\n{wrong}", "utf-8"
        )
        run(page, sandbox)
