"""What every forecast keeps, whatever model makes it.

* A GPU onto itself under the same conditions: the measured time, to the last bit.
* Nothing lies below what the target's peaks allow for counted amounts (models of others stay as they were published).
* A hypothetical GPU is never surer than the catalogued one that it varies.
* A kernel whose source is unknown has no time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog import library
from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, columns_of, last_capacity_bytes
from roofcast.core.processor import Processor, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions, Estimate
from roofcast.formulas.values import combine, or_zero
from roofcast.models.base import Model
from roofcast.models.cell_blocks import estimate_in_blocks
from roofcast.models.held_clocks import HeldClocks, find_hot, physics_of
from roofcast.models.kernel_amounts import NO_SOURCE
from roofcast.models.physics.causes.cache import held_bytes, keeps_some
from roofcast.models.physics.flushed_caches import warmed
from roofcast.models.physics.kernel_inputs import in_state
from roofcast.models.physics.stages import rows_of

Estimating = TypeVar("Estimating", bound=Callable[..., Estimate])
HAIR = 1.0 + 1e-12
"""Rounding: an interval as wide as another."""

NO_PROPERTY = frozenset({"key", "name", "aliases", "supplies", "variants", "published", "facts", "notes"})
PROPERTIES = tuple(f.name for f in dataclasses.fields(Processor) if f.name not in NO_PROPERTY)


def keeps_promises(estimate: Estimating) -> Estimating:
    """The method ``estimate`` of a model, with what every forecast keeps."""

    @wraps(estimate)
    def estimate_and_keep(
        self: Model, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        sold = nominal(targets, conditions.clock)
        varied = sold is not targets

        def block(part: KernelTable, here: Machines, there: Machines, changed: AmountChanges | None) -> Estimate:
            estimated = estimate(self, part, here, there, conditions, changed)
            return estimated if varied else bounded(part, here, there, changed, estimated)

        def bounded(
            part: KernelTable, here: Machines, there: Machines, changed: AmountChanges | None, estimated: Estimate
        ) -> Estimate:
            if not self.is_published:
                estimated = never_beyond_peaks(estimated, part, here, there, conditions, changed)
            return exact_on_source(estimated, part, here, there, conditions, changed)

        def on(machines: Machines, changed: AmountChanges | None, holding: HeldClocks | None = None) -> Estimate:
            return estimate_in_blocks(block, kernels, sources, machines, changed, holding)

        def as_sold(machines: Machines, changed: AmountChanges | None) -> Estimate:
            if changed is not None or machines.width > 1:
                return on(machines, changed)
            # A design space is asked for a part at a time, and has one GPU behind it.
            asked = (machines.index, machines.clock_hz, sources.index, sources.clock_hz)
            key = ("as sold", repr((self, conditions)), id(sources.columns), *(np.asarray(v).tobytes() for v in asked))
            return kernels.once(key, machines.columns, lambda: on(machines, None))

        holding, physics = None, physics_of(self)
        if targets.limited is not None and physics is not None:
            hot = find_hot(kernels, sources)
            holding = HeldClocks(physics, kernels, sources, targets, conditions, hot)
        estimated = on(targets, changes, holding)
        if varied:
            estimated = never_surer(estimated, as_sold, targets, sold, changes)
            estimated = bounded(kernels, sources, targets, changes, estimated)
        return without_unknown(estimated, sources)

    return cast("Estimating", estimate_and_keep)


BOUNDING = (Resource.BYTES_DRAM, Resource.FLOPS_FP32, Resource.FLOPS_FP64)
"""Counts that no other unit of a GPU serves: those of FP16 and tensor pipes may move between pipes."""


SERVED_BY = {Resource.BYTES_DRAM: (Resource.BYTES_L2,)}
"""What may serve an amount in another one's place."""


def never_beyond_peaks(
    found: Estimate, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
    changes: AmountChanges | None,
) -> Estimate:  # fmt: skip
    r"""The estimate with nothing below what the target's peaks allow for what was counted.

    .. math:: T \ge \max_r V_r / P_r

    V : counted amounts, where the source itself did not beat its own peak P. A target with a larger last cache, or a
    warm one, may serve from it what the source fetched from DRAM: there L2's rate binds. An end that is lifted takes
    the other with it: a bound makes nobody surer.
    """
    least = least_seconds(kernels, sources, targets, conditions, changes, found.time_low_s)
    if least is None:
        return found
    # No low end lies above its time.
    rows = np.flatnonzero((found.time_low_s < least).any(axis=1))
    if not len(rows):
        return found
    low_s, time_s, high_s = (np.array(v) for v in (found.time_low_s, found.time_s, found.time_high_s))
    low, time, least = low_s[rows], time_s[rows], least[rows]
    with quietly():
        longer = np.maximum(time, least)
        low *= longer / time
        lifted = np.where(low < least, least / low, 1.0)
        time_s[rows], low_s[rows] = longer, low * lifted
        high_s[rows] *= longer / time * lifted
    return dataclasses.replace(found, time_s=time_s, time_low_s=low_s, time_high_s=high_s)


def least_seconds(
    kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions, changes: AmountChanges | None,
    low_s: FloatArray | None = None,
) -> FloatArray | None:  # fmt: skip
    """(n, m) seconds of :func:`never_beyond_peaks`; None where nothing was counted.

    low_s : (n, m) s; kernels that lie above whatever level serves their amounts are left out, as if nothing bound them.
    """
    n, least = len(kernels), None
    for resource in BOUNDING:
        counted = bounding_amount(kernels, sources, resource)[:, None]
        # Few kernels count FLOPs of a kind.
        rows = np.flatnonzero(~np.isnan(counted[:, 0]))
        amount = counted if changes is None else changes.on_target(resource, counted)
        rates = [peak(targets, r) for r in (resource, *SERVED_BY.get(resource, ()))]
        if low_s is not None and len(rows):
            most = rows_of(amount, rows, n) / rows_of(combine(np.fmin, rates), rows, n)
            rows = rows[(rows_of(low_s, rows, n) < most).any(axis=1)]
        if not len(rows):
            continue
        needed = rows_of(amount, rows, n)
        seconds = needed / rows_of(rates[0], rows, n)
        if resource is Resource.BYTES_DRAM:
            here, there = (m.gather(last_capacity_bytes) for m in (sources, targets))
            cached = rows_of(there > or_zero(here)[:, None], rows, n)
            if (warm := warmed(kernels, conditions)[rows, None]).any():
                cached = cached | (warm & keeps_some(needed, rows_of(targets.gather(held_bytes), rows, n)))
            seconds = np.where(cached, needed / rows_of(rates[1], rows, n), seconds)
        if least is None:
            least = np.full((n, targets.width), -np.inf)
        least[rows] = np.fmax(least[rows], seconds)
    return least


def bounding_amount(kernels: KernelTable, sources: Machines, resource: Resource) -> FloatArray:
    """(n,) amount that was counted, and that the source took no less than its own peak allows for; NaN elsewhere."""

    def read() -> FloatArray:
        amount = kernels.column(resource.value)
        counted = (amount > 0) & np.isin(kernels.origin_of(resource.value), (Origin.COUNTED, Origin.DERIVED))
        with quietly():
            counted &= amount / peak(sources, resource) <= kernels.column("time_s")
        return np.where(counted, amount, np.nan)

    return kernels.once(("bounding", resource), sources, read)


def peak(machines: Machines, resource: Resource) -> FloatArray:
    """Shape of the machines' index: the data sheet's rate, or what was measured where that is more; NaN if unknown."""
    s = machines.columns.supply(resource)
    return machines.spread(np.fmax(s.per_s, s.peak_per_s))


def exact_on_source(
    found: Estimate, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
    changes: AmountChanges | None,
) -> Estimate:  # fmt: skip
    """The estimate with the measured times where the target is the source: what was added up is off by last bits."""
    same = is_source(kernels, sources, targets, conditions, changes) & np.isfinite(found.time_s)
    if not same.any():
        return found
    time_s = np.where(same, kernels.column("time_s")[:, None], found.time_s)
    return dataclasses.replace(
        found,
        time_s=time_s,
        time_low_s=np.where(same, np.minimum(found.time_low_s, time_s), found.time_low_s),
        time_high_s=np.where(same, np.maximum(found.time_high_s, time_s), found.time_high_s),
    )


def without_unknown(estimate: Estimate, sources: Machines) -> Estimate:
    """The estimate without times for kernels whose source GPU is unknown, whatever the model made of them."""
    unknown = (sources.index < 0)[:, None]
    if not unknown.any():
        return estimate
    low, time, high = (
        np.where(unknown, np.nan, v) for v in (estimate.time_low_s, estimate.time_s, estimate.time_high_s)
    )
    reasons = np.where(unknown, NO_SOURCE, estimate.reasons)
    return dataclasses.replace(estimate, time_s=time, time_low_s=low, time_high_s=high, reasons=reasons)


def is_source(
    kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions, changes: AmountChanges | None
) -> NDArray[np.bool_]:
    """Cells, broadcastable to (n, m), that ask for the run that was measured: GPU, clock, caches, floor and code."""
    floors = conditions.launch_floor_s
    alike = targets.columns.once(("alike", sources.columns), lambda: alike_processors(sources.columns, targets.columns))
    if not alike.any() or (floors is not None and floors[0] != floors[1]):
        return np.zeros((1, 1), np.bool_)
    # The last row and column are of unknown processors.
    same = np.pad(alike, ((0, 1), (0, 1)))[sources.index[:, None], targets.index]
    if not same.any():
        return same
    same = same & (np.atleast_1d(sources.clock_hz)[:, None] == targets.clock_hz)
    if conditions.cache != "auto":
        other = {"cold": "warm", "warm": "cold"}[conditions.cache]
        same = same & (in_state(kernels, other)[:, None] == 0)
    same = same & ~warmed(kernels, conditions)[:, None]
    return np.asarray(same if changes is None else same & changes.is_none())


def alike_processors(sources: Columns, targets: Columns) -> NDArray[np.bool_]:
    """(s, t) whether processors are one GPU."""
    alike = np.zeros((len(sources), len(targets)), np.bool_)
    for i, source in enumerate(sources.members):
        if targets.wide is not None:
            alike[i] = is_same(source, targets.wide)
        else:
            alike[i] = [bool(is_same(source, target)) for target in targets.members]
    return alike


def is_same(source: Processor, target: Processor) -> bool | NDArray[np.bool_]:
    """Whether two processors are one GPU: by all that models read, so that a variation without change is its base.

    An array where values of the target are arrays.
    """
    if source is target:
        return True
    if source.key.rstrip("*") != target.key.rstrip("*"):
        return False
    ours, theirs = ({**p.supplies, **p.variants} for p in (source, target))
    if ours.keys() != theirs.keys():
        return False
    pairs = [(getattr(source, name), getattr(target, name)) for name in PROPERTIES]
    pairs += [pair for r, s in ours.items() for pair in zip(numbers(s), numbers(theirs[r]), strict=True)]
    same: bool | NDArray[np.bool_] = True
    for a, b in pairs:
        same = np.logical_and(same, a == b)
    return same


def numbers(s: Supply) -> tuple[float | None, ...]:
    """What a supply supplies, whoever said so."""
    return s.per_s, s.peak_per_s, s.clock_hz, s.limit_per_s


def never_surer(
    found: Estimate, estimate: Callable[[Machines, AmountChanges | None], Estimate], targets: Machines,
    as_sold: Machines, changes: AmountChanges | None,
) -> Estimate:  # fmt: skip
    """The estimate with intervals that are nowhere narrower than those of the catalogued GPUs that targets vary.

    estimate : the model's own, on other targets than ``targets``. as_sold : see :func:`nominal`.
    """
    if np.isnan(found.time_high_s).all():
        return found
    of, more = columns_as_sold(targets, as_sold, found.time_s.shape)
    low, time, high = found.time_low_s, found.time_s, found.time_high_s
    if more:
        clock_hz = np.broadcast_to(as_sold.clock_hz, time.shape)[:, more]
        bases = estimate(
            as_sold.cells(as_sold.index[:, more], clock_hz), None if changes is None else changes.columns(more)
        )
        ends = bases.time_low_s, bases.time_s, bases.time_high_s
        if len(set(of)) == 1:
            # A design space varies one GPU: its column stands beside all.
            (low, time, high), of = ends, [0]
        else:
            low, time, high = (np.concatenate(pair, axis=1) for pair in zip((low, time, high), ends, strict=True))
    with quietly():
        down, up = time[:, of] / low[:, of], high[:, of] / time[:, of]
        shorter, longer = found.time_s / down, found.time_s * up
        surer = [down > HAIR * found.time_s / found.time_low_s, up > HAIR * found.time_high_s / found.time_s]
    # A forecast that the base does not have stays as it is; one that is as sure as its base keeps every bit.
    return dataclasses.replace(
        found,
        time_low_s=np.where(surer[0], shorter, found.time_low_s),
        time_high_s=np.where(surer[1], longer, found.time_high_s),
    )


def columns_as_sold(targets: Machines, as_sold: Machines, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """(m,) where each target's catalogued GPU stands: among the targets themselves, and after them those not there.

    Also the columns of ``as_sold`` that are to stand there: variations of one GPU share it.
    """
    as_is = ~np.any(targets.spread(sold_of(targets.columns).varied, absent=False), axis=0)
    clock_hz = np.broadcast_to(as_sold.clock_hz, shape)
    if not as_is.any() and (as_sold.index == as_sold.index[:, :1]).all() and (clock_hz == clock_hz[:, :1]).all():
        # A design space: all of it varies one GPU.
        return [shape[1]] * shape[1], [0] if shape[1] else []
    keys = [(as_sold.index[:, j].tobytes(), clock_hz[:, j].tobytes()) for j in range(shape[1])]
    place = {keys[j]: j for j in np.flatnonzero(as_is).tolist()}
    more: list[int] = []
    for j, key in enumerate(keys):
        if key not in place:
            place[key] = shape[1] + len(more)
            more.append(j)
    return [j if as_is[j] else place[key] for j, key in enumerate(keys)], more


@cache
def catalogued(key: str) -> Processor | None:
    """The catalog's processor of a key, or of the one that a variation changes; None for a user's own."""
    base = key.rstrip("*")
    return library.processor(base) if base in library.index()["entries"] else None


@dataclass(frozen=True)
class Sold:
    """The GPUs behind p processors as they are sold."""

    columns: Columns
    """Each once."""
    place: NDArray[np.intp]
    """(p,) which of them stands behind each."""
    catalogued: NDArray[np.bool_]
    """(p,) whether the catalog has it; a user's own stands for itself."""
    varied: NDArray[np.bool_]
    """(p,) whether the processor is another than that."""


def sold_of(columns: Columns) -> Sold:
    """The catalog's GPUs behind processors."""
    return columns.once("sold", lambda: find_sold(columns))


PLACE = ("node_gpus", "bytes_per_s_slot", "slots_share_host", "bytes_per_s_network")
"""What joins a GPU to others: not the GPU's own, and stated by users, who are surer by it."""


def placed_as(sold: Processor, stated: Processor) -> Processor:
    """A GPU as it is sold, among the others that a stated one stands among."""
    place: dict[str, Any] = {name: value for name in PLACE if isinstance(value := getattr(stated, name), (int, float))}
    return dataclasses.replace(sold, **place) if place else sold


def find_sold(columns: Columns) -> Sold:
    """The catalog's GPUs behind processors, looked up."""
    members = columns.members if columns.wide is None else (columns.wide,)
    entries = [catalogued(p.key) for p in members]
    sold = [p if s is None else placed_as(s, p) for p, s in zip(members, entries, strict=True)]
    once = {id(p): p for p in sold}
    first = {key: i for i, key in enumerate(once)}
    shape = (len(columns),)
    return Sold(
        columns_of([*once.values()]),
        np.broadcast_to(np.array([first[id(p)] for p in sold], np.intp), shape),
        np.broadcast_to(np.array([s is not None for s in entries], np.bool_), shape),
        np.broadcast_to(np.array([p is not s for p, s in zip(members, sold, strict=True)], np.bool_), shape),
    )


def sms_as_sold(columns: Columns) -> FloatArray:
    """(p,) SMs of the catalog's GPU behind each processor."""
    sold = sold_of(columns)
    return sold.columns.number("sm_count")[sold.place]


def nominal(machines: Machines, policy: str | float = "auto") -> Machines:
    """Machines as the catalog has them, at the clocks that they then have; ``machines`` itself where none is varied.

    policy : of the clocks (:class:`roofcast.core.results.Conditions`): one in Hz holds for the catalog's as well.
    """
    of = sold_of(machines.columns)
    if not of.varied.any():
        return machines
    sold = Machines(of.columns, machines.spread(of.place, -1), machines.clock_hz)
    if not isinstance(policy, str):
        return sold
    clock_hz = machines.clock_hz
    if clock_hz.ndim and not clock_hz.strides[0] and len(machines.index) == 1:
        # One row for all kernels.
        machines = machines.at(clock_hz[:1])
    return sold.at(clocks_as_sold(machines, sold))


def clocks_as_sold(varied: Machines, sold: Machines) -> FloatArray:
    """Clocks of the same kind on the catalogued GPUs: base, boost, or the same share of boost."""
    base, boost = ([m.gather(name) for m in (varied, sold)] for name in ("clock_hz_base", "clock_hz_boost"))
    # To 12 digits: variations of one GPU have it at one clock, whatever their own.
    scaled = np.where(boost[0] == boost[1], varied.clock_hz, np.round(varied.clock_hz / boost[0], 12) * boost[1])
    at_base, at_boost = varied.clock_hz == base[0], varied.clock_hz == boost[0]
    return np.where(at_base, base[1], np.where(at_boost, boost[1], scaled))
