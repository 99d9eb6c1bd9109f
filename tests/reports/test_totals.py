"""Totals count a work once, also where a table measured it on several GPUs."""

from __future__ import annotations

from pathlib import Path

import roofcast
from roofcast.forecasting.forecasts import Forecast
from roofcast.reports.forecast_page import build_limit_bars
from roofcast.reports.show import render_forecast_table
from roofcast.reports.totals import group_by_gpu, sum_up

ROWS = (
    "kernel,config,gpu,time_s,flops_fp32,bytes_dram\n"
    "a,1,A100-SXM4-80GB,1e-3,1e9,1e8\na,1,Tesla V100-SXM2-16GB,1.7e-3,1e9,1e8\n"
    "b,1,Tesla V100-SXM2-16GB,1.6e-3,1e9,1e8\nb,1,A100-SXM4-80GB,1.1e-3,1e9,1e8\n"
)


def made(tmp_path: Path, text: str = ROWS) -> Forecast:
    """A forecast of a table."""
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    return roofcast.forecast(roofcast.read(str(path)), "H100 SXM5 80GB")


def test_each_gpu_of_the_profile_has_its_total(tmp_path: Path) -> None:
    found = made(tmp_path)
    totals = [line for line in render_forecast_table(found, 120).splitlines() if line.startswith("total")]
    assert [line.split()[1] for line in totals] == ["(2)", "(2)"]
    assert "A100 SXM4 80GB" in totals[0]
    assert "2.10 ms" in totals[0]
    assert "3.30 ms" in totals[1]
    assert [len(rows) for _, rows in group_by_gpu(found)] == [2, 2]


def test_the_page_counts_each_work_once(tmp_path: Path) -> None:
    found = made(tmp_path)
    head = sum_up(found)
    once = found.each_work_once()
    assert list(once.kernels.strings("kernel")) == ["a", "b"]
    assert head.source_time == "2.60 ms"  # a on the A100 and b on the V100: the rows that come first
    assert "counts once" in head.claim
    assert build_limit_bars(found)[0].time == "2.60 ms"


def test_other_works_on_other_gpus_are_summed_up(tmp_path: Path) -> None:
    found = made(tmp_path, ROWS.replace("a,1,Tesla", "c,1,Tesla").replace("b,1,A100", "d,1,A100"))
    assert group_by_gpu(found) == [("", [0, 1, 2, 3])]
    assert found.each_work_once() is found
    assert "total (4)" in render_forecast_table(found, 120)
