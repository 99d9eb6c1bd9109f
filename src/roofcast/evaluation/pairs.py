"""Directed pairs of measurements: the same kernel and configuration on two GPUs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable

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


def codes(values: NDArray[np.object_]) -> Index:
    """(n,) integer per distinct text, in the order of first appearance."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(v, len(seen)) for v in values], dtype=np.intp)


def pairs_of(kernels: KernelTable, usable: NDArray[np.bool_] | None = None, *, within_gpu: bool = False) -> Pairs:
    """Every directed pair of rows with the same kernel and configuration on different GPUs.

    The first usable row per kernel, configuration and GPU counts. usable : (n,) rows that may take part (default: those
    with a time). within_gpu : pair settings of one GPU (clocks) rather than GPUs; the configuration is then the part
    that does not name the setting.
    """
    time = kernels.column("time_s")
    rows = np.flatnonzero((time > 0) if usable is None else (usable & (time > 0)))
    work = codes(kernels.strings("kernel") + "\x00" + kernels.strings("config"))[rows]
    gpu = setting_codes(kernels)[rows] if within_gpu else codes(kernels.strings("gpu"))[rows]
    _, first = np.unique(work * (gpu.max(initial=0) + 1) + gpu, return_index=True)
    first.sort()
    rows, work = rows[first], work[first]
    order = np.argsort(work, kind="stable")
    rows, work = rows[order], work[order]
    starts = np.flatnonzero(np.r_[True, work[1:] != work[:-1]]) if len(work) else np.zeros(0, np.intp)
    sizes = np.diff(np.r_[starts, len(work)])
    source, target = [], []
    for size in np.unique(sizes[sizes > 1]).tolist():
        block = rows[starts[sizes == size][:, None] + np.arange(size)]
        for i in range(size):
            for j in range(size):
                if i != j:
                    source.append(block[:, i])
                    target.append(block[:, j])
    if not source:
        return Pairs(np.zeros(0, np.intp), np.zeros(0, np.intp))
    found = Pairs(np.concatenate(source), np.concatenate(target))
    order = np.lexsort((found.target, found.source))
    return Pairs(found.source[order], found.target[order])


def setting_codes(kernels: KernelTable) -> Index:
    """(n,) one integer per GPU and pair of clocks."""
    clocks = [kernels.column(name) for name in ("clock_hz", "clock_hz_dram")]
    parts = [codes(kernels.strings("gpu")), *(np.unique(c, return_inverse=True)[1] for c in clocks)]
    result = np.zeros(len(kernels), np.intp)
    for part in parts:
        result = result * (part.max(initial=0) + 1) + part
    return result
