r"""The mechanistic model: seconds per resource, and what the source run teaches about the rest.

.. math:: T_t = a_t + \kappa \left(C_t^q + (R \, s)^q\right)^{1/q}

C is the p-norm of the seconds that each resource alone would need, a the launch floor, R what neither explains on the
source, s how R scales by its own cause, and kappa makes the forecast of the source onto itself exact.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.forecast import Conditions, Estimate
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.table import FloatArray, KernelTable
from roofcast.formulas.mechanistic_execution import overlapped_s, unexplained_s
from roofcast.models import mechanistic_library
from roofcast.models.intervals import Intervals, doubt_of, half_widths, shipped
from roofcast.models.mechanistic_constants import Constants
from roofcast.models.mechanistic_kernel import Kernels, kernels_of
from roofcast.models.mechanistic_roofs import Side, roof_seconds, side_of
from roofcast.models.mechanistic_scaling import blind_ratio, scaling
from roofcast.models.reasons import reasons_of
from roofcast.models.remarks import Remarks
from roofcast.models.supplies import column

CAUSES = {
    "floor": "launch floor of the device or the host",
    "cache": "L2 capacity against the working set",
    "few_blocks": "SMs without a block, uneven waves",
    "pipes": "every pipe apart, not one compute roof",
    "fp64": "a source without FP64 units hides what limits the target",
    "latency": "what the roofs do not explain scales with waves, latency and clock",
    "random_dram": "scattered DRAM accesses follow their own rate",
    "atomics": "same-address atomics follow the clock",
    "throttle": "stalls on queues follow SMs x clock",
    **mechanistic_library.CAUSES,
}
"""Causes that can be switched off, to measure what each contributes."""

FLOOR_DOMINATES = 0.3
"""Share of the source time from which a launch floor is worth asking for."""

HOST_FLOOR_MARGIN = 1.4
"""A source time up to this multiple of the host's launch floor says nothing about the kernel."""


@dataclass(frozen=True)
class Parts:
    """What a forecast is made of; (n, m) unless said otherwise."""

    kernels: Kernels
    roofs_source: Mapping[Resource, FloatArray]
    """(n, 1) s."""
    roofs_target: Mapping[Resource, FloatArray]
    execution_s: FloatArray
    """(n, 1) source seconds without the floor."""
    unexplained_s: FloatArray
    """(n, 1)"""
    scale: FloatArray
    roof_ratio: FloatArray
    """All roofs of the target over the source's."""
    hidden_fp64: FloatArray
    """(n, 1)"""
    floor_source_s: FloatArray
    """(n, 1)"""
    floor_target_s: FloatArray
    time_s: FloatArray


@dataclass(frozen=True)
class Mechanistic:
    """Physics with few constants; works with whatever amounts are there."""

    constants: Constants = field(default_factory=Constants)
    without: Collection[str] = ()
    """Causes switched off, of :data:`CAUSES`."""

    intervals: Intervals | None = None
    """Table of intervals (default: the shipped one)."""

    name = "mechanistic"
    summary = "seconds per resource; what they do not explain on the source travels by its own cause"
    is_physics = True

    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets (see :class:`roofcast.models.base.Model`)."""
        parts = self.parts(kernels, sources, targets, conditions, changes)
        amounts = parts.kernels.amounts
        absent = np.isnan(parts.time_s)
        spread = self.spread(parts, sources, targets, conditions)
        return Estimate(
            time_s=parts.time_s,
            time_low_s=parts.time_s / spread,
            time_high_s=parts.time_s * spread,
            coverage=conditions.coverage,
            time_s_by_resource_source={r: v[:, 0] for r, v in parts.roofs_source.items()},
            time_s_by_resource_target=parts.roofs_target,
            reasons=reasons_of(amounts, kernels.column("time_s"), sources, absent),
            assumed=self.assumed(parts).rows(),
            notes=self.notes(parts, kernels, conditions).rows(),
        )

    def spread(self, parts: Parts, sources: Machines, targets: Machines, conditions: Conditions) -> FloatArray:
        """(n, m) factor between the forecast and the ends of its interval."""
        with np.errstate(divide="ignore", invalid="ignore"):
            doubt = doubt_of(parts.unexplained_s / parts.execution_s, parts.scale, parts.roof_ratio)
        table = self.intervals or shipped()
        return np.exp(half_widths(parts.kernels, column(sources), targets, doubt, conditions.coverage, table))

    def assumed(self, parts: Parts) -> Remarks:
        """What the model fills in where the input says nothing."""
        k = parts.kernels
        remarks = k.amounts.remarks
        alone = k.time_alone[:, 0] > 0
        remarks.add(alone, "halfway between memory-bound and compute-bound (only the time is known)")
        remarks.add(~alone & (k.stalls_counted[:, 0] == 0), "half of what the roofs leave open is memory latency")
        return remarks

    def notes(self, parts: Parts, kernels: KernelTable, conditions: Conditions) -> Remarks:
        """What a reader must know: a floor that dominates, a limit that the counters hide."""
        remarks = Remarks(len(kernels))
        time = kernels.column("time_s")
        if conditions.launch_floor_s is None:
            with np.errstate(invalid="ignore"):
                floored = parts.floor_source_s[:, 0] > FLOOR_DOMINATES * time
            remarks.add(floored, "the launch floor dominates: give --launch-floor SRC,TGT of your machines")
        elif conditions.launch_floor_s[0] > 0:
            with np.errstate(invalid="ignore"):
                floored = time <= HOST_FLOOR_MARGIN * conditions.launch_floor_s[0]
            remarks.add(floored, "the source time is its launch floor: the kernel's own time is an upper bound")
        remarks.add(parts.hidden_fp64[:, 0] > 0, "FP64 units limit the source more than its FLOP count says")
        return remarks

    # Amounts and times beyond all reason end in a forecast that is not finite, and so in none.
    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def parts(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Parts:  # fmt: skip
        """The forecast with everything that made it."""
        c, off = self.constants, frozenset(self.without)
        k = kernels_of(kernels, sources, c.drain_cycles, c.insts_per_fma)
        at_source, at_target = column(sources), targets
        there = k if changes is None else replace(k, regs_per_thread=changes.registers(k.regs_per_thread))
        source, target = side_of(k, at_source, c, off), side_of(there, at_target, c, off)
        roofs_s, roofs_t = roof_seconds(k, source, target, c, off)
        roofs_t = roofs_t if changes is None else changed_roofs(k, roofs_t, changes)
        library = mechanistic_library.library_of(kernels, k, off)
        roofs_s = mechanistic_library.unlimited(library, roofs_s, source, off)
        roofs_t = mechanistic_library.unlimited(library, roofs_t, target, off)
        floor_s, floor_t, time = self.floors(k, source, target, conditions)
        execution = np.maximum(time - floor_s, c.execution_fraction_min * time)
        hidden = hidden_fp64(k, roofs_s, source, execution, c) * (0.0 if "fp64" in off else 1.0)
        roofs_s, roofs_t = recalibrated(roofs_s, roofs_t, hidden, execution)
        all_s, all_t = overlapped_s([*roofs_s.values()], c.overlap), overlapped_s([*roofs_t.values()], c.overlap)
        rest = unexplained_s(execution, all_s, c.overlap_unexplained)
        rest = np.where(hidden > 0, execution * rest_beside_fp64(k, c), rest)
        if conditions.launch_floor_s is not None:
            rest = np.where(time <= HOST_FLOOR_MARGIN * conditions.launch_floor_s[0], 0.0, rest)
        with np.errstate(divide="ignore", invalid="ignore"):
            roof_ratio = np.where(k.time_alone > 0, blind_ratio(source, target), all_t / all_s)
            scale = scaling(k, source, target, roofs_s, execution, roof_ratio, c, off)
            q = c.overlap_unexplained
            kappa = execution / overlapped_s([all_s, rest], q)
            if conditions.launch_floor_s is not None:
                kappa = np.where(rest == 0, np.minimum(kappa, 1.0), kappa)
            done = kappa * overlapped_s([all_t, rest * scale], q)
            # The part of the source time that was taken for its floor, so that the sum is exact on the source.
            result = (time - execution) * floor_t / floor_s + done
            times = mechanistic_library.Times(time, floor_s, floor_t, conditions.launch_floor_s)
            result = mechanistic_library.overridden(result, library, k, (source, target), (all_s, all_t), times, off)
        result = self.above_host_floor(result, time, conditions)
        possible = forecastable(k, source, all_s, all_t, roof_ratio) & np.isfinite(result) & (result > 0)
        result = np.where(possible, result, np.nan)
        return Parts(k, roofs_s, roofs_t, execution, rest, scale, roof_ratio, hidden, floor_s, floor_t, result)

    def floors(
        self, k: Kernels, source: Side, target: Side, conditions: Conditions
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Device floors of both sides, and the source time, NaN where it is not a time."""
        time = np.where((k.time_s > 0) & np.isfinite(k.time_s), k.time_s, np.nan)
        floor_s, floor_t = source.floor_s, target.floor_s
        if "floor" in self.without:
            floor_s, floor_t = floor_s * 1e-6, floor_t * 1e-6
        if conditions.launch_floor_s is not None:
            floor_s = np.minimum(floor_s, max(conditions.launch_floor_s[0], 1e-12))
            floor_t = np.minimum(floor_t, max(conditions.launch_floor_s[1], 1e-12))
        return floor_s, floor_t, time

    def above_host_floor(self, result: FloatArray, time: FloatArray, conditions: Conditions) -> FloatArray:
        """The forecast, not below the host's launch floor where one was given."""
        if conditions.launch_floor_s is None:
            return result
        host_s, host_t = conditions.launch_floor_s
        if host_s <= 0:
            return np.maximum(result, host_t)
        # A source at its floor stays as far above it on the target: exact on itself.
        factor = np.where(time <= HOST_FLOOR_MARGIN * host_s, time / host_s, 1.0)
        return np.maximum(result, host_t * factor)


def changed_roofs(
    k: Kernels, roofs: Mapping[Resource, FloatArray], changes: AmountChanges
) -> dict[Resource, FloatArray]:
    """Seconds per resource on the targets after their own code changed the amounts."""
    found = dict(roofs)
    for resource, seconds in roofs.items():
        amount = k.insts_lsu if resource is Resource.INSTS_LSU else k.amounts.get(resource)[:, None]
        factor = changes.factor(resource, amount)
        if factor is not None:
            found[resource] = seconds * factor
    return found


def forecastable(
    k: Kernels, source: Side, roofs_s: FloatArray, roofs_t: FloatArray, roof_ratio: FloatArray
) -> NDArray[np.bool_]:
    """(n, m) where a known source and a resource that both sides supply (or the time alone) allow a forecast."""
    worked = (roofs_s > 0) & (roofs_t > 0)
    return ~np.isnan(source.sm_count) & np.where(k.time_alone > 0, ~np.isnan(roof_ratio), worked)


def hidden_fp64(
    k: Kernels, roofs: Mapping[Resource, FloatArray], source: Side, execution: FloatArray, c: Constants
) -> FloatArray:
    """(n, 1) 1 where the source's few FP64 units are the limit, though the FLOP count does not say so.

    Conversions, comparisons and special functions use the pipe and are no FLOPs; warps that wait for it show it.
    """
    fp64 = roofs.get(Resource.FLOPS_FP64)
    if fp64 is None:
        return np.zeros_like(execution)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.nan_to_num(fp64 / execution)
    seen = (share > c.fp64_share_least) & (k.pipe_share > c.fp64_stall_least)
    found = np.where(k.stalls_counted > 0, seen, share > c.fp64_share_uncounted)
    return np.where(source.few_fp64_units > 0, found, False).astype(np.float64)


def rest_beside_fp64(k: Kernels, c: Constants) -> FloatArray:
    """(n, 1) share of the source time that is left to other causes where FP64 was the hidden limit."""
    return np.where(k.stalls_counted > 0, c.fp64_rest * (1.0 - k.pipe_share), c.fp64_rest_uncounted)


def recalibrated(
    roofs_s: dict[Resource, FloatArray], roofs_t: dict[Resource, FloatArray], hidden: FloatArray, execution: FloatArray
) -> tuple[dict[Resource, FloatArray], dict[Resource, FloatArray]]:
    """Roofs with the FP64 amount that the source time implies where FP64 is the hidden limit."""
    fp64 = roofs_s.get(Resource.FLOPS_FP64)
    if fp64 is None or not hidden.any():
        return roofs_s, roofs_t
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(hidden > 0, np.maximum(execution / fp64, 1.0), 1.0)
    key = Resource.FLOPS_FP64
    return roofs_s | {key: fp64 * factor}, roofs_t | {key: roofs_t[key] * factor}
