#!/usr/bin/env python3
"""Run the example or the tests from a fresh clone: nothing has to be installed.

``python3 run.py example`` crawls the bundled site and shows the feed;
``python3 run.py test`` runs the tests, ``python3 run.py fuzz`` those on random
pages, for a minute or for --seconds.  Each first makes a virtual environment in .venv and
installs the package and the task's dependencies there, which takes some minutes as it
compiles.  Arguments after the task go to it.  Needs Python 3.10 or later and access to
PyPI.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
# task -> (extras that it needs, arguments of Python)
TASKS = {
    "example": ("", ["example_project/run.py"]),
    # A process for each core; one that is done takes tests from the others.
    "test": (
        "test",
        ["-m", "pytest", "-n=auto", "--dist=worksteal", "-m", "not apart"],
    ),
    "fuzz": ("test", ["-m", "tests.fuzz"]),
}
# The package is installed again when one of these files changes.
SOURCES = [
    *("setup.cfg", "setup.py", "pyproject.toml"),
    *("scrapy_eatext/*/*.pyx", "scrapy_eatext/*/*.px[di]"),
]


def make_venv() -> None:
    """Make a virtual environment with the latest pip."""
    command = [sys.executable, "-m", "venv", "--clear"]
    # On Debian ensurepip, which puts pip into a new environment, is in another package.
    if importlib.util.find_spec("ensurepip") and importlib.util.find_spec("venv"):
        made = subprocess.run([*command, str(VENV)], check=False)
        if made.returncode == 0:
            pip("--upgrade", "pip")
            return
    spec = importlib.util.find_spec("pip")
    if spec is None or spec.origin is None:
        sys.exit("This needs pip, or the venv module with ensurepip (python3-venv).")
    subprocess.run([*command, "--without-pip", str(VENV)], check=True)
    # The system's pip, whatever its version, installs the latest one in the new
    # environment, which gets it by a link, without the system's other packages.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pip").symlink_to(Path(spec.origin).parent)
        pip("--upgrade", "pip", PYTHONPATH=folder)


def pip(*arguments: str, **environment: str) -> None:
    options = ["--quiet", "--disable-pip-version-check"]
    command = [str(PYTHON), "-m", "pip", "install", *options, *arguments]
    # setuptools warns of each editable installation.
    quiet = {"PYTHONWARNINGS": "ignore:Editable installation"}
    env = {**os.environ, **quiet, **environment}
    subprocess.run(command, check=True, cwd=HERE, env=env)


def prepare(extra: str) -> None:
    """Install the package with an extra into .venv, unless it is installed there."""
    digest = hashlib.sha256(sys.version.encode())
    for pattern in SOURCES:
        for path in sorted(HERE.glob(pattern)):
            digest.update(path.read_bytes())
    stamp = VENV / f"installed-{extra or 'base'}"
    # An installation with an extra also serves tasks without one.
    stamps = [stamp] if extra else VENV.glob("installed-*")
    if any(s.exists() and s.read_text() == digest.hexdigest() for s in stamps):
        return
    print(
        "Installing and compiling in .venv, without output of pip, which takes a minute "
        "or more ...",
        flush=True,
    )
    if not PYTHON.exists():
        make_venv()
    pip("--editable", f".[{extra}]" if extra else ".")
    stamp.write_text(digest.hexdigest())


def main() -> int:
    if sys.version_info < (3, 10):  # noqa: UP036  python3 may be older
        sys.exit("This needs Python 3.10 or later.")
    if len(sys.argv) < 2 or sys.argv[1] not in TASKS:
        sys.exit(f"Usage: python3 run.py {{{'|'.join(TASKS)}}} [argument ...]")
    extra, arguments = TASKS[sys.argv[1]]
    try:
        prepare(extra)
    except subprocess.CalledProcessError as error:
        return error.returncode
    if sys.argv[1:] == ["test"]:
        print(
            "Running all tests takes some 6 minutes on two cores; "
            "`python3 run.py test --quick` takes one.",
            flush=True,
        )
    command = [str(PYTHON), *arguments, *sys.argv[2:]]
    return subprocess.run(command, check=False, cwd=HERE).returncode


if __name__ == "__main__":
    sys.exit(main())
