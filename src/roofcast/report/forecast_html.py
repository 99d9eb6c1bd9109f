"""A forecast as one self-contained page: the roofline of source and targets, and the table of all kernels."""

from __future__ import annotations

from pathlib import Path

from roofcast.core.forecast import Forecast
from roofcast.report.files import write_text
from roofcast.report.forecast_text import render_forecast_table
from roofcast.report.roofline_html import render_html
from roofcast.report.roofline_view import build_roofline


def write_forecast_html(forecast: Forecast, path: str | Path) -> None:
    """Write the page in one step.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
    write_text(path, render_forecast_html(forecast))


def render_forecast_html(forecast: Forecast) -> str:
    """The page as text; the same forecast gives the same text."""
    view = build_roofline(forecast.kernels, forecast.sources, forecast)
    return render_html(view, table=render_forecast_table(forecast, width=150))
