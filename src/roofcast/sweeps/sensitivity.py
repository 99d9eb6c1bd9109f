"""What more of each resource would help: elasticities, smallest changes, limits over a space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import columns_of
from roofcast.core.processor import RATES, SUPPLIES, Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import LABELS
from roofcast.core.results import largest
from roofcast.sweeps.designs import find_longest
from roofcast.sweeps.space import FP64_SHARE, POWER_CAP, Space, base_values, change_processor, is_count
from roofcast.sweeps.workload import Workload

STEP, COUNT_STEP = 0.01, 0.05
ALWAYS = ("sm", "clock", "l2")
SAMPLED = 256
"""Processors of a space that limits are counted on."""
STRETCH = 16.0
"""How far beyond the base one parameter is changed to reach a goal."""


@dataclass(frozen=True)
class Elasticity:
    """Per cent less time per per cent more of a resource, at the base."""

    key: str
    label: str
    per_kernel: FloatArray
    """(n,)"""
    total: float
    low: float
    """Ends of the interval of the total (:func:`draw_elasticities`)."""
    high: float


def resources_of(space: Space) -> list[str]:
    """Keys whose elasticity is of interest: what the base supplies, and the space's axes."""
    known = base_values(space.base)
    others = [r.supply for r in space.base.supplies if r not in RATES.values()]
    keys = [k for k in (*ALWAYS, *RATES, *others) if k in known]
    return list(dict.fromkeys([*keys, *(a.key for a in space.axes if a.key in known)]))


def label_of(key: str) -> str:
    """A key for people."""
    named = {"sm": "SMs", "clock": "SM clock", "l2": "L2 size", "dram_size": "DRAM size", "l1": "L1 size"}
    resource = RATES.get(key) or SUPPLIES.get(key)
    if resource is not None:
        return f"{LABELS[resource]} rate"
    return named.get(key, key.replace("_", " "))


def steps_of(key: str, own: float) -> tuple[float, float]:
    """The values of a resource between which its elasticity is the slope.

    Counts (SMs) move by 5 % to either side: from one SM to the next the number of waves jumps, and with it the slope.
    """
    if not is_count(key):
        return own, own * (1.0 + STEP)
    away = max(1.0, round(COUNT_STEP * own))
    return max(1.0, own - away), own + away


def elasticities(work: Workload, space: Space) -> list[Elasticity]:
    """Per cent by which the time falls with 1 % more of each resource; largest first."""
    keys = resources_of(space)
    per_kernel, total = find_slopes(work, [space.base], keys)
    low, high = draw_elasticities(work.select(find_longest(work)), space.base, keys)
    listed = [
        # The draws are of the longest kernels alone: their ends are ways from the middle.
        Elasticity(key, label_of(key), per_kernel[0, k], float(total[0, k]), float(total[0, k] + low[k]),
                   float(total[0, k] + high[k]))
        for k, key in enumerate(keys)
    ]  # fmt: skip
    return sorted(listed, key=lambda e: -abs(e.total))


def find_slopes(work: Workload, bases: Sequence[Processor], keys: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Elasticities at bases, (bases, keys, n) of each kernel and (bases, keys) of all together."""
    targets, widths = [], []
    for base in bases:
        known = base_values(base)
        steps = [steps_of(k, known[k]) for k in keys]
        widths.append([np.log(high / low) for low, high in steps])
        targets += [
            change_processor(base, {k: v}) if v != known[k] else base
            for k, pair in zip(keys, steps, strict=True)
            for v in pair
        ]
    time = work.estimate(columns_of(targets)).time_s.reshape(len(work), len(bases), len(keys), 2)
    total = np.nansum(work.weights[:, None, None, None] * time, axis=0)
    step = np.array(widths)
    with quietly():
        of_kernels = -np.log(time[..., 1] / time[..., 0]) / step
        return np.moveaxis(of_kernels, 0, -1), -np.log(total[..., 1] / total[..., 0]) / step


DRAWN, UNSURE_LEAST = 24, 0.03
"""Draws of a base whose ceilings are other ones; and the least that a ceiling is uncertain by."""


def draw_elasticities(work: Workload, base: Processor, keys: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """(keys,) ways from the elasticities to the ends of their intervals, which hold 90 %.

    Reason: how much a resource helps depends on the others' ceilings. Each draw has a base with all ceilings off by
    their uncertainty in the catalog, at least :data:`UNSURE_LEAST`, and the slopes are taken there again.
    """
    draw, known = np.random.default_rng(0), base_values(base)
    unsure = {
        key: max(supply.relative_uncertainty, UNSURE_LEAST)
        for key, resource in RATES.items()
        if key in known and (supply := base.supply(resource)) is not None
    }
    bases = [
        change_processor(base, {k: known[k] * float(np.exp(u * draw.standard_normal())) for k, u in unsure.items()})
        for _ in range(DRAWN)
    ]
    _, total = find_slopes(work, [base, *bases], keys)
    low, high = np.nanquantile(total[1:], (0.05, 0.95), axis=0) - total[0]
    return np.minimum(low, 0.0), np.maximum(high, 0.0)


@dataclass(frozen=True)
class Change:
    """The least of one parameter that reaches the goal alone."""

    key: str
    base: float
    value: float | None
    """None where no value up to the limit reaches it."""
    speedup: float
    """Reached there, or at the limit."""


def smallest_changes(work: Workload, space: Space) -> list[Change]:
    """Per axis the least value that alone reaches the goal, by bisection to 0.1 %."""
    if space.goal is None:
        raise RoofcastError("no goal: write goal = 1.5 (a speed-up over the base) into the space")
    known = base_values(space.base)
    return [
        bisected(work, space.base, a.key, known[a.key], max(float(a.levels[-1]), known[a.key] * STRETCH), space.goal)
        for a in space.axes
        if a.key in known and a.key not in (FP64_SHARE, POWER_CAP)
    ]


def bisected(work: Workload, base: Processor, key: str, own: float, most: float, goal: float) -> Change:
    """The least value of one parameter between the base's and ``most``."""

    def speedups(values: list[float]) -> FloatArray:
        tried = [round(v) if is_count(key) else v for v in values]
        varied = [change_processor(base, {key: float(v)}) for v in tried]
        time = work.estimate(columns_of([base, *varied])).time_s
        total = np.nansum(work.weights[:, None] * time, axis=0)
        return np.asarray(total[0] / total[1:])

    end = float(speedups([most])[0])
    if end < goal:
        return Change(key, own, None, end)
    low, high, reached = own, most, end
    while high / low > 1.001 and not (is_count(key) and high - low <= 1):
        # Several values at once cost hardly more than one.
        tried = np.geomspace(low, high, 10)[1:-1]
        tried = np.unique(np.round(tried)) if is_count(key) else tried
        tried = tried[(tried > low) & (tried < high)]
        if not len(tried):
            break
        gains = speedups(tried.tolist())
        good = np.flatnonzero(gains >= goal)
        if len(good):
            high, reached = float(tried[good[0]]), float(gains[good[0]])
            low = float(tried[good[0] - 1]) if good[0] else low
        else:
            low = float(tried[-1])
    return Change(key, own, high, reached)


def limits_over(work: Workload, space: Space, seed: int = 0) -> dict[str, float]:
    """Limit -> share of the weighted time over a sample of the space's feasible processors."""
    draw = np.random.default_rng(seed)
    levels = np.stack([draw.integers(0, n, 8 * SAMPLED) for n in space.shape])
    levels = levels[:, space.feasible(levels)][:, :SAMPLED]
    if not levels.shape[1]:
        return {}
    estimate = work.estimate(space.columns(levels))
    names = largest(estimate.time_s_by_resource_target, estimate.time_s.shape)
    spent = np.nan_to_num(work.weights[:, None] * estimate.time_s)
    known = {str(n) for n in names[names != np.array(None)].ravel()}
    shares = {n: float(spent[names == n].sum()) for n in sorted(known)}
    whole = float(spent.sum()) or 1.0
    return dict(sorted(((n, v / whole) for n, v in shares.items()), key=lambda x: -x[1]))
