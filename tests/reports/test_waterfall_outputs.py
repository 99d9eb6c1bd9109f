"""Waterfalls as text, JSON, picture and in the report: the same steps everywhere."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from report_builders import HOSTILE, table
from report_builders import forecast as made_up
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.properties import PROPERTIES
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.reports.data import render_forecast_json
from roofcast.reports.forecast_page import build_causes, render_forecast_html
from roofcast.reports.show import render_explanation
from roofcast.reports.waterfall_figure import list_steps, write_waterfalls


def real(names: list[str], targets: tuple[str, ...] = ("H100 SXM5 80GB", "RTX 3090")) -> Forecast:
    values = {"time_s": 1e-3, "bytes_dram": 8e8, "bytes_l2": 2e9, "flops_fp32": 3e9, "grid_blocks": 4000.0}
    columns = {k: ([v * (1 + i) for i in range(len(names))], Origin.COUNTED) for k, v in values.items()}
    kernels = KernelTable.from_columns({"kernel": names, "gpu": ["A100-SXM4-40GB"] * len(names)}, columns)
    return forecast(kernels, list(targets))


@pytest.mark.slow
def test_text_names_the_causes_and_both_ends() -> None:
    text = render_explanation(real(["stream"]))
    assert text.count("cause by cause") == 2
    assert "DRAM bandwidth" in text
    assert "measured" in text
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_json_holds_the_exact_steps() -> None:
    found = real(["a", "b"])
    rows = json.loads(render_forecast_json(found, explain=True))["forecasts"]
    for row in rows:
        assert sum(row["waterfall"].values()) == pytest.approx(row["time_s"] - row["source_time_s"], rel=1e-9)
    assert "waterfall" not in json.loads(render_forecast_json(found))["forecasts"][0]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_picture_is_the_same_each_time(tmp_path: Path, suffix: str) -> None:
    found = real([name for name in HOSTILE if "\ud800" not in name][:6])
    for name in ("a", "b"):
        write_waterfalls(found, tmp_path / f"{name}.{suffix}")
    content = (tmp_path / f"a.{suffix}").read_bytes()
    assert content == (tmp_path / f"b.{suffix}").read_bytes()
    assert len(content) > 2000


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RoofcastError, match="svg"):
        write_waterfalls(real(["a"]), tmp_path / "a.jpg")
    nothing = made_up(table(["a"]))
    nothing.estimate.time_s[:] = np.nan
    with pytest.raises(RoofcastError, match="nothing to draw"):
        write_waterfalls(nothing, tmp_path / "a.svg")


def test_small_steps_are_drawn_together() -> None:
    levels = np.full(len(PROPERTIES) + 1, 1.0)
    levels[1:] = 0.999
    levels[4:] = 0.5
    shown = list_steps(levels)
    assert [label for label, _, _ in shown] == ["measured", PROPERTIES[3].label, "all others", "forecast"]
    assert shown[1][2] - shown[1][1] == pytest.approx(-0.499)
    assert shown[2][2] == shown[3][2] == 0.5


def test_the_page_gets_levels_that_end_at_the_forecast() -> None:
    found = real(["a", "b"])
    for i, kernel in enumerate(build_causes(found)["kernels"]):
        for j, steps in enumerate(kernel["w"]):
            assert steps[-1][1] == pytest.approx(found.estimate.time_s[i, j], rel=5e-3)
    assert build_causes(made_up(table(["a"])))["kernels"][0]["w"] == [[]]


@pytest.mark.slow
def test_a_thousand_explained_kernels_are_small_and_quick() -> None:
    found = real([f"void space::kernel_{i}<float, {i}>(float const*, float*)" for i in range(1000)])
    before = time.process_time()
    text = render_forecast_html(replace(found))
    assert time.process_time() - before < 2
    assert len(text.encode()) < 6e6
    assert '"steps"' in text
