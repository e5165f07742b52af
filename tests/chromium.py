"""A real browser; tests that want one are skipped where there is none."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SOFTWARE_GRAPHICS = (
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)


@contextmanager
def chromium():
    """A browser with its own driver, which needs no graphics card."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed"
    )
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with sync_api.sync_playwright() as driver:
        if program is None and not Path(driver.chromium.executable_path).exists():
            pytest.skip("no Chromium here")
        browser = driver.chromium.launch(
            executable_path=program, args=list(SOFTWARE_GRAPHICS)
        )
        yield browser
        browser.close()


def note_troubles(page, troubles):
    """Add everything that goes wrong on a page from now on to a list."""
    page.on(
        "console",
        lambda message: message.type == "error" and troubles.append(message.text),
    )
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(dialog.message))
