"""Pairs of rows that measured the same work on two GPUs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable
from roofcast.core.records import dataclass
from roofcast.forecasting.several_sources import refined, works_of

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Pairs:
    """Rows of a table that measure the same work on two GPUs; both arrays are (p,)."""

    source: Index
    target: Index

    def __len__(self) -> int:
        return len(self.source)

    def select(self, chosen: NDArray[np.bool_]) -> Pairs:
        """The pairs of a mask."""
        return Pairs(self.source[chosen], self.target[chosen])


def pair_rows(
    kernels: KernelTable, gpu: Index, usable: NDArray[np.bool_] | None = None, *, by_precision: bool = True,
    program: Index | None = None,
) -> Pairs:  # fmt: skip
    """Every directed pair of rows of the same work on different GPUs, whichever file each is from.

    The first usable row per work and GPU counts; of profiles (``program``) the launches pair in their order.
    gpu : (n,) a number per GPU, or per setting of one. program : (n,) a number per program that was profiled on each.
    usable : (n,) rows that may take part (default: those with a time). by_precision : as in
    :func:`roofcast.forecasting.several_sources.works_of`.
    """
    time = kernels.column("time_s")
    rows = np.flatnonzero((time > 0) if usable is None else (usable & (time > 0)))
    if not len(rows):
        return Pairs(rows, rows)
    work, gpu = works_of(kernels, rows, together=True, by_precision=by_precision), gpu[rows]
    if program is not None:
        work = refined(work, program[rows])
        work = refined(work, places(work * (gpu.max() + 1) + gpu))
    _, first = np.unique(work * (gpu.max(initial=0) + 1) + gpu, return_index=True)
    first.sort()
    rows, work = rows[first], work[first]
    order = np.argsort(work, kind="stable")
    rows, work = rows[order], work[order]
    starts = np.flatnonzero(np.r_[True, work[1:] != work[:-1]])
    sizes = np.diff(np.r_[starts, len(work)])
    source, target = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for size in np.unique(sizes[sizes > 1]).tolist():
        block = rows[starts[sizes == size][:, None] + np.arange(size)]
        for i in range(size):
            for j in range(size):
                if i != j:
                    source.append(block[:, i])
                    target.append(block[:, j])
    pairs = Pairs(np.concatenate(source), np.concatenate(target))
    order = np.lexsort((pairs.target, pairs.source))
    return Pairs(pairs.source[order], pairs.target[order])


def places(values: Index) -> Index:
    """(n,) how often each value occurred before.

    >>> places(np.array([4, 2, 4, 4, 2])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) != 0])
    occurrence = np.empty(len(values), np.intp)
    occurrence[order] = np.arange(len(values)) - np.repeat(starts, np.diff(np.r_[starts, len(values)]))
    return occurrence
