"""Why the worst forecasts are wrong: rules that look at a kernel's counters and name the cause with its evidence.

A rule says what is missing, not what is to blame: several may hold, the first ones are the more specific.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, Quantity, last_capacity_bytes
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.results import Conditions
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import rank_longest
from roofcast.models.physics.causes.fp64 import few_fp64
from roofcast.models.physics.model import FLOOR_DOMINATES, Mechanistic, Parts
from roofcast_evaluate.cases import Cases
from roofcast_evaluate.scores import Outcome, pair_weights

CAUSES_SHOWN = 2
"""Causes that a row names."""
ROOFS_SAY_LITTLE = 0.35
"""Share of the source time below which the slowest counted resource is not what limits."""

ROWS_MOST = 400
"""Pairs of one kernel that are looked at, evenly spread."""


@dataclass(frozen=True)
class Worst:
    """One kernel with a large part of the mean error."""

    kernel: str
    points: float
    """Percentage points of the mean error."""
    ratio: float
    """Median forecast over measurement."""
    causes: tuple[str, ...]
    """The most specific first, each with its evidence."""


@dataclass(frozen=True)
class Suspect:
    """The pairs of one kernel; arrays are (p,)."""

    name: str
    kernels: KernelTable
    sources: Machines
    targets: Machines
    parts: Parts
    measured_s: FloatArray
    forecast_s: FloatArray

    def typical(self, values: FloatArray) -> float:
        """Median of the values that are there; NaN where none is."""
        flat = np.asarray(values, dtype=np.float64).ravel()
        known = flat[np.isfinite(flat)]
        return float(np.median(known)) if len(known) else float("nan")

    def share(self, reason: str) -> float:
        """Typical share of the warps' time that they wait for a reason."""
        latency = self.kernels.column("warp_latency_cycles_per_inst")
        with quietly():
            return self.typical(self.kernels.column(f"stall_{reason}_per_inst") / latency)

    def of_both(self, quantity: Quantity) -> tuple[float, float]:
        """Least and largest value of a quantity over the GPUs of the pairs."""
        values = np.concatenate([self.sources.gather(quantity), self.targets.gather(quantity).ravel()])
        known = values[np.isfinite(values)]
        return (float(known.min()), float(known.max())) if len(known) else (float("nan"), float("nan"))

    @cached_property
    def counted(self) -> bool:
        """Whether its bytes are a profiler's."""
        return self.typical(self.parts.kernels.bytes_counted) > 0

    @cached_property
    def roofs_share(self) -> dict[Resource, float]:
        """Typical seconds of each resource over the source's execution."""
        with quietly():
            return {r: self.typical(v / self.parts.execution_s) for r, v in self.parts.roofs.source.items()}


def missing(s: Suspect) -> str:
    """No forecast at all."""
    count = int(np.isnan(s.forecast_s).sum())
    return f"no forecast for {count} of {len(s.forecast_s)} pairs" if count * 2 > len(s.forecast_s) else ""


def at_its_floor(s: Suspect) -> str:
    """The launch floor is most of the time."""
    with quietly():
        share = s.typical(s.parts.pair.floor_source_s[:, 0] / s.parts.kernels.time_s[:, 0])
    return f"at its launch floor: {format_percent(share, 0)} of the source time" if share > FLOOR_DOMINATES else ""


def fp64_hidden(s: Suspect) -> str:
    """The source has next to no FP64 units, the target has."""
    share = s.roofs_share.get(Resource.FLOPS_FP64, 0.0)
    few = (s.sources.gather(few_fp64) > 0) & (s.targets.gather(few_fp64).ravel() == 0)
    if few.mean() < 0.3 or not share > 0.05:
        return ""
    return f"a source without FP64 units hides what limits the target: FP64 is {format_percent(share, 0)} of its time"


def waits(reason: str, beyond: float, said: str) -> Callable[[Suspect], str]:
    """The rule that holds where warps wait for a reason more than a share of their time."""

    def rule(s: Suspect) -> str:
        """Warps wait."""
        share = s.share(reason)
        return said.format(format_percent(share, 0)) if share > beyond else ""

    return rule


def atomics(s: Suspect) -> str:
    """Atomics are many."""
    shares = s.kernels.extra.get("atomic_inst_frac")
    share = float("nan") if shares is None else s.typical(numbers(shares))
    if share > 0.01:
        return f"atomics dominate: {format_percent(share, 1)} of its instructions, contention not counted"
    per_s = s.typical(s.kernels.column(Resource.ATOMICS_L2.value) / s.kernels.column("time_s"))
    if per_s > 1e8:
        return f"atomics dominate: {per_s:.2g} per second, contention not counted"
    operations = s.kernels.extra.get("atomic_ops")
    count = float("nan") if operations is None else s.typical(numbers(operations))
    return f"atomics dominate: {count:.2g} per launch, no model of their addresses" if count > 0 else ""


def scattered(s: Suspect) -> str:
    """Few bytes of each sector are used, and DRAM is busy."""
    used, dram = s.typical(s.kernels.column("bytes_per_sector_load")), s.roofs_share.get(Resource.BYTES_DRAM, 0.0)
    if used < 14 and dram > 0.1:
        return f"scattered DRAM accesses: {used:.0f} of 32 bytes per sector are used; random rates are estimates"
    return ""


def few_blocks(s: Suspect) -> str:
    """Not all SMs have a block."""
    blocks, sms = s.typical(s.kernels.column("grid_blocks")), s.of_both("sm_count")
    return f"few blocks: {blocks:.0f} on {sms[0]:.0f} to {sms[1]:.0f} SMs" if blocks < sms[1] else ""


def library(s: Suspect) -> str:
    """A library's operator: the target may run another kernel."""
    if s.counted:
        return ""
    tensor = any(np.nansum(s.kernels.column(r.value)) > 0 for r in FLOPS_TENSOR)
    words = ("gemm", "bmm", "linear", "matmul", "conv", "attention", "prefill", "decode", "moe", "mla", "rnn", "lstm")
    operator = any(word in s.name.lower() for word in words) and "naive" not in s.name.lower()
    if not (tensor or (operator and np.isnan(s.kernels.column("regs_per_thread")).all())):
        return ""
    return "a library's operator: it picks another kernel on the target, and no counters say which"


def cache_between(s: Suspect) -> str:
    """Its data fit into the cache of one GPU and not of the other."""
    held = s.kernels.column("working_set_bytes")
    held = np.where(held > 0, held, s.kernels.column("bytes_compulsory"))
    size, caches = s.typical(held), s.of_both(last_capacity_bytes)
    if not s.counted and caches[0] < size < 1.5 * caches[1]:
        held_by = f"{caches[0] / 1e6:.0f} and {caches[1] / 1e6:.0f} MB"
        return f"its {size / 1e6:.0f} MB fit into one GPU's cache and not into the other's ({held_by})"
    return ""


def noisy(s: Suspect) -> str:
    """Repeated measurements scatter."""
    with quietly():
        spread = s.typical(s.kernels.column("time_std_s") / s.kernels.column("time_s"))
    return f"measurements scatter by {format_percent(spread, 0)}" if spread > 0.15 else ""


def source_text(s: Suspect) -> str:
    """Amounts come from the source text or the operator, not from counters."""
    if s.counted or s.typical(s.parts.kernels.time_alone) > 0:
        return ""
    origins = {int(o) for o in np.unique(s.kernels.origin_of(Resource.BYTES_DRAM.value))} - {int(Origin.ABSENT)}
    what = "are named by the source text" if origins else "are the least that the algorithm needs"
    return f"bytes {what}: reuse, tiles and conflicts are not counted"


def time_only(s: Suspect) -> str:
    """Nothing but the time is known."""
    return "only its time is known" if s.typical(s.parts.kernels.time_alone) > 0 else ""


def unexplained(s: Suspect) -> str:
    """The roofs say little."""
    slowest = max(s.roofs_share.items(), key=lambda item: np.nan_to_num(item[1]), default=None)
    if slowest is None or not slowest[1] < ROOFS_SAY_LITTLE:
        return ""
    named = f"{slowest[0].label}, the slowest, is {format_percent(slowest[1], 0)}"
    return f"no counted resource explains the source time ({named}): latency, or what no counter names"


def limit_moves(s: Suspect) -> str:
    """Another resource limits the target."""
    there = {r: s.typical(v) for r, v in s.parts.roofs.source.items()}
    here = {r: s.typical(v) for r, v in s.parts.roofs.target.items()}
    most = [max(side, key=lambda r: np.nan_to_num(side[r])) for side in (there, here) if side]
    if len(most) < 2 or most[0] is most[1]:
        return ""
    return f"the limit moves from {most[0].label} to {most[1].label}, of which the source says less"


def steady(s: Suspect) -> str:
    """What is left to say."""
    slowest = max(s.roofs_share.items(), key=lambda item: np.nan_to_num(item[1]), default=None)
    if slowest is None or not slowest[1] > 0:
        return "nothing counted tells why"
    share = format_percent(slowest[1], 0)
    return f"{slowest[0].label} is {share} of the source time: for this kernel its rate is not the catalog's"


RULES: dict[str, Callable[[Suspect], str]] = {
    "missing": missing, "floor": at_its_floor, "fp64": fp64_hidden,
    "constant cache": waits("imc_miss", 0.08, "constant cache not counted: warps wait {} of their time for it"),
    "atomics": atomics, "scattered": scattered, "library": library, "few blocks": few_blocks,

    "instruction fetch": waits("no_instruction", 0.2, "instruction cache not modelled: {} of the warps' time is fetch"),
    "barriers": waits("barrier", 0.25, "barriers: warps wait {} of their time for their block"),
    "cache between": cache_between, "noisy": noisy,
    "unexplained": unexplained, "time only": time_only, "limit moves": limit_moves, "source text": source_text,
    "steady": steady,
}  # fmt: skip
"""Rule -> what it says of a suspect, '' where it does not hold; the first that hold are shown."""


def numbers(values: NDArray[np.object_]) -> FloatArray:
    """A column of any kind as numbers; NaN where a cell is none."""

    def one(value: object) -> float:
        try:
            return float(str(value))
        except ValueError:
            return float("nan")

    return np.array([one(v) for v in values], dtype=np.float64)


def worst_kernels(outcome: Outcome, cases: Cases | None, count: int) -> list[Worst]:
    """The kernels with the largest part of the mean error, each with its causes where the pairs are at hand."""
    share = pair_weights(outcome.kernel, outcome.source_gpu, outcome.target_gpu) * outcome.errors()
    kernels, which = np.unique(outcome.kernel.astype(str), return_inverse=True)
    points = np.bincount(which, share, minlength=len(kernels)) * 100
    with quietly():
        ratio = outcome.time_s / outcome.time_s_measured
    worst = []
    for i in rank_longest(points, count):
        rows = which == i
        known = ratio[rows & np.isfinite(ratio)]
        typical = float(np.median(known)) if len(known) else float("nan")
        causes = () if cases is None else causes_of(cases, outcome, rows)
        worst.append(Worst(one_line(str(kernels[i]), 90), float(points[i]), typical, causes))
    return worst


def causes_of(cases: Cases, outcome: Outcome, rows: NDArray[np.bool_]) -> tuple[str, ...]:
    """What the rules say of one kernel's pairs: of those with more than the typical error."""
    error = outcome.errors()
    chosen = np.flatnonzero(rows & (error >= np.median(error[rows])))
    mask = np.zeros(len(cases), np.bool_)
    mask[chosen[:: max(1, -(-len(chosen) // ROWS_MOST))]] = True
    part = cases.select(mask)
    pair = (part.source_gpu[0], part.target_gpu[0], part.kernels.strings("kernel")[0])
    conditions = part.conditions(*pair) if part.floors_s else Conditions()
    parts = Mechanistic().parts(part.kernels, part.sources, part.targets, conditions)
    suspect = Suspect(
        str(pair[2]), part.kernels, part.sources, part.targets, parts, part.time_s_measured, outcome.time_s[mask]
    )
    return tuple(sentence for rule in RULES.values() if (sentence := rule(suspect)))[:CAUSES_SHOWN]
