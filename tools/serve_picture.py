"""Make docs/pictures/serve.png: `python tools/serve_picture.py REPORT.ncu-rep` (needs Chromium)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "serve.png"
SETTINGS = "#to=H100+SXM5+80GB&to=B200%7Bdram%3D6TB/s%7D"


def main(profile: str) -> None:
    """Serve a profile and take the picture."""
    command = [sys.executable, "-m", "roofcast", "serve", profile]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server, sync_playwright() as engine:
        assert server.stderr is not None
        found = re.search(r"http://\S+/", server.stderr.readline())
        assert found
        browser = engine.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1300, "height": 860})
        tab.goto(found[0] + SETTINGS)
        tab.locator("#report iframe:not(.coming)").wait_for()
        tab.locator("#targets button:has-text('change')").nth(1).click()
        tab.screenshot(path=PICTURE)
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main(sys.argv[1])
