"""The report of a forecast: names are only text, nothing leaves the file, the numbers are the forecast's."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import roofcast
from page_checks import ATTACK, Elements, browse, check_policy, data_of
from report_builders import HOSTILE, TARGET, forecast, processor, table
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.kit.quantities import format_energy, format_percent
from roofcast.reports.forecast_page import (
    build_limit_bars,
    list_rows,
    render_forecast_html,
    write_command,
)
from roofcast.reports.totals import sum_up


def with_provenance(kernels: KernelTable, *origins: Provenance) -> KernelTable:
    return replace(kernels, provenance=origins)


def test_names_are_only_ever_text() -> None:
    hostile = replace(TARGET, name=ATTACK)
    kernels = with_provenance(table([ATTACK, *HOSTILE], file=ATTACK), Provenance(file=ATTACK, notes=(ATTACK,)))
    result = replace(forecast(kernels, [hostile]), kernel_notes=((ATTACK,),) * len(kernels), model=ATTACK)
    text = render_forecast_html(result)
    elements = Elements(text).found
    assert ATTACK not in text
    assert [tag for tag, _ in elements].count("script") == 5
    assert not [tag for tag, _ in elements if tag in ("img", "iframe", "object", "embed", "base", "form", "link")]
    assert not [a for _, attributes in elements for a in attributes if a.startswith("on") or a in ("src", "style")]
    assert ATTACK in [k["full"] for k in data_of(text, "data")["kernels"]]
    assert data_of(text, "causes-data")["targets"] == [ATTACK]


def test_the_policy_allows_its_own_scripts_and_nothing_else() -> None:
    check_policy(render_forecast_html(forecast(table(["a"]))), 4, ["#kernels"])


def test_the_totals_are_sums_over_kernels_with_both_times() -> None:
    kernels = table(["a", "b", "c"], time_s=[1e-3, 2e-3, np.nan])
    result = forecast(kernels)
    result.estimate.time_s[1, 0] = np.nan
    result.estimate.reasons[1, 0] = "no bytes were counted"
    head = sum_up(result)
    assert head.source_time == "3.00 ms"
    assert (head.totals[0].time, head.totals[0].interval, head.totals[0].speedup) == ("500 us", "400–650 us", "2.00x")
    assert head.totals[0].counted.startswith("1 of 3 kernels")
    assert "no bytes were counted" in render_forecast_html(result)


def test_limits_are_weighted_by_time() -> None:
    # DRAM: 1 ms and 0.1 ms alone on the source; L2 passes DRAM only in the second kernel.
    kernels = table(["a", "b"], time_s=[3e-3, 1e-3], bytes_dram=[846e6, 84.6e6], bytes_l2=[1e9, 2.46e9])
    source, target = build_limit_bars(forecast(kernels))
    assert [(s.label, s.percent) for s in source.segments] == [("DRAM", "75 %"), ("L2", "25 %")]
    assert [(s.x, s.width) for s in target.segments] == [(0.0, 75.0), (75.0, 25.0)]
    assert format_percent(float("nan")) == "–"


def test_the_command_names_no_folder() -> None:
    kernels = with_provenance(table(["a"]), Provenance(file="/home/someone/secret/run one.ncu-rep"))
    result = forecast(kernels)
    assert write_command(result) == (
        "roofcast forecast 'run one.ncu-rep' --to 'Target GPU' --model test_model --coverage 0.9"
    )
    nameless = replace(kernels, text={**kernels.text, "gpu": np.array([""], dtype=object)})
    assert "--from 'Source GPU'" in write_command(replace(result, kernels=nameless))


def test_every_ceiling_is_listed_with_its_source() -> None:
    text = render_forecast_html(forecast(table(["a"]), [processor("Other", 1e12, 3e12, 9e12, 5e12, estimated=True)]))
    assert ">ESTIMATED</td>" in text
    assert "± 10 %" in text
    assert "846 GB/s" in text


@pytest.mark.slow
def test_a_thousand_kernels_are_small_and_quick(tmp_path: Path) -> None:
    kernels = table([f"void space::kernel_{i}<float, {i}>(float const*, float*)" for i in range(1000)])
    result = forecast(kernels, [TARGET] * 2)
    before = time.process_time()
    (tmp_path / "r.html").write_text(render_forecast_html(result), encoding="utf-8")
    assert time.process_time() - before < 2
    text = (tmp_path / "r.html").read_text()
    assert len(text.encode()) < 6e6
    assert text.count("<tr data-k=") == 1000
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.slow
def test_very_many_kernels_are_cut_but_counted() -> None:
    result = forecast(table([f"k{i}" for i in range(10_000)]), [TARGET] * 3)
    rows = list_rows(result)
    listed = result.kernels.column("time_s")[rows]
    others = np.delete(result.kernels.column("time_s"), rows)
    assert listed.min() >= others.max()
    text = render_forecast_html(result)
    assert len(text.encode()) < 6e6
    assert f"{10_000 - len(rows)} more kernels" in text
    assert "measured, 10000 kernels" in text


def test_empty_and_unknown_give_a_page() -> None:
    assert "measured, 0 kernels" in render_forecast_html(forecast(table([])))
    lost = replace(forecast(table(["a"])), sources=(None,))
    assert "a GPU that is not known" in render_forecast_html(lost)
    bare = forecast(KernelTable.from_columns({"kernel": ["a"], "gpu": [""]}, {"time_s": ([1e-3], Origin.COUNTED)}))
    assert "<tr data-k" in render_forecast_html(bare)


PROBE = """
const rows = () => [...document.querySelectorAll("#kernel-rows tr")];
const names = () => rows().filter((r) => !r.hidden).map((r) => r.cells[0].textContent);
report.ready = document.documentElement.dataset.ready;
report.injected = document.querySelectorAll("img").length;
report.charts = document.querySelectorAll("#charts svg").length;
report.sorted = names();
const [byName, byTime] = document.querySelectorAll("#kernel thead button");
byTime.click(); byTime.click();
report.ascending = names();
byName.click();
report.by_name = names();
const filter = document.getElementById("filter");
filter.value = "second"; filter.dispatchEvent(new Event("input"));
report.filtered = names();
filter.value = ""; filter.dispatchEvent(new Event("input"));
rows().find((r) => r.textContent.includes("second")).querySelector(".name").click();
report.causes = document.querySelector("#causes h3").textContent;
report.details = document.querySelector("#details h2").textContent;
report.bars = document.querySelectorAll("#causes rect").length;
document.querySelector("#rows tr:last-child").click();
report.followed = ["#causes h3", "#details h2"].map((s) => document.querySelector(s).textContent);
const button = rows().find((r) => r.textContent.includes("onerror")).querySelector(".name");
button.focus();
report.tip = document.getElementById("tip").hidden ? "" : document.getElementById("tip").textContent;
const here = document.activeElement.closest("tr");
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
report.moved = document.activeElement.closest("tr") === rows()[1];
report.wide = document.documentElement.scrollWidth > window.innerWidth;
"""


@pytest.mark.slow
def test_the_report_works_in_a_browser(tmp_path: Path) -> None:
    kernels = table(["first", "second", ATTACK], time_s=[3e-3, 2e-3, 1e-3])
    report = browse(render_forecast_html(forecast(kernels, [TARGET] * 2)), PROBE, tmp_path)
    assert (report["ready"], report["charts"], report["injected"]) == ("yes", 3, 0)
    assert report["sorted"][:2] == ["first", "second"]
    assert report["ascending"] == report["sorted"][::-1]
    assert report["by_name"][1:] == ["first", "second"]
    assert report["filtered"] == ["second"]
    assert (report["causes"], report["details"]) == ("second", "second")
    # whole kernel, DRAM and L2, each before and after, for two targets
    assert report["bars"] == 3 * 2 * 2
    assert report["followed"] == [ATTACK, ATTACK]
    assert report["tip"] == ATTACK
    assert report["moved"]
    assert not report["wide"]


def test_the_page_says_the_energy_of_launches_and_totals() -> None:
    kernels = roofcast.read([{"kernel": "k", "gpu": "A10", "time_s": 1e-3, "bytes_dram": 3e8}])
    result = roofcast.forecast(kernels, ["L40S", "L2"])
    text = render_forecast_html(result)
    joules, least, most = (float(v[0, 0]) for v in (result.energy.energy_j, result.energy.low_j, result.energy.high_j))
    assert text.count(format_energy(joules, least, most)) == 2, "of the launch and of the total"
    assert '",""]' in text.partition('"e":["')[2], "nobody states the power of an L2"
