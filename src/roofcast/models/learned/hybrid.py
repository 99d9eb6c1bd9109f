r"""The hybrid model: the mechanistic forecast times what boosted trees learned of its errors.

.. math:: T = T_{mechanistic} \, e^{d(s, t) \, r(x)}

r is learned from public measurements; d is 0 where source and target are the same GPU and grows to 1 as their supplies
part, so that the source is forecast onto itself exactly. The trees see the target as the catalog has it, at its
own clock: a variation of a GPU (more bandwidth, more SMs, a clock that is asked for) changes the physics and not the
residual, so that more of any supply is never slower.

The residual is used where it was found to help: for profiles with stall reasons, between kinds of GPUs that the
training data have, for kernels within the range of that data. Everything else is the mechanistic forecast, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.remarks import Later, Remarks
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas.values import or_zero
from roofcast.models.kernel_amounts import reasons_of
from roofcast.models.learned.boosted_trees import Decided, Features
from roofcast.models.learned.features import Look, read_features
from roofcast.models.learned.residual import (
    Residual,
    apartness,
    groups_of,
    known_kinds,
    shipped,
)
from roofcast.models.physics.causes.atomics import contention
from roofcast.models.physics.flushed_caches import find_flushed
from roofcast.models.physics.intervals import estimate_uncertainty, widened
from roofcast.models.physics.model import CONTENTION_UNCERTAINTY, Mechanistic, Parts, find_unclaimed
from roofcast.models.physics.stages import rows_of
from roofcast.models.promises import keeps_promises, nominal

Both = tuple[Decided | None, Decided | None]
"""Of the trees that correct a forecast, and of those that say how far off it still is."""


@dataclass(frozen=True)
class Learned:
    """What the residual says of n kernels on m targets."""

    log_factor: FloatArray
    """(n, m) 0 where it is not used."""
    used: NDArray[np.bool_]
    """(n, m) where it may be used and the GPUs differ."""
    outside: NDArray[np.bool_]
    """(n,) kernels with stall reasons that are unlike the training data on every target."""
    half_width: FloatArray
    """(n, m) log units, where it is used; NaN elsewhere."""
    decided: Both = (None, None)
    """Tests of the trees on the kernels alone, by the trees."""


@dataclass(frozen=True)
class Hybrid:
    """Physics with a learned residual."""

    physics: Mechanistic = field(default_factory=Mechanistic)
    residual: Residual | None = None
    """None: the shipped one."""

    name = "hybrid"
    summary = "mechanistic, times what boosted trees learned of its errors on public measurements"
    is_physics = False
    is_published = False

    @keeps_promises
    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets (see :class:`roofcast.models.base.Model`)."""
        parts = self.physics.parts(kernels, sources, targets, conditions, changes)
        learned = self.learned(kernels, parts, sources, targets, conditions, changes)
        physics = self.physics.spread(parts, sources, targets, conditions)
        # Stall reasons are more than none: never less sure with them.
        most = self.physics.counted(parts, sources, targets, conditions, np.ones((1, 1), np.intp))

        low, time, high = ends_of(parts, learned, physics, most)
        if len(rows := find_flushed(kernels, conditions)):
            n, warm = len(kernels), self.physics.in_caches(parts, "cold", rows)
            # Where caches serve the same bytes nothing is another.
            cells = warm.pair.target.dram_share != rows_of(parts.pair.target.dram_share, rows, n)
            here, there = (rows_of(machines, rows, n) for machines in (sources, targets))
            changed = None if changes is None else changes.part(rows)
            flushed = replace(conditions, cache="cold")
            decided = select_decided(learned.decided, rows)
            again = self.learned(warm.pair.table, warm, here, there, flushed, changed, cells, decided)
            cold_low, _, cold_high = ends_of(warm, again, rows_of(physics, rows, n), rows_of(most, rows, n))
            low[rows] = np.where(cells, np.fmin(low[rows], cold_low), low[rows])
            high[rows] = np.where(cells, np.fmax(high[rows], cold_high), high[rows])

        def notes() -> Remarks:
            remarks = self.physics.notes(parts, kernels, conditions)
            self.add_notes(remarks, parts, learned, sources, targets)
            return remarks

        return Estimate(
            time_s=time,
            time_low_s=low,
            time_high_s=high,
            coverage=conditions.coverage,
            time_s_by_resource_source={r: v[:, 0] for r, v in parts.roofs.source.items()},
            time_s_by_resource_target=parts.roofs.target,
            reasons=reasons_of(parts.kernels.amounts, kernels.column("time_s"), sources, np.isnan(time)),
            assumed=Later(lambda: self.physics.assumed(parts)),
            notes=Later(notes),
            unclaimed=find_unclaimed(parts),
            physics_s=parts.time_s,
        )

    def learned(
        self,
        kernels: KernelTable,
        parts: Parts,
        sources: Machines,
        targets: Machines,
        conditions: Conditions,
        changes: AmountChanges | None = None,
        cells: NDArray[np.bool_] | None = None,
        decided: Both = (None, None),
    ) -> Learned:
        """What the trees add to the physics, and where.

        cells : (n, m) where that is asked (default: everywhere). decided : what is known of the same kernels' tests.
        """
        residual, shape = self.residual or shipped(), parts.time_s.shape
        here = column(sources)
        apart, known = apartness(here, targets), known_kinds(residual, here, targets)
        used = np.broadcast_to(counted(parts) & known & (apart > 0), shape) & np.isfinite(parts.time_s)
        used = used if cells is None else np.asarray(used & cells)
        nothing = Learned(np.zeros(shape), used, np.zeros(shape[0], np.bool_), np.full(shape, np.nan))
        if not used.any():
            return nothing
        as_sold = nominal(targets, conditions.clock)
        if not isinstance(conditions.clock, str):
            as_sold = as_sold.at(as_sold.gather("clock_hz_boost"))
        if as_sold is not targets:
            parts = self.physics.parts(kernels, sources, as_sold, conditions, changes)
        features = read_features(Look(kernels, here, as_sold, parts), residual.ratio.features)
        fits = used & ~residual.outside(features)
        factor, width = np.zeros(shape), np.full(shape, np.nan)
        if shape[1] > 1 and decided[0] is None:
            decided = residual.ratio.decide_rows(features, shape), residual.scale.decide_rows(features, shape)
        # Asked of kernels and targets that use them, all at once: threads wait for each other after short calls.
        part = np.ix_(np.flatnonzero(fits.any(axis=1)), np.flatnonzero(fits.any(axis=0)))
        some = [select_cells(values, part) for values in features]
        of_ratio, of_scale = select_decided(decided, part[0][:, 0])
        group = np.broadcast_to(groups_of(residual, here, targets), shape)[part]
        factor[part] = np.broadcast_to(apart, shape)[part] * residual.log_factor(some, group.shape, of_ratio)
        width[part] = residual.half_width(some, group, conditions.coverage, of_scale)
        outside = np.asarray(used.any(axis=1) & ~fits.any(axis=1))
        return Learned(np.where(fits, factor, 0.0), fits, outside, np.where(fits, width, np.nan), decided)

    def add_notes(self, notes: Remarks, parts: Parts, learned: Learned, sources: Machines, targets: Machines) -> None:
        """Say where the physics stands alone, and why."""
        notes.add(learned.outside, "unlike the kernels that the residual was learned from: physics alone")
        residual = self.residual or shipped()
        stalls = counted(parts)[:, 0]
        strange = dict.fromkeys(targets.columns.text("name")[~residual.knows(targets.columns)].tolist())
        if strange:
            notes.add(stalls, f"no residual was learned for GPUs like {', '.join([*strange][:3])}: physics alone")
        unknown = ~sources.spread(residual.knows(sources.columns), absent=True)
        notes.add(stalls & unknown, "no residual was learned for GPUs like the source: physics alone")


def ends_of(
    parts: Parts, learned: Learned, physics: FloatArray, most: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) s, the forecast between the ends of its interval.

    physics : factor between forecast and ends where the physics stands alone. most : half width without stall reasons.
    """
    time = parts.time_s * np.exp(learned.log_factor)
    spread = physics
    if learned.used.any():
        estimated = parts.pair.target.machines.gather(estimate_uncertainty)
        uncertain = np.fmin(widened(or_zero(learned.half_width), estimated), most)
        uncertain = widened(uncertain, CONTENTION_UNCERTAINTY * contention(parts.pair))
        spread = np.where(learned.used, np.exp(uncertain), physics)
    return time / spread, time, time * spread


def select_cells(values: Features, part: tuple[NDArray[np.intp], ...]) -> Features:
    """Values that broadcast, of some rows and columns."""
    rows, columns = part
    values = values[rows[:, 0]] if values.shape[0] > 1 else values
    return np.take(values, columns[0], axis=1) if values.shape[1] > 1 else values


def select_decided(decided: Both, rows: NDArray[np.intp]) -> Both:
    """What was decided, of some kernels."""
    return decided[0] and decided[0].rows(rows), decided[1] and decided[1].rows(rows)


def counted(parts: Parts) -> NDArray[np.bool_]:
    """(n, 1) kernels whose profile has stall reasons: with less the residual did not help (docs/accuracy.md).

    Those of collectives, and of kernels that read the host's memory, say nothing of the links.
    """
    over_link = parts.kernels.amounts.get(Resource.BYTES_HOST_LINK)[:, None] > 0
    stalls = np.asarray(parts.kernels.stalls_counted > 0) & ~over_link
    return stalls if parts.link_spread is None else stalls & np.isnan(parts.link_spread).any(axis=1, keepdims=True)
