"""What is asked of every page that stands alone: its elements, its data, its policy, and what a browser makes of it."""

from __future__ import annotations

import base64
import hashlib
import html
import html.parser
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ATTACK = "</script><img src=x onerror=alert(1)>"


class Elements(html.parser.HTMLParser):
    """Every element and its attributes, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def data_of(text: str, name: str = "data") -> Any:
    match = re.search(rf'<script id="{name}" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert match
    return json.loads(match[1])


def digest(source: str) -> str:
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()


def check_policy(text: str, sources: int, links: list[str]) -> None:
    """The page allows its own scripts and styles, by their hashes, and asks for nothing from outside."""
    elements = Elements(text).found
    policy = next(a["content"] for _, a in elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    found = re.findall(r"<script>(.*?)</script>|<style>(.*?)</style>", text, re.DOTALL)
    assert len(found) == sources
    for script, style in found:
        assert digest(script or style) in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert [a["href"] for _, a in elements if "href" in a] == links
    assert not [a for _, a in elements if {"src", "style", "onclick"} & set(a)]


def browse(text: str, probe: str, folder: Path) -> dict[str, Any]:
    """What a script of the test's own, which the page's policy is told to allow, reports of it in a real browser."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed: the page was not tried in a browser")
    probe = (
        f"\nconst report = {{}};\n{probe}\nconst out = document.createElement('pre'); out.id = 'report'; "
        "out.textContent = JSON.stringify(report); document.body.appendChild(out);\n"
    )
    text = text.replace("script-src '", f"script-src 'sha256-{digest(probe)}' '")
    file = folder / "page.html"
    file.write_text(text.replace("</body>", f"<script>{probe}</script></body>"), encoding="utf-8")
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr", "--virtual-time-budget=4000", "--dump-dom", file.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    found = re.search(r'<pre id="report">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    assert not [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    report: dict[str, Any] = json.loads(html.unescape(found[1]))
    return report
