"""Take the screenshots of the review: `python docs/screenshots.py`.

Needs chromium and playwright.  Shows the bundled pages, one of them corrected a little,
and writes docs/images/review-*.png.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.conftest import CHROMIUM, Screen
from tests.support.reviewing import ReviewProcess

IMAGES = ROOT / "docs" / "images"
PAGE = "lighthouse-lamp"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages = Path(folder, "site")
        shutil.copytree(ROOT / "example_project" / "site", pages)
        run = ReviewProcess(Path(folder), "site")
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        shown = Screen(
            browser.new_page(viewport={"width": 1280, "height": 720}), run.url
        )
        page = shown.page
        page.wait_for_function(
            "() => !document.getElementById('list').textContent.includes('…')"
        )
        shown.open(PAGE)
        page.fill("#find", "")
        page.locator("#page-name").click()
        shown.press(*"jjjjjjjjj", "Shift+J")
        page.screenshot(path=IMAGES / "review-page.png")
        shown.press("2")
        page.wait_for_selector(".text-line .words")
        page.screenshot(path=IMAGES / "review-lines.png")
        shown.press("3")
        page.wait_for_selector("#hosts td")
        page.screenshot(path=IMAGES / "review-crawl.png")
        browser.close()
        run.end()


if __name__ == "__main__":
    main()
