"""Imports run one way, and what is below the service knows no Scrapy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import scrapy_eatext
from scrapy_eatext.archive.record import MissingError
from tests import ROOT

PACKAGE = Path(scrapy_eatext.__file__).parent
TESTS = Path(__file__).parent

# The rooms from the roof down: a module imports from its own floor and from those
# below.  docs/architecture.md tells what is in them, in a picture made of this table.
FLOORS = [
    ["commands", "poet", "feeds"],
    ["spiders", "review"],
    ["archive"],
    ["crawl"],
    ["execution.executors"],
    ["execution.process"],
    ["execution.worker"],
    ["learning", "extraction"],
    ["execution.cascade"],
    ["execution.choice"],
    ["rendering"],
    ["output", "rules", "metadata"],
    ["algorithms"],
    ["sites"],
    ["tagger"],
    ["page"],
    ["native"],
    ["deadline", "declared", "durable", "result", "items", "execution"],
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
KNOWS_SCRAPY = FLOOR_OF["execution.executors"]


def room_of(module: str) -> str:
    """The part of a module's name that stands in FLOORS."""
    parts = module.split(".")[1:]
    return ".".join(parts[:2] if parts[0] == "execution" else parts[:1])


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        name = ".".join(parts).removesuffix(".__init__")
        if "." in name:
            yield name, path


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports when it runs, inside functions too."""
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            todo += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            if node.module == "scrapy_eatext":
                yield from (f"scrapy_eatext.{alias.name}" for alias in node.names)
            else:
                yield str(node.module)
        todo += ast.iter_child_nodes(node)


MODULES = dict(modules())


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module):
    assert room_of(module) in FLOOR_OF, "a new room: say above which floor it is on"
    floor = FLOOR_OF[room_of(module)]
    for imported in imports(MODULES[module]):
        top, _, rest = imported.partition(".")
        if top == "scrapy_eatext" and rest:
            assert FLOOR_OF[room_of(imported)] >= floor, f"{module} imports {imported}"
        if top in ("scrapy", "twisted"):
            assert floor <= KNOWS_SCRAPY, f"{module} imports {imported}"


# The tests of modules that are tested outside of their own room.
TESTED_IN = {
    "commands.archive": "archive/test_local.py",
    "commands.evaluate": "learning/test_train.py",
    "commands.review": "review/test_server.py",
    "commands.train": "learning/test_train.py",
    "execution.choice": "crawl/test_settings.py",
    "learning.ngram": "algorithms/test_ngram.py",
    "learning.perceptron": "algorithms/test_perceptron.py",
    "page.datatables": "output/test_outputs.py",
    "page.dates": "metadata/test_reader.py",
    "page.embedded": "algorithms/test_eatext.py",
    "page.head": "metadata/test_reader.py",
    "page.mathml": "output/test_formulas.py",
    "page.richtext": "page/test_state.py",
    "page.urls": "test_hostile.py",
    "rendering": "test_extraction.py",
}
LONG = 100


def covering(module: str) -> list[Path]:
    """Its tests by its name or a folder's around it, else by the table, else its room's."""
    room, *names = module.split(".")[1:]
    folder = TESTS / room if names else TESTS
    for name in reversed(names or [room]):
        if found := sorted(folder.glob(f"test_{name}*.py")):
            return found
    if known := TESTED_IN.get(".".join([room, *names])):
        return [TESTS / known]
    return sorted(folder.glob("test_*.py")) if names else []


@pytest.mark.parametrize("module", MODULES)
def test_the_tests_of_a_module_are_found_by_its_path(module):
    if len(MODULES[module].read_text("utf-8").splitlines()) > LONG:
        assert covering(module), f"which test is of {module}? Say so in TESTED_IN"


def test_the_tests_that_the_table_names_are_there():
    assert [name for name in TESTED_IN.values() if not (TESTS / name).exists()] == []


SCRIPTS = [
    path
    for folder in ("benchmarks", "tools", "docs")
    for path in sorted((ROOT / folder).glob("*.py"))
]


def is_there(module: str, name: str) -> bool:
    """Whether a module has a name; where it needs an extra that is missing, the test ends."""
    try:
        return hasattr(import_module(module), name) or bool(
            import_module(f"{module}.{name}")
        )
    except ModuleNotFoundError as error:
        if str(error.name).startswith("scrapy_eatext"):
            return False
        pytest.skip(f"needs {error.name}, which an extra brings")
    except MissingError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_import_what_is_there(path):
    # They run seldom, some for hours, and no other test imports them.
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        if module.partition(".")[0] == "scrapy_eatext":
            for name in node.names:
                assert is_there(module, name.name)


def test_the_picture_is_of_this_house():
    from docs import house

    assert house.PICTURE.read_text("utf-8") == house.draw(), "python -m docs.house"


def run_python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PACKAGE.parent)


def test_importing_the_package_costs_nothing():
    run_python(
        "import sys, scrapy_eatext\n"
        "heavy = {'lxml', 'numpy', 'parsel', 'scrapy', 'twisted'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )


def test_extract_needs_no_scrapy():
    run_python(
        "import sys\n"
        "sys.modules['scrapy'] = sys.modules['twisted'] = None\n"
        "from scrapy_eatext import extract\n"
        "from scrapy_eatext.algorithms import REGISTRY\n"
        "for name in REGISTRY:\n"
        "    extract('<p>A text.', algorithm=name)\n"
        "extract('<p>A text.', algorithm=list(REGISTRY), keep='p', remove=['a'])\n"
    )


def test_every_public_name_is_there():
    for name in set(scrapy_eatext.__all__) - {"compiled"}:
        assert getattr(scrapy_eatext, name).__module__.startswith("scrapy_eatext.")
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        scrapy_eatext.nothing  # noqa: B018
