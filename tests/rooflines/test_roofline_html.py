"""The interactive page: nothing leaves it, names are only text, and a real browser, where installed, runs it."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from report_builders import HOSTILE, SOURCE, TARGET, build_roofline, forecast, table
from roofcast.analyses.rooflines.interactive import render_html, write_html
from roofcast.core.kernel_table import concatenate
from roofcast.kit.page import embed_json

ATTACK = "</script><img src=x onerror=alert(1)>"


def page(names: list[str]) -> str:
    kernels = table(names)
    return render_html(build_roofline(kernels, [SOURCE] * len(names), forecast(kernels, [TARGET])))


class Elements(html.parser.HTMLParser):
    """Every element and its attributes, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def data_of(text: str) -> Any:
    match = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert match
    return json.loads(match[1])


def test_names_cannot_leave_the_data() -> None:
    text = page([ATTACK, *HOSTILE])
    elements = Elements(text).found
    assert [tag for tag, _ in elements].count("script") == 2
    assert not [tag for tag, _ in elements if tag in ("img", "iframe", "object", "embed", "base")]
    assert ATTACK not in text
    assert any(k["full"] == ATTACK for k in data_of(text)["kernels"])


def test_hostile_file_names_and_gpus_are_escaped() -> None:
    kernels = table(["a"], file=ATTACK)
    text = render_html(build_roofline(kernels, [None]))
    assert ATTACK not in text
    assert not [tag for tag, _ in Elements(text).found if tag == "img"]


def test_the_policy_allows_its_own_script_and_nothing_else() -> None:
    text = page(["a"])
    policy = next(a["content"] for t, a in Elements(text).found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    for source in (*script, *style):
        assert base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() in policy
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not [a for _, a in Elements(text).found if {"src", "href", "style", "onclick"} & set(a)]


def test_embedding_survives_anything() -> None:
    text = embed_json({"a": "<!--<script></script>&\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "<!--<script></script>&\u2028"}


def test_a_thousand_kernels_stay_small_and_are_all_there(tmp_path: Path) -> None:
    kernels = table([f"void space::kernel_{i}<float, {i}>(float const*, float*)" for i in range(1000)])
    write_html(build_roofline(kernels, [SOURCE] * 1000, forecast(kernels, [TARGET] * 2)), tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 6e6
    assert len(data_of((tmp_path / "r.html").read_text())["kernels"]) == 1000
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_an_empty_table_gives_a_page() -> None:
    assert data_of(render_html(build_roofline(table([]), [])))["kernels"] == []


PROBE = """
const report = {};
const marks = () => document.querySelectorAll("#charts .dot").length;
report.ready = document.documentElement.dataset.ready;
report.charts = document.querySelectorAll("#charts svg").length;
report.dots = marks();
report.rows = document.querySelectorAll("#rows tr").length;
report.injected = document.querySelectorAll("img").length;
report.names = [...document.querySelectorAll("#rows td:nth-child(2)")].map((c) => c.textContent);
const filter = document.getElementById("filter");
filter.value = "second"; filter.dispatchEvent(new Event("input"));
report.filtered = marks();
filter.value = ""; filter.dispatchEvent(new Event("input"));
const box = document.querySelector("#rows input"); box.click();
report.unchecked = marks(); box.click();
document.querySelector("#levels input").click();
report.without_l1 = marks(); document.querySelector("#levels input").click();
document.getElementById("overlay").click();
report.overlaid = document.querySelectorAll("#charts svg").length;
document.getElementById("overlay").click();
const selected = () => document.querySelector('#rows tr[aria-selected="true"]');
const before = selected();
before.focus(); before.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
report.moved = selected() !== before && document.activeElement === selected();
report.details = document.querySelector("#details h2").textContent;
const dot = document.querySelector("#charts .dot");
dot.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 50, clientY: 50 }));
report.tip = document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent;
const out = document.createElement("pre"); out.id = "report"; out.textContent = JSON.stringify(report);
document.body.appendChild(out);
"""


def probed(text: str) -> str:
    """The page with a script of the test's own, which its policy is told to allow."""
    digest = base64.b64encode(hashlib.sha256(PROBE.encode()).digest()).decode()
    return text.replace("script-src '", f"script-src 'sha256-{digest}' '").replace(
        "</body>", f"<script>{PROBE}</script></body>"
    )


def browse(text: str, folder: Path) -> tuple[dict[str, Any], str]:
    """What the probe reports, and what the browser's console says."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed: the page was not tried in a browser")
    file = folder / "page.html"
    file.write_text(probed(text), encoding="utf-8")
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
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(found[1])), "\n".join(console)


@pytest.mark.slow
def test_the_page_works_in_a_browser(tmp_path: Path) -> None:
    first, second = table(["first", ATTACK], seed=1, file="1.csv"), table(["first", "second"], seed=2, file="2.csv")
    kernels = concatenate([first, second])
    report, console = browse(render_html(build_roofline(kernels, [SOURCE] * 4, forecast(kernels))), tmp_path)
    assert console == ""
    assert (report["ready"], report["charts"], report["rows"], report["injected"]) == ("yes", 2, 4, 0)
    assert report["dots"] == 2 * 4 * 3
    assert (report["filtered"], report["unchecked"], report["without_l1"]) == (2 * 3, 2 * 3 * 3, 2 * 4 * 2)
    assert report["overlaid"] == 1
    assert report["moved"]
    assert any("onerror" in name for name in report["names"])
    assert "FLOP/B" in report["tip"]
