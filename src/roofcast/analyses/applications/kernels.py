"""The kernels of a timeline with everything that is known of their work: counters, else shapes, else the time alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roofcast.analyses.applications.counters import joined_counters
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.timeline import Collective, Timeline
from roofcast.ingest.traces.kernels import OPERATOR, distinct_kernels
from roofcast.operators.kernel_names import LibraryKernel, Operation, library_kernel
from roofcast.operators.traced_operators import operation_of, with_traced_amounts


class Evidence(IntEnum):
    """What a kernel's forecast rests on, besides its geometry and time."""

    TIME = 0
    NAME = 1
    """A library's name: the kind of work and its precision; the size is taken from the time."""
    SHAPES = 2
    COUNTERS = 3


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
    communicates: NDArray[np.bool_]
    """(n,) kernels that devices run together: links limit them, not the kernel's roofs."""
    notes: tuple[str, ...] = ()

    @property
    def weight(self) -> FloatArray:
        """(n,) s; the time of all launches of each row, 0 for communication."""
        return np.where(self.communicates, 0.0, self.table.column("time_total_s"))


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
    table, shaped = with_traced_amounts(found.table)
    table, counted, notes = joined_counters(without_operators(table), counters)
    evidence = np.where(counted, Evidence.COUNTERS, np.where(shaped, Evidence.SHAPES, Evidence.TIME)).astype(np.uint8)
    matrix = [lib is not None and lib.operation.is_matrix for lib in libraries]
    communicates = np.zeros(len(table), np.bool_)
    communicates[found.row] = timeline.activities.collective[found.launches] != Collective.NONE
    return ModelledKernels(
        table, found.launches, found.row, evidence, operations, np.array(matrix, np.bool_), communicates, notes
    )


def without_operators(table: KernelTable) -> KernelTable:
    """The table without its operators, whose work it has by now."""
    return dataclasses.replace(table, extra={k: v for k, v in table.extra.items() if k != OPERATOR})


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
