"""Tests in the rooms of the package; what they share is in support/ and cases/."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "example_project" / "site"
CASES = Path(__file__).parent / "cases"
