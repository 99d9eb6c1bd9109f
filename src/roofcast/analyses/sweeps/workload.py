"""What a sweep forecasts: prepared kernels with weights, their sources and clocks; and the model itself as oracle."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions, Estimate
from roofcast.forecasting.clocks import SourceClocks, target_clock_hz
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.forecast import estimate_in_blocks
from roofcast.forecasting.prepared import prepare as prepare_kernels
from roofcast.models.physics.model import Mechanistic
from roofcast.models.remarks import Remarks

IntArray = NDArray[np.intp]


@dataclass(frozen=True)
class Workload:
    """n kernels ready to be forecast on variations of one GPU."""

    kernels: KernelTable
    processors: tuple[Processor, ...]
    index: IntArray
    """(n,) source of each; -1 where unknown."""
    clocks: SourceClocks
    conditions: Conditions
    changes: AmountChanges | None
    """(n, 1) what the base's own code changes."""
    weights: FloatArray
    """(n,) how often each runs."""
    model: Mechanistic = dataclasses.field(default_factory=Mechanistic)

    def __len__(self) -> int:
        return len(self.kernels)

    def rows(self, rows: IntArray) -> Workload:
        """Some of the kernels."""
        changes = None if self.changes is None else chosen(self.changes, rows)
        clocks = SourceClocks(
            self.clocks.clock_hz[rows], self.clocks.over_boost[rows], self.clocks.kind[rows], Remarks(len(rows))
        )
        return dataclasses.replace(
            self, kernels=self.kernels.select(rows), index=self.index[rows], clocks=clocks, changes=changes,
            weights=self.weights[rows],
        )  # fmt: skip

    def machines(self, targets: Sequence[Processor]) -> tuple[Machines, Machines]:
        """Sources and targets as models take them."""
        here = Machines(self.processors, self.index, self.clocks.clock_hz)
        clock_hz = target_clock_hz(self.clocks, self.processors, self.index, tuple(targets), self.conditions.clock)
        there = Machines(tuple(targets), np.arange(len(targets), dtype=np.intp)[None, :], clock_hz)
        return here, there

    def estimate(self, targets: Sequence[Processor]) -> Estimate:
        """The model's own forecasts, (n, m): the oracle of every faster way."""
        here, there = self.machines(targets)
        return estimate_in_blocks(
            self.model, self.kernels, here, there, self.conditions, spread(self.changes, len(targets))
        )


def chosen(changes: AmountChanges, rows: IntArray) -> AmountChanges:
    """Changes of some kernels."""
    return AmountChanges(
        {name: ratio[rows] for name, ratio in changes.ratios.items()},
        None if changes.bytes_local_added is None else changes.bytes_local_added[rows],
        None if changes.regs_per_thread is None else changes.regs_per_thread[rows],
    )


def spread(changes: AmountChanges | None, count: int) -> AmountChanges | None:
    """Changes on one GPU as changes on ``count`` variations of it: they run the same code."""
    if changes is None:
        return None

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
    conditions: Conditions | None = None,
    weights: Mapping[str, float] | None = None,
    sass: str = "auto",
) -> Workload:
    """Kernels as :func:`roofcast.forecasting.forecast.forecast` prepares them for one target.

    Unlike there, rows of one work on several GPUs do not serve each other: every row stands alone.

    weights : kernel name -> how often it runs; rows that stand for several launches count as that many as well.

    Raises
    ------
    RoofcastError : as ``forecast``; a weight of a kernel that is not there.
    """
    stated = check_conditions(conditions or Conditions())
    ready = prepare_kernels(kernels, [base], source=source, conditions=stated, sass=sass, alone=True)
    return Workload(
        ready.kernels, ready.sources, ready.index, ready.clocks, stated, ready.changes,
        weights_of(ready.kernels, weights),
    )  # fmt: skip


def weights_of(kernels: KernelTable, weights: Mapping[str, float] | None) -> FloatArray:
    """(n,) how often each row runs: its launches (1 where it is one), times the weight of its kernel.

    Raises
    ------
    RoofcastError : a weight that is negative, or of a kernel that is not there.
    """
    count = kernels.column("launches")
    found = np.where(count > 0, count, 1.0)
    if not weights:
        return found
    names = [str(n) for n in kernels.strings("kernel")]
    short = [n.partition("(")[0].split("<")[0].strip() for n in names]
    missing = [w for w in weights if w not in names and w not in short]
    if missing:
        raise RoofcastError(f"weights: no kernel {one_line(', '.join(missing), 120)}; `roofcast inspect` lists them")
    if any(not (0 <= v < float("inf")) for v in weights.values()):
        raise RoofcastError("weights: numbers that are not negative")
    factor = np.array([weights.get(n, weights.get(s, 1.0)) for n, s in zip(names, short, strict=True)])
    return np.asarray(found * factor)
