"""The kernels of a timeline with everything that is known of their work: counters, else shapes, else the time alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.counters import joined_counters
from roofcast.core.columns import Origin
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.table import FloatArray, KernelTable, OriginArray
from roofcast.core.timeline import Timeline
from roofcast.ingest.timeline_table import DistinctKernels, distinct_kernels
from roofcast.transfer.library_kernels import LibraryKernel, Operation, library_kernel
from roofcast.transfer.operators import OperatorAmounts
from roofcast.transfer.traced_operators import operation_of, traced_amounts

Columns = dict[str, tuple[FloatArray, OriginArray]]

AMOUNTS = ("bytes_compulsory", "working_set_bytes", Resource.INSTS_SPECIAL.value,
           *(r.value for r in FLOPS_VECTOR + FLOPS_TENSOR), Resource.OPS_TENSOR_INT8.value)  # fmt: skip
"""Columns that an operator's shapes can fill."""

OPAQUE_BYTES = {"OpaqueType<1u>": "int8", "OpaqueType<2u>": "fp16", "OpaqueType<4u>": "fp32", "OpaqueType<8u>": "fp64"}
"""PyTorch's copies know only how large an element is."""


class Evidence(IntEnum):
    """What a kernel's forecast rests on, besides its name, geometry and time."""

    TIME = 0
    SHAPES = 1
    COUNTERS = 2


@dataclass(frozen=True)
class ModelledKernels:
    """The distinct kernels of a timeline, ready to forecast."""

    table: KernelTable
    launches: NDArray[np.intp]
    """(m,) positions of the kernels among the activities."""
    row: NDArray[np.intp]
    """(m,) row of the table of each."""
    evidence: NDArray[np.uint8]
    """(n,) :class:`Evidence` of each row."""
    operation: tuple[Operation | None, ...]
    """Per row, what kind of work it is."""
    library: NDArray[np.bool_]
    """(n,) whether a library made the kernel: the target's library will choose another."""
    notes: tuple[str, ...] = ()


def modelled_kernels(timeline: Timeline, counters: Sequence[KernelTable] = ()) -> ModelledKernels:
    """The distinct kernels of a timeline with their amounts.

    counters : profiles of the same kernels with counters; joined by name and geometry.

    Raises
    ------
    InputError : the timeline has no kernels.
    """
    operator = computing_operators(timeline)
    found = distinct_kernels(timeline, operator)
    libraries = [library_kernel(name) for name in found.table.strings("kernel")]
    operations = tuple(kind_of(timeline, o, lib) for o, lib in zip(found.operator.tolist(), libraries, strict=True))
    table, shaped = with_shapes(timeline, found, libraries)
    table, counted, notes = joined_counters(table, counters)
    evidence = np.where(counted, Evidence.COUNTERS, np.where(shaped, Evidence.SHAPES, Evidence.TIME)).astype(np.uint8)
    matrix = [lib is not None and lib.operation.is_matrix for lib in libraries]
    return ModelledKernels(table, found.launches, found.row, evidence, operations, np.array(matrix, np.bool_), notes)


def kind_of(timeline: Timeline, operator: int, library: LibraryKernel | None) -> Operation | None:
    """The kind of work of a kernel: by its name, else by its operator."""
    by_operator = operation_of(timeline.operators[operator]) if operator >= 0 else None
    by_name = library.operation if library is not None else None
    # PyTorch's element-wise template also copies; the operator knows.
    if by_operator is Operation.COPY and by_name is Operation.ELEMENTWISE:
        return by_operator
    return by_name or by_operator


def computing_operators(timeline: Timeline) -> NDArray[np.int64]:
    """(activities,) operator whose work each kernel does; -1 for kernels that only help it.

    An operator may launch several kernels (a product and the sum of its parts): the one of its kind that takes
    longest does the work. Both gradients of a convolution are as large as the operator itself.
    """
    work = timeline.activities
    result = work.operator.copy()
    launches = timeline.kernels()
    launches = launches[work.instance[launches] >= 0]
    if not len(launches):
        return result
    names, inverse = np.unique(work.name[launches], return_inverse=True)
    made = [library_kernel(str(timeline.names[n])) for n in names.tolist()]
    matrix = np.array([m is not None and m.operation.is_matrix for m in made])[inverse]
    wanted = np.array([is_matrix(operation_of(o)) for o in timeline.operators])[work.operator[launches]]
    fits = matrix == wanted
    instance = work.instance[launches]
    order = np.lexsort((-work.duration_s[launches], ~fits, instance))
    first = np.ones(len(order), np.bool_)
    first[1:] = instance[order][1:] != instance[order][:-1]
    main = np.zeros(len(launches), np.bool_)
    main[order[first]] = True
    gradients = np.array(["convolution_backward" in o.name for o in timeline.operators])[work.operator[launches]]
    main |= gradients & matrix
    result[launches[~main]] = -1
    return result


def is_matrix(operation: Operation | None) -> bool:
    """Whether the kind of work is products of matrices."""
    return operation is not None and operation.is_matrix


def with_shapes(
    timeline: Timeline, found: DistinctKernels, libraries: Sequence[LibraryKernel | None]
) -> tuple[KernelTable, NDArray[np.bool_]]:
    """The table with amounts from shapes, and (n,) which rows have them."""
    n = len(found.table)
    values: dict[str, FloatArray] = {}
    shaped = np.zeros(n, np.bool_)
    for i, (operator, library) in enumerate(zip(found.operator.tolist(), libraries, strict=True)):
        if operator < 0:
            continue
        name = str(found.table.strings("kernel")[i])
        precision = next((p for word, p in OPAQUE_BYTES.items() if word in name), library.precision if library else "")
        amounts = traced_amounts(timeline.operators[operator], precision)
        if amounts is None:
            continue
        shaped[i] = True
        for column, value in columns_of(amounts, library).items():
            values.setdefault(column, np.full(n, np.nan))[i] = value
    columns = {k: (v, Origin.DERIVED) for k, v in values.items()}
    return found.table.with_columns(**columns), shaped


def columns_of(amounts: OperatorAmounts, library: LibraryKernel | None) -> Mapping[str, float]:
    """Columns of one operator; its FLOPs go to the pipe that the kernel's name tells, where it tells one."""
    found = {"bytes_compulsory": float(amounts.bytes_compulsory), "working_set_bytes": float(amounts.working_set_bytes)}
    pipe = amounts.pipe
    # FP32 products run on tensor pipes only where the library chose TF32, and its kernel's name says so.
    if pipe is Resource.FLOPS_FP32 and library is not None and library.tensor and library.operation.is_matrix:
        pipe = library.resource or Resource.FLOPS_TENSOR_TF32
    if pipe is not None and float(amounts.flops) > 0:
        found[pipe.value] = float(amounts.flops)
    if amounts.insts_special is not None:
        found[Resource.INSTS_SPECIAL.value] = float(amounts.insts_special)
    return {k: v for k, v in found.items() if math.isfinite(v)}
