"""The hierarchical roofline with kernel-specific ceilings, projected onto another GPU, as published.

The paper: [VanLanker2024]. Equations: :mod:`roofcast.formulas.roofline`.

What the text leaves open is settled so: the point forecast is the midpoint of the interval of times; negative hit
bytes are 0; the bytes that traverse a level are the hit bytes of the level and of all below it, in the intensity as
in the ceiling.
Unlike the paper, whose kernels are of one precision, a kernel of several has the weighted harmonic mean of their
ceilings (their times add, as bytes of several levels do in Eq. 6).
Unlike Eq. 3, the share of active lanes travels, not their number: a target may have wider warps. Matrix units have
no such ceiling.
Unlike the paper, a kernel without FLOPs is projected in bytes per second, and one whose bytes are counted at some
levels only by those levels.
The target's intensity is the source's unless changes of the amounts are given (Sec. 4.2: other code on the target).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column, positive
from roofcast.core.records import dataclass
from roofcast.core.remarks import Remarks
from roofcast.core.resource import FLOPS_VECTOR, Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas import roofline
from roofcast.models.kernel_amounts import Amounts, active_fraction, amounts_of, reasons_of
from roofcast.models.promises import keeps_promises
from roofcast.models.published.supplies import add_mul_rate, dram_rates, seconds_by_resource

LEVELS = (Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)
"""Memory levels of the three projections, nearest to the SM first."""


@dataclass(frozen=True)
class Levels:
    """Bytes of n kernels per memory level, each (n, 1)."""

    hit: dict[Resource, FloatArray]
    """Bytes that the level serves itself; NaN where its traffic was not counted. Shared memory stands beside L1."""
    wavefront_bytes: FloatArray
    """Useful bytes per pass of shared memory; 128 without conflicts."""


@dataclass(frozen=True)
class Ceilings:
    """Kernel-specific ceilings and points of n kernels on one machine each, for rooflines; every array is (n,)."""

    flops: FloatArray
    """FLOP; 0 where none were counted."""
    flops_per_s: FloatArray
    """Eq. 3: instruction mix and idle lanes; NaN without FLOPs."""
    flops_per_s_mix: FloatArray
    """Eq. 2: instruction mix alone."""
    flops_per_s_peak: FloatArray
    """Every instruction an FMA with all lanes."""
    bytes_per_s: dict[Resource, FloatArray]
    """Eq. 6-8 per level."""
    bytes_traversing: dict[Resource, FloatArray]
    """N+ per level."""
    flops_per_byte: dict[Resource, FloatArray]
    """Eq. 10 per level."""
    theory: Ceilings | None = None
    """The same with theoretical rates, which neither power nor the kind of access lowers, and levels that overlap."""


class VanLanker:
    """Three projections (L1, L2, DRAM) that keep the share of the kernel's own roof; the interval holds all three."""

    name = "van_lanker"
    summary = "hierarchical roofline with kernel-specific ceilings, as published (Van Lanker et al., Euro-Par 2024)"
    is_physics = True
    is_published = True

    @keeps_promises
    # Damaged counters may overflow; what is not a finite time is left out below.
    @quietly(overflow=True)
    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets (see :class:`roofcast.models.base.Model`)."""
        amounts = amounts_of(kernels)
        lanes = active_fraction(kernels, sources, Remarks(len(kernels)))[:, None]
        source = column(sources)
        dram_s, dram_t = dram_rates(amounts, source, targets)
        roof_s, roof_t = (RoofParts(amounts, m, rate, lanes) for m, rate in ((source, dram_s), (targets, dram_t)))
        time_s = kernels.column("time_s")
        low, high = project(
            amounts, positive(time_s)[:, None], roof_s, roof_t, shape_of(targets, len(kernels)), changes
        )
        known = (low > 0) & (high < np.inf)
        low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
        return Estimate(
            time_s=low + (high - low) / 2,
            time_low_s=low,
            time_high_s=high,
            coverage=None,
            time_s_by_resource_source=flat(
                seconds_by_resource(amounts, source, dram_rates(amounts, source, source)[0])
            ),
            time_s_by_resource_target=seconds_by_resource(amounts, targets, dram_t, changes),
            reasons=reasons_of(amounts, time_s, sources, np.isnan(low)),
            assumed=assumed(kernels, amounts, sources).rows(),
            notes=notes(amounts, targets, conditions).rows(),
        )


class RoofParts:
    """Supplies of one side that the roofs of Eq. 1-8 are made of, broadcastable to (n, m)."""

    def __init__(
        self, amounts: Amounts, machines: Machines, dram_rate: FloatArray, lanes: FloatArray, *, theory: bool = False
    ) -> None:
        """Sustained supplies, or in ``theory`` what clocks, units and pins allow, whatever power and access are."""

        def most(r: Resource) -> FloatArray:
            return positive(machines.rate(r) * (headroom(machines, r) if theory else 1.0))

        self.bytes_per_s = {r: most(r) for r in (*LEVELS[:2], Resource.BYTES_SHARED)}
        dram_rate = positive(dram_rate)
        self.bytes_per_s[Resource.BYTES_DRAM] = np.fmax(dram_rate, most(Resource.BYTES_DRAM)) if theory else dram_rate
        self.flops_per_s_peak = {r: most(r) for r in amounts.flops}
        self.flops_per_s_mix = dict(self.flops_per_s_peak)
        for r, alpha in amounts.fma_fraction.items():
            plain = positive(add_mul_rate(machines, r))
            self.flops_per_s_mix[r] = roofline.flops_per_s_of_mix(
                self.flops_per_s_peak[r], plain, alpha[:, None], 1 - alpha[:, None]
            )
        self.flops_per_s = {
            r: roofline.flops_per_s_with_idle_lanes(v, lanes) if r in FLOPS_VECTOR else v
            for r, v in self.flops_per_s_mix.items()
        }


def headroom(machines: Machines, resource: Resource) -> FloatArray:
    """Theoretical rate over the sustained one, at least 1; 1 where the catalog knows no theory."""
    s = machines.columns.supply(resource)
    with quietly():
        return machines.spread(np.fmax(s.theory_per_s / s.per_s, 1.0))


def project(
    amounts: Amounts, time_s: FloatArray, source: RoofParts, target: RoofParts, shape: tuple[int, int],
    changes: AmountChanges | None = None,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """(n, m) shortest and longest of the projected times (Eq. 9); NaN where nothing can be projected."""
    levels = levels_of(amounts)
    levels_t = levels if changes is None else levels_of(amounts, changes)
    flops = amounts.flops_total[:, None]
    flops_t = amounts.flops_total_on_target(changes)
    peak_s, peak_t = compute_roofs(amounts, source, target, changes)
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    with quietly():
        for roofs in memory_roofs(levels, source, target, levels_t):
            work = np.where(flops > 0, flops, roofs.bytes_traversing)
            work_t = np.where(flops > 0, flops_t, roofs.bytes_traversing_target)
            at_s, at_t = (
                # A level that no byte traverses (all hits above it) leaves the compute roof alone.
                roofline.attainable_flops_per_s(
                    np.where(moved > 0, bw, np.inf), roofline.operational_intensity(done, moved), peak
                )
                for moved, bw, done, peak in (
                    (roofs.bytes_traversing, roofs.source_bytes_per_s, work, peak_s),
                    (roofs.bytes_traversing_target, roofs.target_bytes_per_s, work_t, peak_t),
                )
            )
            projected = work_t / roofline.projected_flops_per_s(work / time_s, at_s, at_t)
            projected = np.where(counted(levels, roofs.level), projected, np.nan)
            low, high = np.fmin(low, projected), np.fmax(high, projected)
        faster = (peak_s / peak_t) * np.where(flops > 0, flops_t / flops, 1.0)
        compute = np.where((flops > 0) & np.isfinite(peak_s), time_s * faster, np.nan)
    none = np.isnan(low)
    return np.where(none, compute, low), np.where(none, compute, high)


def levels_of(amounts: Amounts, changes: AmountChanges | None = None) -> Levels:
    """Hit bytes per level; a level that was not counted is passed over, its bytes count as hits of the one above."""
    l1, l2, dram = (amounts.get(r)[:, None] for r in LEVELS)
    if changes is not None:
        l1 = changes.on_target(Resource.BYTES_L1, l1)
    below_l2 = np.nan_to_num(dram, nan=0.0)
    hit = {
        Resource.BYTES_L1: roofline.bytes_hit(l1, np.where(np.isnan(l2), below_l2, l2)),
        Resource.BYTES_L2: roofline.bytes_hit(l2, below_l2),
        Resource.BYTES_DRAM: dram,
    }
    spent, useful = amounts.get(Resource.BYTES_SHARED)[:, None], amounts.bytes_shared_useful[:, None]
    hit[Resource.BYTES_SHARED] = np.where(np.isnan(spent), np.nan, useful)
    with quietly():
        per_pass = useful / (spent / roofline.BYTES_PER_WAVEFRONT_MAX)
    return Levels(hit, np.where(per_pass > 0, per_pass, roofline.BYTES_PER_WAVEFRONT_MAX))


def counted(levels: Levels, level: Resource) -> NDArray[np.bool_]:
    """(n, 1) whether the traffic of a level was counted."""
    return ~np.isnan(levels.hit[level])


def level_time_s(levels: Levels, level: Resource, side: RoofParts) -> FloatArray:
    """Seconds for the hit bytes of a level (Eq. 4), or for shared memory with its conflicts (Eq. 5)."""
    rate = side.bytes_per_s[level]
    if level is Resource.BYTES_SHARED:
        return roofline.shared_transfer_time_s(levels.hit[level], levels.wavefront_bytes, rate)
    return roofline.transfer_time_s(levels.hit[level], rate)


@dataclass(frozen=True)
class LevelTimes:
    """Hit bytes of one level and the seconds that they take on both sides; 0 where one side does not know the level."""

    hit: FloatArray
    hit_target: FloatArray
    time_source_s: FloatArray
    time_target_s: FloatArray
    known: NDArray[np.bool_]


@dataclass(frozen=True)
class MemoryRoofs:
    """What traverses one level, and its bandwidth ceilings on both sides (Eq. 6-8); NaN where the level is absent."""

    level: Resource
    bytes_traversing: FloatArray
    bytes_traversing_target: FloatArray
    source_bytes_per_s: FloatArray
    target_bytes_per_s: FloatArray


def known_times(levels: Levels, source: RoofParts, target: RoofParts, levels_t: Levels) -> dict[Resource, LevelTimes]:
    """Per level that some kernel uses; a level whose bandwidth one side does not know is absent on both."""
    times: dict[Resource, LevelTimes] = {}
    for level in (*LEVELS, Resource.BYTES_SHARED):
        hit, hit_t = levels.hit[level], levels_t.hit[level]
        time_s, time_t = level_time_s(levels, level, source), level_time_s(levels_t, level, target)
        known = ~np.isnan(time_s + time_t)
        if known.all():
            times[level] = LevelTimes(hit, hit_t, time_s, time_t, known)
        elif known.any():
            masked = [np.where(known, values, 0.0) for values in (hit, hit_t, time_s, time_t)]
            times[level] = LevelTimes(masked[0], masked[1], masked[2], masked[3], known)
    return times


def memory_roofs(
    levels: Levels, source: RoofParts, target: RoofParts, levels_t: Levels | None = None
) -> list[MemoryRoofs]:
    """Ceilings of each level that some kernel can be projected by; L1 includes shared memory.

    levels_t : the bytes on the target where its code moves others.
    """
    times = known_times(levels, source, target, levels_t or levels)
    roofs = []
    for position, level in enumerate(LEVELS):
        if level not in times:
            continue
        parts = [times[r] for r in LEVELS[position:] if r in times]
        if level is Resource.BYTES_L1 and Resource.BYTES_SHARED in times:
            parts.insert(1, times[Resource.BYTES_SHARED])
        hits = [p.hit for p in parts]
        roof_s = roofline.bytes_per_s_ceiling(hits, [p.time_source_s for p in parts])
        hits_t = [p.hit_target for p in parts]
        roof_t = roofline.bytes_per_s_ceiling(hits_t, [p.time_target_s for p in parts])
        if not (known := times[level].known).all():
            roof_s, roof_t = np.where(known, roof_s, np.nan), np.where(known, roof_t, np.nan)
        roofs.append(MemoryRoofs(level, roofline.total(hits), roofline.total(hits_t), roof_s, roof_t))
    return roofs


def compute_roofs(
    amounts: Amounts, source: RoofParts, target: RoofParts, changes: AmountChanges | None = None
) -> tuple[FloatArray, FloatArray]:
    """Compute ceilings of both sides over all precisions (Eq. 2, 3); infinite where a kernel has no FLOPs.

    A precision whose ceiling one side does not know is left out on both.
    """
    inf = np.full((1, 1), np.inf)
    if not amounts.flops:
        return inf, inf
    times: list[tuple[FloatArray, FloatArray]] = []
    for r, flops in amounts.flops.items():
        there = flops[:, None] if changes is None else changes.on_target(r, flops[:, None])
        pair = [flops[:, None] / source.flops_per_s[r], there / target.flops_per_s[r]]
        both = ~np.isnan(pair[0] + pair[1])
        times.append((np.where(both, pair[0], 0.0), np.where(both, pair[1], 0.0)))
    total = amounts.flops_total[:, None]
    totals = (total, amounts.flops_total_on_target(changes))
    sums = [roofline.total([t[side] for t in times]) for side in (0, 1)]
    with quietly():
        source_roof, target_roof = (np.where(s > 0, t / s, np.inf) for t, s in zip(totals, sums, strict=True))
    return source_roof, target_roof


def ceilings_of(kernels: KernelTable, amounts: Amounts, machines: Machines) -> Ceilings:
    """Kernel-specific ceilings of n kernels, each on its machine (index and clocks (n,)): what a roofline shows.

    amounts : of the kernels there.
    """
    here = column(machines)
    lanes = active_fraction(kernels, machines, Remarks(len(kernels)))[:, None]
    dram = dram_rates(amounts, here, here)[0]
    return make_ceilings(
        amounts, RoofParts(amounts, here, dram, lanes),
        make_ceilings(amounts, RoofParts(amounts, here, dram, lanes, theory=True)),
    )  # fmt: skip


@quietly()
def overlap(levels: Levels, found: Sequence[MemoryRoofs], side: RoofParts) -> dict[Resource, FloatArray]:
    r"""(n, 1) B/s per level where all levels move bytes at the same time.

    .. math:: B_\ell = N^+_\ell / \max_{k \ge \ell} (N^+_k / b_k)

    N+ : bytes that traverse a level. b : its rate. Shared memory counts by its own time, beside L1. Reason: Eq. 6 adds
    the times of the levels, as if one waited for the other; a kernel with many loads in flight does not wait, and only
    the slowest level bounds it.
    """
    slowest, rates = np.zeros((1, 1)), {}
    for roof in reversed(found):
        moved = roof.bytes_traversing
        if roof.level is Resource.BYTES_L1:
            beside_s = level_time_s(levels, Resource.BYTES_SHARED, side)
            slowest = np.fmax(slowest, beside_s)
            moved = moved - np.where(np.isnan(beside_s), 0.0, levels.hit[Resource.BYTES_SHARED])
        slowest = np.fmax(slowest, moved / side.bytes_per_s[roof.level])
        rates[roof.level] = np.where(np.isnan(roof.source_bytes_per_s), np.nan, roof.bytes_traversing / slowest)
    return rates


def make_ceilings(amounts: Amounts, side: RoofParts, theory: Ceilings | None = None) -> Ceilings:
    """Ceilings from the supplies of one side. theory : see :class:`Ceilings`; None where it is this itself."""
    flops = amounts.flops_total

    def combined(rates: dict[Resource, FloatArray]) -> FloatArray:
        with quietly():
            times = [np.nan_to_num(work[:, None] / rates[r], nan=0.0)[:, 0] for r, work in amounts.flops.items()]
            return np.asarray(flops / sum(times)) if times else np.full(len(flops), np.nan)

    levels = levels_of(amounts)
    roofs = memory_roofs(levels, side, side)
    traversing = {f.level: f.bytes_traversing[:, 0] for f in roofs}
    rates = {f.level: f.source_bytes_per_s for f in roofs} if theory is not None else overlap(levels, roofs, side)
    return Ceilings(
        flops=flops,
        flops_per_s=combined(side.flops_per_s),
        flops_per_s_mix=combined(side.flops_per_s_mix),
        flops_per_s_peak=combined(side.flops_per_s_peak),
        bytes_per_s={level: rate[:, 0] for level, rate in rates.items()},
        bytes_traversing=traversing,
        flops_per_byte={level: roofline.operational_intensity(flops, total) for level, total in traversing.items()},
        theory=theory,
    )


def assumed(kernels: KernelTable, amounts: Amounts, sources: Machines) -> Remarks:
    """What the model fills in: with FLOPs also the state of the lanes; which levels were not counted."""
    remarks = Remarks(amounts.remarks.size, list(amounts.remarks.entries))
    lanes = Remarks(remarks.size)
    active_fraction(kernels, sources, lanes)
    for rows, text in lanes.entries:
        remarks.add(rows & (amounts.flops_total > 0), text)
    return remarks


def notes(amounts: Amounts, targets: Machines, conditions: Conditions) -> Remarks:
    """What a reader must know: the projections that are missing, and why."""
    remarks = Remarks(amounts.remarks.size)
    known = {r: ~np.isnan(amounts.get(r)) for r in LEVELS}
    some = np.any(list(known.values()), axis=0)
    flops = amounts.flops_total > 0
    for level, rows in known.items():
        remarks.add(some & ~rows, f"no {level.label} bytes: projected by the other levels")
    remarks.add(some & ~flops, "no FLOPs: projected in bytes per second")
    remarks.add(flops & ~some, "no bytes at any level: projected by the compute ceiling alone")
    for r, work in amounts.by_resource.items():
        if r in amounts.flops or r in LEVELS:
            without = [p.name for p in targets.processors if p.supply(r) is None]
            text = f"no known supply of {r.label} on {', '.join(without)}: that roof is left out there"
            remarks.add((work > 0) & bool(without), text)
    if conditions.launch_floor_s is not None:
        remarks.add(np.ones(remarks.size, np.bool_), "this model has no launch floor: the given one is not used")
    if conditions.cache != "auto":
        remarks.add(np.ones(remarks.size, np.bool_), "this model has no caches: their state is not used")
    return remarks


def shape_of(targets: Machines, kernels: int) -> tuple[int, int]:
    """(n, m)."""
    return kernels, targets.index.shape[-1]


def flat(by_resource: dict[Resource, FloatArray]) -> dict[Resource, FloatArray]:
    """(n, 1) arrays as (n,)."""
    return {r: v[:, 0] for r, v in by_resource.items()}
