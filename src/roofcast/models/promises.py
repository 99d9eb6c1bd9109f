"""What every forecast keeps, whatever model makes it.

* A GPU onto itself under the same conditions: the measured time, to the last bit.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

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
