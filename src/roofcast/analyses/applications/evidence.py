"""The kernels of a timeline with everything that is known of their work: counters, else shapes, else the time alone.

Counters of a profile are given to kernels of the same name and geometry.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import ALL_NUMERIC, Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, concatenate
from roofcast.core.timeline import Collective, Timeline
from roofcast.ingest.traces.distinct_kernels import OPERATOR, distinct_kernels
from roofcast.kit.quantities import format_percent
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


KEPT = frozenset({
    *("launch", "launches", "time_s", "time_std_s", "time_total_s", "clock_hz", "clock_hz_dram", "clock_hz_l2"),
    *("sm_count", "capacity_bytes_dram", "grid_blocks", "block_threads", "power_w"),
})  # fmt: skip
"""What the timeline says of a launch itself stays as it is; everything else is the counters'."""

CAST = re.compile(r"\([A-Za-z_][\w:]*(?: [A-Za-z_][\w:]*){0,3}\)(?=-?\d|true\b|false\b)")
"""nsys and ncu write template arguments with their types, other tools without."""
NAMELESS = re.compile(r"\(anonymous namespace\)|\(unnamed namespace\)|<unnamed>|\{anonymous\}")
SUFFIX = re.compile(r"(?<=\d)(?:ull|ul|u|ll|l)\b", re.I)
LAMBDA = re.compile(r"\[lambda(\([^()]*\)) \(instance (\d+)\)\]")
CLONE = re.compile(r"\s*\[clone [^\]]*\]|\.kd$")


def joined_counters(
    table: KernelTable, counters: Sequence[KernelTable]
) -> tuple[KernelTable, NDArray[np.bool_], tuple[str, ...]]:
    """The table with the counters of equal kernels, (n,) which rows got some, and what to say about it."""
    n = len(table)
    if not counters:
        return table, np.zeros(n, np.bool_), ()
    source = concatenate(list(counters))
    position = matches(table, source)
    hit = position >= 0
    columns: dict[str, tuple[FloatArray, OriginArray]] = {}
    for name in source.numeric:
        if name in KEPT or name not in ALL_NUMERIC:
            continue
        given = np.where(hit, source.column(name)[position], np.nan)
        use = ~np.isnan(given)
        if use.any():
            # Work that was counted replaces work that was worked out from shapes, as a whole.
            old = np.where(hit, np.nan, table.column(name))
            origin = np.where(use, source.origin_of(name)[position], table.origin_of(name)).astype(np.uint8)
            columns[name] = (np.where(use, given, old), origin)
    for name in table.numeric:
        if name not in columns and name not in KEPT and (table.origin_of(name) == Origin.DERIVED).any():
            columns[name] = (np.where(hit, np.nan, table.column(name)), table.origin_of(name))
    share = float(table.column("time_total_s")[hit].sum() / max(table.column("time_total_s").sum(), 1e-30))
    note = (
        f"counters found for {int(hit.sum())} of {n} distinct kernels, {format_percent(share, 0)} of the kernels' time"
    )
    return table.with_columns(**columns), hit, (note,)


def matches(table: KernelTable, source: KernelTable) -> NDArray[np.intp]:
    """(n,) row of the counters for each kernel; -1 where there is none.

    The same name, grid and block first; then the same name and block where the counters hold one grid only.
    """
    exact: dict[tuple[str, str, str], int] = {}
    by_block: dict[tuple[str, str], set[str]] = {}
    for i, key in enumerate(keys(source)):
        exact.setdefault(key, i)
        by_block.setdefault((key[0], key[2]), set()).add(key[1])
    result = []
    for name, grid, block in keys(table):
        found = exact.get((name, grid, block), -1)
        grids = by_block.get((name, block), set())
        if found < 0 and len(grids) == 1 and not (grid and next(iter(grids))):
            found = exact[name, next(iter(grids)), block]
        result.append(found)
    return np.array(result, np.intp)


def keys(table: KernelTable) -> list[tuple[str, str, str]]:
    """Name, grid and block of each row, spelled alike whichever profiler printed them."""
    columns = (table.strings("kernel"), table.strings("grid"), table.strings("block"))
    return [(plain_name(str(k)), shape(str(g)), shape(str(b))) for k, g, b in zip(*columns, strict=True)]


def plain_name(name: str) -> str:
    """A kernel's name without arguments and return type, so that short and full names agree.

    >>> plain_name("void scale<(int)4, (bool)1>(T2 *, int)") == plain_name("scale<4, true>")
    True
    >>> plain_name("void a::<unnamed>::f<T>(int)") == plain_name("void a::(anonymous namespace)::f<T>(int)")
    True
    """
    text = CLONE.sub("", CAST.sub("", NAMELESS.sub("@", name))).strip()
    text = SUFFIX.sub("", LAMBDA.sub(r"{lambda\1#\2}", text))
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "<") - (character == ">" and text[i - 1 : i] != "-")
        if character == "(" and depth == 0 and i > 0:
            text = text[:i]
            break
    return re.sub(r"\s+", "", text.removeprefix("void "))


def shape(text: str) -> str:
    """The numbers of a shape; '' where it has none."""
    return "x".join(re.findall(r"\d+", text))
