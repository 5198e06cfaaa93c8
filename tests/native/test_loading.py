"""A compiled module runs only where it fits its sources and the libraries beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import scrapy_eatext
from scrapy_eatext.native import loading
from tests.support.properties import COMPILED_ONLY

PACKAGE = Path(scrapy_eatext.__file__).parent


def source_of(name: str) -> Path:
    return PACKAGE / "native" / f"{name}.pyx"


@pytest.mark.skipif(
    "REQUIRE_COMPILED" not in os.environ, reason="only where a compiler must be"
)
def test_the_modules_have_been_built():
    assert scrapy_eatext.compiled


@COMPILED_ONLY
@pytest.mark.parametrize("name", loading._MODULES)
def test_each_module_has_the_checksum_of_its_sources(name):
    module = loading.load(name)
    assert module is not None
    assert 0 < module.CHECKSUM < 1 << 32
    # An installed package has no sources.
    if source_of(name).exists():
        assert loading.checksum(source_of(name)) == module.CHECKSUM


def test_every_source_is_a_module_that_is_loaded():
    sources = sorted(PACKAGE.glob("*/*.pyx"))
    if not sources:
        pytest.skip("an installed package has no sources")
    assert sources == sorted(map(source_of, loading._MODULES))


def test_a_checksum_is_of_source_and_headers(tmp_path):
    source, header = tmp_path / "page" / "_a.pyx", tmp_path / "tagger" / "b.pxd"
    for path in (source, header):
        path.parent.mkdir()
        path.write_bytes(b"1")
    found = set()
    for path in (source, source, header):
        loading._of_headers.cache_clear()
        found.add(loading.checksum(source))
        path.write_bytes(b"2" + path.read_bytes())
    loading._of_headers.cache_clear()
    found.add(loading.checksum(source))
    assert len(found) == 4


PROGRAM = """
import scrapy_eatext
from scrapy_eatext.output import text
from scrapy_eatext.page import guard
print(scrapy_eatext.__file__, scrapy_eatext.compiled, text.join is not text.python_join,
    guard.without_surplus is not guard.python_without_surplus)
"""


def which_run(folder: Path, *options: str, **env: str) -> tuple[list[str], str]:
    """The words and warnings of PROGRAM in another process that starts in a folder."""
    done = subprocess.run(
        [sys.executable, *options, "-c", PROGRAM],
        cwd=folder,
        # What it imports is not to count in the package's coverage.
        env={k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")} | env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split(), done.stderr


@COMPILED_ONLY
@pytest.mark.parametrize("in_a_checkout", [True, False])
def test_one_whose_source_has_changed_does_not_run(tmp_path, in_a_checkout):
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "native" / "_text.pyx").write_text("# Not what it was built from.\n")
    if in_a_checkout:
        (tmp_path / "setup.py").touch()
    words, warned = which_run(tmp_path, "-W", "always")
    # The other modules run.
    assert words == [str(copy / "__init__.py"), "True", "False", "True"]
    assert warned.count("runs slower") == 1
    assert "without its compiled module _text: its source has changed" in warned
    pip = f'To build it anew: "{sys.executable}" -m pip install '
    assert (f'{pip}--editable "{tmp_path}"' in warned) == in_a_checkout
    # A wheel would be the same again.
    again = f"{pip}--force-reinstall --no-deps --no-cache-dir --no-binary scrapy-eatext"
    assert (again in warned) != in_a_checkout


@pytest.mark.parametrize("value", ["", "0", "1"])
def test_the_environment_chooses_which_runs(value, tmp_path):
    # The imported package, which may not be the one in this folder.
    env = {"PYTHONPATH": str(PACKAGE.parent), "SCRAPY_EATEXT_PURE": value}
    words, _ = which_run(tmp_path, "-W", "error", **env)
    # Built modules do not run if the environment forbids it.
    runs = value != "1" and find_spec("scrapy_eatext.native._walk") is not None
    assert words[1:] == [str(runs)] * 3


@pytest.mark.skipif(loading.etree.LXML_VERSION >= (6,), reason="lxml is not old")
def test_beside_an_old_lxml_nothing_compiled_runs():
    assert not scrapy_eatext.compiled


def test_an_lxml_that_is_too_old_is_named(monkeypatch):
    monkeypatch.setattr(loading.etree, "LXML_VERSION", (5, 4, 0, 0))
    with pytest.warns(RuntimeWarning, match="install --upgrade lxml$") as caught:
        loading._warn("_walk", "it is for lxml 6.1, not 5.4")
    assert "build it anew" not in str(caught[0].message)


BUILT = ((6, 1), (2, 14), 40)


@pytest.mark.parametrize(
    ("running", "reason"),
    [
        (BUILT, ""),
        (((6, 0), (2, 13), 40), ""),
        (((6, 2), (2, 14), 40), "lxml 6.1, not 6.2"),
        (((5, 4), (2, 14), 40), "lxml 6.1, not 5.4"),
        (((7, 0), (2, 14), 40), "lxml 6.1, not 7.0"),
        (((6, 1), (2, 15), 40), "libxml2 2.14, not 2.15"),
        (((6, 1), (3, 0), 40), "libxml2 2.14, not 3.0"),
        (((6, 1), (2, 14), 48), "another build of lxml"),
    ],
)
def test_versions(running, reason):
    found = loading.mismatch(BUILT, running)
    assert reason in found
    assert bool(reason) == bool(found)


@COMPILED_ONLY
@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("no module lxml.odd", name="lxml.odd"),
        ImportError("undefined symbol"),
        AssertionError(),
    ],
)
def test_what_cannot_be_loaded(monkeypatch, error):
    def fail(name):
        raise error

    monkeypatch.setattr(loading, "import_module", fail)
    monkeypatch.setattr(loading, "load", cache(loading.load.__wrapped__))
    with pytest.warns(RuntimeWarning, match="runs slower") as caught:
        loaded = [loading.load("_walk"), loading.load("_walk")]
    assert loaded == [None, None]
    assert [str(error) in str(w.message) for w in caught] == [True]


def test_one_that_is_missing(monkeypatch):
    # Warnings are errors here, and there is none if nothing was built.
    monkeypatch.setattr(
        loading, "find_spec", lambda name: "_source" not in name or None
    )
    assert loading.load.__wrapped__("_walk") is None


def test_versions_that_it_is_not_for(monkeypatch):
    built = {"BUILT_FOR": ((5, 0), (2, 9), 40), "CHECKSUM": 1}
    monkeypatch.delenv("SCRAPY_EATEXT_PURE", raising=False)
    monkeypatch.setattr(loading, "find_spec", bool)
    monkeypatch.setattr(loading, "import_module", lambda name: SimpleNamespace(**built))
    monkeypatch.setattr(loading, "checksum", lambda source: 1)
    with pytest.warns(RuntimeWarning, match=r"runs slower.* lxml 5\.0, not \d"):
        assert loading.load.__wrapped__("_walk") is None
