"""Which GPU for a workload: time, money, power, space; what is certain about the order, and what is not."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roofcast.analyses.sweeps.fleet import Fleet, best_fleet, single_fleets
from roofcast.analyses.sweeps.workload import weights_of
from roofcast.catalog.prices import Price, Prices
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.launch_totals import find_ends_of_targets, number_kernels
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions, Forecast
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.sources import resolve_target

SHARED_VARIANCE = 0.5
"""Part of the error's variance that forecasts for two GPUs of one architecture have in common (an assumption)."""
SHARED_ANYWHERE = 0.25
"""The same for any two GPUs: both start from one measurement (an assumption)."""
SURE = 0.9
"""Probability from which one GPU counts as faster than another."""
CELLS = 1_500_000
"""Kernels x GPUs that are forecast at once: some 250 MB."""
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
    low_outer_s: float = math.nan
    """If all kernels erred the same way."""
    high_outer_s: float = math.nan

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
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Of the forecasts, in words and numbers."""

    @property
    def fleet_high_s(self) -> float | None:
        """Seconds of one workload that the fleet shares evenly, at the upper ends of the intervals."""
        if self.fleet is None:
            return None
        kinds = zip(self.fleet.counts, self.fleet_kinds, strict=True)
        return 1.0 / sum(count / self.options[k].high_s for count, k in kinds if count)


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
    memory = limits.memory_bytes or memory_of(result.kernels)
    refusals = {j: why for j, p in enumerate(result.targets) if (why := find_refusal(p, memory, limits, prices.of(p)))}
    return rank_options(add_up_times([result], weights), refusals, memory, limits, prices)


def choose_among(
    kernels: KernelTable,
    among: Sequence[str | Processor],
    *,
    limits: Limits | None = None,
    prices: Prices | None = None,
    weights: Mapping[str, float] | None = None,
    **how: Any,
) -> Choice:
    """Rank GPUs for the whole workload, however many kernels it has: GPUs are forecast a few at a time.

    among : GPUs as :func:`roofcast.forecast` takes them. how : its other options.

    Raises
    ------
    RoofcastError : as :func:`choose` and ``forecast``.
    """
    limits, prices = limits or Limits(), prices or Prices()
    targets, prices = resolve_candidates(among, prices)
    memory = limits.memory_bytes
    if memory is None:
        # Of the rows that are forecast: those of other GPUs may have run other work.
        rows = {name: how[name] for name in ("source", "together") if name in how}
        memory = memory_of(prepare(kernels, (), conditions=Conditions(), sass="off", **rows).kernels)
    refusals = {j: why for j, p in enumerate(targets) if (why := find_refusal(p, memory, limits, prices.of(p)))}
    kept = [j for j in range(len(targets)) if j not in refusals]
    if not kept:
        raise none_left([refusals[j] for j in refusals], [targets[j].name for j in refusals])
    step = max(1, CELLS // max(len(kernels), 1))
    parts = (forecast(kernels, [targets[j] for j in kept[i : i + step]], **how) for i in range(0, len(kept), step))
    found = add_up_times(parts, weights)
    place = {j: i for i, j in enumerate([*kept, *refusals])}
    blank = np.full(len(refusals), np.nan)
    everything = dataclasses.replace(
        found,
        targets=(*found.targets, *(targets[j] for j in refusals)),
        totals=tuple(np.concatenate([t, blank]) for t in found.totals),
    )
    return rank_options(everything, {place[j]: why for j, why in refusals.items()}, memory, limits, prices)


@dataclass(frozen=True)
class Added:
    """The workload's seconds on each target."""

    targets: tuple[Processor, ...]
    totals: tuple[FloatArray, ...]
    """Seconds, lower and upper ends, lower and upper outer bounds, (m,) each; NaN
    where some kernel has no forecast that another target has."""
    usable: int
    """Kernels with a weight and a forecast somewhere."""
    missing: int
    """Kernels with a weight and no forecast anywhere."""
    rows: int
    coverage: float | None
    conditions: Mapping[str, Any] = field(default_factory=dict)
    """Of the forecasts, in words and numbers."""
    paged: bool = False
    """Whether pages of unified memory are in the seconds."""


PAGED = (
    "Unified memory moved pages: times are of kernels and pages together, their intervals hold the bounds by each "
    "GPU's link to the host."
)


def add_up_times(parts: Iterable[Forecast], weights: Mapping[str, float] | None) -> Added:
    """Sums over the kernels of forecasts of the same table on different targets.

    Raises
    ------
    RoofcastError : nothing can be forecast.
    """
    targets: list[Processor] = []
    sums: list[list[FloatArray]] = []
    counts, reason, coverage, paged = [], "", None, False
    told: Mapping[str, Any] = {}
    weight, on_any, kernel = np.zeros(0), np.zeros(0, np.bool_), np.zeros(0, np.intp)
    for result in (part.each_work_once() for part in parts):
        estimate = result.estimate
        if not targets:
            weight = weights_of(result.kernels, weights)
            on_any = np.zeros(len(weight), np.bool_)
            names = [s.name if s else "" for s in result.sources]
            kernel = number_kernels(result.kernels.strings("kernel"), names)
        known = np.isfinite(estimate.time_s)
        on_any |= known.any(axis=1)
        counts.append(known[weight > 0].sum(axis=0))
        time, low, high = (
            np.where(known, weight[:, None] * v, 0.0)
            for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)
        )
        ends = find_ends_of_targets(time, low, high, kernel)
        beside = estimate.pages.sums(weight) if estimate.pages is not None else (0.0, 0.0, 0.0)
        paged = paged or estimate.pages is not None
        found = [time.sum(axis=0), *ends, low.sum(axis=0), high.sum(axis=0)]
        sums.append([value + beside[k] for value, k in zip(found, (0, 1, 2, 1, 2), strict=True)])
        targets += result.targets
        reason = reason or next((str(r) for r in estimate.reasons.ravel() if r), "")
        coverage, told = estimate.coverage, result.conditions_told
    usable = on_any & (weight > 0)
    if not usable.any():
        raise RoofcastError(f"no kernel can be forecast: {reason or 'all weights are 0'}")
    whole = np.concatenate(counts) == usable.sum()
    totals = tuple(np.where(whole, np.concatenate(column), np.nan) for column in zip(*sums, strict=True))
    missing = int((~on_any & (weight > 0)).sum())
    return Added(tuple(targets), totals, int(usable.sum()), missing, len(weight), coverage, told, paged)


def rank_options(
    found: Added, refusals: Mapping[int, str], memory: float | None, limits: Limits, prices: Prices
) -> Choice:
    """The ranking of what was added up; ``refusals`` : position -> why a target is not ranked."""
    why = {
        j: refusals.get(j) or ("" if found.totals[0][j] > 0 else "lacks a supply that some kernel needs")
        for j in range(len(found.targets))
    }
    left_out = [(found.targets[j].name, reason) for j, reason in why.items() if reason]
    order = [j for j, reason in why.items() if not reason]
    if not order:
        raise none_left([r for _, r in left_out], [n for n, _ in left_out])
    order.sort(key=lambda j: (float(found.totals[0][j]), found.targets[j].name))
    options = options_of(found, order, limits, prices)
    fleet, kinds = fleet_of(options, limits)
    notes = [PAGED] if found.paged else []
    if found.missing:
        notes.append(f"{found.missing} of {found.rows} kernels cannot be forecast and are left out")
    if prices.note:
        notes.append(prices.note)
    if memory is None:
        notes.append("Memory is not compared: the profile names no working set (state one with --memory 40GB).")
    return Choice(
        options, limits, found.coverage or float("nan"), found.usable, memory, fleet, kinds, tuple(left_out),
        tuple(notes), found.conditions,
    )  # fmt: skip


def none_left(reasons: Sequence[str], names: Sequence[str]) -> RoofcastError:
    """What to say where no GPU is ranked: the commonest reason, with an example."""
    reason, count = Counter(reasons).most_common(1)[0]
    name = one_line(names[list(reasons).index(reason)], 60)
    others = "" if len(reasons) == 1 else f" (as {count} of {len(reasons)})"
    return RoofcastError(
        f"no GPU is left to choose from: {name} {reason}{others}; loosen the limit, or name others with --among"
    )


def memory_of(kernels: KernelTable) -> float | None:
    """Bytes that the largest kernel surely touches, where the profile says."""
    columns = [kernels.column(name) for name in ("working_set_bytes", "bytes_compulsory")]
    found = max((float(np.nanmax(c)) for c in columns if np.isfinite(c).any()), default=0.0)
    return found or None


def find_refusal(p: Processor, memory: float | None, limits: Limits, price: Price) -> str:
    """Why a GPU is not ranked, whatever its times; '' where nothing speaks against it."""
    if memory is not None and p.capacity_bytes_dram is None:
        return "has an unknown memory size"
    if memory is not None and (p.capacity_bytes_dram or 0.0) < memory:
        return "has too little memory"
    if limits.budget_usd is not None and price.price_usd is None:
        return "has no price: state one with --prices"
    if limits.power_w is not None and price.power_w is None:
        return "has no known power: state power_w with --prices"
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


def options_of(found_sums: Added, order: Sequence[int], limits: Limits, prices: Prices) -> tuple[Option, ...]:
    """The ranked GPUs with everything said about each."""
    coverage = found_sums.coverage or 0.9
    found: list[Option] = []
    targets = [found_sums.targets[j] for j in order]
    totals = [t[list(order)] for t in found_sums.totals]
    spreads = [(float(t), sigma(float(lo), float(hi), coverage)) for t, lo, hi in zip(*totals[:3], strict=True)]
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
        time, low, high, *outer = (float(t[i]) for t in totals)
        price = prices.of(target)
        found.append(
            Option(
                target, price, time, low, high, found_sums.usable, group, beats, fits_of(price, limits),
                None if limits.deadline_s is None else price.gpus * math.ceil(high / limits.deadline_s / price.gpus),
                break_even(price, prices), *outer,
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
    whole = (price.gpus * math.floor(limit / own / price.gpus * (1 + 1e-12)) for own, limit in pairs)
    return min(whole, default=None)


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


def resolve_candidates(among: Sequence[str | Processor], prices: Prices) -> tuple[list[Processor], Prices]:
    """The processors to rank, each once, and their prices; an instance goes by its name and comes as a whole."""
    from roofcast.catalog.instances import find_instance

    found: dict[tuple[str, str], Processor] = {}
    for asked in among:
        p = resolve_target(asked).processor
        instance = find_instance(asked) if isinstance(asked, str) else None
        if instance is not None:
            p = dataclasses.replace(p, name=f"{instance.name} ({instance.count} x {p.name})")
            prices = prices.of_instance(instance, p)
        found.setdefault((p.key, p.name), p)
    return list(found.values()), prices


def candidates(among: str | None, kernels: KernelTable, source: str | Processor | None) -> list[str | Processor]:
    """GPUs to rank: those named, else all GPUs of the catalog that the measured code runs on: the source's vendor's.

    Raises
    ------
    RoofcastError : an empty list; a source that is no GPU.
    """
    from roofcast.catalog import processors, split_targets
    from roofcast.forecasting.sources import resolve_sources

    if among is None:
        vendors = {p.vendor for p in resolve_sources(kernels, source).processors}
        return [p for p in processors() if p.is_gpu and (not vendors or p.vendor in vendors)]
    named: list[str | Processor] = [*split_targets(among)]
    if not named:
        raise RoofcastError("--among: name at least one GPU")
    return named
