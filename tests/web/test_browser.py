"""The page in a real browser: drop a profile, see the numbers of the command line, move a slider, download."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import roofcast
from conftest_web import Page, start, table_of
from roofcast.catalog.current import choose_current
from roofcast.core.units import format_quantity

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as Tab

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.fixture
def tab(browser: Browser, page: Page) -> Iterator[Tab]:
    opened = browser.new_page(viewport={"width": 1300, "height": 900})
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda message: problems.append(message.text) if "Content Security" in message.text else None)
    outside: list[str] = []
    opened.on("request", lambda r: outside.append(r.url) if f"127.0.0.1:{page.port}" not in r.url else None)
    opened.goto(f"http://127.0.0.1:{page.port}/")
    yield opened
    assert problems == []
    assert outside == [], "the page asks nobody else"
    opened.close()


def figure(tab: Tab, n: int) -> str:
    """The large figure of the n-th card, once it is there."""
    tab.locator(".card").nth(n).wait_for()
    return tab.locator(".card .figure").nth(n).inner_text().split("  ")[0]


def choose(tab: Tab, gpu: str) -> None:
    """Add a GPU; a file that is dropped later is forecast for that one alone."""
    before = tab.locator("#targets li").count()
    tab.fill("#gpu", gpu)
    tab.click("#add button")
    tab.locator("#targets li").nth(before).wait_for()


def test_a_dropped_file_is_answered_as_the_command_line_answers_it(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy", "stencil"]))
    tab.set_input_files("#files", path)
    tab.locator(".card").nth(3).wait_for()
    assert tab.locator(".card h2").all_inner_texts()[1:] == choose_current(["V100"])
    assert tab.locator("#error").inner_text() == ""


def test_work_in_a_tab_can_be_cancelled(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of([f"k{i}" for i in range(400)]))
    choose(tab, "B200")
    tab.set_input_files("#files", path)
    tab.locator("iframe[data-tab=kernels]:not(.coming)").wait_for()
    tab.click("[role=tab][data-tab=gpus]")
    tab.locator("#downloads .progress button").click()
    tab.locator("#error", has_text="Cancelled.").wait_for()
    tab.click("[role=tab][data-tab=kernels]")
    tab.locator("iframe[data-tab=kernels]:not(.coming)").wait_for()
    assert tab.locator("#error").inner_text() == ""


def test_a_forecast_can_be_cancelled_and_the_one_before_stays(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy"]))
    choose(tab, "B200")
    tab.set_input_files("#files", path)
    tab.locator("iframe[data-tab=kernels]:not(.coming)").wait_for()
    # One that the server answers and that never arrives.
    tab.route("**/api/forecast", lambda route: route.fetch() and None)
    choose(tab, "L40S")
    tab.locator("#downloads .progress button").click()
    tab.locator("#error", has_text="Cancelled.").wait_for()
    tab.unroute("**/api/forecast")
    assert tab.locator(".card").count() == 2
    rows = tab.evaluate("fetch(document.querySelector('#downloads a[data-form=csv]').href).then((r) => r.text())")
    assert rows.count("B200") == 1
    choose(tab, "A100")
    tab.locator(".card").nth(3).wait_for()
    assert tab.locator("#error").inner_text() == ""


def test_prices_and_candidates_are_edited_in_a_table(tab: Tab, tmp_path: Path) -> None:
    """Each cell is part of the command that the answer came from, and the link keeps it."""
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy"]))
    choose(tab, "B200")
    tab.set_input_files("#files", path)
    tab.click("[role=tab][data-tab=gpus]")
    command = tab.locator("#downloads code")
    tab.locator("iframe[data-tab=gpus]:not(.coming)").wait_for(timeout=60_000)
    tab.evaluate("document.querySelector('.market').open = true")

    def fill(gpu: str, kind: str, value: str, said: str) -> None:
        cell = tab.locator(f".market tr[data-gpu='{gpu}'] [data-kind={kind}]")
        cell.fill(value)
        cell.blur()
        command.filter(has_text=said).wait_for(timeout=60_000)

    fill("L40S", "buy", "7500", "--prices L40S=7500")
    fill("L4", "rent", "0.4", "L4=0.4/h")
    fill("L40S", "power", "320", "L40S=320W")
    tab.fill(".market [data-energy]", "0.2")
    tab.locator(".market [data-energy]").blur()
    command.filter(has_text="kWh=0.2").wait_for(timeout=60_000)
    tab.fill("#own-gpus-years", "4")
    tab.locator("#own-gpus-years").blur()
    command.filter(has_text="--years 4").wait_for(timeout=60_000)
    tab.fill(".market [data-more]", "RTX 4090")
    tab.click(".market form button")
    command.filter(has_text="RTX 4090").wait_for(timeout=60_000)
    tab.locator(".market tr[data-gpu='L40S'] input[type=checkbox]").uncheck()
    tab.wait_for_function(
        "() => { const c = document.querySelector('#downloads code'); "
        "return c && c.textContent.includes('--among') && !c.textContent.includes(', L40S,'); }"
    )
    assert "is the cheapest per job among 29 GPUs, 2 of them priced" in tab.locator("#status").inner_text()
    assert tab.locator(".market tr", has_text="RTX 4090").count() == 1, "under the name that the catalog has"
    assert tab.locator(".market tr[data-gpu='L40S']").count() == 1, "what is left out can be chosen again"
    assert "gpus.own_prices=" in tab.url
    assert tab.locator("#error").inner_text() == ""


def test_from_a_dropped_file_to_a_download(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy", "stencil"]))
    choose(tab, "A100")
    tab.set_input_files("#files", path)
    tab.locator("#profiles li").wait_for()
    assert "2 kernels, V100" in tab.locator("#profiles li").inner_text()
    expected = roofcast.forecast(roofcast.read(path), "A100").estimate.time_s.sum()
    assert figure(tab, 1).startswith(format_quantity(float(expected), "s"))
    report = tab.frame_locator("#report iframe:not(.coming)")
    report.locator("#kernel-rows tr").nth(1).wait_for()
    assert report.locator("#kernel-rows tr").count() == 2
    with tab.expect_download() as caught:
        tab.click("#downloads a[data-form=csv]")
    rows = list(csv.DictReader(Path(caught.value.path()).read_text(encoding="utf-8").splitlines()))
    assert sum(float(r["time_s"]) for r in rows) == pytest.approx(float(expected), rel=1e-12)


def test_a_file_of_the_command_line_is_answered_at_once(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy", "stencil"]))
    served = start(str(path))
    opened = browser.new_page()
    try:
        opened.goto(f"http://127.0.0.1:{served.port}/")
        opened.locator(".card").nth(3).wait_for()
        assert opened.locator(".card h2").all_inner_texts()[1:] == choose_current(["V100"])
        for n, forecast in enumerate(roofcast.forecast(roofcast.read(path), choose_current(["V100"])).totals):
            assert figure(opened, n + 1).startswith(format_quantity(float(forecast.time_s), "s"))
        opened.fill("#gpu", "A100")
        opened.click("#add button")
        opened.locator(".card").nth(4).wait_for()
        # What the link names is taken as it is.
        opened.goto("about:blank")
        opened.goto(f"http://127.0.0.1:{served.port}/#to=B200")
        opened.locator(".card").nth(1).wait_for()
        assert opened.locator(".card h2").all_inner_texts()[1:] == ["B200"]
    finally:
        opened.close()
        served.stop()


def test_no_view_stands_under_the_name_of_another(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy", "stencil"]))
    choose(tab, "A100")
    tab.set_input_files("#files", path)
    tab.locator("iframe[data-tab=kernels]:not(.coming)").wait_for()
    for name in ("roofline", "advice", "kernels"):
        tab.click(f"[role=tab][data-tab={name}]")
        shown = tab.locator("#report iframe:not(.coming)")
        assert all(one.get_attribute("data-tab") == name for one in shown.all())
        tab.locator(f"iframe[data-tab={name}]:not(.coming)").wait_for(timeout=60_000)
        assert tab.locator("#report .waiting").count() == 0


def test_a_slider_moves_the_forecast_to_what_the_library_says(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy"]))
    choose(tab, "A100 PCIe 40GB")
    tab.set_input_files("#files", path)
    before = figure(tab, 1)
    tab.click("#targets button:has-text('change')")
    tab.locator("#knobs0 input[data-knob=dram]").fill("50")
    tab.locator(".card h2", has_text="dram=3.11TB/s").wait_for()
    after = figure(tab, 1)
    wanted = roofcast.forecast(roofcast.read(path), "A100 PCIe 40GB{dram=3.11TB/s}").estimate.time_s.sum()
    assert after.startswith(format_quantity(float(wanted), "s"))
    assert after != before
    # The link holds the settings; the profile has to be dropped again.
    assert "dram%3D3.11TB" in tab.url
    tab.reload()
    tab.locator("#targets li", has_text="dram=3.11TB/s").wait_for()
    tab.set_input_files("#files", path)
    assert figure(tab, 1) == after


def test_a_real_report_shows_the_numbers_of_the_command_line(tab: Tab, fixtures_dir: Path) -> None:
    path = next((fixtures_dir / "ncu_rep").glob("*MW-Baseline.ncu-rep"))
    choose(tab, "H100 SXM5 80GB")
    tab.set_input_files("#files", path)
    expected = roofcast.forecast(roofcast.read(path), "H100 SXM5 80GB")
    assert figure(tab, 1).startswith(format_quantity(float(expected.estimate.time_s.sum()), "s"))
    report = tab.frame_locator("#report iframe:not(.coming)")
    report.locator("#charts svg").first.wait_for()


def test_what_cannot_be_read_is_said_on_the_page(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    path.write_bytes(b"%PDF-1.7 nothing")
    tab.set_input_files("#files", path)
    tab.locator("#error:not(:empty)").wait_for()
    assert "PDF" in tab.locator("#error").inner_text()
    assert tab.locator("#error img").count() == 0
    tab.fill("#gpu", "no such GPU 9000")
    tab.click("#add button")
    tab.locator("#error", has_text="9000").wait_for()


def test_everything_is_reached_by_keyboard_and_has_a_name(tab: Tab) -> None:
    unnamed = tab.locator("input:visible, select:visible, button:visible").evaluate_all(
        "all => all.filter(e => !(e.labels && e.labels.length) && !e.ariaLabel && !e.textContent.trim())"
        ".map(e => e.outerHTML)"
    )
    assert unnamed == []
    tab.click("#more summary")
    reached = []
    for _ in range(16):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate("() => document.activeElement.id"))
    assert {"files", "folder", "source", "model", "conditions", "clock", "cache", "coverage", "floor", "kernel"} <= set(
        reached
    )


def test_what_went_wrong_stays_beside_a_forecast_that_works(tab: Tab, tmp_path: Path) -> None:
    good, empty, wrong = tmp_path / "good.csv", tmp_path / "empty.csv", tmp_path / "wrong.csv"
    good.write_bytes(table_of(["axpy"]))
    empty.write_bytes(b"")
    wrong.write_bytes(b"%PDF-1.7 nothing")
    choose(tab, "B200")
    tab.set_input_files("#files", [empty, good, wrong])
    figure(tab, 1)
    said = tab.locator("#error").inner_text()
    assert said.count("empty.csv") == 1, "named once"
    assert "PDF" in said
    tab.fill("#gpu", "no such GPU 9000")
    tab.click("#add button")
    tab.locator("#error", has_text="9000").wait_for()
    tab.click("#more summary")
    tab.fill("#kernel", "axpy")
    tab.wait_for_function("() => !document.body.hasAttribute('aria-busy')")
    tab.wait_for_timeout(600)
    assert "9000" in tab.locator("#error").inner_text()
    tab.fill("#gpu", "L40S")
    tab.click("#add button")
    figure(tab, 2)
    assert "9000" not in tab.locator("#error").inner_text()


def test_variations_survive_the_link_and_further_changes(tab: Tab, tmp_path: Path) -> None:
    good = tmp_path / "good.csv"
    good.write_bytes(table_of(["axpy"]))
    for text in ("B200{dram=6TB/s}", "B200{bytes_per_s_l2=9e12 B/s}"):
        choose(tab, text)
    tab.set_input_files("#files", good)
    for text in ("B200{dram=6TB/s}", "B200{bytes_per_s_l2=9e12 B/s}"):
        tab.locator(".card", has_text=text.split("=")[0]).wait_for()
    expected = roofcast.forecast(roofcast.read(good), ["B200{dram=6TB/s}", "B200{bytes_per_s_l2=9e12 B/s}"])
    times = [format_quantity(float(t), "s") for t in expected.estimate.time_s.sum(axis=0)]
    assert [figure(tab, n + 1).startswith(t) for n, t in enumerate(times)] == [True, True]
    assert tab.locator("#targets button:visible", has_text="change").count() == 1
    tab.locator("#targets button:visible", has_text="change").click()
    tab.locator("#targets input[data-knob=l2]").first.fill("20")
    tab.locator(".card", has_text="dram=6TB/s,l2=").wait_for()
    assert tab.locator("#error").inner_text() == ""
    tab.reload()
    tab.locator("#targets li").nth(1).wait_for()
    assert "dram=6TB/s,l2=" in tab.locator("#targets").inner_text()
    assert "bytes_per_s_l2" in tab.locator("#targets").inner_text()


def test_every_view_of_a_run_opens(tab: Tab, fixtures_dir: Path) -> None:
    trace = next(iter(sorted((fixtures_dir / "kineto").glob("h100*bert-small*"))), None)
    if trace is None:
        pytest.skip("no trace here")
    choose(tab, "B200")
    tab.set_input_files("#files", [trace, trace])
    # A recorded run is asked about as a whole first.
    tab.locator("[role=tab][data-tab=run][aria-selected=true]").wait_for()
    for name in ("run", "roofline", "gpus", "advice", "compare", "file", "kernels"):
        tab.click(f"[role=tab][data-tab={name}]")
        tab.locator(f"iframe[data-tab={name}]:not(.coming)").wait_for(timeout=60_000)
        assert tab.locator("#error").inner_text() == ""
        shown = tab.locator("#downloads code")
        assert name == "kernels" or shown.inner_text().startswith("roofcast ")
        # The sentence stands above, once: the page inside does not say it again.
        assert tab.locator("#status").inner_text()
        inside = tab.frame_locator(f"iframe[data-tab={name}]:not(.coming)").locator(".verdict")
        assert not [one for one in inside.all() if one.is_visible()]
    tab.locator("#lead summary", has_text="Why").click()
    assert tab.locator("#lead details[open] p").inner_text().startswith("The time on B200 is limited by ")
    assert tab.locator("#lead summary").all_inner_texts() == ["Why", "How sure"]


@pytest.mark.parametrize("width", [1300, 390])
def test_a_model_is_served_and_a_step_is_scaled_from_what_is_typed(tab: Tab, tmp_path: Path, width: int) -> None:
    path = tmp_path / "config.json"
    path.write_text(
        '{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,'
        '"num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}'
    )
    tab.set_viewport_size({"width": width, "height": 844})
    choose(tab, "B200")
    tab.set_input_files("#files", path)
    tab.locator("[role=tab][data-tab=serving][aria-selected=true]").wait_for()
    tab.locator("iframe[data-tab=serving]:not(.coming)").wait_for()
    tab.evaluate("document.getElementById('choices').open = true")
    tab.fill("#own-serving-input", "4096")
    tab.locator("#own-serving-input").blur()
    tab.wait_for_function("() => (document.querySelector('#downloads code') || {}).textContent?.includes('4096')")
    tab.click("[role=tab][data-tab=kernels]")
    tab.locator("#status", has_text="what was measured").wait_for()
    tab.click("[role=tab][data-tab=scale]")
    tab.fill("#own-scale-start", "8 x H200 SXM")
    tab.fill("#own-scale-step_time", "94ms")
    tab.locator("#own-scale-step_time").blur()
    tab.locator("iframe[data-tab=scale]:not(.coming)").wait_for()
    assert tab.locator("#error").inner_text() == ""
    assert "scale.start=8" in tab.url
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


AXE = """async () => (await axe.run({ iframes: false, resultTypes: ["violations"] })).violations
  .filter((v) => ["serious", "critical"].includes(v.impact))
  .flatMap((v) => v.nodes.slice(0, 3).map((n) => `${v.id}: ${n.html.slice(0, 160)}`))"""


def find_faults(tab: Tab) -> list[str]:
    """Faults of the page and of each view in it, as axe-core finds them; a view that makes room for a newer one
    meanwhile is asked again.
    """
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    for _ in range(20):
        try:
            found = []
            for frame in tab.frames:
                frame.evaluate(f"() => {{ {script} }}")
                found += frame.evaluate(AXE)
            return found
        except playwright.Error as error:
            if "detached" not in str(error) and "closed" not in str(error):
                raise
    raise AssertionError("no view stands still")


@pytest.mark.parametrize(("width", "scheme"), [(1300, "light"), (390, "dark")])
def test_every_view_can_be_seen_and_heard(
    browser: Browser, page: Page, fixtures_dir: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    trace = next(iter(sorted((fixtures_dir / "kineto").glob("h100*bert-small*"))), None)
    if trace is None:
        pytest.skip("no trace here")
    tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(f"http://127.0.0.1:{page.port}/")
    choose(tab, "B200")
    tab.set_input_files("#files", [trace])
    tab.locator("[role=tab][data-tab=run][aria-selected=true]").wait_for()
    for name in ("run", "kernels", "roofline", "gpus", "advice", "file"):
        tab.click(f"[role=tab][data-tab={name}]")
        tab.locator(f"iframe[data-tab={name}]:not(.coming)").wait_for(timeout=60_000)
        tab.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert find_faults(tab) == [], name
    assert said == []
    tab.close()


def test_on_a_phone_the_answer_comes_first_and_nothing_is_too_wide(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_bytes(table_of(["axpy", "stencil"]))
    tab.set_viewport_size({"width": 390, "height": 844})
    choose(tab, "B200")
    tab.set_input_files("#files", path)
    tab.locator("iframe[data-tab=kernels]:not(.coming)").wait_for()
    answer, settings = (tab.locator(s).bounding_box() for s in ("#status", "#drop"))
    assert answer is not None
    assert settings is not None
    assert answer["y"] < 200 < settings["y"]
    assert "take" in tab.locator("#status").inner_text()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_folder_is_one_session(tab: Tab, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.csv").write_bytes(table_of(["axpy"]))
    (folder / "deep" / "b.csv").write_bytes(table_of(["stencil"]))
    for k in range(5):
        (folder / f"note{k}.txt").write_text("nothing", encoding="utf-8")
    choose(tab, "B200")
    tab.set_input_files("#folder", folder)
    tab.locator("#profiles li").nth(1).wait_for()
    tab.locator("#error", has_text="and 4 more files that cannot be read").wait_for()
    assert tab.locator("#error").inner_text().count("\n") == 0
    tab.locator("#status", has_text="2 kernels measured").wait_for()


@pytest.mark.parametrize("market", ["three_programs", "servers"])
def test_a_decision_is_on_the_first_screen_of_a_phone(browser: Browser, tmp_path: Path, market: str) -> None:
    """What, how many, how much, how sure and what would change it; the total of each line without pushing aside."""
    folder = Path(__file__).parents[1] / "choosing" / "markets"
    answer = roofcast.choose(folder / f"{market}.toml", candidates=folder / f"{market}.candidates.toml")
    answer.report(str(tmp_path / "decision.html"))
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.goto((tmp_path / "decision.html").as_uri())
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390
    boxes = [c.bounding_box() for c in opened.locator(".card").all()]
    assert len(boxes) == 4
    assert all(b is not None and b["y"] + b["height"] <= 844 for b in boxes)
    for table in (0, 1):
        heads = opened.locator("table").nth(table).locator("th").all()
        total = next(h for h in heads if h.inner_text().startswith("total")).bounding_box()
        assert total is not None
        assert total["x"] + total["width"] <= 378
    opened.close()


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory, fixtures_dir: Path) -> Path:
    """The page of a recorded run, as a file."""
    trace = next(iter(sorted((fixtures_dir / "kineto").glob("h100*bert-small*"))), None)
    if trace is None:
        pytest.skip("no trace here")
    path = tmp_path_factory.mktemp("run") / "run.html"
    roofcast.app(trace, ["B200", "A100 SXM4 80GB"]).report(str(path))
    return path


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["desktop", "phone"])
def timeline(browser: Browser, run_page: Path, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """The page from disk; nothing on the console, nothing asked for, nothing too wide."""
    width, scheme = request.param
    opened = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda r: said.append(r.url) if not r.url.startswith(("file:", "blob:")) else None)
    opened.goto(run_page.as_uri())
    opened.locator(".run-view[data-ready]").wait_for()
    yield opened
    assert said == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


SLOW = 3
"""A machine whose cores others use as well may take so many times as long as the limits say."""


def test_a_notebook_has_the_timeline_in_its_cell(browser: Browser, tmp_path: Path, fixtures_dir: Path) -> None:
    trace = next(iter(sorted((fixtures_dir / "kineto").glob("h100*bert-small*"))), None)
    if trace is None:
        pytest.skip("no trace here")
    cell = tmp_path / "cell.html"
    cell.write_text(f"<!doctype html><meta charset=utf-8>{roofcast.app(trace, 'B200')._repr_html_()}", encoding="utf-8")
    opened = browser.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.goto(cell.as_uri())
    assert opened.locator("table").first.is_visible(), "the table stands where scripts may not run"
    opened.frame_locator("iframe").locator(".run-view[data-ready]").wait_for()
    assert said == []
    opened.close()


CANVAS = ".run-view > canvas"
PICTURE = f"document.querySelector('{CANVAS}').toDataURL()"


def test_a_run_is_read_by_keys_alone(timeline: Tab) -> None:
    for _ in range(60):
        if timeline.evaluate(f"document.activeElement === document.querySelector('{CANVAS}')"):
            break
        timeline.keyboard.press("Tab")
    else:
        pytest.fail("the timeline is not reached by Tab")
    whole = timeline.evaluate(PICTURE)
    timeline.keyboard.press("n")
    told = timeline.locator(".run-view .chosen")
    first = told.inner_text()
    assert "measured" in first
    assert "forecast" in first
    assert "launched" in first
    timeline.keyboard.press("n")
    assert told.inner_text() != first
    timeline.keyboard.press("Enter")
    timeline.wait_for_timeout(60)
    near = timeline.evaluate(PICTURE)
    assert near != whole
    timeline.keyboard.press("ArrowUp")
    assert told.inner_text().splitlines()[2] != first.splitlines()[2]
    timeline.keyboard.press("Escape")
    timeline.keyboard.press("0")
    timeline.wait_for_timeout(60)
    assert timeline.evaluate(PICTURE) == whole


def test_a_run_is_read_by_mouse_and_its_names_are_found(timeline: Tab) -> None:
    canvas = timeline.locator(CANVAS)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    # The first lane says why the device had nothing to do.
    canvas.click(position={"x": box["width"] * 0.16, "y": 30})
    assert "nothing to do" in timeline.locator(".run-view .chosen").inner_text()
    before = timeline.evaluate(PICTURE)
    timeline.mouse.wheel(0, -400)
    timeline.wait_for_timeout(60)
    zoomed = timeline.evaluate(PICTURE)
    assert zoomed != before
    timeline.mouse.down()
    timeline.mouse.move(box["x"] + 40, box["y"] + 30, steps=4)
    timeline.mouse.up()
    timeline.wait_for_timeout(60)
    assert timeline.evaluate(PICTURE) != zoomed
    timeline.fill(".run-view input[type=search]", "gemm")
    assert "slices" in timeline.locator(".run-view .controls [role=status]").inner_text()
    timeline.keyboard.press("Enter")
    assert "gemm" in timeline.locator(".run-view .chosen").inner_text().lower()
    timeline.fill(".run-view input[type=search]", "no such kernel")
    assert timeline.locator(".run-view .controls [role=status]").inner_text() == "nothing of that name"
    timeline.select_option(".run-view select", "2")
    assert "A100" in timeline.locator(".run-view .why").inner_text()


def test_five_hundred_moves_leave_no_memory_behind(timeline: Tab) -> None:
    session = timeline.context.new_cdp_session(timeline)

    def held() -> float:
        session.send("HeapProfiler.collectGarbage")
        return float(session.send("Runtime.getHeapUsage")["usedSize"])

    def move() -> None:
        for key in ("+", "ArrowRight", "n", "-", "ArrowLeft"):
            timeline.keyboard.press(key)

    timeline.locator(CANVAS).focus()
    for _ in range(20):
        move()
    before = held()
    for _ in range(100):
        move()
    assert held() < before + 1e6


def test_a_timeline_of_349000_slices_moves_at_once(browser: Browser, tmp_path: Path) -> None:
    """Three lanes of a host and two streams; the page holds the longest and how busy the rest was."""
    from many_slices import write_trace

    write_trace(tmp_path / "long.json", 349_000)
    roofcast.app(tmp_path / "long.json", "B200").report(str(tmp_path / "long.html"))
    assert (tmp_path / "long.html").stat().st_size < 3_000_000
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.goto((tmp_path / "long.html").as_uri())
    opened.locator(".run-view[data-ready]").wait_for()
    assert opened.evaluate("performance.now()") < 2000 * SLOW
    assert "50000 of 348999" in opened.locator(".run-view .why").inner_text()
    opened.locator(CANVAS).focus()
    for _ in range(30):
        for key in ("+", "ArrowRight", "+", "ArrowLeft", "-", "-", "0"):
            opened.keyboard.press(key)
            opened.wait_for_timeout(5)
    frames = sorted(opened.evaluate("document.querySelector('.run-view').frames"))
    assert len(frames) > 40
    assert frames[int(0.95 * len(frames))] < 33 * SLOW
    opened.close()


def test_two_runs_are_read_side_by_side(browser: Browser, tmp_path: Path, fixtures_dir: Path) -> None:
    """On one axis: who zooms one zooms the other, and a kind of work has one colour."""
    sides = [next(iter(sorted((fixtures_dir / "kineto").glob(f"{g}*bert-small*"))), None) for g in ("h100", "*mi300x")]
    if None in sides:
        pytest.skip("no traces here")
    roofcast.compare(*sides).report(str(tmp_path / "both.html"))
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.goto((tmp_path / "both.html").as_uri())
    opened.locator(".run-view[data-ready]").nth(1).wait_for()
    pictures = "[...document.querySelectorAll('.run-view > canvas')].map((c) => c.toDataURL())"
    before = opened.evaluate(pictures)
    opened.locator(CANVAS).first.focus()
    opened.keyboard.press("+")
    opened.wait_for_timeout(60)
    after = opened.evaluate(pictures)
    assert all(a != b for a, b in zip(before, after, strict=True))
    colours = opened.evaluate(
        "[...document.querySelectorAll('.run-view script')]"
        ".map((s) => Object.fromEntries(JSON.parse(s.textContent).kinds))"
    )
    assert {colours[0][k] == colours[1][k] for k in colours[0].keys() & colours[1].keys()} == {True}
    assert said == []
    opened.close()
