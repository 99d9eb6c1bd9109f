"""What a sweep computes once per kernel and per few parameters, with the model's own functions.

A forecast depends on a processor's parameters in groups. *S* (SMs, clocks, limits per SM, latencies, rates of the
SMs' units) shapes occupancy, latency and most roofs; *D* (DRAM and cache capacity) the DRAM roof and scattered
accesses; *late* axes each move further roofs by a factor. Which axis belongs where is found by moving each of them
and looking at what the model makes of it. What is left per cell is a sum of powers, two mixes and an interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from roofcast.analyses.sweeps.space import IntArray, Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import column
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.models.physics.causes import in_flight
from roofcast.models.physics.causes.host_floor import least_time_s
from roofcast.models.physics.intervals import DOUBT_EDGES, ROOF_DOUBT, half_widths, shipped
from roofcast.models.physics.model import Parts, change_roofs
from roofcast.models.physics.resource_seconds import blocks_s, overlapped_s, roof_seconds, together_s
from roofcast.models.physics.sides import Side
from roofcast.models.physics.unexplained import scale_unexplained
from roofcast.models.promises import nominal

D_AXES = frozenset({"dram", "l2", "llc", "dram_size", "bytes_per_s_dram", "capacity_bytes_l2", "capacity_bytes_llc"})
DRAM = Resource.BYTES_DRAM


@dataclass(frozen=True)
class Anatomy:
    """The model's forecast of a workload on some processors, taken apart."""

    parts: Parts
    log_scale: FloatArray
    """(n, m) log of the factor on the unexplained seconds if the roofs' own ratio were 1."""
    follows: FloatArray
    """(n, 1) power of the roofs' ratio in that factor."""
    dram_plain: FloatArray
    """(n, m) s of the DRAM roof if enough bytes are in flight; NaN where there is none."""

    @property
    def source(self) -> Side:
        """What the source offers each kernel."""
        return self.parts.pair.source

    @property
    def target(self) -> Side:
        """What each processor offers each kernel."""
        return self.parts.pair.target


@np.errstate(all="ignore")
def anatomy(work: Workload, processors: list[Processor]) -> Anatomy:
    """Take the model's forecast apart with its own functions."""
    here, there = work.machines(processors)
    changes = work.changes(len(processors))
    parts = work.model.parts(work.kernels, here, there, work.conditions, changes)
    k = parts.kernels
    logs = []
    for ratio in (1.0, np.e):
        shape = np.broadcast_shapes(parts.scale.shape, parts.time_s.shape)
        found = scale_unexplained(parts.pair, parts.roofs.source, np.full(shape, ratio))
        logs.append(np.log(np.broadcast_to(found, shape)))
    follows = np.nanmax(np.where(np.isnan(logs[1] - logs[0]), 0.0, logs[1] - logs[0]), axis=1, keepdims=True)
    plain = roof_seconds(parts.pair)[1]
    dram = {DRAM: plain[DRAM]} if DRAM in plain else {}
    dram = change_roofs(k, dram, changes) if changes is not None else dram
    absent = np.full(parts.time_s.shape, np.nan)
    return Anatomy(parts, logs[0], follows, np.broadcast_to(dram.get(DRAM, absent), absent.shape))


@dataclass(frozen=True)
class Layout:
    """Which axes act where, for a workload on a space."""

    s_axes: tuple[int, ...]
    d_axes: tuple[int, ...]
    late: tuple[tuple[int, tuple[Resource, ...]], ...]
    """(axis, roofs that it alone moves)."""
    reference: IntArray
    """(axes,) level that everything is relative to."""

    def index(self, space: Space, levels: IntArray, axes: tuple[int, ...]) -> IntArray:
        """(m,) position of processors in the grid of some axes."""
        found = np.zeros(levels.shape[1], dtype=np.intp)
        for a in axes:
            found = found * space.shape[a] + levels[a]
        return found

    def grid(self, space: Space, axes: tuple[int, ...]) -> IntArray:
        """(axes, cells) levels of the grid of some axes, the others at the reference."""
        shape = tuple(space.shape[a] for a in axes)
        cells = int(np.prod(shape)) if shape else 1
        levels = np.repeat(self.reference[:, None], cells, axis=1)
        if axes:
            levels[list(axes)] = np.array(np.unravel_index(np.arange(cells), shape))
        return levels


PROBED_LEVELS = 5
PROBED_PLACES = 5


def differs(values: FloatArray) -> bool:
    """Whether a quantity (n, m) changes along m."""
    return not np.array_equal(np.broadcast_to(values[:, :1], values.shape), values, equal_nan=True)


def layout_of(work: Workload, space: Space) -> Layout:
    """Find which axes act where by moving each of them alone, from several places of the space.

    What limits a kernel in one corner (few SMs that cannot draw what L2 gives) hides other axes there.
    """
    reference = np.zeros(len(space.axes), dtype=np.intp)
    d_axes = [a for a, axis in enumerate(space.axes) if axis.key in D_AXES]
    shaping: set[int] = set()
    single: dict[int, set[Resource]] = {}
    draw = np.random.default_rng(0)
    last = np.array(space.shape) - 1
    places = [reference, last, *(draw.integers(0, last + 1) for _ in range(PROBED_PLACES - 2))]
    for a, axis in enumerate(space.axes):
        if a in d_axes or len(axis.levels) == 1:
            continue
        own = np.unique(np.linspace(0, len(axis.levels) - 1, min(PROBED_LEVELS, len(axis.levels))).astype(np.intp))
        for place in places:
            levels = np.repeat(place[:, None], len(own), axis=1)
            levels[a] = own
            found = anatomy(work, space.processors(levels))
            moved = {r for r, v in found.parts.roofs.target.items() if differs(v)}
            if differs(found.log_scale) or moved & {DRAM, Resource.BYTES_L2} or shapes_launch(found):
                shaping.add(a)
                break
            single.setdefault(a, set()).update(moved)
    late = []
    for a, roofs in single.items():
        others = {r for b, rs in single.items() if b != a for r in rs}
        if a in shaping or not roofs:
            continue
        if others & roofs:
            shaping.add(a)
        else:
            late.append((a, tuple(r for r in Resource if r in roofs)))
    return Layout(tuple(sorted(shaping)), tuple(d_axes), tuple(late), reference)


def layout_of_everything(space: Space) -> Layout:
    """No axis is taken to act alone, except DRAM's and the caches': slower, and never wrong about the rest."""
    d_axes = tuple(a for a, axis in enumerate(space.axes) if axis.key in D_AXES)
    rest = tuple(a for a in range(len(space.axes)) if a not in d_axes)
    return Layout(rest, d_axes, (), np.zeros(len(space.axes), dtype=np.intp))


def shapes_launch(found: Anatomy) -> bool:
    """Whether floors, clocks or residency differ along the processors."""
    target = found.target
    values = (
        target.floor_s,
        target.machines.clock_hz,
        target.fill,
        target.waves,
        target.blocks_per_sm,
        target.sm_count,
    )
    return any(differs(np.broadcast_to(v, found.parts.time_s.shape)) for v in values)


@dataclass(frozen=True)
class Tables:
    """Everything that the compiled loop reads of n kernels; times are in units of each kernel's execution."""

    inner: FloatArray
    """(n, S) sum of the powers of the roofs that S alone decides."""
    scale_s: FloatArray
    """(n, S) log of the factor on the unexplained seconds."""
    blind_s: FloatArray
    """(n, S) log of the roofs' ratio of kernels of which only the time is known, the part of S."""
    beside: FloatArray
    """(n, S) s of the launch."""
    flight: FloatArray
    """(n, S) power of the seconds of one byte in flight per thread over what it asks for."""
    dram: FloatArray
    """(n, D) power of the DRAM roof."""
    dram_inverse: FloatArray
    """(n, D) its inverse in the power of the norm of bytes in flight."""
    scale_d: FloatArray
    blind_d: FloatArray
    late: FloatArray
    """(J, n, S) powers of the roofs that late axes move."""
    factors: FloatArray
    """(J, n, X) what each level does to them."""
    kernel: FloatArray
    """(n, :data:`COLUMNS`) constants of each kernel."""
    norms: FloatArray
    """p, q, the norm of bytes in flight, the doubt's edges and the weight of the roofs' ratio in it."""


COLUMNS = (
    "valid", "blind", "execution_s", "kappa_s", "log_roofs_source", "log_rest", "follows", "share", "busy",
    "log_starved", "least_s", "wider_0", "wider_1", "wider_2", "wider_3", "weight", "factor", "to_low", "to_high",
)  # fmt: skip


@np.errstate(all="ignore")
def tables_of(work: Workload, space: Space, layout: Layout) -> Tables:
    """The tables of one workload whose kernels share source and clock."""
    c = work.model.constants
    p, q = c.overlap, c.overlap_unexplained
    on_s = anatomy(work, space.processors(layout.grid(space, layout.s_axes)))
    on_d = anatomy(work, space.processors(layout.grid(space, layout.d_axes)))
    parts, k = on_s.parts, on_s.parts.kernels
    execution = parts.execution_s
    shape = parts.time_s.shape

    def powered(seconds: FloatArray, width: int) -> FloatArray:
        found = np.power(np.broadcast_to(seconds, (len(work), width)) / execution, p)
        return np.where(np.isnan(found), 0.0, found)

    late_roofs = [(a, r) for a, roofs in layout.late for r in roofs]
    moved = {r for _, r in late_roofs} | {DRAM}
    inner = np.zeros(shape)
    for resource, seconds in parts.roofs.target.items():
        if resource not in moved:
            inner = inner + powered(seconds, shape[1])
    for seconds in blocks_s(parts.pair, on_s.target):
        inner = inner + powered(seconds, shape[1])
    late, factors = late_tables(work, space, layout, late_roofs, on_s, powered)
    cells = on_d.parts.time_s.shape[1]
    dram = powered(on_d.dram_plain, cells)
    flight, busy, starved, norm = bytes_in_flight(work, on_s)
    tau = np.broadcast_to(on_d.dram_plain, (len(work), cells)) / execution
    blind_s, blind_d = (np.log(np.broadcast_to(o.parts.roof_ratio, o.parts.time_s.shape)) for o in (on_s, on_d))
    alone = k.time_alone > 0
    scale_d = on_d.log_scale - on_d.log_scale[:, :1]
    return Tables(
        inner=inner,
        scale_s=np.ascontiguousarray(on_s.log_scale),
        blind_s=np.where(alone, blind_s, 0.0),
        beside=beside_s(work, on_s),
        flight=flight,
        dram=dram,
        dram_inverse=np.nan_to_num(np.power(tau, -norm), nan=0.0, posinf=0.0),
        scale_d=np.ascontiguousarray(scale_d),
        blind_d=np.where(alone, blind_d - blind_d[:, :1], 0.0),
        late=late,
        factors=factors,
        kernel=constants_of(work, on_s, busy, starved),
        norms=np.array([p, q, norm, *DOUBT_EDGES, ROOF_DOUBT]),
    )


def beside_s(work: Workload, on_s: Anatomy) -> FloatArray:
    """(n, S) s of the launch on the target."""
    parts = on_s.parts
    beside = (parts.pair.time_s - parts.execution_s) * parts.pair.floor_target_s / parts.pair.floor_source_s
    return np.array(np.broadcast_to(beside, parts.time_s.shape))


def late_tables(
    work: Workload,
    space: Space,
    layout: Layout,
    late_roofs: list[tuple[int, Resource]],
    on_s: Anatomy,
    powered: Callable[[FloatArray, int], FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Powers of the roofs that late axes move, and what each level does to them."""
    n, cells = on_s.parts.time_s.shape
    most = max((space.shape[a] for a, _ in late_roofs), default=1)
    late, factors = np.zeros((len(late_roofs), n, cells)), np.ones((len(late_roofs), n, most))
    for j, (a, resource) in enumerate(late_roofs):
        late[j] = powered(on_s.parts.roofs.target[resource], cells)
        levels = np.repeat(layout.reference[:, None], space.shape[a], axis=1)
        levels[a] = np.arange(space.shape[a])
        seconds = powered(anatomy(work, space.processors(levels)).parts.roofs.target[resource], space.shape[a])
        factors[j, :, : space.shape[a]] = np.where(seconds[:, :1] > 0, seconds / seconds[:, :1], 1.0)
    return late, factors


def bytes_in_flight(work: Workload, on_s: Anatomy) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """(n, S) seconds per thread to a power, (n,) how far they count, (n,) log of the source's own, the norm."""
    constants, parts, k = work.model.constants, on_s.parts, on_s.parts.kernels
    norm = constants.in_flight_norm
    n, cells = parts.time_s.shape
    here = parts.roofs.source.get(DRAM)
    none = np.zeros((n, cells)), np.zeros(n), np.zeros(n), norm
    if in_flight.CAUSE not in work.model.walk.causes or here is None:
        return none
    if not (k.bytes_counted > 0).any() or np.isnan(k.grid_blocks).all():
        return none
    single = [in_flight.seconds_one_at_a_time(k, s) for s in (on_s.source, on_s.target)]
    own = in_flight.bytes_of_a_thread(single[0], parts.pair)
    known = (k.bytes_counted > 0) & (single[0] > 0) & (single[1] > 0)
    here = here[:, :1]
    starved = np.log(overlapped_s([here, single[0] / own], norm) / here)
    busy = np.nan_to_num(in_flight.busy_share(here, parts.pair))
    flight = np.where(known, np.power(single[1] / own / parts.execution_s, norm), 0.0)
    return np.array(np.broadcast_to(flight, (n, cells))), busy[:, 0], np.nan_to_num(starved[:, 0]), norm


def constants_of(work: Workload, on_s: Anatomy, busy: FloatArray, starved: FloatArray) -> FloatArray:
    """(n, columns) what the compiled loop reads of each kernel."""
    model, conditions, parts, k = work.model, work.conditions, on_s.parts, on_s.parts.kernels
    execution = parts.execution_s
    roofs = together_s(parts.pair, on_s.source, parts.roofs.source)
    kappa = execution / overlapped_s([roofs, parts.unexplained_s], model.constants.overlap_unexplained)
    least = np.zeros_like(execution)
    if conditions.launch_floor_s is not None:
        kappa = np.where(parts.unexplained_s == 0, np.minimum(kappa, 1.0), kappa)
        least = np.broadcast_to(least_time_s(parts.pair.time_s, conditions.launch_floor_s), execution.shape)
    alone = k.time_alone > 0
    valid = ~np.isnan(on_s.source.sm_count) & (alone | (roofs > 0)) & np.isfinite(execution)
    here, there = work.machines([first_of(on_s)])
    doubts = np.array([[-1.0, *DOUBT_EDGES]])
    table = model.intervals or shipped()
    widths = np.exp(half_widths(k, column(here), there, np.repeat(doubts, len(work), 0), conditions.coverage, table))
    as_sold = nominal(there, conditions.clock)
    if as_sold is not there:
        of_base = model.parts(work.kernels, here, as_sold, conditions, work.changes(1))
        widths = np.fmax(widths, model.spread(of_base, here, as_sold, conditions))
    base = work.at_base
    wider = np.fmax(widths / base.spread[:, None], 1.0)
    columns = [
        valid & np.isfinite(base.factor[:, None]), alone, execution, kappa * execution, np.log(roofs / execution),
        np.log(parts.unexplained_s / execution), on_s.follows, np.nan_to_num(parts.unexplained_s / execution),
        busy[:, None], starved[:, None], least, *(wider[:, i : i + 1] for i in range(wider.shape[1])),
        work.weights[:, None], base.factor[:, None], base.to_low[:, None], base.to_high[:, None],
    ]  # fmt: skip
    # What the model makes of the source has a column per target where a supply of either may be unknown; all alike.
    return np.ascontiguousarray(
        np.concatenate([np.broadcast_to(v[:, :1], (len(work), 1)) for v in columns], axis=1), np.float64
    )


def first_of(found: Anatomy) -> Processor:
    """The processor of the reference."""
    return found.target.machines.processors[0]
