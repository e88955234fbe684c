"""The browser of tests and figures: Debian's Chromium without a screen, which asks the network for nothing of its own."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
          "--disable-sync"]  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """Open the browser, and close it in the end."""
    from playwright.sync_api import sync_playwright  # its import is slow, and most tests have no browser

    executable = shutil.which("chromium")
    assert executable, "chromium is missing: make setup-dev installs it"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=_FLAGS)
        yield opened
        opened.close()
