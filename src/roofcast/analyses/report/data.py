"""Forecasts for machines: JSON, CSV and Parquet, with the same keys in the same order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from roofcast.core.results import RECORD_KEYS, Forecast
from roofcast.core.version import VERSION
from roofcast.kit.quantities import SECONDS_PER_HOUR, Rates
from roofcast.kit.table import render_csv

NESTED = ("time_s_by_resource_source", "time_s_by_resource_target")
LISTS = ("assumed", "notes")


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
    rows = add_costs(list(forecast.records()), rates)
    resources = {key: sorted({r for row in rows for r in row[key]}) for key in NESTED}
    priced = ["cost_usd"] if rates else []
    header = [k for k in RECORD_KEYS if k not in NESTED] + priced + [f"{k}.{r}" for k in NESTED for r in resources[k]]
    flat = (flatten(row) for row in rows)
    return render_csv(header, ([cells.get(name, "") for name in header] for cells in flat))


def flatten(row: dict[str, Any]) -> dict[str, Any]:
    """A record as plain cells; absent values are empty."""
    flat: dict[str, Any] = {k: ("" if v is None else v) for k, v in row.items() if k not in NESTED + LISTS}
    flat |= {f"{key}.{resource}": value for key in NESTED for resource, value in row[key].items()}
    flat |= {key: "; ".join(row[key]) for key in LISTS}
    return flat


def write_parquet(forecast: Forecast, path: Path) -> None:
    """Parquet with nested columns, as :meth:`Forecast.to_polars` gives them."""
    forecast.to_polars().write_parquet(path)
