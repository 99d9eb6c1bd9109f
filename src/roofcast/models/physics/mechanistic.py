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
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas.mechanistic_execution import geometric_mix, overlapped_s, unexplained_s
from roofcast.models.operators import library as mechanistic_library
from roofcast.models.operators import named_kernels as library_names
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.physics.blocks import together_s
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.hidden import hidden_fp64, implied, recalibrated, rest_beside_fp64
from roofcast.models.physics.intervals import Intervals, doubt_of, half_widths, shipped
from roofcast.models.physics.kernels import Kernels, kernels_of
from roofcast.models.physics.roofs import Side, roof_seconds, side_of
from roofcast.models.physics.unexplained import ROOFS_OF_LIBRARIES, blind_ratio, scaling, slowest_share
from roofcast.models.reasons import double_precision_missing, reasons_of
from roofcast.models.remarks import Remarks
from roofcast.models.supplies import column
from roofcast.operators.operator_rows import OperatorRows

CAUSES = {
    "floor": "launch floor of the device or the host",
    "cache": "L2 capacity against the working set",
    "few_blocks": "SMs without a block, uneven waves",
    "waves": "the last wave of blocks counts whole where blocks wait for latency",
    "dispatch": "blocks start one per clock on the whole GPU",
    "in_flight": "Little's law: few threads do not fill a fast DRAM",
    "residency": "more resident warps hide more latency",
    "real_clock": "cards that exceed their rated boost clock",
    "pipes": "every pipe apart, not one compute roof",
    "fp64": "a source without FP64 units hides what limits the target",
    "operands": "scalar code loads two operands per multiply-add",
    "sectors": "access patterns that use parts of the sectors they move",
    "latency": "what the roofs do not explain scales with waves, latency and clock",
    "l1_hits": "requests that L1 serves answer as fast everywhere",
    "dram_time": "DRAM keeps its own time at another SM clock",
    "issue_latency": "dependent instructions follow each other faster on later GPUs",
    "serial": "profiled kernels that no roof explains follow the clock alone",
    "constant": "constant-cache misses follow the SM with most blocks",
    "random_dram": "scattered DRAM accesses follow their own rate",
    "capacity": "scattered accesses hit L2 by its share of what they touch",
    "atomics": "same-address atomics follow the clock",
    "mix": "code of which nothing was counted mixes accesses, integers and floats",
    "trees": "blocks that join a value per thread wait for their steps",
    "l2_time": "Hopper's L2 keeps a part of its own time at another SM clock",
    "throttle": "stalls on queues follow SMs x clock",
    **mechanistic_library.CAUSES,
    library_names.CAUSE: library_names.WHAT,
}
"""Causes that can be switched off, to measure what each contributes."""

LIBRARY_ASSUMED = "a library's kernel: its operator is modelled on both GPUs, as another kernel may run on the target"

FLOOR_DOMINATES = 0.3
"""Share of the source time from which a launch floor is worth asking for."""

FLOORS_OF_A_CALL = 8.0
"""Up to so many launch floors a time that no roof explains may be several launches in one call."""

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
    library: OperatorRows | None = None
    """Which kernels are a library's operators, where any is."""
    named: NDArray[np.bool_] | None = None
    """(n,) kernels of which only name and time tell."""


@dataclass(frozen=True)
class Mechanistic:
    """Physics with few constants; works with whatever amounts are there."""

    constants: Constants = field(default_factory=Constants)
    without: Collection[str] = ()
    """Causes switched off, of :data:`CAUSES`."""

    intervals: Intervals | None = None
    """Table of intervals (default: the shipped one)."""
    library: LibraryConstants = field(default_factory=LibraryConstants)
    """Constants of library operators."""

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
        modelled = np.zeros_like(alone)
        if parts.library is not None:
            modelled = mechanistic_library.modelled(parts.library)
            remarks.add(modelled, LIBRARY_ASSUMED)
        if parts.named is not None:
            remarks.add(parts.named, library_names.ASSUMED)
            alone = alone & ~parts.named
        remarks.add(alone, "halfway between memory-bound and compute-bound (only the time is known)")
        open_rest = (k.time_alone[:, 0] == 0) & ~modelled & (k.stalls_counted[:, 0] == 0)
        remarks.add(open_rest, "half of what the roofs leave open is memory latency")
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
        roofs_s, roofs_t = implied(k, (roofs_s, roofs_t), source, target, execution, c, off)
        hidden = hidden_fp64(k, roofs_s, source, execution, c) * (0.0 if "fp64" in off else 1.0)
        roofs_s, roofs_t = recalibrated(roofs_s, roofs_t, hidden, execution)
        all_s, all_t = (
            together_s(k, source, (side, roofs), execution, c, off)
            for side, roofs in ((source, roofs_s), (target, roofs_t))
        )
        rest = unexplained_s(execution, all_s, c.overlap_unexplained)
        rest = np.where(hidden > 0, execution * rest_beside_fp64(k, c), rest)
        if conditions.launch_floor_s is not None:
            rest = np.where(time <= HOST_FLOOR_MARGIN * conditions.launch_floor_s[0], 0.0, rest)
        with np.errstate(divide="ignore", invalid="ignore"):
            roof_ratio = np.where(k.time_alone > 0, blind_ratio(source, target), all_t / all_s)
            scale = scaling(k, source, target, roofs_s, execution, roof_ratio, c, off)
            scale = self.several_launches(scale, time, roofs_s, execution, conditions)
            q = c.overlap_unexplained
            kappa = execution / overlapped_s([all_s, rest], q)
            if conditions.launch_floor_s is not None:
                kappa = np.where(rest == 0, np.minimum(kappa, 1.0), kappa)
            done = kappa * overlapped_s([all_t, rest * scale], q)
            # The part of the source time that was taken for its floor, so that the sum is exact on the source.
            result = (time - execution) * floor_t / floor_s + done
            times = mechanistic_library.Times(time, floor_s, floor_t, conditions.launch_floor_s)
            result = mechanistic_library.overridden(
                result, library, k, (source, target), (all_s, all_t), times, self.library, off
            )
            result, named = library_names.named(result, kernels, k, (source, target), times, off)
        result = self.above_host_floor(result, time, conditions)
        possible = forecastable(k, source, all_s, all_t, roof_ratio) & np.isfinite(result) & (result > 0)
        possible &= ~double_precision_missing(k.amounts, target.machines)
        result = np.where(possible, result, np.nan)
        return Parts(
            k, roofs_s, roofs_t, execution, rest, scale, roof_ratio, hidden, floor_s, floor_t, result, library, named
        )

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

    def several_launches(
        self,
        scale: FloatArray,
        time: FloatArray,
        roofs: Mapping[Resource, FloatArray],
        execution: FloatArray,
        conditions: Conditions,
    ) -> FloatArray:
        """``scale``, following the given launch floors where a time of a few of them has no other explanation."""
        if "floor" in self.without or conditions.launch_floor_s is None or min(conditions.launch_floor_s) <= 0:
            return scale
        host_s, host_t = conditions.launch_floor_s
        few = np.clip((FLOORS_OF_A_CALL - time / host_s) / (FLOORS_OF_A_CALL / 2), 0.0, 1.0)
        nothing = np.maximum(1.0 - slowest_share(roofs, execution) / ROOFS_OF_LIBRARIES, 0.0)
        return geometric_mix(scale, host_t / host_s, np.nan_to_num(few * nothing))

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
