r"""The mechanistic model: seconds per resource, and what the source run teaches about the rest.

.. math:: T_t = a_t \frac{T_s - E_s}{a_s} + \kappa \left(C_t^q + (R \, s)^q\right)^{1/q}

C is the p-norm of the seconds that each resource alone would need (:mod:`roofcast.models.physics.resource_seconds`), a
the launch floor, E_s the source's execution without it, R what roofs and floor leave unexplained on the source, s how R
scales (:mod:`roofcast.models.physics.unexplained`), and kappa makes the forecast of the source onto itself exact. What
each of them is the causes say, stage by stage (:mod:`roofcast.models.physics.stages`), in the order of
:mod:`roofcast.models.physics.causes.registry`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.records import dataclass
from roofcast.core.remarks import Later, Remarks
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas.values import combine, or_zero
from roofcast.models.kernel_amounts import double_precision_missing, reasons_of
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.cause import Constants, Subject, Walk
from roofcast.models.physics.causes.atomics import contention
from roofcast.models.physics.causes.explained_share import read_knowledge
from roofcast.models.physics.causes.host_floor import is_at_floor
from roofcast.models.physics.causes.registry import walk_without
from roofcast.models.physics.constants import PRIOR
from roofcast.models.physics.flushed_caches import find_flushed
from roofcast.models.physics.intervals import (
    Intervals,
    doubt_between,
    estimate_uncertainty,
    evidence_of,
    half_widths,
    shipped,
    widened,
)
from roofcast.models.physics.kernel_inputs import (
    Kernels,
    as_run,
    in_caches,
    is_timed_on_device,
    kernels_of,
    measured_on,
)
from roofcast.models.physics.law import LawConstants, LawInputs, shipped_law
from roofcast.models.physics.library_times import find_uncounted_operators, is_modelled
from roofcast.models.physics.resource_seconds import (
    Hiding,
    beside_dram,
    find_hiding,
    hide_beneath_slowest,
    hide_on_target,
    overlapped_s,
    roof_seconds,
    served_s,
    together_s,
    within_execution,
)
from roofcast.models.physics.sides import Side, measure_side
from roofcast.models.physics.stages import (
    BOUNDS,
    CACHES,
    CALIBRATION,
    DRAM,
    FLOORS,
    OPERATORS,
    REST,
    ROOFS,
    SIDES,
    Beside,
    Calibration,
    Explained,
    Floors,
    Inputs,
    Pair,
    PairRoofs,
    Result,
    Roofs,
    has_no_counters,
    rows_of,
)
from roofcast.models.physics.unexplained import blind_ratio, scale_unexplained, stated_share, unexplained_s
from roofcast.models.physics.widths import DISTANCE_MOST
from roofcast.models.promises import keeps_promises
from roofcast.operators.operator_rows import unrecognised_operators

LIBRARY_ASSUMED = "a library's kernel: its operator is modelled on both GPUs, as another kernel may run on the target"
NAME_ASSUMED = "as memory-bound as the operation in the kernel's name usually is (only the time is known)"
LINKS_ASSUMED = (
    "a collective takes what a ring over the links between the GPUs takes; between cards in slots the host's tree of "
    "PCIe decides, which nobody stated"
)

CONTENTION_UNCERTAINTY = 0.2
"""Relative standard deviation where atomics meet on few addresses: queues, linear probing and stream compaction of
HeCBench, whose retries depend on how many threads are under way."""
HOSTS_UNCERTAINTY = 0.6
"""Relative standard deviation of what hosts make of the same link: the machines of one campaign read 7, 19 and 23 GB/s
over PCIe 4.0 x16 and 27 over 5.0 (zerocopy of HeCBench)."""
CONTENDED = 0.5
"""Share of the time that is worth a note."""

UNRECOGNISED = "its label or shape is an operator's that no model here knows: forecast as any kernel"
NO_CLAIM = "the interval claims nothing: from a time alone nothing was calibrated between GPUs so far apart"
FLOOR_DOMINATES = 0.3
"""Share of the source time from which a launch floor is worth asking for."""


@dataclass(frozen=True)
class Parts:
    """What a forecast is made of; (n, m) unless said otherwise."""

    pair: Pair
    roofs: Roofs
    unexplained_s: FloatArray
    """(n, 1)"""
    scale: FloatArray
    roof_ratio: FloatArray
    """All roofs of the target over the source's."""
    time_s: FloatArray
    named: NDArray[np.bool_] | None
    """(n,) kernels that were forecast by the operation in their name, where any was."""
    link_spread: FloatArray | None
    """(n, m) factor to the ends of the interval of collectives, which the links between GPUs forecast, NaN of other
    kernels; None for none."""
    law: LawInputs | None
    """What the law without counters read, where any kernel has none."""
    cacheless: Roofs
    """The roofs before caches served any of the target's bytes."""
    beside: Beside
    """All roofs but DRAM's together."""

    @property
    def kernels(self) -> Kernels:
        """Return what was read of the kernels."""
        return self.pair.k

    @property
    def execution_s(self) -> FloatArray:
        """(n, 1) source seconds without the floor."""
        return self.pair.execution_s


@dataclass(frozen=True)
class ExplainedSource:
    """What the source's own run says, whatever its targets' caches hold; (n, 1) each."""

    all_s: FloatArray
    """C of the source."""
    hiding: Hiding | None
    rest_s: FloatArray
    """R: s that neither roofs nor floor explain."""
    kappa: FloatArray
    """Measured over modelled seconds, which the target keeps: a kernel on its own GPU comes out exact."""
    launch_ratio: FloatArray
    """s of the launch in the source's time over those of its floor."""


def explain_source(pair: Pair, roofs: Roofs, beside: Beside, q: float) -> ExplainedSource:
    """C, R and kappa of the source."""
    execution = pair.execution_s
    all_s = together_s(pair, roofs.source, beside.source_s)
    hiding = find_hiding(pair, roofs, all_s)
    if hiding is not None:
        slowest_s = combine(np.fmax, [*roofs.source.values()])
        all_s = hide_beneath_slowest(hiding, all_s, rows_of(slowest_s, hiding.rows, len(all_s)))
    # After hiding: the rest is what the source took beyond its roofs as they count for this kernel.
    rest = pair.walk.through(REST, unexplained_s(execution, all_s, q), Explained(pair, roofs))
    kappa = pair.walk.through(CALIBRATION, execution / overlapped_s([all_s, rest], q), Calibration(pair, rest))
    return ExplainedSource(all_s, hiding, rest, kappa, (pair.time_s - execution) / pair.floor_source_s)


@dataclass(frozen=True)
class Mechanistic:
    """Physics with few constants; works with whatever amounts are there."""

    constants: Constants = PRIOR
    without: Collection[str] = ()
    """Names of causes that are switched off, to measure what each contributes."""

    intervals: Intervals | None = None
    """Table of intervals (default: the shipped one)."""
    library: LibraryConstants = field(default_factory=LibraryConstants)
    """Constants of library operators."""
    law: LawConstants = field(default_factory=shipped_law)
    """Constants of forecasts without counters."""
    watched: Walk | None = field(default=None, repr=False, compare=False)
    """A walk of the same causes that nobody else takes, to see which of them act."""

    name = "mechanistic"
    summary = "seconds per resource; what they do not explain on the source travels by its own cause"
    is_physics = True
    is_published = False

    @property
    def walk(self) -> Walk:
        """The causes that are on."""
        return self.watched or walk_without(frozenset(self.without))

    @keeps_promises
    def estimate(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        """Forecast n kernels on m targets (see :class:`roofcast.models.base.Model`)."""
        parts = self.parts(kernels, sources, targets, conditions, changes)
        amounts = parts.kernels.amounts
        absent = np.isnan(parts.time_s)
        spread = self.spread(parts, sources, targets, conditions)
        least, most = parts.time_s, parts.time_s
        if len(rows := find_flushed(kernels, conditions)):
            least, most = between_runs(parts.time_s, self.in_caches(parts, "cold", rows).time_s, rows)
        return Estimate(
            time_s=parts.time_s,
            time_low_s=least / spread,
            time_high_s=most * spread,
            coverage=conditions.coverage,
            time_s_by_resource_source={r: v[:, 0] for r, v in parts.roofs.source.items()},
            time_s_by_resource_target=parts.roofs.target,
            reasons=reasons_of(amounts, kernels.column("time_s"), sources, absent),
            assumed=Later(lambda: self.assumed(parts)),
            notes=Later(lambda: self.notes(parts, kernels, conditions)),
            unclaimed=find_unclaimed(parts),
            physics_s=parts.time_s,
        )

    def spread(self, parts: Parts, sources: Machines, targets: Machines, conditions: Conditions) -> FloatArray:
        """(n, m) factor between the forecast and the ends of its interval."""
        counted = self.counted(parts, sources, targets, conditions, evidence_of(parts.kernels))
        # Who counted nothing is never surer than who did.
        n, rows, half = len(parts.kernels.time_s), np.flatnonzero(has_no_counters(parts.kernels)[:, 0]), counted
        if len(rows):
            half = np.array(np.broadcast_to(counted, (n, max(counted.shape[1], targets.width))))
            half[rows] = np.fmax(self.uncounted(parts, targets, conditions, rows), half[rows])
        over_link = parts.kernels.amounts.get(Resource.BYTES_HOST_LINK) > 0
        hosts = np.where(over_link, HOSTS_UNCERTAINTY, 0.0)[:, None]
        spread = np.exp(widened(half, CONTENTION_UNCERTAINTY * contention(parts.pair), hosts))
        if parts.link_spread is not None:
            spread = np.where(np.isnan(parts.link_spread), spread, parts.link_spread)
        return np.asarray(spread)

    def counted(
        self, parts: Parts, sources: Machines, targets: Machines, conditions: Conditions, evidence: NDArray[np.intp]
    ) -> FloatArray:  # fmt: skip
        """(n, m) half width with counters, log units. evidence : (see :func:`evidence_of`)."""
        here = column(sources)
        doubt = parts.pair.once("doubt", lambda: doubt_between(stated_share(parts.pair), here, targets))
        return half_widths(evidence, here, targets, doubt, conditions.coverage, self.intervals or shipped())

    def uncounted(self, parts: Parts, targets: Machines, conditions: Conditions, rows: NDArray[np.intp]) -> FloatArray:
        """(r, m) half width of some kernels if nothing had been counted, log units."""
        n = len(parts.kernels.time_s)
        known = rows_of(read_knowledge(parts.pair, parts.roofs.source), rows, n)
        half_width = (self.intervals or shipped()).law_half_width(known, self.law, conditions.coverage)
        return widened(half_width, rows_of(targets.gather(estimate_uncertainty), rows, n))

    def assumed(self, parts: Parts) -> Remarks:
        """List what the model fills in where the input says nothing."""
        k, operators = parts.kernels, parts.pair.operators
        remarks = Remarks(k.amounts.remarks.size, [*k.amounts.remarks.entries])
        time_only = k.time_alone[:, 0] > 0
        modelled = np.zeros_like(time_only)
        if operators is not None:
            modelled = is_modelled(operators)
            remarks.add(modelled, LIBRARY_ASSUMED)
        if parts.named is not None:
            remarks.add(parts.named, NAME_ASSUMED)
            time_only = time_only & ~parts.named
        if parts.link_spread is not None:
            linked = np.asarray(~np.isnan(parts.link_spread).all(axis=1))
            remarks.add(linked, LINKS_ASSUMED)
            time_only, modelled = time_only & ~linked, modelled | linked
        remarks.add(
            time_only, "scales as work of unknown limit usually does, most by bandwidth (only the time is known)"
        )
        open_rest = (k.time_alone[:, 0] == 0) & ~modelled & (k.stalls_counted[:, 0] == 0)
        free = has_no_counters(k)[:, 0]
        remarks.add(open_rest & ~free, "half of what the roofs leave open is memory latency")
        remarks.add(open_rest & free, "what the roofs leave open scales as such work usually does (no counters)")
        return remarks

    def notes(self, parts: Parts, kernels: KernelTable, conditions: Conditions) -> Remarks:
        """List what a reader must know: no claim, unknown operators, a dominant floor, a limit that counters hide."""
        remarks = Remarks(len(kernels))
        remarks.add(unrecognised_operators(kernels, parts.pair.operators), UNRECOGNISED)
        if (unclaimed := find_unclaimed(parts)) is not None:
            remarks.add(np.any(unclaimed, axis=1), NO_CLAIM)
        time = kernels.column("time_s")
        if conditions.launch_floor_s is None:
            with quietly():
                floored = parts.pair.floor_source_s[:, 0] > FLOOR_DOMINATES * time
            profiled = is_timed_on_device(kernels)
            remarks.add(floored & ~profiled, "the launch floor dominates: give --launch-floor SRC,TGT of your machines")
            remarks.add(floored & profiled, "hardly longer than an empty kernel: no rate of a GPU decides")
        elif conditions.launch_floor_s[0] > 0:
            with quietly():
                floored = is_at_floor(time, conditions.launch_floor_s[0])
            remarks.add(floored, "the source time is its launch floor: the kernel's own time is an upper bound")
        contended = contention(parts.pair)[:, 0] > CONTENDED
        remarks.add(contended, "atomics meet on few addresses: loops of compare-and-swap retry more or less elsewhere")
        remarks.add(parts.roofs.hidden_fp64[:, 0] > 0.5, "FP64 units limit the source more than its FLOP count says")
        return remarks

    # Amounts and times beyond all reason end in a forecast that is not finite, and so in none.
    @quietly(overflow=True)
    def parts(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Parts:  # fmt: skip
        """The forecast with everything that made it."""
        pair = self.pair(kernels, sources, targets, conditions, changes)
        here, there = roof_seconds(pair)
        there = there if changes is None else change_roofs(pair.k, there, changes)
        roofs = pair.walk.through(ROOFS, Roofs(here, there, np.zeros_like(pair.execution_s)), pair)
        roofs = within_execution(pair, roofs)
        return self.join(pair, roofs, beside_dram(pair, roofs))

    @quietly(overflow=True)
    def in_caches(self, parts: Parts, cache: str, rows: NDArray[np.intp]) -> Parts:
        """Some kernels in a run that finds the target's caches cold or warm: all else is what it was."""
        n = len(parts.pair.time_s)
        pair, cacheless = rows_of(parts.pair, rows, n), rows_of(parts.cacheless, rows, n)
        target = pair.walk.through(CACHES, pair.target, Inputs(in_caches(pair.k, cache), pair.c, pair.walk))
        return self.join(replace(pair, target=target), cacheless, rows_of(parts.beside, rows, n))

    @quietly(overflow=True)
    def after_roofs(self, parts: Parts) -> Parts:
        """The forecast by this model from the roofs of another one, whose causes at and before the roofs are the same.

        parts : the other model's.
        """
        return self.join(replace(parts.pair, walk=self.walk, made={}), parts.cacheless, parts.beside)

    def join(self, pair: Pair, cacheless: Roofs, beside: Beside) -> Parts:
        """The forecast from what no cache moves.

        cacheless : roofs before caches served any of the target's bytes. beside : all roofs but DRAM's together.
        """
        k, q, there = pair.k, self.constants.overlap_unexplained, cacheless.target
        if Resource.BYTES_DRAM in there:
            there = there | {Resource.BYTES_DRAM: served_s(there[Resource.BYTES_DRAM], pair.target)}
        roofs = pair.walk.through(DRAM, replace(cacheless, target=there), pair)
        source = pair.once("source", lambda: explain_source(pair, roofs, beside, q))
        all_s, all_t = source.all_s, together_s(pair, roofs.target, beside.target_s)
        all_t = hide_on_target(source.hiding, roofs.target, all_t)
        roof_ratio = all_t / all_s
        if k.time_alone.any():
            roof_ratio = np.where(k.time_alone > 0, blind_ratio(pair.source, pair.target), roof_ratio)
        scale = scale_unexplained(pair, roofs.source, roof_ratio)
        done = source.kappa * overlapped_s([all_t, source.rest_s * scale], q)
        # The part of the source time that was taken for its floor, so that the sum is exact on the source.
        launched = pair.once("launched", lambda: source.launch_ratio * pair.floor_target_s)
        result = pair.walk.through(OPERATORS, Result(launched + done), PairRoofs(pair, all_s, all_t, roofs))
        # Bounds come last: they hold for operators, which replace the time from roofs, as well.
        time = pair.walk.through(BOUNDS, result.time_s, pair)
        # What all targets share was met once: the answer is for each of them.
        time = np.broadcast_to(time, np.broadcast_shapes(time.shape, pair.target.machines.index.shape))
        possible = is_forecastable(pair, all_s, all_t, roof_ratio) & np.isfinite(time) & (time > 0)
        doubles = pair.once("no FP64", lambda: double_precision_missing(k.amounts, pair.target.machines))
        possible = possible & ~doubles if doubles.any() else possible
        return Parts(
            pair, roofs, source.rest_s, scale, roof_ratio, time if possible.all() else np.where(possible, time, np.nan),
            result.named, result.link_spread, result.law, cacheless, beside,
        )  # fmt: skip

    def pair(
        self, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Pair:  # fmt: skip
        """Gather what both sides offer the kernels, their launch floors, and what is left of the source time."""
        c, walk = self.constants, self.walk
        k = read_kernels(kernels, sources, c)
        on_target = kernels.once(("run", conditions.cache, conditions.named), k, lambda: as_run(k, conditions))
        if changes is not None:
            rows = np.arange(len(kernels))[:, None]
            on_target = replace(on_target, regs_per_thread=changes.registers(k.regs_per_thread), shape=rows)
        source = kernels.once(("side", c, walk), k, lambda: side_of(Inputs(k, c, walk), column(sources)))
        target = side_of(Inputs(on_target, c, walk), targets)
        operators = None
        if walk.speaks_of(Subject.OPERATOR):
            operators = kernels.once("operators", k, lambda: find_uncounted_operators(kernels, k))
        floors = walk.through(FLOORS, Floors(source.floor_s, target.floor_s), conditions)
        time = np.where((k.time_s > 0) & np.isfinite(k.time_s), k.time_s, np.nan)
        return Pair(
            k=k,
            c=c,
            walk=walk,
            table=kernels,
            conditions=conditions,
            operators=operators,
            levels=self.library,
            law=self.law,
            source=source,
            target=target,
            time_s=time,
            floor_source_s=floors.source_s,
            floor_target_s=floors.target_s,
            # Without counters the law takes launches off, unless they are given.
            execution_s=np.where(
                has_no_counters(k) & (conditions.launch_floor_s is None),
                time,
                np.maximum(time - floors.source_s, c.execution_fraction_min * time),
            ),
            host_s=or_zero(kernels.column("host_floor_s"))[:, None],
        )


def between_runs(warm_s: FloatArray, cold_s: FloatArray, rows: NDArray[np.intp]) -> tuple[FloatArray, FloatArray]:
    """(n, m) s, the shorter and the longer of two runs. cold_s : (r, m) of some rows, the others have one run."""
    if len(rows) == len(warm_s):
        return np.fmin(warm_s, cold_s), np.fmax(warm_s, cold_s)
    least, most = np.array(warm_s), np.array(warm_s)
    least[rows], most[rows] = np.fmin(least[rows], cold_s), np.fmax(most[rows], cold_s)
    return least, most


def read_kernels(kernels: KernelTable, sources: Machines, c: Constants) -> Kernels:
    """What is read of a table, once; of rows of a table that is forecast, what was read of all of it."""

    def read() -> Kernels:
        # As many rows as the whole has are other rows, of which some stand several times.
        if kernels.whole is None or len(kernels.whole[0]) == len(kernels):
            return kernels_of(kernels, sources, c.drain_cycles, c.insts_per_fma)
        whole, there, rows = kernels.whole
        return measured_on(rows_of(read_kernels(whole, cast("Machines", there), c), rows, len(whole)), sources)

    return kernels.once(("kernels", c.drain_cycles, c.insts_per_fma), sources, read)


def find_unclaimed(parts: Parts) -> NDArray[np.bool_] | None:
    """(n, m) where the interval claims nothing: only a time is known, and no public pairs lie so far apart.

    None where every interval claims its coverage.
    """
    x = parts.law
    if x is None:
        return None
    apart = x.other_code | (np.abs(x.bandwidth) + np.abs(x.fp32) > DISTANCE_MOST)
    unclaimed = np.asarray((parts.kernels.time_alone > 0) & apart & ~np.isnan(parts.time_s))
    return unclaimed if unclaimed.any() else None


def dram_bytes_factor(kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions) -> FloatArray:
    """(n, m) DRAM bytes of kernels on their targets over those on their sources, by what the caches keep."""
    pair = Mechanistic().pair(kernels, sources, targets, conditions)
    with quietly():
        factor = pair.target.dram_share / pair.source.dram_share
    return np.where(np.isfinite(factor), factor, 1.0)


def side_of(read: Inputs, machines: Machines) -> Side:
    """Return what one side offers each kernel."""
    return read.walk.through(CACHES, read.walk.through(SIDES, measure_side(read.k, machines), read), read)


def change_roofs(k: Kernels, roofs: SecondsByResource, changes: AmountChanges) -> SecondsByResource:
    """Seconds per resource on the targets after their own code changed the amounts."""
    changed = roofs
    for resource in roofs:
        amount = k.insts_lsu if resource is Resource.INSTS_LSU else k.amounts.get(resource)[:, None]
        factor = changes.factor(resource, amount)
        if factor is not None:
            changed = changed.times(resource, factor)
    return changed


def is_forecastable(pair: Pair, roofs_s: FloatArray, roofs_t: FloatArray, roof_ratio: FloatArray) -> NDArray[np.bool_]:
    """(n, m) where a known source and a resource that both sides supply (or the time alone) allow a forecast."""
    known, timed_only = ~np.isnan(pair.source.sm_count), pair.k.time_alone > 0
    worked = (roofs_t > 0) & ((roofs_s > 0) & known)
    return np.where(timed_only, known & ~np.isnan(roof_ratio), worked) if timed_only.any() else worked
