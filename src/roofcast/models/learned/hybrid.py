r"""The hybrid model: the mechanistic forecast times what boosted trees learned of its errors.

.. math:: T = T_{mechanistic} \, e^{d(s, t) \, r(x, s, g(t))}

r is learned from public measurements on few GPUs; d is 0 where source and target are the same GPU and grows to 1 as
their supplies part, so that the source is forecast onto itself exactly. g : the GPU of those few that stands for the
target. So r is known once a kernel has been looked at on these GPUs, under the conditions of the measurements that
taught it, and a target costs a look-up. Conditions, clocks that are asked for and variations of a GPU change the
physics and not the residual, so that more of any supply is never slower.

The residual is used where it was found to help: for profiles with stall reasons, between GPUs for which different ones
of those that taught it stand, for kernels within the range of their data. Everything else is the mechanistic forecast.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.records import dataclass
from roofcast.core.remarks import Later, Remarks
from roofcast.core.resource import Resource
from roofcast.core.results import PROFILED, Conditions, Estimate
from roofcast.formulas.values import or_zero
from roofcast.models.kernel_amounts import reasons_of
from roofcast.models.learned.features import Look, read_features
from roofcast.models.learned.residual import (
    Residual,
    apartness,
    find_representatives,
    groups_of,
    machines_like,
    shipped,
    taught_gpus,
)
from roofcast.models.physics.causes.atomics import contention
from roofcast.models.physics.flushed_caches import find_flushed
from roofcast.models.physics.intervals import estimate_uncertainty, widened
from roofcast.models.physics.model import CONTENTION_UNCERTAINTY, Mechanistic, Parts, between_runs, find_unclaimed
from roofcast.models.physics.stages import rows_of
from roofcast.models.promises import keeps_promises


@dataclass(frozen=True)
class Taught:
    """What the trees say of n kernels on g GPUs of those that taught them."""

    of: tuple[Mechanistic, Residual]
    """By which physics and which trees."""
    log_factor: FloatArray
    """(n, g)"""
    scale: FloatArray
    """(n, g) expected |log error| that is left."""
    fits: NDArray[np.bool_]
    """(n,) kernels like those of the training data."""


@dataclass(frozen=True)
class Learned:
    """What the residual says of n kernels on m targets."""

    log_factor: FloatArray
    """(n, m) 0 where it is not used."""
    used: NDArray[np.bool_]
    """(n, m) where it is used."""
    outside: NDArray[np.bool_]
    """(n,) kernels with stall reasons that are unlike the training data."""
    half_width: FloatArray
    """(n, m) log units, where it is used; NaN elsewhere."""


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
        learned = self.learned(kernels, parts, sources, targets, conditions.coverage)
        spread = self.spread(parts, learned, sources, targets, conditions)
        factor = np.exp(learned.log_factor)
        least = time = longest = parts.time_s * factor
        if len(rows := find_flushed(kernels, conditions)):
            cold_s = self.physics.in_caches(parts, "cold", rows).time_s * rows_of(factor, rows, len(kernels))
            least, longest = between_runs(time, cold_s, rows)

        def notes() -> Remarks:
            remarks = self.physics.notes(parts, kernels, conditions)
            self.add_notes(remarks, parts, learned, sources, targets)
            return remarks

        return Estimate(
            time_s=time,
            time_low_s=least / spread,
            time_high_s=longest * spread,
            coverage=conditions.coverage,
            time_s_by_resource_source={r: v[:, 0] for r, v in parts.roofs.source.items()},
            time_s_by_resource_target=parts.roofs.target,
            reasons=reasons_of(parts.kernels.amounts, kernels.column("time_s"), sources, np.isnan(time)),
            assumed=Later(lambda: self.physics.assumed(parts)),
            notes=Later(notes),
            unclaimed=find_unclaimed(parts),
            physics_s=parts.time_s,
        )

    def spread(
        self, parts: Parts, learned: Learned, sources: Machines, targets: Machines, conditions: Conditions
    ) -> FloatArray:  # fmt: skip
        """(n, m) factor between the forecast and the ends of its interval."""
        physics = self.physics.spread(parts, sources, targets, conditions)
        if not learned.used.any():
            return physics
        # Stall reasons are more than none: never less sure with them.
        most = self.physics.counted(parts, sources, targets, conditions, np.ones((1, 1), np.intp))
        estimated = parts.pair.target.machines.gather(estimate_uncertainty)
        uncertain = np.fmin(widened(or_zero(learned.half_width), estimated), most)
        uncertain = widened(uncertain, CONTENTION_UNCERTAINTY * contention(parts.pair))
        return np.where(learned.used, np.exp(uncertain), physics)

    def learned(
        self, kernels: KernelTable, parts: Parts, sources: Machines, targets: Machines, coverage: float
    ) -> Learned:
        """Ask the trees where they may be asked."""
        residual, shape = self.residual or shipped(), parts.time_s.shape
        here = column(sources)
        apart, there = apartness(here, targets), find_representatives(residual, targets)
        where = find_representatives(residual, here)
        used = counted(parts) & (there >= 0) & (where >= 0) & (there != where) & (apart > 0)
        used = np.broadcast_to(used, shape) & np.isfinite(parts.time_s)
        if not used.any():
            return Learned(np.zeros(shape), used, np.zeros(shape[0], np.bool_), np.full(shape, np.nan))
        if there.shape[0] > 1:
            taught = self.ask_trees(kernels, sources, residual, np.maximum(there, 0))
            factor, scale = taught.log_factor, taught.scale
        else:
            # One is enough for the points of a design space.
            known = there[0, there[0] >= 0]
            places = np.arange(len(residual.gpus), dtype=np.intp) if (known != known[0]).any() else known[:1]
            taught = kernels.once(
                ("taught", id(self.physics), id(residual), places.tobytes()), sources,
                lambda: self.ask_trees(kernels, sources, residual, places[None, :]),
            )  # fmt: skip
            at = np.where(there[0] >= 0, np.searchsorted(places, there[0]), 0)
            factor, scale = taught.log_factor[:, at], taught.scale[:, at]
        outside = np.asarray(used.any(axis=1) & ~taught.fits)
        used &= taught.fits[:, None]
        width = residual.half_width(scale, groups_of(residual, here, targets), coverage)
        return Learned(np.where(used, apart * factor, 0.0), used, outside, np.where(used, width, np.nan))

    def ask_trees(
        self, kernels: KernelTable, sources: Machines, residual: Residual, representative: NDArray[np.intp]
    ) -> Taught:
        """Ask the trees of kernels on GPUs that taught them.

        representative : (1, g) or (n, 1), which of the residual's GPUs.
        """
        look = look_at_taught(self.physics, kernels, sources, residual.gpus, representative)
        features = read_features(look, residual.ratio.features)
        shape = look.parts.time_s.shape
        fits = ~residual.outside(features) & np.isfinite(look.parts.time_s)
        return Taught(
            (self.physics, residual),
            residual.log_factor(features, shape),
            residual.scales(features, shape),
            np.asarray(np.broadcast_to(fits, shape).all(axis=1)),
        )

    def add_notes(self, notes: Remarks, parts: Parts, learned: Learned, sources: Machines, targets: Machines) -> None:
        """Say where the physics stands alone, and why."""
        notes.add(learned.outside, "unlike the kernels that the residual was learned from: physics alone")
        residual = self.residual or shipped()
        stalls = counted(parts)[:, 0]
        known = Machines(targets.columns, np.arange(len(targets.columns), dtype=np.intp), np.zeros(()))
        strange = dict.fromkeys(targets.columns.text("name")[find_representatives(residual, known) < 0].tolist())
        if strange:
            notes.add(stalls, f"no residual was learned for GPUs like {', '.join([*strange][:3])}: physics alone")
        unknown = (sources.index >= 0) & (find_representatives(residual, sources) < 0)
        notes.add(stalls & unknown, "no residual was learned for GPUs like the source: physics alone")


def look_at_taught(
    physics: Mechanistic, kernels: KernelTable, sources: Machines, gpus: tuple[str, ...], place: NDArray[np.intp]
) -> Look:
    """Look at kernels on GPUs that taught the trees, under the conditions of what taught them.

    gpus : keys of the catalog. place : (1, g) or (n, 1), which of them.
    """
    here = column(sources)
    there = machines_like(here, taught_gpus(gpus), place)
    return Look(kernels, here, there, physics.parts(kernels, sources, there, Conditions(named=PROFILED)))


def counted(parts: Parts) -> NDArray[np.bool_]:
    """(n, 1) kernels whose profile has stall reasons: with less the residual did not help (docs/accuracy.md).

    Those of collectives, and of kernels that read the host's memory, say nothing of the links.
    """
    over_link = parts.kernels.amounts.get(Resource.BYTES_HOST_LINK)[:, None] > 0
    stalls = np.asarray(parts.kernels.stalls_counted > 0) & ~over_link
    return stalls if parts.link_spread is None else stalls & np.isnan(parts.link_spread).any(axis=1, keepdims=True)
