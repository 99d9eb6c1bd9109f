"""What the host takes of a library call, read off the sizes of one kernel whose time stays while their work grows.

Whoever times calls of a library times the host that launches them as well: PyTorch takes 25 to 60 us a call. A device
launches a kernel in 1 to 5 us, so that longer times that stay the same over many sizes are the host's; and where many
sizes take less, no host was timed.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.operator_rows import find_operators

SIZES_LEAST = 50
"""Sizes that a kernel needs on a GPU: of fewer, the shortest may be real work."""
OUTLIERS = 200
"""Of so many sizes the shortest may be a mistake of timing."""
HOST_LEAST_S = 15e-6
"""Below this it may be the device's, with the chain of loads of a small kernel."""
LEVEL, GROWTH, LEVEL_LEAST = 1.15, 4.0, 5
"""So many times up to this multiple of the shortest are level, where FLOPs and bytes both grow so far over them."""
HOST_BY_SIZES = "host: calls level off at its time, assumed the same on the target (else --launch-floor SRC,TGT)"
TIMED = (Operation.GEMM, Operation.ATTENTION, Operation.ELEMENTWISE, Operation.SOFTMAX, Operation.NORMALISATION)
"""Operators whose own time is modelled, so that the host's can be told from it."""


@quietly()
def infer_host_floors(kernels: KernelTable, index: NDArray[np.intp]) -> KernelTable:
    """The table with ``host_floor_s`` of library operators whose times level off, 0 where short ones show that no host
    was timed; the same table where nothing shows.

    index : (n,) GPU of each row. A fact of the benchmark, and so of all sizes of a kernel on a GPU in a file. Not of
    kernels that a profiler timed, which bear a library kernel's name or have counters.
    """
    time, given = kernels.column("time_s"), kernels.column("host_floor_s")
    work = [kernels.column(name) for name in ("bytes_compulsory", "flops")]
    asked = (time > 0) & np.isnan(given) & np.isnan(kernels.column("insts_executed"))
    sizes = Counter(kernels.strings("kernel")[asked].tolist())
    if max(sizes.values(), default=0) < SIZES_LEAST:
        return kernels
    operators = find_operators(kernels)
    if operators is None:
        return kernels
    rows = np.flatnonzero(asked & operators.of(*TIMED))
    names = kernels.strings("kernel")[rows]
    places: dict[tuple[str, int, int], list[int]] = {}
    for row, *key in zip(
        rows.tolist(), names.tolist(), index[rows].tolist(), kernels.files()[rows].tolist(), strict=True
    ):
        places.setdefault(tuple(key), []).append(row)
    floor = np.array(given)
    for (name, *_), rows_of_kernel in places.items():
        of_kernel = np.array(rows_of_kernel)
        if len(of_kernel) < SIZES_LEAST or library_kernel(name) is not None:
            continue
        of_kernel = of_kernel[np.argsort(time[of_kernel], kind="stable")]
        least = time[of_kernel[len(of_kernel) // OUTLIERS]]
        level = of_kernel[time[of_kernel] <= LEVEL * least]
        known = [amount[level] for amount in work if np.isfinite(amount[of_kernel]).any()]
        grows = all(np.fmax.reduce(a) >= GROWTH * np.fmin.reduce(a) for a in known)
        if least < HOST_LEAST_S:
            floor[of_kernel] = 0.0
        elif len(level) >= LEVEL_LEAST and grows and np.isfinite(work[0][of_kernel]).any():
            # Without bytes no model of an operator says what of the rest is its own.
            floor[of_kernel] = least
    return kernels if np.isnan(floor).all() else kernels.with_columns(host_floor_s=(floor, Origin.DERIVED))
