"""Launch floors from the measurements themselves: what a null launch on each machine would have told."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.formulas.values import combine
from roofcast_evaluate.cases import Index, codes

CONFIGURATIONS_FOR_FLOOR = 50
"""A kernel with at least so many configurations on a GPU shows its own launch floor there; of fewer, the
shortest may be real work."""

PLATEAU_WORK, PLATEAU_TIME = 3.9, 1.1
"""Work that grows so far while the time grows at most so far shows a launch floor."""


def measured_floors(kernels: KernelTable) -> dict[tuple[str, str], float]:
    """(GPU, kernel) -> seconds: the shortest time of a kernel's many configurations, else the time that stays the
    same while the kernel's work grows, else what such kernels show on that GPU, else the GPU's shortest time.
    """
    time, gpu = kernels.column("time_s"), codes(kernels.strings("gpu"))
    kernel = codes(kernels.strings("kernel"))
    work = work_of(kernels)
    floors: dict[tuple[str, str], float] = {}
    for g in range(gpu.max(initial=-1) + 1):
        rows = np.flatnonzero((time > 0) & (gpu == g))
        if not len(rows):
            continue
        which = kernel[rows]
        flat = plateaus(which, work[rows], time[rows])
        usual = float(np.median([*flat.values()])) if flat else float(time[rows].min())
        least = np.full(kernel.max() + 1, np.inf)
        np.minimum.at(least, which, time[rows])
        count = np.bincount(which, minlength=len(least))
        name = str(kernels.strings("gpu")[rows[0]])
        first = {int(k): str(kernels.strings("kernel")[row]) for k, row in zip(which[::-1], rows[::-1], strict=True)}
        for k, text in first.items():
            floor = flat.get(k, min(usual, float(least[k])))
            floors[name, text] = float(least[k]) if count[k] >= CONFIGURATIONS_FOR_FLOOR else floor
    return floors


def work_of(kernels: KernelTable) -> FloatArray:
    """(n,) what grows with the size of a problem: bytes, else FLOPs; 0 where neither is known."""
    columns = [kernels.column(name) for name in ("bytes_dram", "bytes_compulsory", "flops")]
    return combine(np.fmax, [*columns, np.zeros(len(kernels))])


def plateaus(kernel: Index, work: FloatArray, time_s: FloatArray) -> dict[int, float]:
    """Kernel -> shortest time of its smallest sizes, where they take the same though their work differs."""
    shortest = {}
    for k in np.unique(kernel).tolist():
        rows: NDArray[np.intp] = np.flatnonzero((kernel == k) & (work > 0))
        rows = rows[np.argsort(work[rows], kind="stable")]
        if len(rows) < 2:
            continue
        same = np.cumprod(time_s[rows] <= PLATEAU_TIME * time_s[rows[0]]).astype(np.bool_)
        flat = rows[same]
        if work[flat[-1]] >= PLATEAU_WORK * work[rows[0]]:
            shortest[int(k)] = float(time_s[flat].min())
    return shortest
