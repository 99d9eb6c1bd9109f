"""The totals of a forecast, each work once."""

from __future__ import annotations

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.launch_totals import Total
from roofcast.core.records import dataclass
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.kit.answer import describe_promise
from roofcast.kit.quantities import count_of, format_energy, format_forecast, format_interval, format_total_speedup

TOTAL_INTERVAL = (
    "Interval of the total: half of the variance of the kernels' errors is shared, as measured; outer bound, if all "
    "erred the same way"
)
COUNTED_ONCE = "Work that was measured on several GPUs counts once."


def group_by_gpu(forecast: Forecast) -> list[tuple[str, list[int]]]:
    """(GPU, its rows) where one total would count a work twice; else one entry with all rows and no name."""
    if not forecast.repeated():
        return [("", list(range(len(forecast.kernels))))]
    groups: dict[str, list[int]] = {}
    for i, source in enumerate(forecast.sources):
        groups.setdefault(source.name if source else "GPU not known", []).append(i)
    return list(groups.items())


CLAIMS = "claim to hold {} of measured times"


@dataclass(frozen=True, slots=True)
class TotalCell:
    """The total on one target, in words."""

    name: str
    time: str
    interval: str
    speedup: str
    counted: str
    """'' where every kernel has a time on both sides, else how many have."""
    source_time: str
    """Time on the source of the kernels that are counted."""
    slower: bool
    outer: str = ""
    """The interval if all kernels erred the same way; '' of one kernel."""
    energy: str = ""
    """With its interval; '' where it is not known."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer, before any detail."""

    source: str
    source_time: str
    kernels: int
    launches: int
    claim: str
    totals: tuple[TotalCell, ...]
    model: str
    role: str = "measured"
    """What the source's time is: measured, or forecast under the same conditions."""


def sum_up(forecast: Forecast) -> Headline:
    """Where the kernels ran, where they would run, and the totals."""
    whole, forecast = forecast, forecast.each_work_once()
    names = list(dict.fromkeys(s.name if s else "a GPU that is not known" for s in forecast.sources))
    time = forecast.source_total_s
    total = float(np.nansum(time)) if np.isfinite(time).any() else float("nan")
    promise = describe_promise(forecast.estimate.coverage, forecast.total.unclaimed_fraction, CLAIMS)
    claim = f"Of each kernel: {promise}."
    if len(forecast.kernels) > 1:
        claim += f" {TOTAL_INTERVAL}: beside it."
    if forecast is not whole:
        claim += f" {COUNTED_ONCE}"
    conditions = str(forecast.conditions_told.get("text", ""))
    claim += f" {conditions[:1].upper()}{conditions[1:]}." if conditions else ""
    return Headline(
        source=", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
        source_time=format_quantity(total, "s"),
        kernels=len(forecast.kernels),
        launches=round(float(forecast.kernels.launches.sum())),
        claim=claim,
        totals=tuple(map(show_total, forecast.totals)),
        model=forecast.model,
        role="measured" if forecast.on_source is None else tell_measured(forecast),
    )


def tell_measured(forecast: Forecast) -> str:
    """Say that the source is forecast too, and what was measured."""
    measured = float(np.nansum(forecast.measured_time_s * forecast.kernels.launches))
    return f"forecast under the same conditions (measured: {format_quantity(measured, 's')})"


def show_total(total: Total) -> TotalCell:
    """A total in words."""
    name = one_line(total.target, 160)
    if not total.kernels:
        return TotalCell(name, "–", "", "", "no kernel could be forecast; the table says why", "–", False)
    rows, ends = total.kernels + total.kernels_left_out, (total.time_low_s, total.time_high_s)
    counted = (
        f"{total.kernels} of {count_of(rows, 'kernel')}; the others could not be forecast"
        if total.kernels_left_out
        else ""
    )
    return TotalCell(
        name, format_forecast(total.time_s, *ends), format_interval(*ends),
        format_total_speedup(total), counted, format_quantity(total.time_source_s, "s"),
        total.time_s > total.time_source_s,
        format_interval(total.time_low_outer_s, total.time_high_outer_s) if total.kernels > 1 else "",
        format_energy(total.energy_j, total.energy_low_j, total.energy_high_j),
    )  # fmt: skip
