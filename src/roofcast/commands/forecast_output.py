"""A forecast in the format that was asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from roofcast.analyses.report.forecast_data import render_csv, render_json, write_parquet
from roofcast.core.results import Forecast
from roofcast.kit.output import chosen_format, deliver, text_width, written
from roofcast.kit.quantities import Rates

PICTURES = ("svg", "png", "pdf")
"""What ``--explain`` draws: a waterfall per kernel and target."""


def deliver_forecast(
    forecast: Forecast,
    form: str | None,
    output: str | None,
    *,
    top: int | None = None,
    explain: bool = False,
    full_names: bool = False,
    rates: Rates | None = None,
) -> None:
    """Print or write a forecast, with its cost where rates are given (see :func:`roofcast.kit.output.deliver`)."""
    shown = forecast if top is None else forecast.select(most_time(forecast, top))

    def table() -> str:
        from roofcast.analyses.report.explain_text import render_explanation
        from roofcast.analyses.report.forecast_text import render_forecast_table

        text = render_forecast_table(forecast, width=text_width(output), top=top, full_names=full_names,
                                     rates=rates)  # fmt: skip
        return f"{text}\n\n{render_explanation(shown, text_width(output))}" if explain else text

    def picture(path: Path) -> None:
        from roofcast.analyses.report.waterfall import write_waterfalls

        write_waterfalls(shown, path)

    texts = {
        "table": table,
        "json": lambda: render_json(shown, explain=explain, rates=rates),
        "csv": lambda: render_csv(shown, rates),
    }
    files = {"parquet": lambda path: write_parquet(shown, path)} | dict.fromkeys(PICTURES, picture)
    deliver(chosen_format(form, output), output, texts, files)


def most_time(forecast: Forecast, count: int) -> list[int]:
    """Rows of the kernels with most source time, in file order; kernels without a time come last."""
    time = forecast.kernels.column("time_s")
    order = np.argsort(-np.where(np.isnan(time), -1.0, time), kind="stable")
    return sorted(int(i) for i in order[:count])


def write_report(forecast: Forecast, path: str, rates: Rates | None = None, command: str = "") -> str:
    """Write the HTML report of a forecast and return the line that says so."""
    from roofcast.analyses.report.forecast_html import write_forecast_html

    write_forecast_html(forecast, path, rates, command)
    return written(path)
