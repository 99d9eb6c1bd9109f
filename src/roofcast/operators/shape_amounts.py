"""Amounts of table rows that name a library operator and its shape, and count nothing: from the shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.resource import Resource
from roofcast.operators.amounts import (
    OperatorAmounts,
    elementwise_amounts,
    gemm_amounts,
    normalisation_amounts,
    precision_of,
    softmax_amounts,
)
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.rows import ROW_COLUMNS, SHAPE_COLUMNS, OperatorRows, operator_rows

TWO_OPERANDS = frozenset({"add", "sub", "mul", "div", "pow"})
"""Element-wise operators that read two arrays of full size."""


# Shapes beyond all reason give amounts that no model forecasts from.
@np.errstate(over="ignore", invalid="ignore")
def with_shape_amounts(kernels: KernelTable) -> KernelTable:
    """The table with FLOPs, compulsory bytes and shapes of the rows that have neither work nor bytes.

    The same table where there is nothing to add: values that a table states stay.
    """
    empty = np.ones(len(kernels), np.bool_)
    for name in (*(r.value for r in Resource), "flops", "bytes_compulsory", "insts_executed"):
        if name in kernels.numeric:
            empty &= ~(kernels.column(name) > 0)
    if not empty.any() or not says_shapes(kernels):
        return kernels
    found = operator_rows(kernels)
    if found is None:
        return kernels
    values: dict[str, FloatArray] = {}
    precisions = row_precisions(kernels, found)
    for precision in set(precisions.tolist()):
        for operation, known in known_rows(found).items():
            rows = np.flatnonzero(empty & known & (precisions == precision))
            if not len(rows):
                continue
            for name, (column, _) in amounts_of(operation, found, kernels, rows, precision).columns().items():
                values.setdefault(name, np.full(len(kernels), np.nan))[rows] = column
    if not values:
        return kernels
    columns = {name: (np.where(np.isnan(v), kernels.column(name), v), Origin.DERIVED) for name, v in values.items()}
    return kernels.with_columns(**columns)


def says_shapes(kernels: KernelTable) -> bool:
    """Whether anything in a table may be a shape, so that its names are worth reading."""
    columns = any(name in kernels.extra for name in (*SHAPE_COLUMNS, *ROW_COLUMNS))
    return columns or any(name.startswith("shape_") for name in kernels.numeric) or any(kernels.strings("config"))


def known_rows(found: OperatorRows) -> dict[Operation, NDArray[np.bool_]]:
    """(n,) rows of each operation whose shape is known."""
    return {
        Operation.GEMM: found.of(Operation.GEMM) & ~np.isnan(found.m),
        **{
            operation: found.of(operation) & ~np.isnan(found.rows * found.width)
            for operation in (Operation.ELEMENTWISE, Operation.SOFTMAX, Operation.NORMALISATION)
        },
    }


def row_precisions(kernels: KernelTable, found: OperatorRows) -> NDArray[np.object_]:
    """(n,) element type of each row: as the table says, else as the kernel's name does, else fp32."""
    known: dict[str, str] = {}

    def of(said: str, name: str) -> str:
        if said not in known:
            try:
                known[said] = precision_of(said)
            except InputError:
                known[said] = ""
        library = library_kernel(name)
        return known[said] or (library.precision if library else "") or "fp32"

    pairs = zip(kernels.strings("precision"), kernels.strings("kernel"), strict=True)
    return np.array([of(str(said), str(name)) for said, name in pairs], dtype=np.object_)


def amounts_of(
    operation: Operation, found: OperatorRows, kernels: KernelTable, rows: NDArray[np.intp], precision: str
) -> OperatorAmounts:
    """Amounts of some rows that share operation and element type."""
    if operation is Operation.GEMM:
        return gemm_amounts(found.m[rows], found.n[rows], found.k[rows], found.batch[rows], precision)
    vectors, width = found.rows[rows], found.width[rows]
    if operation is Operation.SOFTMAX:
        return softmax_amounts(vectors, width, precision)
    if operation is Operation.NORMALISATION:
        return normalisation_amounts(vectors, width, precision)
    names = kernels.strings("kernel")[rows]
    reads = np.array([2.0 if str(name).lower().split("/")[-1] in TWO_OPERANDS else 1.0 for name in names])
    return elementwise_amounts(vectors * width, precision, reads=reads)
