"""What a sweep forecasts: prepared kernels with weights and what the base's forecast adds to the physics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import LARGEST, FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import PROFILED, Conditions, Estimate
from roofcast.forecasting.forecast import estimate_prepared, forecast
from roofcast.forecasting.prepared import Prepared
from roofcast.models.physics.model import Mechanistic

IntArray = NDArray[np.intp]
MODELS = ("hybrid", "mechanistic")
"""Models that a sweep can start from: both are the physics that it follows, one with a learned residual."""


@dataclass(frozen=True)
class AtBase:
    r"""What the forecast of the base has beside the physics; it stays on every variation of it.

    .. math:: T(v) = r \, P(v), \quad r = T(b) / P(b), \quad
        T_{low}(v) = \frac{T(v)}{l \, w(v)}, \quad T_{high}(v) = h \, w'(v) \, T(v), \quad w(v) = \max(1, S(v) / S(b))

    T : the forecast. P, S, S' : seconds of the physics and the factors to the low and the high end of its interval, on
    the base b or a variation v; w' is of S'. l, h : factors to the ends of the base's forecast. So the base is the
    forecast, a variation follows the physics from there, and no variation is surer than the base.
    """

    factor: FloatArray
    """(n,) r; NaN where either has no forecast."""
    to_low: FloatArray
    """(n,) l."""
    to_high: FloatArray
    """(n,) h."""
    spread_low: FloatArray
    """(n,) S(b)."""
    spread_high: FloatArray
    """(n,) S'(b)."""

    def select(self, rows: IntArray) -> AtBase:
        """The corrections of some of the kernels."""
        return AtBase(*(getattr(self, f.name)[rows] for f in dataclasses.fields(self)))

    def apply(self, physics: Estimate) -> Estimate:
        """Forecasts of variations from those of the physics, (n, m)."""
        time = physics.time_s * self.factor[:, None]
        with quietly():
            lower = np.fmax(physics.time_s / physics.time_low_s / self.spread_low[:, None], 1.0)
            higher = np.fmax(physics.time_high_s / physics.time_s / self.spread_high[:, None], 1.0)
        low, high = time / (self.to_low[:, None] * lower), time * self.to_high[:, None] * higher
        return dataclasses.replace(physics, time_s=time, time_low_s=low, time_high_s=high)


@dataclass(frozen=True)
class Workload:
    """n kernels ready to be forecast on variations of one GPU."""

    prepared: Prepared
    """As the forecast of the base has them."""
    weights: FloatArray
    """(n,) how often each runs."""
    at_base: AtBase
    model: Mechanistic = dataclasses.field(default_factory=Mechanistic)
    conditions_told: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the base's forecast, in words and numbers."""

    def __len__(self) -> int:
        return len(self.prepared)

    def select(self, rows: IntArray) -> Workload:
        """Some of the kernels, in the given order."""
        return dataclasses.replace(
            self, prepared=self.prepared.select(rows), weights=self.weights[rows], at_base=self.at_base.select(rows)
        )

    @property
    def kernels(self) -> KernelTable:
        """The kernels with all amounts."""
        return self.prepared.kernels

    @property
    def conditions(self) -> Conditions:
        """The conditions of the runs on all variations."""
        return self.prepared.conditions

    @cached_property
    def sources(self) -> Machines:
        """Where the kernels were measured: what was read of them for these is kept."""
        return self.prepared.machines_here()

    def changes(self, count: int) -> AmountChanges | None:
        """(n, count) what the base's own code changes: its variations run the same."""
        return None if self.prepared.changes is None else spread(self.prepared.changes, count)

    def physics(self, targets: Columns) -> Estimate:
        """The model's own forecasts, (n, m), without what the base adds."""
        there, _ = self.prepared.machines_there(targets, noted=False)
        return estimate_prepared(self.model, self.prepared, self.sources, there, self.changes(len(targets)))

    def estimate(self, targets: Columns) -> Estimate:
        """Forecasts, (n, m)."""
        return self.at_base.apply(self.physics(targets))


def spread(changes: AmountChanges, count: int) -> AmountChanges:
    """Changes on one GPU as changes on ``count`` variations of it."""

    def wide(values: FloatArray) -> FloatArray:
        return np.repeat(values, count, axis=1)

    return AmountChanges(
        {name: wide(ratio) for name, ratio in changes.ratios.items()},
        None if changes.bytes_local_added is None else wide(changes.bytes_local_added),
        None if changes.regs_per_thread is None else wide(changes.regs_per_thread),
    )


def prepare(
    kernels: KernelTable,
    base: Processor,
    *,
    source: str | Processor | None = None,
    model: str | None = None,
    conditions: Conditions | None = None,
    weights: Mapping[str, float] | None = None,
    together: bool = False,
) -> Workload:
    """The forecast of the base as a workload for its variations.

    model : one of :data:`MODELS` (default: as ``forecast``); what it has beside the physics on the base stays.
    weights : kernel name -> how often it runs; rows that stand for several launches count as that many as well.
    """
    if model is not None and model not in MODELS:
        raise RoofcastError(f"a sweep follows the physics: use model {' or '.join(MODELS)}, not {one_line(model, 40)}")
    of_base = forecast(
        kernels, base, source=source, model=model, conditions=conditions or Conditions(), together=together,
    )  # fmt: skip
    if not np.isfinite(of_base.estimate.time_s).any():
        reason = next((str(r) for r in of_base.estimate.reasons.ravel() if r), "no reason is known")
        raise RoofcastError(f"no kernel can be forecast: {reason}")
    # What nobody knows of the caches is in the base's interval already, and stays in that of its variations.
    known = dataclasses.replace(of_base.conditions, named=PROFILED)
    ready: Prepared = dataclasses.replace(of_base.prepared, conditions=known)
    n = len(ready)
    work = Workload(ready, weights_of(ready.kernels, weights), AtBase(*np.ones((5, n))))
    physics, e = work.physics(columns_of([base])), of_base.estimate
    with quietly():
        ratios = (
            e.time_s / physics.time_s, e.time_s / e.time_low_s, e.time_high_s / e.time_s,
            physics.time_s / physics.time_low_s, physics.time_high_s / physics.time_s,
        )  # fmt: skip
    return dataclasses.replace(
        work, conditions_told=of_base.conditions_told, at_base=AtBase(*(np.ascontiguousarray(r[:, 0]) for r in ratios))
    )


def weights_of(kernels: KernelTable, weights: Mapping[str, float] | None) -> FloatArray:
    """(n,) how often each row runs: its launches (1 where it is one), times the weight of its kernel."""
    launches = kernels.launches
    if not weights:
        return launches
    names = [str(n) for n in kernels.strings("kernel")]
    short = [n.partition("(")[0].split("<")[0].strip() for n in names]
    missing = [w for w in weights if w not in names and w not in short]
    if missing:
        raise RoofcastError(f"weights: no kernel {one_line(', '.join(missing), 120)}; `roofcast inspect` lists them")
    if any(not (0 <= v <= LARGEST) for v in weights.values()):
        raise RoofcastError(f"weights: numbers from 0 to {LARGEST:g}")
    factor = np.array([weights.get(n, weights.get(s, 1.0)) for n, s in zip(names, short, strict=True)])
    return np.asarray(launches * factor)
