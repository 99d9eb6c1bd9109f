"""The forecast of an application in the format that was asked for."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from typing import Any

from roofcast.applications.measured import Comparison
from roofcast.applications.result import ApplicationForecast
from roofcast.report.app_text import render_app, render_comparison
from roofcast.report.output import chosen_format, deliver, text_width
from roofcast.version import VERSION

CSV_KEYS = ("source_gpu", "target_gpu", "model", "coverage", "source_time_s", "time_s", "time_low_s", "time_high_s",
            "speedup", "fixed_time_s", "device_busy_source_s", "device_busy_s")  # fmt: skip


def deliver_app(
    forecasts: Sequence[ApplicationForecast],
    form: str | None,
    output: str | None,
    top: int | None = None,
    measured: Comparison | None = None,
) -> None:
    """Print or write forecasts, the first also beside a recording (see :func:`roofcast.report.output.deliver`)."""

    def table() -> str:
        text = render_app(forecasts, text_width(output), top)
        return f"{text}\n{render_comparison(measured, text_width(output), top)}" if measured else text

    texts = {
        "table": table,
        "json": lambda: render_app_json(forecasts, measured),
        "csv": lambda: render_app_csv(forecasts),
    }
    deliver(chosen_format(form, output), output, texts)


def render_app_json(forecasts: Sequence[ApplicationForecast], measured: Comparison | None = None) -> str:
    """One object for one target, a list of them for several."""
    records = [{"roofcast": VERSION} | finite(f.record()) for f in forecasts]
    if measured:
        records[0]["measured"] = finite(measured.record())
    return json.dumps(records[0] if len(records) == 1 else records, indent=1, ensure_ascii=False)


def render_app_csv(forecasts: Sequence[ApplicationForecast]) -> str:
    """One line per target."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_KEYS)
    for f in forecasts:
        record = finite(f.record())
        writer.writerow([record[k] for k in CSV_KEYS])
    return out.getvalue()


def finite(value: Any) -> Any:
    """The value with None for numbers that JSON cannot hold."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
