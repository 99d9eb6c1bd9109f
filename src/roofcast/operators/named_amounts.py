"""What the name of a library's kernel lets one assume where neither counters nor shapes are known.

A name tells the kind of work and its precision, not its size. The size is taken from the time: products reach a usual
share of their pipe, everything else a usual share of the memory's bandwidth. It is an assumption, and marked as one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.operators.kernel_names import Operation, library_kernel

PIPE_SHARE = 0.5
"""Of the pipe's supply that long library products reach; half over all sizes in public data of matrix products."""
RAMP_S = 10e-6
"""A product that takes this long reaches half of that: small ones leave most of the GPU idle."""
MEMORY_SHARE = 0.6
"""Of the memory's bandwidth that streaming library kernels reach, small ones included."""
PRODUCTS_MEMORY_SHARE = 0.2

STREAMING = frozenset({
    Operation.ELEMENTWISE, Operation.COPY, Operation.SOFTMAX, Operation.NORMALISATION, Operation.REDUCTION,
    Operation.GATHER, Operation.POOLING, Operation.GEMV,
})  # fmt: skip


def with_named_amounts(
    table: KernelTable, unknown: NDArray[np.bool_], sources: Sequence[Processor | None]
) -> tuple[KernelTable, NDArray[np.bool_]]:
    """The table with assumed amounts, and (n,) which rows have them.

    unknown : (n,) rows of which only the time is known. sources : the GPU of each row.
    """
    n = len(table)
    values: dict[str, FloatArray] = {}
    named = np.zeros(n, np.bool_)
    time = table.column("time_s")
    for i in np.flatnonzero(unknown & (time > 0)).tolist():
        gpu, library = sources[i], library_kernel(str(table.strings("kernel")[i]))
        if gpu is None or library is None:
            continue
        found: dict[str, float] = {}
        busy = max(float(time[i]) - (gpu.launch_floor_s or 0.0), 0.2 * float(time[i]))
        if library.operation.is_matrix:
            pipe = library.resource
            rate = gpu.rate(pipe) if pipe is not None else float("nan")
            if pipe is not None and rate > 0:
                found = {pipe.value: PIPE_SHARE * rate * busy * busy / (busy + RAMP_S)}
                found["bytes_compulsory"] = PRODUCTS_MEMORY_SHARE * gpu.rate(Resource.BYTES_DRAM) * busy
        elif library.operation in STREAMING:
            found = {"bytes_compulsory": MEMORY_SHARE * gpu.rate(Resource.BYTES_DRAM) * busy}
        found = {k: v for k, v in found.items() if v > 0}
        named[i] = bool(found)
        for column, value in found.items():
            values.setdefault(column, np.full(n, np.nan))[i] = value
    columns: dict[str, tuple[FloatArray, OriginArray]] = {}
    for column, given in values.items():
        old = table.column(column)
        origin = np.where(np.isnan(given), table.origin_of(column), Origin.ASSUMED).astype(np.uint8)
        columns[column] = (np.where(np.isnan(given), old, given), origin)
    return (table.with_columns(**columns) if columns else table), named
