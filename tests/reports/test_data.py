"""Forecasts and tables as CSV are the same with Polars and without it."""

from __future__ import annotations

import csv
import io
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
