"""Find bad measurements by rule, never by name: each finding says why a row is not to be trusted.

The limits are set so that sound public measurements raise no alarm (docs/accuracy.md). Amounts that come from
counters differ between GPUs for good reasons; the rules on amounts look at what the algorithm says instead.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, last_capacity_bytes
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.forecasting.sources import resolve_sources
from roofcast.formulas.values import combine
from roofcast.models.kernel_amounts import amounts_of
from roofcast_evaluate.cases import Index, codes

COMPUTE_EXCESS = 1.25
"""A rate may exceed the rated boost peak by what real clocks add, not by more."""

DRAM_EXCESS = 1.10
"""1; rates over DRAM's rated peak up to which they are plausible."""
CACHES_TO_EXCEED = 8.0
"""Bytes must be this many times the last cache before DRAM's peak binds them."""

WORK_RANGE = 16.0
"""1; factor by which the work of a kernel must grow before its time has to (R2)."""
TIME_GROWTH_LEAST = 1.5
"""1; factor by which the time then grows at least."""
TIME_SOUND_S = 20e-6
"""Times below this may be launch floors, which are constant for good reason."""

AMOUNT_TOLERANCE = 0.05
"""1; how far an algorithm's amount on one GPU may lie from the others' middle (R4)."""
SPREAD_MOST = 0.5
"""1; standard deviation of repeats over their mean beyond which the mean says little."""
WORK_STEP, TIME_FALL = 1.9, 1.6
SWEEP_MOST = 24
"""Configurations of a kernel that are sizes of one problem; more are shapes, of which larger ones may be faster."""

STREAMS = re.compile(r"(?:^|[/:_ ])(?:vector_?add|saxpy|daxpy|triad|stream_(?:copy|add|scale|triad))(?![a-z_])")
"""Names of kernels that do nothing but stream through memory."""
STREAM_SHARE = (0.5, 1.05)
"""Share of the theoretical bandwidth that a streaming kernel reaches, far beyond the caches and the launch floor."""
KERNELS_BAD = 0.5
"""A GPU of whose kernels this share is physically impossible is measured wrongly as a whole."""


@dataclass(frozen=True)
class Finding:
    """Why one row is rejected."""

    row: int
    rule: str
    reason: str


@dataclass(frozen=True)
class Context:
    """A table with what the rules look at; arrays are (n,)."""

    kernels: KernelTable
    kernel: Index
    gpu: Index
    config: Index
    time_s: FloatArray
    flops: FloatArray
    bytes_moved: FloatArray
    work: FloatArray
    """Growing measure of the work: FLOPs and bytes, whichever is there."""
    flops_per_s_peak: FloatArray
    bytes_per_s_peak: FloatArray
    capacity_bytes: FloatArray

    def groups(self, *keys: Index) -> Iterator[Index]:
        """Rows that share all keys."""
        joint = np.zeros(len(self.kernels), np.intp)
        for key in keys:
            joint = joint * (key.max(initial=0) + 1) + key
        order = np.argsort(joint, kind="stable")
        starts = np.flatnonzero(joint[order][1:] != joint[order][:-1]) + 1
        yield from (part for part in np.split(order, starts) if len(part))


def context_of(kernels: KernelTable) -> Context:
    """What the rules need of a table."""
    resolved = resolve_sources(kernels, None)
    machines = Machines.of(resolved.processors, resolved.index)
    amounts = amounts_of(kernels)
    flops = amounts.flops_total
    best = np.zeros(len(kernels))
    for pipe in FLOPS_VECTOR + FLOPS_TENSOR:
        if pipe in amounts.flops:
            best = np.fmax(best, np.where(amounts.flops[pipe] > 0, pipe_peak(machines, pipe), 0.0))
    moved = amounts.get(Resource.BYTES_DRAM)
    least = kernels.column("bytes_compulsory")
    moved = np.where(np.isnan(moved), least, moved)
    return Context(
        kernels,
        codes(kernels.strings("kernel")),
        codes(kernels.strings("gpu")),
        codes(kernels.strings("config")),
        kernels.column("time_s"),
        flops,
        moved,
        np.fmax(np.nan_to_num(flops), np.nan_to_num(moved)),
        best,
        machines.gather(dram_peak),
        machines.gather(last_capacity_bytes),
    )


def pipe_peak(machines: Machines, pipe: Resource) -> FloatArray:
    """(n,) the higher of measured and theoretical FLOP/s at boost; a library may use tensor pipes for a vector type."""
    rates = [machines.rate(pipe)]
    if pipe in (Resource.FLOPS_FP16, Resource.FLOPS_BF16):
        rates.append(machines.rate(Resource.FLOPS_TENSOR_FP16))
    return combine(np.fmax, [*rates, machines.spread(machines.columns.supply(pipe).peak_per_s)])


def dram_peak(p: Columns) -> FloatArray:
    """Theoretical DRAM bytes per second of processors."""
    supply = p.supply(Resource.BYTES_DRAM)
    return np.asarray(np.fmax(supply.peak_per_s, supply.per_s))


def above_a_roof(c: Context) -> Iterator[Finding]:
    """R1: more FLOP/s than the pipe has, or more bytes per second than DRAM has, far beyond the caches."""
    with quietly():
        compute = c.flops / c.time_s / c.flops_per_s_peak
        memory = c.bytes_moved / c.time_s / c.bytes_per_s_peak
    large = c.bytes_moved > CACHES_TO_EXCEED * c.capacity_bytes
    for row in np.flatnonzero(compute > COMPUTE_EXCESS):
        excess = f"{compute[row]:.2f} times the peak FLOP/s of its pipe"
        yield Finding(int(row), "R1", excess if np.isfinite(compute[row]) else "work of a pipe that the GPU has not")
    for row in np.flatnonzero((memory > DRAM_EXCESS) & large):
        yield Finding(int(row), "R1", f"{memory[row]:.2f} times the peak DRAM bandwidth")


def constant_time(c: Context) -> Iterator[Finding]:
    """R2: the work grows 16 times or more, and the time does not."""
    for rows in c.groups(c.kernel, c.gpu):
        work, time = c.work[rows], c.time_s[rows]
        most = work.max()
        small, large = (work > 0) & (work <= most / 32), work >= most / 4
        if most <= 0 or work[work > 0].min() * WORK_RANGE > most:
            continue
        if not small.any():
            small = work <= most / WORK_RANGE
        growth = np.median(time[large]) / np.median(time[small])
        if growth < TIME_GROWTH_LEAST and np.median(time[large]) > TIME_SOUND_S:
            grown = most / work[work > 0].min()
            for row in rows:
                yield Finding(int(row), "R2", f"the work grows {grown:.0f} times over its sizes, the time {growth:.2f}")


def twice_the_same(c: Context) -> Iterator[Finding]:
    """R3: the same configuration twice with exactly the same time; the first stays."""
    key = c.time_s.astype(np.float64)
    for rows in c.groups(c.kernel, c.config, c.gpu):
        if len(rows) > 1:
            seen: set[float] = set()
            for row in rows:
                value = float(key[row])
                if value in seen:
                    yield Finding(int(row), "R3", "the same row twice")
                seen.add(value)


def differing_amounts(c: Context) -> Iterator[Finding]:
    """R4: amounts of the algorithm that differ between GPUs for the same configuration; the minority is blamed."""
    for name, values in algorithm_amounts(c.kernels).items():
        for rows in c.groups(c.kernel, c.config):
            here = values[rows]
            known = rows[here > 0]
            if len(np.unique(c.gpu[known])) < 2:
                continue
            middle = float(np.median(values[known]))
            off = np.abs(values[known] / middle - 1) > AMOUNT_TOLERANCE
            if not off.any():
                continue
            blamed = known if off.sum() * 2 >= len(known) else known[off]
            for row in blamed:
                factor = values[row] / middle
                what = "another unit or another input" if off.sum() * 2 < len(known) else "inputs do not match"
                yield Finding(int(row), "R4", f"{name} is {factor:.3g} times the other GPUs' ({what})")


def algorithm_amounts(kernels: KernelTable) -> dict[str, FloatArray]:
    """Amounts that the algorithm fixes, not a cache or a compiler: not from counters."""
    names = ("flops", "bytes_compulsory", "working_set_bytes", *(r.value for r in FLOPS_VECTOR), "bytes_dram")
    amounts = {}
    for name in names:
        origin = kernels.origin_of(name)
        values = np.where(origin == Origin.COUNTED, np.nan, kernels.column(name))
        if (values > 0).any() and not counted_anything(kernels):
            amounts[name] = values
    if not amounts and not counted_anything(kernels):
        amounts = {n: kernels.column(n) for n in names if (kernels.column(n) > 0).any()}
    return amounts


def counted_anything(kernels: KernelTable) -> bool:
    """Whether the amounts are a profiler's."""
    source = kernels.extra.get("source_of_counts")
    if source is None:
        return bool((kernels.column("insts_executed") > 0).any() or (kernels.column("ipc_active") > 0).any())
    return any("ncu" in str(s).lower() or "nvprof" in str(s).lower() or "cupti" in str(s).lower() for s in set(source))


def wide_spread(c: Context) -> Iterator[Finding]:
    """R7: repeated measurements that scatter by half of their mean."""
    with quietly():
        spread = c.kernels.column("time_std_s") / c.time_s
    for row in np.flatnonzero(spread > SPREAD_MOST):
        yield Finding(int(row), "R7", f"the standard deviation is {spread[row]:.2f} of the mean")


def faster_with_more_work(c: Context) -> Iterator[Finding]:
    """R9: twice the work in much less time, in a sweep over sizes."""
    for rows in c.groups(c.kernel, c.gpu):
        known = rows[(c.work[rows] > 0) & (c.time_s[rows] > 0)]
        work = c.work[known]
        if not 2 <= len(known) <= SWEEP_MOST or len(np.unique(work)) < len(known):
            continue
        order = known[np.argsort(work)]
        for less, more in itertools.pairwise(order.tolist()):
            grown, fell = c.work[more] / c.work[less], c.time_s[less] / c.time_s[more]
            if grown >= WORK_STEP and fell >= TIME_FALL and c.time_s[less] > TIME_SOUND_S:
                why = f"{grown:.1f} times the work of another size in {1 / fell:.2f} of its time"
                yield Finding(int(more), "R9", why)
                yield Finding(int(less), "R9", f"slower than a size with {grown:.1f} times its work")


def streams_off_the_roof(c: Context) -> Iterator[Finding]:
    """R10: kernels that only stream, of known bytes, far from what the memory gives."""
    streams = np.array([bool(STREAMS.search(str(n).lower())) for n in c.kernels.strings("kernel")], np.bool_)
    with quietly():
        share = c.bytes_moved / c.time_s / c.bytes_per_s_peak
        light = c.flops < c.bytes_moved / 2
    large = (c.bytes_moved > CACHES_TO_EXCEED * c.capacity_bytes) & (c.time_s > TIME_SOUND_S)
    low, high = STREAM_SHARE
    for row in np.flatnonzero(streams & light & large & ((share < low) | (share > high))):
        yield Finding(int(row), "R10", f"a streaming kernel at {share[row]:.2f} of the theoretical bandwidth")


RULES: dict[str, Callable[[Context], Iterator[Finding]]] = {
    "R1": above_a_roof, "R2": constant_time, "R3": twice_the_same, "R4": differing_amounts, "R7": wide_spread,
    "R9": faster_with_more_work, "R10": streams_off_the_roof,
}  # fmt: skip


def screen(kernels: KernelTable) -> list[Finding]:
    """Every finding of every rule; where half of a GPU's kernels are impossible, all of its rows."""
    c = context_of(kernels)
    findings = [finding for rule in RULES.values() for finding in rule(c)]
    impossible = np.zeros(len(kernels), np.bool_)
    impossible[[f.row for f in findings if f.rule in ("R1", "R2")]] = True
    names = kernels.strings("gpu")
    for rows in c.groups(c.gpu):
        all_kernels, bad = np.unique(c.kernel[rows]), np.unique(c.kernel[rows[impossible[rows]]])
        if len(all_kernels) > 1 and len(bad) >= KERNELS_BAD * len(all_kernels):
            why = f"{len(bad)} of {len(all_kernels)} kernels of {names[rows[0]]} are physically impossible"
            findings += [Finding(int(row), "GPU", why) for row in rows]
    return findings


def accepted(kernels: KernelTable, findings: list[Finding]) -> NDArray[np.bool_]:
    """(n,) rows without a finding."""
    keep = np.ones(len(kernels), np.bool_)
    keep[[f.row for f in findings]] = False
    return keep


def sound_rows(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows that no rule finds fault with."""
    return accepted(kernels, screen(kernels))
