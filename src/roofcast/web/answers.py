"""Forecasts for the page, by the same functions as the command line's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from roofcast.analyses.report.totals import sum_up
from roofcast.analyses.report.verdict import write_verdict
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.results import Forecast
from roofcast.forecasting.forecast import forecast
from roofcast.web.choices import Request
from roofcast.web.keeping import Kept, Profile
from roofcast.web.tabs import find_profiles, plan_view

Render = Callable[["Result"], bytes]


@dataclass(frozen=True, slots=True)
class Result:
    """One forecast that can be looked at and downloaded."""

    forecast: Forecast
    notes: tuple[str, ...]
    command: str
    """What prints the same."""

    def close(self) -> None:
        """Nothing to end: it lives in memory alone."""


def answer(request: Request, profiles: Kept[Profile]) -> Result:
    """Forecast the profiles that a request names.

    Raises
    ------
    RoofcastError : as :func:`roofcast.forecasting.forecast.forecast`, or a profile that is gone.
    """
    planned = plan_view("kernels", request, {}, profiles)
    kernels = matching(concatenate([p.kernels for p in find_profiles(request, profiles)]), request.pattern)
    made = forecast(
        kernels, list(request.targets), source=request.source, model=request.model, conditions=request.conditions,
    )  # fmt: skip
    return Result(made, request.notes, planned.typed)


def matching(kernels: KernelTable, pattern: str | None) -> KernelTable:
    """Kernels whose name holds a text; a plain text, since an expression of a visitor could take for ever."""
    if not pattern:
        return kernels
    rows = [i for i, name in enumerate(kernels.strings("kernel")) if pattern.lower() in str(name).lower()]
    if not rows:
        raise InputError(f"no kernel's name holds {pattern!r}")
    return kernels.select(rows)


def summary(result: Result) -> dict[str, Any]:
    """The cards: where the kernels ran, and the total on every target."""
    head = sum_up(result.forecast)
    told = result.forecast.conditions_told
    return {
        **asdict(head),
        "command": result.command,
        "verdict": write_verdict(result.forecast),
        "conditions": dict(told),
        "notes": list(result.notes),
    }


def as_html(result: Result) -> bytes:
    """The report."""
    from roofcast.analyses.report.forecast_page import render_forecast_html

    return render_forecast_html(result.forecast, command=result.command).encode()


def as_csv(result: Result) -> bytes:
    """The rows."""
    from roofcast.analyses.report.data import render_forecast_csv

    return render_forecast_csv(result.forecast).encode()


def as_json(result: Result) -> bytes:
    """The rows with everything that is known of them."""
    from roofcast.analyses.report.data import render_forecast_json

    return render_forecast_json(result.forecast).encode()


def picture(suffix: str) -> Render:
    """The roofline in a picture format."""

    def render(result: Result) -> bytes:
        import tempfile

        from roofcast.analyses.rooflines.figure import write_figure
        from roofcast.analyses.rooflines.placement import build_roofline

        with tempfile.TemporaryDirectory(prefix="roofcast-") as folder:
            path = Path(folder) / f"roofline.{suffix}"
            made = result.forecast
            write_figure(build_roofline(made.kernels, made.sources, made), path)
            return path.read_bytes()

    return render


DOWNLOADS: dict[str, tuple[str, Render]] = {
    "html": ("text/html; charset=utf-8", as_html),
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
    "png": ("image/png", picture("png")),
    "svg": ("image/svg+xml", picture("svg")),
}
