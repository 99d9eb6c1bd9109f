"""Occupancy x efficiency, as published: Algorithm 1 and the occupancy equations of a cross-GPU prediction report.

The report: [Srivastava2025]. Equations: :mod:`roofcast.formulas.occupancy_efficiency`, ``formulas.occupancy``.

Unlike the report, which knows FP32 kernels only, a kernel of several precisions has the weighted harmonic mean of
their roofs. The model claims no interval.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column, positive
from roofcast.core.remarks import Remarks
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas.occupancy import published_occupancy
from roofcast.formulas.occupancy_efficiency import forecast_time_s, roof_per_s
from roofcast.models.kernel_amounts import Amounts, amounts_of, reasons_of
from roofcast.models.promises import keeps_promises
from roofcast.models.published.supplies import seconds_by_resource


class OccupancyEfficiency:
    """Roofline ratio times occupancy ratio; the efficiency on the source is kept."""

    name = "occupancy_efficiency"
    summary = "roofline x occupancy x efficiency, as published (Srivastava et al., cross-GPU prediction report)"
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
        amounts, source = amounts_of(kernels), column(sources)
        flops, moved = amounts.flops_total[:, None], amounts.get(Resource.BYTES_DRAM)[:, None]
        known = (flops > 0) | (moved > 0)
        flops_t = amounts.flops_total_on_target(changes)
        compute_s, compute_t = compute_roofs(amounts, source, targets, changes)
        dram_s, dram_t = positive(source.rate(Resource.BYTES_DRAM)), positive(targets.rate(Resource.BYTES_DRAM))
        roof_s, roof_t = (
            # Without bytes the intensity is infinite and the compute roof alone holds.
            roof_per_s(work, np.where(moved > 0, moved, 0.0), compute, dram)
            for work, compute, dram in ((flops, compute_s, dram_s), (flops_t, compute_t, dram_t))
        )
        occupancy_s, occupancy_t = occupancy_on(kernels, source), occupancy_on(kernels, targets, changes)
        with quietly():
            ratio = occupancy_s / occupancy_t
            time = forecast_time_s(positive(kernels.column("time_s"))[:, None], roof_s, roof_t, 1.0, 1.0)
            time = time * np.where(flops > 0, flops_t / flops, 1.0)
        forecast = positive(np.where(known, time * np.where(np.isnan(ratio), 1.0, ratio), np.nan))
        unclaimed = np.full(forecast.shape, np.nan)
        return Estimate(
            time_s=forecast,
            time_low_s=unclaimed,
            time_high_s=unclaimed,
            coverage=None,
            time_s_by_resource_source={r: v[:, 0] for r, v in seconds_by_resource(amounts, source, dram_s).items()},
            time_s_by_resource_target=seconds_by_resource(amounts, targets, dram_t, changes),
            reasons=reasons_of(amounts, kernels.column("time_s"), sources, np.isnan(forecast)),
            assumed=assumed(kernels, amounts).rows(),
            notes=notes(amounts, conditions).rows(),
        )


def compute_roofs(
    amounts: Amounts, source: Machines, targets: Machines, changes: AmountChanges | None = None
) -> tuple[FloatArray, FloatArray]:
    """FLOP/s roofs of both sides over all precisions; infinite without FLOPs, or where one side's is unknown."""
    total = amounts.flops_total[:, None]
    total_t = amounts.flops_total_on_target(changes)
    sums = [np.zeros((1, 1)), np.zeros((1, 1))]
    for r, flops in amounts.flops.items():
        here = flops[:, None]
        there = here if changes is None else changes.on_target(r, here)
        pair = [work / positive(m.rate(r)) for work, m in ((here, source), (there, targets))]
        both = ~np.isnan(pair[0] + pair[1])
        sums = [np.where(both, p, 0.0) + s for p, s in zip(pair, sums, strict=True)]
    with quietly():
        source_roof, target_roof = (np.where(s > 0, t / s, np.inf) for t, s in zip((total, total_t), sums, strict=True))
    return source_roof, target_roof


def occupancy_on(kernels: KernelTable, machines: Machines, changes: AmountChanges | None = None) -> FloatArray:
    """Published occupancy of each kernel on each machine; NaN where the block size is not known."""
    registers = kernels.column("regs_per_thread")[:, None]
    return published_occupancy(
        kernels.column("block_threads")[:, None],
        registers if changes is None else changes.registers(registers),
        kernels.column("smem_bytes_per_block")[:, None],
        machines.gather("max_threads_per_sm"),
        machines.gather("max_blocks_per_sm"),
        machines.gather("regs_per_sm"),
        machines.gather("smem_per_sm_bytes"),
        machines.gather("warp_size"),
    )


def assumed(kernels: KernelTable, amounts: Amounts) -> Remarks:
    """What the model fills in where the launch geometry is not recorded."""
    unused = ("part of an FMA", "bank conflicts")
    entries = [(rows, text) for rows, text in amounts.remarks.entries if not any(u in text for u in unused)]
    remarks = Remarks(amounts.remarks.size, entries)
    no_block = np.isnan(kernels.column("block_threads"))
    remarks.add(no_block, "the same occupancy on both GPUs (block size not recorded)")
    no_regs = np.isnan(kernels.column("regs_per_thread"))
    remarks.add(~no_block & no_regs, "registers do not limit occupancy (not recorded)")
    return remarks


def notes(amounts: Amounts, conditions: Conditions) -> Remarks:
    """What a reader must know."""
    remarks = Remarks(amounts.remarks.size)
    moved = amounts.get(Resource.BYTES_DRAM) > 0
    remarks.add((amounts.flops_total > 0) & ~moved, "no bytes: projected by the compute roof alone")
    if conditions.launch_floor_s is not None:
        remarks.add(np.ones(remarks.size, np.bool_), "this model has no launch floor: the given one is not used")
    if conditions.cache != "auto":
        remarks.add(np.ones(remarks.size, np.bool_), "this model has no caches: their state is not used")
    return remarks
