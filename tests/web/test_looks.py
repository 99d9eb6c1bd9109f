"""What pages look like, how they are read by keys alone, and in another browser.

    python tests/web/test_looks.py        # keep what pages look like now, after a change that was meant

A look is a picture of a page as the mean brightness of its parts, 16 by 12: fonts of another machine move it little,
a table that is gone moves it much.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import roofcast
from conftest_web import CHROMIUM, Page, start, table_of
from many_slices import write_trace

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

FILE = Path(__file__).with_name("looks.json")
WIDE, HIGH = 16, 12
MEAN, MOST = 4.0, 60.0
"""How far the brightness of parts, 0 to 255, may be off in the mean and at most."""
VIEWS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 960}, "color_scheme": "light"},
    "phone, dark": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
TABS = ("run", "kernels", "roofline", "gpus", "advice", "file")


def write_profiles(folder: Path) -> list[Path]:
    """A trace and a table, drawn."""
    table, trace = folder / "table.csv", folder / "trace.json"
    table.write_bytes(table_of(["axpy", "stencil", "transpose"]))
    write_trace(trace, 120)
    return [trace, table]


def see(tab: Tab) -> list[list[int]]:
    """The look of what stands in the window."""
    from PIL import Image

    picture = Image.open(io.BytesIO(tab.screenshot())).convert("L").resize((WIDE, HIGH), Image.Resampling.BOX)
    found: list[list[int]] = np.asarray(picture).astype(int).tolist()
    return found


def compare(now: list[list[int]], then: list[list[int]]) -> tuple[float, float]:
    """How far two looks are apart: in the mean, and at most."""
    apart = np.abs(np.array(now) - np.array(then))
    return float(apart.mean()), float(apart.max())


def open_tab(tab: Tab, name: str) -> None:
    """Choose a tab, and wait until it stands still."""
    tab.click(f"[role=tab][data-tab={name}]")
    tab.locator(f"iframe[data-tab={name}]:not(.coming)").wait_for(timeout=60_000)
    tab.wait_for_timeout(500)


def see_all(browser: Browser, served: Page) -> Iterator[tuple[str, list[list[int]]]]:
    """Name and look of every tab, as windows of each kind show it."""
    for kind, window in VIEWS.items():
        tab = browser.new_page(**window)
        tab.goto(f"http://127.0.0.1:{served.port}/#to=B200&to=L40S")
        tab.locator("#targets li").nth(1).wait_for()
        for name in TABS:
            open_tab(tab, name)
            yield f"{name}, {kind}", see(tab)
        tab.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A server with the drawn profiles."""
    found = start(*map(str, write_profiles(tmp_path_factory.mktemp("looks"))))
    yield found
    found.stop()


def test_pages_look_as_they_did(browser: Browser, served: Page) -> None:
    then, far = json.loads(FILE.read_text(encoding="utf-8")), {}
    seen = dict(see_all(browser, served))
    assert seen.keys() == then.keys()
    for name, look in seen.items():
        mean, most = compare(look, then[name])
        if mean > MEAN or most > MOST:
            far[name] = f"{mean:.1f} in the mean, {most:.0f} at most"
    assert not far, f"look at them; where that was meant, run `python tests/web/test_looks.py`: {far}"


def test_a_page_without_its_tables_looks_otherwise(browser: Browser, served: Page) -> None:
    then = json.loads(FILE.read_text(encoding="utf-8"))["gpus, desktop"]
    tab = browser.new_page(**VIEWS["desktop"])
    tab.goto(f"http://127.0.0.1:{served.port}/#to=B200&to=L40S")
    tab.locator("#targets li").nth(1).wait_for()
    open_tab(tab, "gpus")
    tab.locator("#fields").evaluate("(e) => { e.style.display = 'none'; }")
    mean, most = compare(see(tab), then)
    assert mean > MEAN or most > MOST
    tab.close()


HELD = """() => {
  const frame = document.activeElement;
  if (frame.tagName !== "IFRAME") return frame.id || frame.tagName;
  const inner = frame.contentDocument.activeElement;
  return inner && inner !== frame.contentDocument.body ? `inside: ${inner.tagName}` : "";
}"""


@pytest.mark.parametrize("name", TABS)
def test_every_tab_is_opened_and_read_by_keys_alone(browser: Browser, served: Page, name: str) -> None:
    """From the tabs by arrows to this one, by Tab into what it shows, and out of it again."""
    tab = browser.new_page(**VIEWS["desktop"])
    tab.goto(f"http://127.0.0.1:{served.port}/#to=B200")
    tab.locator("iframe:not(.coming)").wait_for(timeout=60_000)
    tab.locator("[role=tab][aria-selected=true]").focus()
    for _ in range(12):
        if tab.evaluate("document.activeElement.dataset.tab") == name:
            break
        tab.keyboard.press("ArrowRight")
    else:
        pytest.fail("the arrows do not reach it")
    tab.locator(f"iframe[data-tab={name}]:not(.coming)").wait_for(timeout=60_000)
    tab.locator(f"[role=tab][data-tab={name}]").focus()
    held = []
    for _ in range(400):
        tab.keyboard.press("Tab")
        held.append(tab.evaluate(HELD))
        if held[-1] == "BODY" and any(h.startswith("inside") for h in held):
            break
    assert any(h.startswith("inside: ") for h in held), held
    assert held[-1] == "BODY", "the keys stay in it"
    tab.close()


def test_the_export_opens_in_firefox_too(tmp_path: Path) -> None:
    """From disk, without a server: a picture of it is not empty."""
    from PIL import Image

    firefox = shutil.which("firefox") or shutil.which("firefox-esr")
    if firefox is None:
        pytest.skip("no Firefox on this machine: the export was tried in Chromium alone")
    trace, _ = write_profiles(tmp_path)
    roofcast.app(trace, "B200").report(str(tmp_path / "run.html"))
    words = ["--headless", "--profile", str(tmp_path / "profile"), "--window-size", "1280,960",
             "--screenshot", str(tmp_path / "run.png"), (tmp_path / "run.html").as_uri()]  # fmt: skip
    (tmp_path / "profile").mkdir()
    subprocess.run([firefox, *words], check=True, timeout=120, capture_output=True)
    look = np.asarray(Image.open(tmp_path / "run.png").convert("L").resize((WIDE, HIGH)))
    assert look.std() > 3.0


def main() -> int:
    """Keep the looks."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as engine:
        served = start(*map(str, write_profiles(Path(folder))))
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        lines = [f" {json.dumps(name)}: {json.dumps(look)}" for name, look in see_all(browser, served)]
        browser.close()
        served.stop()
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
