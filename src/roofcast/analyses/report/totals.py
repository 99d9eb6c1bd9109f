"""The totals of a forecast, each work once, and what they cost at the rates that the user states; none is made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.launch_totals import Total
from roofcast.core.processor import Processor
from roofcast.core.results import Forecast
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import (
    SECONDS_PER_HOUR,
    Cost,
    Rates,
    choose_runs,
    format_cost,
    format_interval,
    format_percent,
    format_rates,
    format_total_speedup,
)

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
    cost: str = ""
    """'' without a rate."""
    outer: str = ""
    """The interval if all kernels erred the same way; '' of one kernel."""


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
    source_cost: str = ""
    role: str = "measured"
    """What the source's time is: measured, or forecast under the same conditions."""


def sum_up(forecast: Forecast, rates: Rates | None = None) -> Headline:
    """Where the kernels ran, where they would run, the totals, and what they cost at the rates given."""
    whole, forecast = forecast, forecast.each_work_once()
    names = list(dict.fromkeys(s.name if s else "a GPU that is not known" for s in forecast.sources))
    time = forecast.source_total_s
    total = float(np.nansum(time)) if np.isfinite(time).any() else float("nan")
    coverage = forecast.estimate.coverage
    claim = (
        f"Each kernel's interval claims to hold {format_percent(coverage, 0)} of measured times."
        if coverage
        else "This model's intervals claim no coverage."
    )
    if len(forecast.kernels) > 1:
        claim += f" {TOTAL_INTERVAL}: beside it."
    if forecast is not whole:
        claim += f" {COUNTED_ONCE}"
    told = str(forecast.conditions_told.get("text", ""))
    claim += f" {told[:1].upper()}{told[1:]}." if told else ""
    source_cost, costs = price_forecast(forecast, rates or {})
    runs = choose_runs([source_cost, *costs])
    totals = [show_total(t, format_cost(c, runs)) for t, c in zip(forecast.totals, costs, strict=True)]
    return Headline(
        source=", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
        source_time=format_quantity(total, "s"),
        kernels=len(forecast.kernels),
        launches=round(float(forecast.kernels.launches.sum())),
        claim=claim,
        totals=tuple(totals),
        model=forecast.model,
        source_cost=format_cost(source_cost, runs),
        role="measured" if forecast.on_source is None else tell_measured(forecast),
    )


def tell_measured(forecast: Forecast) -> str:
    """That the source is forecast too, and what was measured."""
    measured = float(np.nansum(forecast.measured_time_s * forecast.kernels.launches))
    return f"forecast under the same conditions (measured: {format_quantity(measured, 's')})"


def show_total(total: Total, cost: str = "") -> TotalCell:
    """A total in words."""
    name = one_line(total.target, 160)
    if not total.kernels:
        return TotalCell(name, "–", "", "", "no kernel could be forecast; the table says why", "–", False)
    rows = total.kernels + total.kernels_left_out
    counted = f"{total.kernels} of {rows} kernels; the others could not be forecast" if total.kernels_left_out else ""
    return TotalCell(
        name, format_quantity(total.time_s, "s"), format_interval(total.time_low_s, total.time_high_s),
        format_total_speedup(total), counted, format_quantity(total.time_source_s, "s"),
        total.time_s > total.time_source_s, cost,
        format_interval(total.time_low_outer_s, total.time_high_outer_s) if total.kernels > 1 else "",
    )  # fmt: skip


MAX_RATE = 1e9


def read_rates(text: str, processors: Iterable[Processor]) -> Rates:
    """Rates of the processors of a forecast, from ``GPU=USD/h[,...]`` or a price file's ``rent_usd_per_hour``.

    Raises
    ------
    RoofcastError : a rate that is no number above 0, a GPU that the forecast does not have, no rate at all.
    """
    found = {p.name: p for p in processors}
    if text.lower().endswith(".toml") or text.strip().lower() == "public":
        from roofcast.catalog.prices import read_prices

        prices = read_prices(text.strip())
        rents = {name: prices.of(p).rent_usd_per_hour for name, p in found.items()}
        rates = {name: rent for name, rent in rents.items() if rent is not None}
    else:
        rates = parse_rates(text, found)
    if not rates:
        raise RoofcastError(f"--price {one_line(text, 80)!r}: has no rate for a GPU of this forecast")
    return rates


def parse_rates(text: str, found: Mapping[str, Processor]) -> dict[str, float]:
    """Rates as written on the command line; a GPU may be named as in ``--to``."""
    from roofcast.catalog import parse_target, split_targets

    rates: dict[str, float] = {}
    for part in split_targets(text):
        asked, _, rate = part.rpartition("=")
        shown = one_line(part, 80)
        if not asked:
            raise RoofcastError(f"--price {shown!r}: write GPU=USD per hour, e.g. 'H100 SXM5 80GB=2.99'")
        name = asked.strip() if asked.strip() in found else parse_target(asked).processor.name
        if name not in found:
            raise RoofcastError(f"--price {shown!r}: {name} is neither source nor target of this forecast")
        if name in rates:
            raise RoofcastError(f"--price {shown!r}: {name} is given twice")
        rates[name] = parse_usd_per_hour(rate, shown)
    return rates


def parse_usd_per_hour(text: str, shown: str) -> float:
    """A rate; the unit may stand behind it."""
    plain = text.strip().removeprefix("$").removesuffix("/h").removesuffix("USD").strip()
    try:
        value = float(plain)
    except ValueError:
        value = float("nan")
    if not 0 < value < MAX_RATE:
        raise RoofcastError(f"--price {shown!r}: give USD per hour above 0, e.g. 2.99")
    return value


def list_priced(forecast: Forecast) -> list[Processor]:
    """Every GPU that a rate can be for."""
    return [*(s for s in forecast.sources if s), *forecast.targets]


def price_forecast(forecast: Forecast, rates: Rates) -> tuple[Cost | None, list[Cost | None]]:
    """On the source and on each target, over the kernels that have a time on both; None without a rate or a time."""
    per_s = {name: rate / SECONDS_PER_HOUR for name, rate in rates.items()}
    time = forecast.source_total_s
    at_source = np.array([per_s.get(s.name, np.nan) if s else np.nan for s in forecast.sources])
    timed = time > 0
    source = float((time * at_source)[timed].sum()) if timed.any() else float("nan")
    names = list(dict.fromkeys(s.name for s in forecast.sources if s))
    rated = [per_s.get(t.target) if t.kernels else None for t in forecast.totals]
    targets = [
        None if rate is None else Cost(t.target, rate * t.time_s, rate * t.time_low_s, rate * t.time_high_s)
        for t, rate in zip(forecast.totals, rated, strict=True)
    ]
    return (Cost(", ".join(names[:3]), source) if np.isfinite(source) else None), targets


def render_costs(forecast: Forecast, rates: Rates) -> Sequence[str]:
    """What the table says below its notes."""
    source, targets = price_forecast(forecast.each_work_once(), rates)
    runs = choose_runs([source, *targets])
    parts = [f"{c.name} {format_cost(c, runs)}" for c in (source, *targets) if c]
    return (
        [one_line(f"cost at the rates given ({format_rates(rates)} USD/h): {'; '.join(parts)}", 2000)] if parts else []
    )
