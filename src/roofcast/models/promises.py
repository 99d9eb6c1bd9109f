"""What every forecast keeps, whatever model makes it.

* A GPU onto itself under the same conditions: the measured time, to the last bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, wraps
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog import library
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor, Supply
from roofcast.core.results import Conditions, Estimate
from roofcast.models.base import Model

Estimating = TypeVar("Estimating", bound=Callable[..., Estimate])
NO_PROPERTY = frozenset({"key", "name", "aliases", "supplies", "variants", "published", "facts", "notes"})
PROPERTIES = tuple(f.name for f in dataclasses.fields(Processor) if f.name not in NO_PROPERTY)


def keeps_promises(estimate: Estimating) -> Estimating:
    """The method ``estimate`` of a model, with what every forecast keeps."""

    @wraps(estimate)
    def kept(
        self: Model, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
        changes: AmountChanges | None = None,
    ) -> Estimate:  # fmt: skip
        found = estimate(self, kernels, sources, targets, conditions, changes)
        return exact_on_source(found, kernels, sources, targets, conditions, changes)

    return cast("Estimating", kept)


def exact_on_source(
    found: Estimate, kernels: KernelTable, sources: Machines, targets: Machines, conditions: Conditions,
    changes: AmountChanges | None,
) -> Estimate:  # fmt: skip
    """The estimate with the measured times where the target is the source: what was added up is off by last bits."""
    same = is_source(sources, targets, conditions, changes) & np.isfinite(found.time_s)
    if not same.any():
        return found
    time_s = np.where(same, kernels.column("time_s")[:, None], found.time_s)
    return dataclasses.replace(
        found,
        time_s=time_s,
        time_low_s=np.where(same, np.minimum(found.time_low_s, time_s), found.time_low_s),
        time_high_s=np.where(same, np.maximum(found.time_high_s, time_s), found.time_high_s),
    )


def is_source(
    sources: Machines, targets: Machines, conditions: Conditions, changes: AmountChanges | None
) -> NDArray[np.bool_]:
    """Cells, broadcastable to (n, m), that ask for the run that was measured: GPU, clock, floor and code."""
    floors = conditions.launch_floor_s
    alike = [[is_same(s, t) for t in (*targets.processors, None)] for s in (*sources.processors, None)]
    if not np.any(alike) or (floors is not None and floors[0] != floors[1]):
        return np.zeros((1, 1), np.bool_)
    same = np.array(alike, np.bool_)[sources.index[:, None], targets.index]
    same &= np.broadcast_to(np.asarray(sources.clock_hz)[:, None] == targets.clock_hz, same.shape)
    return same if changes is None else same & changes.is_none()


def is_same(source: Processor | None, target: Processor | None) -> bool:
    """Whether two processors are one GPU: by all that models read, so that a variation without change is its base."""
    if source is target or source is None or target is None:
        return source is not None and target is not None
    if source.key.rstrip("*") != target.key.rstrip("*"):
        return False
    ours, theirs = ({**p.supplies, **p.variants} for p in (source, target))
    return (
        all(getattr(source, name) == getattr(target, name) for name in PROPERTIES)
        and ours.keys() == theirs.keys()
        and all(numbers(s) == numbers(theirs[r]) for r, s in ours.items())
    )


def numbers(s: Supply) -> tuple[float | None, ...]:
    """What a supply supplies, whoever said so."""
    return s.per_s, s.peak_per_s, s.clock_hz, s.limit_per_s


@cache
def catalogued(key: str) -> Processor | None:
    """The catalog's processor of a key, or of the one that a variation changes; None for a user's own."""
    base = key.rstrip("*")
    return library.processor(base) if base in library.index()["entries"] else None


def nominal(machines: Machines, policy: str | float = "auto") -> Machines:
    """Machines as the catalog has them, at the clocks that they then have; ``machines`` itself where none is varied.

    policy : of the clocks (:class:`roofcast.core.results.Conditions`): one in Hz holds for the catalog's as well.
    """
    found = tuple(catalogued(p.key) or p for p in machines.processors)
    if all(a is b for a, b in zip(found, machines.processors, strict=True)):
        return machines
    sold = Machines(found, machines.index, machines.clock_hz)
    return sold if not isinstance(policy, str) else dataclasses.replace(sold, clock_hz=clocks_as_sold(machines, sold))


def clocks_as_sold(varied: Machines, sold: Machines) -> FloatArray:
    """Clocks of the same kind on the catalogued GPUs: base, boost, or the same share of boost."""
    base, boost = ([m.gather(of) for m in (varied, sold)] for of in (clock_hz_base, clock_hz_boost))
    scaled = np.where(boost[0] == boost[1], varied.clock_hz, varied.clock_hz * (boost[1] / boost[0]))
    at_base, at_boost = varied.clock_hz == base[0], varied.clock_hz == boost[0]
    return np.where(at_base, base[1], np.where(at_boost, boost[1], scaled))


def clock_hz_base(p: Processor) -> float | None:
    """A field, for :meth:`Machines.gather`."""
    return p.clock_hz_base


def clock_hz_boost(p: Processor) -> float | None:
    """A field, for :meth:`Machines.gather`."""
    return p.clock_hz_boost
