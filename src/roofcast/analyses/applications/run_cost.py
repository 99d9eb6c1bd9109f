"""What one run of an application costs at the rates that the user states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roofcast.analyses.applications.result import ApplicationForecast
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.kit.quantities import SECONDS_PER_HOUR, Cost, Rates, choose_runs, format_cost, format_rates


def app_costs(forecasts: Sequence[ApplicationForecast], rates: Rates) -> tuple[Cost | None, list[Cost | None]]:
    """What one run costs on the source and on each target: its time on as many GPUs as worked in the recording."""
    first = forecasts[0]
    devices = devices_used(first)
    per_s = {name: rate * devices / SECONDS_PER_HOUR for name, rate in rates.items()}
    source = per_s.get(first.source_gpu)
    targets = [
        Cost(f.target.name, *(rate * t for t in (f.time_s, f.time_low_s, f.time_high_s)))
        if (rate := per_s.get(f.target.name)) is not None and f.time_s > 0
        else None
        for f in forecasts
    ]
    return None if source is None else Cost(first.source_gpu, source * first.source_time_s), targets


def devices_used(forecast: ApplicationForecast) -> int:
    """GPUs that did anything in the recording; 1 where it does not tell them apart."""
    return max(int(np.unique(forecast.timeline.activities.device).size), 1)


def app_processors(forecasts: Sequence[ApplicationForecast]) -> list[Processor]:
    """Every GPU of an application's forecast that a rate can be for."""
    from roofcast.catalog import gpu

    try:
        sources = [gpu(forecasts[0].source_gpu)]
    except RoofcastError:  # several GPUs, or one of no catalog
        sources = []
    return [*sources, *(f.target for f in forecasts)]


def app_cost_lines(forecasts: Sequence[ApplicationForecast], rates: Rates) -> Sequence[str]:
    """What the text says below an application's forecasts."""
    source, targets = app_costs(forecasts, rates)
    runs = choose_runs([source, *targets])
    parts = [f"{c.name} {format_cost(c, runs)}" for c in (source, *targets) if c]
    count = devices_used(forecasts[0])
    on = f"{count} GPU{'s' * (count != 1)}"
    said = f"cost at the rates given ({format_rates(rates)} USD/h), {on} all the time: {'; '.join(parts)}"
    return [one_line(said, 2000)] if parts else []
