"""What a forecast costs: seconds times the rates that the user states; none is made up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from roofcast.analyses.report.totals import each_work_once
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.core.results import Forecast
from roofcast.kit.quantities import SECONDS_PER_HOUR, Cost, Rates, choose_runs, format_cost, format_rates

MAX_RATE = 1e9


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


def cost_lines(forecast: Forecast, rates: Rates) -> Sequence[str]:
    """What the table says below its notes."""
    source, targets = costs_of(each_work_once(forecast), rates)
    runs = choose_runs([source, *targets])
    parts = [f"{c.name} {format_cost(c, runs)}" for c in (source, *targets) if c]
    return (
        [one_line(f"cost at the rates given ({format_rates(rates)} USD/h): {'; '.join(parts)}", 2000)] if parts else []
    )
