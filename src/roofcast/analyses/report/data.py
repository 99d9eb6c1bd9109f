"""Forecasts for machines: JSON, CSV and Parquet, with the same keys in the same order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.core.results import RECORD_KEYS, Forecast, number_series
from roofcast.core.version import VERSION
from roofcast.kit.quantities import SECONDS_PER_HOUR, Rates

NESTED = ("time_s_by_resource_source", "time_s_by_resource_target")


def render_forecast_json(forecast: Forecast, *, explain: bool = False, rates: Rates | None = None) -> str:
    """One object: ``{"roofcast": VERSION, "forecasts": [...]}``.

    explain : add ``waterfall`` to each forecast: seconds by cause that lead from the source to the target.
    rates : USD per hour by GPU; adds ``cost_usd`` of one launch on the target to each forecast that has a rate.
    """
    rows = list(forecast.records())
    if explain:
        chains, m = forecast.explain(), len(forecast.targets)
        for position, row in enumerate(rows):
            row["waterfall"] = {c.value: s for c, s in chains.of(position // m, position % m).items()}
    add_costs(rows, rates)
    return json.dumps({"roofcast": VERSION, "forecasts": rows}, indent=1, ensure_ascii=False)


def add_costs(rows: list[dict[str, Any]], rates: Rates | None) -> list[dict[str, Any]]:
    """The records, each with what one launch costs on its target; as they are without rates."""
    for row in rows if rates else ():
        rate = (rates or {}).get(row["target_gpu"])
        row["cost_usd"] = None if rate is None or row["time_s"] is None else row["time_s"] * rate / SECONDS_PER_HOUR
    return rows


def render_forecast_csv(forecast: Forecast, rates: Rates | None = None) -> str:
    """One row per kernel and target; seconds per resource become columns, lists are joined with '; '.

    rates : USD per hour by GPU; adds ``cost_usd`` of one launch on the target.
    """
    import polars as pl

    columns = forecast.columns()
    estimate = forecast.estimate
    if rates:
        per_s = np.array([rates.get(t.name, np.nan) for t in forecast.targets]) / SECONDS_PER_HOUR
        columns["cost_usd"] = number_series("cost_usd", (estimate.time_s * per_s).ravel())
    for key, (codes, texts) in (("assumed", forecast.assumed_codes()), ("notes", forecast.note_codes())):
        columns[key] = pl.Series(key, ["; ".join(t) or None for t in texts], dtype=pl.String).gather(codes)
    header = [k for k in RECORD_KEYS if k not in NESTED] + (["cost_usd"] if rates else [])
    for key, found in zip(
        NESTED, (estimate.time_s_by_resource_source, estimate.time_s_by_resource_target), strict=True
    ):
        for resource in sorted(found, key=lambda r: r.value):
            seconds = number_series(f"{key}.{resource.value}", forecast.flatten_seconds(found[resource]))
            if seconds.null_count() < len(seconds):
                columns[seconds.name] = seconds
                header.append(seconds.name)
    return pl.DataFrame({name: columns[name] for name in header}).write_csv()


def write_parquet(forecast: Forecast, path: Path) -> None:
    """Parquet with nested columns, as :meth:`Forecast.to_polars` gives them."""
    forecast.to_polars().write_parquet(path)
