"""A compiled module whose source has changed since it was built does not run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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
def test_each_module_tells_what_it_was_built_from(name):
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


@COMPILED_ONLY
@pytest.mark.parametrize("in_a_checkout", [True, False])
def test_one_whose_source_has_changed_does_not_run(tmp_path, in_a_checkout):
    copy = tmp_path / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "native" / "_text.pyx").write_text("# Not what it was built from.\n")
    if in_a_checkout:
        (tmp_path / "setup.py").touch()
    program = (
        "import scrapy_eatext; from scrapy_eatext.output import text; from scrapy_eatext.page import guard; "
        "print(scrapy_eatext.__file__, scrapy_eatext.compiled, "
        "text.join is text.python_join, "
        "guard.without_surplus is guard.python_without_surplus)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", program],
        cwd=tmp_path,
        # A copy is not to count in the package's coverage.
        env={k: v for k, v in os.environ.items() if not k.startswith("COVERAGE")},
        capture_output=True,
        text=True,
        check=True,
    )
    # The other modules run.
    where = str(copy / "__init__.py")
    assert done.stdout.split() == [where, "True", "True", "False"]
    assert done.stderr.count("runs slower") == 1
    said = "without its compiled module _text: its source has changed"
    assert said in done.stderr
    pip = f'To build it anew: "{sys.executable}" -m pip install '
    assert (f'{pip}--editable "{tmp_path}"' in done.stderr) == in_a_checkout
    # A wheel would be the same again.
    again = f"{pip}--force-reinstall --no-deps --no-cache-dir --no-binary scrapy-eatext"
    assert (again in done.stderr) != in_a_checkout


@pytest.mark.skipif(loading.etree.LXML_VERSION >= (6,), reason="lxml is not old")
def test_beside_an_old_lxml_nothing_compiled_runs():
    assert not scrapy_eatext.compiled


def test_an_lxml_that_is_too_old_is_named(monkeypatch):
    monkeypatch.setattr(loading.etree, "LXML_VERSION", (5, 4, 0, 0))
    with pytest.warns(RuntimeWarning, match="install --upgrade lxml$") as caught:
        loading._step_back("_walk", "it is for lxml 6.1, not 5.4")
    assert "build it anew" not in str(caught[0].message)
