"""Run the tests with the compiled modules under gcc's sanitizers.

    python -m tests.sanitize [pytest options]
    python -m tests.sanitize --fuzz [options of tests.fuzz]

They are built anew, in a copy of the checkout, to stop at the first error of addresses
or of undefined behaviour.  All memory comes from malloc(), so that of Python, lxml and
libxml2 is watched too.  Leaks are not: the interpreter leaves much behind at its end.
Findings go to a file for each process, as tests expect some workers to die; a crash or
a lack of memory, which tests provoke, is no finding.  Needs gcc with libasan and
libubsan; Linux only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import ROOT

FLAGS = (
    "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer "
    "-O1 -g1"
)
# Build products, which another process may be writing at the moment.
IGNORED = ".* build *.so *.c __pycache__ *.egg-info scrapy_eatext-*".split()


def main(options: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        copy, found = Path(folder, "checkout"), Path(folder, "found")
        found.mkdir()
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*IGNORED))
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        flags = {"CFLAGS": FLAGS, "LDFLAGS": FLAGS}
        subprocess.run(build, cwd=copy, env={**os.environ, **flags}, check=True)
        built = sorted(path.name for path in copy.glob("scrapy_eatext/*/*.so"))
        if not built:
            sys.exit("Nothing could be built.")
        print("built", *built, flush=True)
        env = {
            **os.environ,
            "LD_PRELOAD": " ".join(map(library, ["libasan.so", "libubsan.so"])),
            "ASAN_OPTIONS": "detect_leaks=0:strict_string_checks=1:handle_segv=0"
            f":allocator_may_return_null=1:log_path={found}/address",
            "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={found}/behaviour",
            "PYTHONMALLOC": "malloc",
            "PYTHONFAULTHANDLER": "1",
            # For the processes that tests start in other folders.
            "PYTHONPATH": str(copy),
        }
        test = [sys.executable, "-m", "pytest", *options]
        if options[:1] == ["--fuzz"]:
            test[2:] = ["tests.fuzz", *options[1:]]
        code = subprocess.run(test, cwd=copy, env=env, check=False).returncode
        reports = [path for path in sorted(found.iterdir()) if is_finding(path)]
        for path in reports:
            print(path.name, path.read_text(errors="replace"), sep="\n", flush=True)
        print(f"the sanitizers found {len(reports)} faults", flush=True)
        return code or bool(reports)


def is_finding(report: Path) -> bool:
    """Whether a report tells of more than a lack of memory, of which it warns."""
    text = report.read_text(errors="replace")
    return "ERROR: AddressSanitizer" in text or "runtime error:" in text


def library(name: str) -> str:
    """Where gcc keeps one of its libraries."""
    command = [os.environ.get("CC", "gcc"), f"-print-file-name={name}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
