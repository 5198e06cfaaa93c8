"""A real browser, and reviews in processes of their own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.reviewing import ReviewProcess

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")


@pytest.fixture
def review(tmp_path: Path) -> Iterator[Callable[..., ReviewProcess]]:
    """Starts reviews in the test's folder, and ends them."""
    started: list[ReviewProcess] = []

    def start(*arguments: str) -> ReviewProcess:
        started.append(ReviewProcess(tmp_path, *arguments))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.end()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


class Screen:
    """A tab with a review, and what a test asks of it."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.wrong: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto(url)
        page.wait_for_selector(".row", state="attached")

    def open(self, name: str) -> None:
        """Open the page of a name, by a click in the list."""
        self.page.fill("#find", name)
        self.page.click(".row")
        self.shown(name)
        self.page.locator("#page-name").click()

    def shown(self, name: str = "") -> None:
        """Wait until a page is shown and painted."""
        self.page.wait_for_function(
            """(name) => document.querySelector(".row[aria-selected=true]")
                 ?.textContent.includes(name)
               && document.getElementById("frame").contentWindow.location.pathname
                 .startsWith("/frame/" + location.hash.match(/^#page=(\\d+)/)?.[1])
               && document.getElementById("frame").contentDocument
                 ?.querySelector("eatext-t[k]")""",
            arg=name,
        )

    def signs(self) -> str:
        """The labels of the blocks, as they are painted."""
        found: str = self.page.evaluate(
            """() => {
              const signs = [];
              const pieces = document.getElementById("frame").contentDocument
                .querySelectorAll("eatext-t");
              for (const piece of pieces) signs[piece.getAttribute("b")] = piece.getAttribute("k");
              return signs.join("");
            }"""
        )
        return found

    def block(self, number: int) -> Any:
        frame = self.page.frame_locator("#frame")
        return frame.locator(f'eatext-t[b="{number}"]').first

    def drag(self, first: int, last: int) -> None:
        """Draw the mouse, its button down, from one block to another."""
        # Playwright's own mouse waits for a script in each frame to see a drag begin.
        devtools = self.page.context.new_cdp_session(self.page)
        for number, kinds in ((first, "Moved Pressed"), (last, "Moved Released")):
            box = self.block(number).bounding_box()
            for kind in kinds.split():
                devtools.send(
                    "Input.dispatchMouseEvent",
                    {
                        "type": f"mouse{kind}",
                        "x": box["x"] + 3,
                        "y": box["y"] + box["height"] / 2,
                        "button": "none" if kind == "Moved" else "left",
                        "buttons": int(number == last or kind == "Pressed"),
                        "clickCount": int(kind != "Moved"),
                    },
                )
        devtools.detach()

    def overflows(self) -> bool:
        """Whether something stands beyond the right or lower edge."""
        found: bool = self.page.evaluate(
            """() => {
              const { scrollWidth, scrollHeight } = document.documentElement;
              return scrollWidth > innerWidth || scrollHeight > innerHeight
                || [...document.querySelectorAll("button, select, input")].some((e) =>
                  e.offsetParent && e.getBoundingClientRect().right > innerWidth);
            }"""
        )
        return found

    def named(self, name: str) -> None:
        """Wait until the page of a name is open."""
        self.page.wait_for_function(
            "(name) => document.getElementById('page-name').textContent === name",
            arg=name,
        )

    def headed(self, head: str) -> None:
        """Wait until the text has a head."""
        self.page.wait_for_function(
            "(head) => document.getElementById('text-head').textContent === head",
            arg=head,
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self) -> None:
        """Wait until the last change is on the disk."""
        self.page.wait_for_function(
            "() => document.getElementById('saved').textContent === 'saved'"
        )


@pytest.fixture
def screen(chromium: Any) -> Iterator[Callable[..., Screen]]:
    pages: list[Any] = []
    screens: list[Screen] = []

    def open_(url: str, width: int = 1280, height: int = 800, **more: Any) -> Screen:
        page = chromium.new_page(viewport={"width": width, "height": height}, **more)
        page.set_default_timeout(60_000)
        pages.append(page)
        screens.append(Screen(page, url))
        return screens[-1]

    yield open_
    for one in screens:
        assert not one.wrong, one.wrong
    for page in pages:
        page.close()
