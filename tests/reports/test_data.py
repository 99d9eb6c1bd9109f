"""Forecasts and tables as CSV and JSON are the same with Polars and without it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import roofcast
from roofcast.reports import data, inspect

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "convolution.csv"


def read_rows(text: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for row in csv.DictReader(io.StringIO(text)):
        rows.append({})
        for key, cell in row.items():
            try:
                rows[-1][key] = float(cell)
            except ValueError:
                rows[-1][key] = cell
    return rows


def test_forecasts_as_csv_without_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    found = roofcast.forecast(str(EXAMPLE), to=["H100", "MI300X"], source="RTX 2080 Ti")
    fast = read_rows(data.render_forecast_csv(found))
    monkeypatch.setattr(data, "has_polars", lambda: False)
    assert read_rows(data.render_forecast_csv(found)) == fast
    assert len(fast) == 2 * len(found.kernels)


def test_a_kernel_table_as_csv_without_polars(monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = roofcast.read(str(EXAMPLE))
    fast = read_rows(inspect.render_kernel_csv(kernels))
    monkeypatch.setattr(inspect, "has_polars", lambda: False)
    assert read_rows(inspect.render_kernel_csv(kernels)) == fast


ODD = """kernel,gpu,time_s,bytes_dram,flops_fp32,launches,config
"says ""so"" \\\\ twice",A100 SXM4 40GB,1e-3,1e9,1e9,1,
"tab\tand = sign",A100 SXM4 40GB,2e-3,2e9,1e12,3,a=1
=1+1,unknown GPU,2e-3,2e9,1e9,1,
ünïcode 核,V100 SXM2 16GB,,2e9,1e9,2,b
long ago,V100 SXM2 16GB,1e-9,2e9,1e15,1,
k,A100 SXM4 40GB,1e-7,10,1,100000,
k,A100 SXM4 40GB,5e-6,,,1,
k,A100 SXM4 40GB,1e-300,1e-290,1e-300,1,
"""


@pytest.mark.parametrize("targets", [["B200"], ["H100", "MI300X", "A100 SXM4 40GB"]])
@pytest.mark.parametrize("table", [EXAMPLE.read_text(), ODD])
def test_json_made_of_columns_holds_what_rows_hold(
    table: str, targets: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kernels.csv"
    path.write_text(table, encoding="utf-8")
    found = roofcast.forecast(str(path), to=targets, source=None if "gpu" in table else "RTX 2080 Ti")
    rows = json.loads(data.render_forecast_json(found))
    monkeypatch.setattr(data, "COLUMNS_LEAST", 0)
    monkeypatch.setattr(data, "ROWS_AT_ONCE", 4)
    columns = json.loads(data.render_forecast_json(found))
    assert columns == rows
    assert [[*row] for row in columns["forecasts"]] == [[*row] for row in rows["forecasts"]]
    assert len(rows["forecasts"]) == len(found)
