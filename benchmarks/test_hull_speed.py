"""A class at run time: select against parsing and modelling anew each time."""

from __future__ import annotations

from typing import Any

from roofcast.catalog import gpu
from roofcast_hull.hull import forecast_class
from roofcast_hull.selection import select

TEXT = "1024x1024|neighbourhood(7x7) -> 1024x1024|element"
NAMES = ("H100 SXM5 80GB", "A100 SXM4 80GB", "GTX 470", "i7-930")


def test_select(benchmark: Any) -> None:
    select(TEXT, NAMES)
    found = benchmark(select, TEXT, NAMES, 6.5)
    assert found.processor.name == "H100 SXM5 80GB"
    assert benchmark.stats is None or benchmark.stats.stats.median < 100e-6


def test_forecast_anew(benchmark: Any) -> None:
    processors = [gpu(n) for n in NAMES]
    assert len(benchmark(forecast_class, TEXT, processors, 6.5)) == 4
