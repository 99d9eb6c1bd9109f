"""What a forecast costs: seconds times the rates that the user states; none is made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from roofcast.analyses.report.totals import each_work_once
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.core.results import Forecast

if TYPE_CHECKING:
    from roofcast.analyses.applications.result import ApplicationForecast

Rates = Mapping[str, float]
"""Name of a processor -> USD per hour."""
SECONDS_PER_HOUR = 3600.0
MAX_RATE = 1e9
RUNS = {1.0: "run", 1e3: "thousand runs", 1e6: "million runs", 1e9: "billion runs"}
SMALLEST_SHOWN = 0.01


@dataclass(frozen=True, slots=True)
class Cost:
    """USD of all kernels of the profile, once; the bounds are those of the time, NaN where it was measured."""

    name: str
    usd: float
    low_usd: float = float("nan")
    high_usd: float = float("nan")


def read_rates(text: str, processors: Iterable[Processor]) -> Rates:
    """Rates of the processors of a forecast, from ``GPU=USD/h[,...]`` or a price file's ``rent_usd_per_hour``.

    Raises
    ------
    RoofcastError : a rate that is no number above 0, a GPU that the forecast does not have, no rate at all.
    """
    found = {p.name: p for p in processors}
    if text.lower().endswith(".toml"):
        from roofcast.analyses.sweeps.prices import read_prices

        prices = read_prices(text)
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
        rates[name] = usd_per_hour(rate, shown)
    return rates


def usd_per_hour(text: str, shown: str) -> float:
    """A rate; the unit may stand behind it."""
    plain = text.strip().removeprefix("$").removesuffix("/h").removesuffix("USD").strip()
    try:
        value = float(plain)
    except ValueError:
        value = float("nan")
    if not 0 < value < MAX_RATE:
        raise RoofcastError(f"--price {shown!r}: give USD per hour above 0, e.g. 2.99")
    return value


def processors_priced(forecast: Forecast) -> list[Processor]:
    """Every GPU that a rate can be for."""
    return [*(s for s in forecast.sources if s), *forecast.targets]


def costs_of(forecast: Forecast, rates: Rates) -> tuple[Cost | None, list[Cost | None]]:
    """On the source and on each target, over the kernels that have a time on both; None without a rate or a time."""
    per_s = {name: rate / SECONDS_PER_HOUR for name, rate in rates.items()}
    time, estimate = forecast.kernels.column("time_s"), forecast.estimate
    at_source = np.array([per_s.get(s.name, np.nan) if s else np.nan for s in forecast.sources])
    timed = time > 0
    source = float((time * at_source)[timed].sum()) if timed.any() else float("nan")
    names = list(dict.fromkeys(s.name for s in forecast.sources if s))
    targets: list[Cost | None] = []
    for j, target in enumerate(forecast.targets):
        both, rate = (estimate.time_s[:, j] > 0) & timed, per_s.get(target.name)
        if rate is None or not both.any():
            targets.append(None)
            continue
        usd, low, high = (
            rate * float(a[both, j].sum()) for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)
        )
        targets.append(Cost(target.name, usd, low, high))
    return (Cost(", ".join(names[:3]), source) if np.isfinite(source) else None), targets


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
    runs = runs_of([source, *targets])
    parts = [f"{c.name} {cost_text(c, runs)}" for c in (source, *targets) if c]
    count = devices_used(forecasts[0])
    on = f"{count} GPU{'s' * (count != 1)}"
    said = f"cost at the rates given ({rates_text(rates)} USD/h), {on} all the time: {'; '.join(parts)}"
    return [one_line(said, 2000)] if parts else []


def runs_of(costs: Iterable[Cost | None]) -> float:
    """For how many runs to state the cost, the same for all, so that the least is a cent or more where possible.

    >>> runs_of([Cost("a", 1.5e-6), Cost("b", 3e-4)])
    1000000.0
    """
    least = min((c.usd for c in costs if c), default=1.0)
    return next((n for n in RUNS if least * n >= SMALLEST_SHOWN), max(RUNS))


def cost_text(cost: Cost | None, runs: float) -> str:
    """USD with the interval; '' where there is none.

    >>> cost_text(Cost("a", 1.5e-6, 1e-6, 2e-6), 1e6)
    '1.50 USD (1.00–2.00) per million runs'
    """
    if cost is None:
        return ""
    interval = f" ({dollars(cost.low_usd * runs)}–{dollars(cost.high_usd * runs)})" if cost.low_usd >= 0 else ""
    return f"{dollars(cost.usd * runs)} USD{interval} per {RUNS[runs]}"


def dollars(value: float) -> str:
    """An amount with cents where they matter.

    >>> dollars(1234.5), dollars(12.345), dollars(0.00123)
    ('1,234', '12.35', '0.0012')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" if value >= SMALLEST_SHOWN else f"{value:.2g}"


def rates_text(rates: Rates) -> str:
    """The rates as the command line takes them."""
    return ",".join(f"{name}={rate:g}" for name, rate in rates.items())


def cost_lines(forecast: Forecast, rates: Rates) -> Sequence[str]:
    """What the table says below its notes."""
    source, targets = costs_of(each_work_once(forecast), rates)
    runs = runs_of([source, *targets])
    parts = [f"{c.name} {cost_text(c, runs)}" for c in (source, *targets) if c]
    return [one_line(f"cost at the rates given ({rates_text(rates)} USD/h): {'; '.join(parts)}", 2000)] if parts else []
