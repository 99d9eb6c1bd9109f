"""Which GPU for a workload: time, money, power, space; what is certain about the order, and what is not."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from roofcast.core.forecast import Forecast
from roofcast.core.processor import Processor
from roofcast.core.table import FloatArray, KernelTable
from roofcast.errors import RoofcastError, one_line
from roofcast.sweep.fleet import Fleet, best_fleet, single_fleets
from roofcast.sweep.prices import Price, Prices
from roofcast.sweep.workload import weights_of

SHARED_VARIANCE = 0.5
"""Part of the error's variance that forecasts for two GPUs of one architecture have in common (an assumption)."""
SHARED_ANYWHERE = 0.25
"""The same for any two GPUs: both start from one measurement (an assumption)."""
SURE = 0.9
"""Probability from which one GPU counts as faster than another."""
KINDS_MIXED = 12
"""Kinds of GPU that a mixed fleet is chosen from: those best per unit of the limits."""


@dataclass(frozen=True)
class Limits:
    """What the user has; None where unlimited."""

    budget_usd: float | None = None
    power_w: float | None = None
    rack_units: float | None = None
    deadline_s: float | None = None
    memory_bytes: float | None = None


@dataclass(frozen=True)
class Option:
    """One GPU for the workload."""

    processor: Processor
    price: Price
    time_s: float
    low_s: float
    high_s: float
    kernels: int
    """Kernels that have a forecast."""
    group: int
    """Options of one group cannot be told apart from its first by their intervals."""
    beats_next: float
    """Probability of being faster than the next in the ranking; NaN for the last."""
    fits: int | None
    """GPUs that the limits allow; None where there is no limit that their data name."""
    needed: int | None
    """GPUs that meet the deadline at the interval's upper end."""
    break_even_hours: float | None
    """Hours of use from which buying is cheaper than renting."""

    @property
    def per_s(self) -> float:
        """Workloads per second."""
        return 1.0 / self.time_s

    def per(self, amount: float | None) -> float | None:
        """Workloads per hour and unit of something."""
        return None if not amount else 3600.0 * self.per_s / amount


@dataclass(frozen=True)
class Choice:
    """A ranking with what belongs to it."""

    options: tuple[Option, ...]
    limits: Limits
    coverage: float
    kernels: int
    memory_bytes: float | None
    fleet: Fleet | None
    fleet_kinds: tuple[int, ...]
    """Position in ``options`` of each of the fleet's kinds."""
    left_out: tuple[tuple[str, str], ...]
    """GPU and why it is not ranked."""
    notes: tuple[str, ...]


def choose(
    result: Forecast,
    *,
    limits: Limits | None = None,
    prices: Prices | None = None,
    weights: Mapping[str, float] | None = None,
) -> Choice:
    """Rank the targets of a forecast for its whole workload.

    weights : kernel -> how often it runs; a row that stands for several launches counts as that many as well.

    Raises
    ------
    RoofcastError : nothing can be forecast, limits that no GPU meets, weights of kernels that are not there.
    """
    limits, prices = limits or Limits(), prices or Prices()
    weight = weights_of(result.kernels, weights)
    usable, notes = rows_of(result, weight)
    memory = limits.memory_bytes or memory_of(result.kernels)
    estimate = result.estimate
    totals = [np.sum(weight[usable, None] * v[usable], axis=0) for v in
              (estimate.time_s, estimate.time_low_s, estimate.time_high_s)]  # fmt: skip
    left_out, ranked = [], []
    for j, target in enumerate(result.targets):
        reason = refused(target, totals[0][j], memory, limits, prices.of(target))
        if reason:
            left_out.append((target.name, reason))
        else:
            ranked.append(j)
    if not ranked:
        why = f": {one_line(left_out[0][0], 60)} {left_out[0][1]}" if left_out else ""
        raise RoofcastError(f"no GPU is left to choose from{why}")
    ranked.sort(key=lambda j: (float(totals[0][j]), result.targets[j].name))
    options = options_of(result, [t[ranked] for t in totals], ranked, limits, prices, len(usable))
    fleet, kinds = fleet_of(options, limits)
    return Choice(
        options, limits, estimate.coverage or float("nan"), len(usable), memory, fleet, kinds, tuple(left_out),
        tuple(notes),
    )  # fmt: skip


def rows_of(result: Forecast, weight: FloatArray) -> tuple[np.ndarray, list[str]]:
    """Kernels that can be forecast on most targets, and what is said about the others."""
    known = np.isfinite(result.estimate.time_s)
    on_any = known.any(axis=1) & (weight > 0)
    if not on_any.any():
        reasons = [str(r) for r in result.estimate.reasons.ravel() if r]
        raise RoofcastError(f"no kernel can be forecast: {reasons[0] if reasons else 'all weights are 0'}")
    missing = int((~known.any(axis=1) & (weight > 0)).sum())
    notes = [f"{missing} of {len(weight)} kernels cannot be forecast and are left out"] if missing else []
    return np.flatnonzero(on_any), notes


def memory_of(kernels: KernelTable) -> float | None:
    """Bytes that the largest kernel surely touches, where the profile says."""
    columns = [kernels.column(name) for name in ("working_set_bytes", "bytes_compulsory")]
    found = max((float(np.nanmax(c)) for c in columns if np.isfinite(c).any()), default=0.0)
    return found or None


def refused(p: Processor, time_s: float, memory: float | None, limits: Limits, price: Price) -> str:
    """Why a GPU is not ranked; '' where it is."""
    if not (math.isfinite(time_s) and time_s > 0):
        return "lacks a supply that some kernel needs"
    if memory is not None and p.capacity_bytes_dram is None:
        return "has an unknown memory size"
    if memory is not None and (p.capacity_bytes_dram or 0.0) < memory:
        return "has too little memory"
    if limits.budget_usd is not None and price.price_usd is None:
        return "has no price: state one with --prices"
    if limits.power_w is not None and price.power_w is None:
        return "has no known power"
    if limits.rack_units is not None and price.rack_units is None:
        return "has no rack_units: state them with --prices"
    return ""


def sigma(low_s: float, high_s: float, coverage: float) -> float:
    """Standard deviation of the logarithm of a time whose interval is symmetric there."""
    from statistics import NormalDist

    if not (low_s > 0 and high_s > low_s and 0 < coverage < 1):
        return 0.0
    return 0.5 * math.log(high_s / low_s) / NormalDist().inv_cdf(0.5 + coverage / 2)


def probability_faster(a: Option | tuple[float, float], b: tuple[float, float], correlation: float) -> float:
    r"""Probability that A's time is below B's, of two log-normal times with correlated errors.

    .. math:: P = \Phi\left(\frac{\ln T_B - \ln T_A}{\sqrt{s_A^2 + s_B^2 - 2 r s_A s_B}}\right)

    a, b : (seconds, standard deviation of the logarithm). correlation : r in [0, 1].

    >>> round(probability_faster((1.0, 0.1), (1.1, 0.1), 0.0), 3), probability_faster((1.0, 0.1), (1.0, 0.1), 0.5)
    (0.75, 0.5)
    """
    from statistics import NormalDist

    (time_a, s_a), (time_b, s_b) = a, b  # type: ignore[misc]  # pairs
    apart = math.log(time_b / time_a)
    variance = s_a**2 + s_b**2 - 2 * correlation * s_a * s_b
    if variance <= 1e-30:
        return 0.5 if apart == 0 else float(apart > 0)
    return NormalDist().cdf(apart / math.sqrt(variance))


def correlation(a: Processor, b: Processor) -> float:
    """Correlation assumed between the errors for two GPUs: more within an architecture, 1 for the same."""
    if a.key == b.key:
        return 1.0
    return SHARED_VARIANCE if a.architecture == b.architecture else SHARED_ANYWHERE


def options_of(
    result: Forecast, totals: Sequence[FloatArray], ranked: Sequence[int], limits: Limits, prices: Prices, kernels: int
) -> tuple[Option, ...]:
    """The ranked GPUs with everything said about each."""
    coverage = result.estimate.coverage or 0.9
    found: list[Option] = []
    targets = [result.targets[j] for j in ranked]
    spreads = [(float(t), sigma(float(lo), float(hi), coverage)) for t, lo, hi in zip(*totals, strict=True)]
    group, leader = 0, 0
    for i, target in enumerate(targets):
        if i and probability_faster(spreads[leader], spreads[i], correlation(targets[leader], target)) >= SURE:
            group, leader = group + 1, i
        after = i + 1 < len(targets)
        beats = (
            probability_faster(spreads[i], spreads[i + 1], correlation(target, targets[i + 1]))
            if after
            else float("nan")
        )
        time, low, high = (float(t[i]) for t in totals)
        price = prices.of(target)
        found.append(
            Option(
                target, price, time, low, high, kernels, group, beats, fits_of(price, limits),
                None if limits.deadline_s is None else math.ceil(high / limits.deadline_s),
                break_even(price, prices),
            )
        )  # fmt: skip
    return tuple(found)


def uses(price: Price, limits: Limits) -> list[tuple[float, float]]:
    """(what one GPU takes, limit) for each limit that is given."""
    pairs = [
        (price.price_usd, limits.budget_usd), (price.power_w, limits.power_w), (price.rack_units, limits.rack_units),
    ]  # fmt: skip
    return [(own, limit) for own, limit in pairs if own is not None and limit is not None]


def fits_of(price: Price, limits: Limits) -> int | None:
    """How many GPUs the limits allow."""
    pairs = uses(price, limits)
    return min((math.floor(limit / own * (1 + 1e-12)) for own, limit in pairs), default=None)


def break_even(price: Price, prices: Prices) -> float | None:
    """Hours of use from which buying costs less than renting; infinite where renting never costs more."""
    if price.price_usd is None or price.rent_usd_per_hour is None:
        return None
    kwh = prices.usd_per_kwh or 0.0
    running = (price.power_w or 0.0) / 1000.0 * prices.power_factor * kwh
    saved = price.rent_usd_per_hour - running
    return price.price_usd / saved if saved > 0 else math.inf


def fleet_of(options: tuple[Option, ...], limits: Limits) -> tuple[Fleet | None, tuple[int, ...]]:
    """The best mix under the limits, and which options its kinds are.

    Raises
    ------
    RoofcastError : the limits do not allow a single GPU.
    """
    if not any(v is not None for v in (limits.budget_usd, limits.power_w, limits.rack_units)):
        return None, ()
    pairs = [uses(o.price, limits) for o in options]
    per_s = np.array([o.per_s for o in options])
    use = np.array([[own for own, _ in p] for p in pairs]).T
    most = np.array([limit for _, limit in pairs[0]])
    count = single_fleets(per_s, use, most)
    if not count.any():
        raise RoofcastError("the limits do not allow a single GPU: raise the budget, the power or the rack units")
    possible = np.flatnonzero(count > 0)
    keys = [per_s / use[r] for r in range(len(most))] + [per_s * count]
    wanted = {int(i) for key in keys for i in possible[np.argsort(-key[possible], kind="stable")][:KINDS_MIXED]}
    kinds = tuple(sorted(wanted))
    chosen = list(kinds)
    return best_fleet(per_s[chosen], use[:, chosen], most), kinds


def candidates(among: str | None, kernels: KernelTable, source: str | None) -> list[str | Processor]:
    """GPUs to rank: those named, else all GPUs of the catalog that the measured code runs on: the source's vendor's.

    Raises
    ------
    RoofcastError : an empty list; a source that is no GPU.
    """
    from roofcast.catalog import processors, split_targets
    from roofcast.models.sources import resolve_sources

    if among is None:
        vendors = {p.vendor for p in resolve_sources(kernels, source).processors}
        return [p for p in processors() if p.is_gpu and (not vendors or p.vendor in vendors)]
    named: list[str | Processor] = [*split_targets(among)]
    if not named:
        raise RoofcastError("--among: name at least one GPU")
    return named
