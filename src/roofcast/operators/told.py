"""Tables of traced kernels, with the amounts that the shapes of their operators tell."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, as_text
from roofcast.core.resource import Resource
from roofcast.core.timeline import Operator
from roofcast.operators.amounts import OperatorAmounts
from roofcast.operators.kernel_names import LibraryKernel, library_kernel
from roofcast.operators.recipes import (
    addmm,
    linear,
    matmul,
    mm,
    norm,
    numbers,
    operation_of,
    recipe_of,
    softmax,
    tensors,
    traced_amounts,
)

OPAQUE_BYTES = {"OpaqueType<1u>": "int8", "OpaqueType<2u>": "fp16", "OpaqueType<4u>": "fp32", "OpaqueType<8u>": "fp64"}
"""PyTorch's copies know only how large an element is."""


def with_traced_amounts(table: KernelTable) -> tuple[KernelTable, NDArray[np.bool_]]:
    """The table with the amounts that its operators' shapes tell, and (n,) which rows have them.

    Operators stand in the extra column ``operator``, where the reader of a trace put them. Values that the table
    has already stay.
    """
    n = len(table)
    values: dict[str, FloatArray] = {}
    shaped = np.zeros(n, np.bool_)
    labels = as_text([""] * n)
    operators = table.extra.get("operator")
    for i, operator in enumerate(operators if operators is not None else ()):
        if not isinstance(operator, Operator):
            continue
        name = str(table.strings("kernel")[i])
        library = library_kernel(name)
        kind = operation_of(operator)
        # A product's work belongs to a kernel that multiplies, where the name says what it is.
        if kind is not None and library is not None and kind.is_matrix != library.operation.is_matrix:
            continue
        opaque = next((p for word, p in OPAQUE_BYTES.items() if word in name), "")
        amounts_found = traced_amounts(operator, opaque or (library.precision if library else ""))
        if amounts_found is None:
            continue
        shaped[i] = True
        labels[i] = operator.name.rpartition("::")[2].removesuffix("_")
        for column, value in (columns_of(amounts_found, library) | shape_columns(operator)).items():
            values.setdefault(column, np.full(n, np.nan))[i] = value
    columns = {}
    for column, found in values.items():
        old = table.column(column)
        origin = np.where(np.isnan(old), np.uint8(Origin.DERIVED), table.origin_of(column)).astype(np.uint8)
        columns[column] = (np.where(np.isnan(old), found, old), origin)
    if columns:
        table = table.with_columns(**columns)
        table = dataclasses.replace(table, extra={**table.extra, "op": labels})
    return table, shaped


def columns_of(found: OperatorAmounts, library: LibraryKernel | None) -> dict[str, float]:
    """Columns of one operator; its FLOPs go to the pipe that the kernel's name tells, where it tells one."""
    values = {"bytes_compulsory": float(found.bytes_compulsory), "working_set_bytes": float(found.working_set_bytes)}
    pipe = found.pipe
    # FP32 products run on tensor pipes only where the library chose TF32, and its kernel's name says so.
    if pipe is Resource.FLOPS_FP32 and library is not None and library.tensor and library.operation.is_matrix:
        pipe = library.resource or Resource.FLOPS_TENSOR_TF32
    if pipe is not None and float(found.flops) > 0:
        values[pipe.value] = float(found.flops)
    if found.insts_special is not None:
        values[Resource.INSTS_SPECIAL.value] = float(found.insts_special)
    values |= {name: float(size) for name, size in found.shape.items()}
    return {k: v for k, v in values.items() if math.isfinite(v)}


def shape_columns(operator: Operator) -> dict[str, float]:
    """The shape of a matrix product or of a row operator, as columns of a table.

    >>> shape_columns(Operator("aten::linear", ((2, 32, 64), (16, 64))))
    {'shape_m': 64.0, 'shape_n': 16.0, 'shape_k': 64.0, 'shape_batch': 1.0}
    """
    found = recipe_of(operator.name)
    recipe, shapes = found[1] if found else None, tensors(operator)
    try:
        if recipe in (softmax, norm):
            columns = shapes[0][(numbers(operator, 1) or [-1])[0]] if recipe is softmax else shapes[0][-1]
            return {"shape_rows": math.prod(shapes[0]) / columns}
        if recipe is linear:
            (n, k), batch = shapes[1], 1
            m = math.prod(shapes[0]) // k
        elif recipe in (mm, addmm, matmul):
            left, right = shapes[-2:] if recipe is addmm else shapes[:2]
            (m, k), n = left[-2:], right[-1]
            batch = math.prod(right[:-2])
            m = m if batch > 1 else math.prod(left[:-1])
        else:
            return {}
    except (IndexError, ValueError, ZeroDivisionError):
        return {}
    return {f"shape_{name}": float(v) for name, v in (("m", m), ("n", n), ("k", k), ("batch", batch))}
