"""Forecasts for the page, by the same functions as the command line's."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from roofcast.applications.asked_runs import with_runs
from roofcast.core.errors import InputError
from roofcast.core.joined_parts import MEASURED, RUN
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.records import dataclass
from roofcast.forecasting.forecast import ask
from roofcast.forecasting.forecasts import Forecast
from roofcast.reports.forecast_page import lead_forecast, render_forecast_html
from roofcast.reports.totals import sum_up
from roofcast.reports.verdict import state_forecast
from roofcast.web.choices import Request
from roofcast.web.keeping import Kept, Profile
from roofcast.web.tabs import TABS, View, find_profiles, plan_view

LAUNCHES_MOST = 100_000
"""Launches of a run that is played again at each change of a choice: about a second; longer ones have their own tab."""


@dataclass(frozen=True, slots=True)
class Result:
    """One forecast that can be looked at; its files come from the command that prints the same."""

    forecast: Forecast
    notes: tuple[str, ...]
    view: View
    """That command."""

    def close(self) -> None:
        """Nothing to end: it lives in memory alone."""

    def render(self) -> View:
        """The command with its report, made here: sliders do not wait for a process."""
        return replace(self.view, html=render_forecast_html(self.forecast, command=self.view.typed).encode())


def answer(request: Request, profiles: Kept[Profile]) -> Result:
    """Forecast the profiles that a request names.

    Raises
    ------
    RoofcastError : as :func:`roofcast.forecasting.forecast.forecast`, or a profile that is gone.
    """
    planned = plan_view("kernels", request, {}, profiles)
    chosen = [p for p in find_profiles(request, profiles) if p.kind in MEASURED]
    kernels = matching(concatenate([p.kernels for p in chosen]), request.pattern)
    question = ask(
        kernels, list(request.targets), source=request.source, model=request.model, conditions=request.conditions,
    )  # fmt: skip
    if not request.pattern and all(p.kind == RUN for p in chosen) and kernels.launches.sum() <= LAUNCHES_MOST:
        files, formats = [p.source for p in chosen], {p.input_format for p in chosen}
        question = with_runs(question, files, formats.pop() if len(formats) == 1 else None, request.source)
    return Result(question.answer(), request.notes, planned)


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
    conditions = result.forecast.conditions_told
    return {
        **asdict(head),
        "command": result.view.typed,
        "forms": TABS["kernels"].forms,
        **state_forecast(result.forecast).record(),
        "conditions": dict(conditions),
        "notes": list(result.notes),
        "lead": asdict(lead_forecast(result.forecast)),
    }
