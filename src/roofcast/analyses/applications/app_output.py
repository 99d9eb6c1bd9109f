"""The forecast of an application in the format that was asked for."""

from __future__ import annotations

import csv
import io
import json
import math
import textwrap
from collections.abc import Sequence
from typing import Any

from roofcast.analyses.applications.measured import Comparison
from roofcast.analyses.applications.result import ApplicationForecast
from roofcast.analyses.applications.run_cost import app_cost_lines, app_costs
from roofcast.analyses.applications.show import render_app, render_comparison
from roofcast.core.version import VERSION
from roofcast.kit.output import chosen_format, deliver, text_width
from roofcast.kit.quantities import Rates

CSV_KEYS = ("source_gpu", "target_gpu", "model", "coverage", "source_time_s", "time_s", "time_low_s", "time_high_s",
            "speedup", "fixed_time_s", "device_busy_source_s", "device_busy_s")  # fmt: skip


def deliver_app(
    forecasts: Sequence[ApplicationForecast],
    form: str | None,
    output: str | None,
    top: int | None = None,
    measured: Comparison | None = None,
    rates: Rates | None = None,
) -> None:
    """Print or write forecasts, the first also beside a recording (see :func:`roofcast.kit.output.deliver`).

    rates : USD per hour by GPU; adds what a run costs.
    """

    def table() -> str:
        width = text_width(output)
        costs = [part for line in app_cost_lines(forecasts, rates or {}) for part in textwrap.wrap(line, width)]
        text = "\n".join([render_app(forecasts, width, top), *costs])
        return f"{text}\n{render_comparison(measured, text_width(output), top)}" if measured else text

    texts = {
        "table": table,
        "json": lambda: render_app_json(forecasts, measured, rates),
        "csv": lambda: render_app_csv(forecasts, rates),
    }
    deliver(chosen_format(form, output), output, texts)


def render_app_json(
    forecasts: Sequence[ApplicationForecast], measured: Comparison | None = None, rates: Rates | None = None
) -> str:
    """One object for one target, a list of them for several; with rates also ``cost_usd`` and ``source_cost_usd``."""
    records = [
        {"roofcast": VERSION} | finite(f.record()) | c for f, c in zip(forecasts, costs(forecasts, rates), strict=True)
    ]
    if measured:
        records[0]["measured"] = finite(measured.record())
    return json.dumps(records[0] if len(records) == 1 else records, indent=1, ensure_ascii=False)


def render_app_csv(forecasts: Sequence[ApplicationForecast], rates: Rates | None = None) -> str:
    """One line per target; with rates also ``cost_usd`` and ``source_cost_usd``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    told = costs(forecasts, rates)
    header = (*CSV_KEYS, *told[0])
    writer.writerow(header)
    for f, cost in zip(forecasts, told, strict=True):
        record = finite(f.record()) | cost
        writer.writerow([record[k] for k in header])
    return out.getvalue()


def costs(forecasts: Sequence[ApplicationForecast], rates: Rates | None) -> list[dict[str, float | None]]:
    """USD of one run per target, None without a rate; empty where no rates are given."""
    if not rates:
        return [{} for _ in forecasts]
    source, targets = app_costs(forecasts, rates)
    return [{"cost_usd": c.usd if c else None, "source_cost_usd": source.usd if source else None} for c in targets]


def finite(value: Any) -> Any:
    """The value with None for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
