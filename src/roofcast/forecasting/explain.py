"""From source to target one group of properties at a time: what each cause adds to a forecast.

The chain starts at the source processor and ends at the target. Each link has the target's properties of one more
group (:class:`~roofcast.core.properties.Property`, in that order); the model forecasts every link, and the differences
of neighbours telescope to the whole. The first link is the source itself under the conditions asked for. The order is
fixed: causes interact, and another order would share the interaction otherwise. More SMs bring the supplies that scale
with them; the later groups are then what is left per SM.

A launch floor that follows the SM clock counts as floor, whatever link it moves in.

The links are properties of GPUs; behind each stand causes of the model (:mod:`roofcast.models.physics.causes`), which
say where they show. What a cause does to a forecast is that forecast over the one without it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor, Supply
from roofcast.core.properties import PROPERTIES, Property
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.results import Conditions
from roofcast.forecasting.waterfall import Influence, Waterfall
from roofcast.models.base import Model
from roofcast.models.physics.cause import Cause, Subject, Walk
from roofcast.models.physics.causes.registry import CAUSES
from roofcast.models.physics.flushed_caches import warmed
from roofcast.models.physics.model import Mechanistic, Parts
from roofcast.models.physics.stages import AFTER_ROOFS
from roofcast.models.promises import least_seconds

FIELDS: Mapping[Property, tuple[str, ...]] = {
    Property.FLOOR: ("launch_floor_s",),
    Property.CLOCK: ("clock_hz_boost", "clock_hz_base", "clock_hz_sustained"),
    Property.SMS: (
        *("sm_count", "warp_size", "max_threads_per_sm", "max_warps_per_sm", "max_blocks_per_sm"),
        *("max_threads_per_block", "regs_per_sm", "max_regs_per_thread", "reg_alloc_granularity", "reg_alloc_unit"),
        *("subpartitions_per_sm", "smem_per_sm_bytes", "smem_per_block_bytes", "smem_configs_bytes"),
        *("smem_reserved_per_block_bytes", "smem_alloc_granularity_bytes"),
    ),
    Property.DRAM: ("memory_type", "capacity_bytes_dram", "segment"),
    Property.L2_CAPACITY: ("capacity_bytes_l2", "capacity_bytes_llc", "l2_partitions"),
    Property.L1: ("capacity_bytes_l1", "l1_line_bytes", "l1_sector_bytes"),
    Property.LATENCY: tuple(f"latency_cycles_{where}" for where in ("l1", "shared", "l2", "l2_far", "dram")),
}
"""Fields of a processor that each cause moves to the target's."""

SUPPLIES: Mapping[Property, tuple[Resource, ...]] = {
    Property.DRAM: (Resource.BYTES_DRAM, Resource.BYTES_HOST_LINK),
    Property.L2: (Resource.BYTES_L2, Resource.BYTES_LLC, Resource.ATOMICS_L2),
    Property.FP64: (Resource.FLOPS_FP64,),
    Property.PIPES: (
        *(Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_BF16, Resource.OPS_INT32),
        *(Resource.INSTS_ISSUED, Resource.INSTS_SPECIAL),
    ),
    Property.TENSOR: (*FLOPS_TENSOR, Resource.OPS_TENSOR_INT8),
    Property.L1: (Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.INSTS_LSU),
}
"""Supplies that each property moves, with their variants."""

LINKS = tuple(c for c in PROPERTIES if c not in (Property.LEARNED, Property.SOURCES))
"""Properties that are links of the chain; what a learned model and other sources add comes after the last one."""


@dataclass(frozen=True)
class Chains:
    """Explains the forecasts of one table on its targets; nothing is computed before it is called."""

    model: Model
    kernels: KernelTable
    sources: Machines
    """index (n,), clocks (n,)"""
    asked: Machines
    """The same at the clocks that are asked for."""
    targets: Machines
    """index (1, m), clocks (n, m)"""
    conditions: Conditions
    changes: AmountChanges | None = None

    def __call__(self, rows: NDArray[np.intp], time_s: FloatArray) -> Waterfall:
        """Waterfalls of some kernels.

        rows : (r,) positions in the table. time_s : (r, m) s, their forecasts.
        """
        kernels = self.kernels.select(rows)
        index = self.sources.index[rows]
        clock_s = np.broadcast_to(self.sources.clock_hz, (len(self.kernels),))[rows]
        n, m = time_s.shape
        clock_a = np.broadcast_to(self.asked.clock_hz, (len(self.kernels),))[rows]
        clock_t = np.broadcast_to(self.targets.clock_hz, (len(self.kernels), m))[rows]
        base = np.full((n, m, len(PROPERTIES) + 1), np.nan)
        base[..., 0] = kernels.column("time_s")[:, None]
        for position, processor in enumerate(self.sources.processors):
            of_source = np.flatnonzero(index == position)
            if not len(of_source):
                continue
            part = kernels.select(of_source)
            for j, target in enumerate(self.targets.processors[i] for i in self.targets.index.ravel().tolist()):
                clocks = clock_s[of_source], clock_a[of_source], clock_t[of_source, j]
                here = self.levels(part, (processor, target), clocks, (rows[of_source], j))
                base[of_source, j, 1 : len(LINKS) + 1] = here
        base[..., len(LINKS) + 1 :] = time_s[..., None]
        return Waterfall(filled(base), weigh=partial(self.weigh_causes, rows))

    @quietly()
    def weigh_causes(self, rows: NDArray[np.intp]) -> tuple[Influence, ...]:
        """What each cause of the physics does to the forecasts of some kernels; none for other models.

        rows : (r,) positions in the table.
        """
        physics = getattr(self.model, "physics", self.model)
        if not isinstance(physics, Mechanistic):
            return ()
        kernels, count = self.kernels.select(rows), len(self.kernels)
        clock_t = np.broadcast_to(self.targets.clock_hz, (count, self.targets.index.size))[rows]
        sources = self.sources.cells(self.sources.index[rows], np.broadcast_to(self.sources.clock_hz, (count,))[rows])
        targets = self.targets.at(clock_t)
        changes = None if self.changes is None else self.changes.part(rows)

        def parts(model: Mechanistic) -> Parts:
            return model.parts(kernels, sources, targets, self.conditions, changes)

        def factor(cause: Cause) -> FloatArray:
            if cause.subject in silent or (cause.name not in acted and not any(act.without for act in cause.acts)):
                return unchanged
            other = dataclasses.replace(physics, without=(*physics.without, cause.name))
            late = all(act.stage in AFTER_ROOFS for act in cause.acts)
            without = other.after_roofs(whole) if late else parts(other)
            return np.asarray(whole.time_s / without.time_s)

        watched = Walk(CAUSES, physics.without)
        whole = parts(dataclasses.replace(physics, watched=watched))
        # What changes nothing in the whole forecast changes nothing by its absence.
        acted, silent = frozenset(watched.acted), silent_subjects(whole)
        unchanged = whole.time_s / whole.time_s
        return tuple(
            Influence(cause.name, cause.sentence, cause.properties, factor(cause)) for cause in physics.walk.causes
        )

    def levels(
        self,
        kernels: KernelTable,
        ends: tuple[Processor, Processor],
        clocks_hz: tuple[FloatArray, FloatArray, FloatArray],
        place: tuple[NDArray[np.intp], int],
    ) -> FloatArray:
        """(n, links) s after each link, for kernels of one source on one target.

        clocks_hz : (n,) each: as measured, on the source as asked for, on the target.
        """
        clock_s, clock_a, clock_t = clocks_hz
        links = [p for _, p in chain(*ends)]
        before_clock = LINKS.index(Property.CLOCK)
        clocks = np.where(np.arange(len(links)) < before_clock, clock_a[:, None], clock_t[:, None])
        there = Machines(columns_of(links), np.arange(len(links), dtype=np.intp)[None, :], clocks)
        here = Machines(columns_of(ends[:1]), np.zeros(len(kernels), np.intp), clock_s)
        changes = None if self.changes is None else along_chain(self.changes, *place)
        physics = getattr(self.model, "physics", self.model)
        if not physics.is_physics:
            return np.full((len(kernels), len(links)), kernels.column("time_s")[:, None])
        if not isinstance(physics, Mechanistic):
            return np.asarray(physics.estimate(kernels, here, there, self.conditions, changes).time_s)
        parts = physics.parts(kernels, here, there, self.conditions, changes)
        time = kernels.column("time_s")[:, None]
        with quietly():
            floor = (time - parts.execution_s) * parts.pair.floor_target_s / parts.pair.floor_source_s
        floor = np.broadcast_to(np.where(np.isfinite(floor), floor, 0.0), parts.time_s.shape)
        # Every level gets the target's floor from the link of the floor on.
        levels_s = parts.time_s - floor + floor[:, -1:]
        first = LINKS.index(Property.CONDITIONS)
        same = clock_a == clock_s if self.conditions.cache == "auto" else np.zeros(len(kernels), np.bool_)
        same = same & ~warmed(kernels, self.conditions)
        levels_s[:, first] = np.where(same, time[:, 0], parts.time_s[:, first])
        # As forecasts are: no link lies below what the peaks of its GPU allow for counted work.
        least = least_seconds(kernels, here, there, self.conditions, changes)
        if least is not None:
            exact = np.zeros(levels_s.shape, np.bool_)
            exact[:, first] = same
            levels_s = np.where((levels_s < least) & ~exact, least, levels_s)
        return np.asarray(levels_s)


def silent_subjects(parts: Parts) -> frozenset[Subject]:
    """What no kernel of a forecast is: causes that speak of nothing else change nothing."""
    silent = set() if parts.link_spread is not None else {Subject.COLLECTIVE}
    if parts.pair.operators is None and parts.named is None:
        silent |= {Subject.OPERATOR, Subject.NAME}
    return frozenset(silent)


def filled(levels: FloatArray) -> FloatArray:
    """Levels without gaps: a link that the model cannot forecast adds nothing; no forecast at the end means none."""
    for k in range(1, levels.shape[-1] - 1):
        levels[..., k] = np.where(np.isfinite(levels[..., k]), levels[..., k], levels[..., k - 1])
    absent = ~np.isfinite(levels[..., -1]) | ~np.isfinite(levels[..., 0])
    levels[absent] = np.nan
    return levels


def chain(source: Processor, target: Processor) -> Iterator[tuple[Property, Processor]]:
    """Processors from source to target: each with one more group of the target's properties, the last the target."""
    supplies, variants = dict(source.supplies), dict(source.variants)
    fields: dict[str, Any] = {}
    for changed in LINKS:
        if changed is Property.CONDITIONS:
            yield changed, source
            continue
        if changed in (Property.CODE, Property.OTHER):
            # Machine code is no property of the processor: that link changes the amounts.
            now = dataclasses.replace(source, supplies=supplies, variants=variants, **fields)
            yield changed, now if changed is Property.CODE else target
            continue
        fields |= {name: getattr(target, name) for name in FIELDS.get(changed, ())}
        if changed is Property.SMS:
            ratio = target.sm_count / source.sm_count
            supplies = {r: with_sms(s, ratio) for r, s in supplies.items()}
            variants = {k: with_sms(s, ratio) for k, s in variants.items()}
        moved = SUPPLIES.get(changed, ())
        supplies = {r: s for r, s in supplies.items() if r not in moved}
        supplies |= {r: s for r, s in target.supplies.items() if r in moved}
        names = {r.value for r in moved}
        variants = {k: s for k, s in variants.items() if k.partition(":")[0] not in names}
        variants |= {k: s for k, s in target.variants.items() if k.partition(":")[0] in names}
        yield changed, dataclasses.replace(source, supplies=supplies, variants=variants, **fields)


def with_sms(supply: Supply, ratio: float) -> Supply:
    """A supply with another number of SMs."""
    return supply.scaled(ratio) if supply.scales_with_sms and ratio != 1 else supply


def along_chain(changes: AmountChanges, rows: NDArray[np.intp], j: int) -> AmountChanges:
    """Changes of some kernels on target j as (n, links): none before the link of the code."""
    from_code = np.arange(len(LINKS)) >= LINKS.index(Property.CODE)

    def spread(values: FloatArray, before: float) -> FloatArray:
        return np.where(from_code, values[rows, j][:, None], before)

    local, registers = changes.bytes_local_added, changes.regs_per_thread
    return AmountChanges(
        {name: spread(ratio, 1.0) for name, ratio in changes.ratios.items()},
        None if local is None else spread(local, 0.0),
        None if registers is None else spread(registers, np.nan),
    )
