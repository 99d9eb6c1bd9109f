"""The interactive page: nothing leaves it, names are only text, and a real browser, where installed, runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from page_checks import ATTACK, Elements, browse, check_policy, data_of
from report_builders import HOSTILE, SOURCE, TARGET, build_roofline, forecast, table
from roofcast.core.kernel_table import concatenate
from roofcast.kit.page import embed_json
from roofcast.rooflines.interactive import render_html, write_html


def page(names: list[str]) -> str:
    kernels = table(names)
    return render_html(build_roofline(kernels, [SOURCE] * len(names), forecast(kernels, [TARGET])))


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
    check_policy(page(["a"]), 2, [])


def test_embedding_survives_anything() -> None:
    text = embed_json({"a": "<!--<script></script>&\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "<!--<script></script>&\u2028"}


@pytest.mark.slow
def test_a_thousand_kernels_stay_small_and_are_all_there(tmp_path: Path) -> None:
    kernels = table([f"void space::kernel_{i}<float, {i}>(float const*, float*)" for i in range(1000)])
    write_html(build_roofline(kernels, [SOURCE] * 1000, forecast(kernels, [TARGET] * 2)), tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 6e6
    assert len(data_of((tmp_path / "r.html").read_text())["kernels"]) == 1000
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_an_empty_table_gives_a_page() -> None:
    assert data_of(render_html(build_roofline(table([]), [])))["kernels"] == []


PROBE = """
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
"""


@pytest.mark.slow
def test_the_page_works_in_a_browser(tmp_path: Path) -> None:
    first, second = table(["first", ATTACK], seed=1, file="1.csv"), table(["first", "second"], seed=2, file="2.csv")
    kernels = concatenate([first, second])
    report = browse(render_html(build_roofline(kernels, [SOURCE] * 4, forecast(kernels))), PROBE, tmp_path)
    assert (report["ready"], report["charts"], report["rows"], report["injected"]) == ("yes", 2, 4, 0)
    assert report["dots"] == 2 * 4 * 3
    assert (report["filtered"], report["unchecked"], report["without_l1"]) == (2 * 3, 2 * 3 * 3, 2 * 4 * 2)
    assert report["overlaid"] == 1
    assert report["moved"]
    assert any("onerror" in name for name in report["names"])
    assert "FLOP/B" in report["tip"]
