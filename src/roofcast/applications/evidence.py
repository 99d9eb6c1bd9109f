"""The kernels of a timeline and what is known of their work: counters, else shapes, else a name or the time alone.

Counters of a profile are given to kernels of the same name and geometry.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import ALL_NUMERIC
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, concatenate
from roofcast.core.records import dataclass
from roofcast.core.timeline import Operator, Timeline
from roofcast.ingest.traces.distinct_kernels import OPERATOR, distinct_kernels
from roofcast.kit.quantities import format_percent
from roofcast.models.physics.causes.library_names import BUS_SHARE
from roofcast.operators.kernel_names import LibraryKernel, Operation, library_kernel
from roofcast.operators.traced_operators import operation_of


class Evidence(IntEnum):
    """What a kernel's forecast rests on, besides its geometry and time."""

    TIME = 0
    NAME = 1
    """A library's name: the kind of work and its precision, which tell how far it follows the memory."""
    SHAPES = 2
    COUNTERS = 3


@dataclass(frozen=True)
class RunKernels:
    """The distinct kernels of a timeline, ready to forecast."""

    table: KernelTable
    counted: NDArray[np.bool_]
    """(n,) rows with counters of a profile."""
    operation: tuple[Operation | None, ...]
    """Per row, what kind of work it is."""
    library: NDArray[np.bool_]
    """(n,) whether a library made the kernel: the target's library will choose another."""
    communicates: NDArray[np.bool_]
    """(n,) kernels that devices run together: links limit them, not the kernel's roofs."""
    notes: tuple[str, ...] = ()
    launches: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    """(m,) positions of the kernels among a timeline's activities."""
    row: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, np.intp))
    """(m,) row of the table of each."""

    def of_timeline(self, launches: NDArray[np.intp], row: NDArray[np.intp]) -> RunKernels:
        """The same kernels with the launches of one timeline of the run."""
        return dataclasses.replace(self, launches=launches, row=row)

    def launched_in(self, chosen: NDArray[np.bool_]) -> RunKernels:
        """The same kernels with the launches of a part of the timeline. chosen : (activities,)."""
        here = chosen[self.launches]
        return self.of_timeline(self.launches[here], self.row[here])

    @property
    def weight(self) -> FloatArray:
        """(n,) s; the time of all launches of each row, 0 for communication."""
        return np.where(self.communicates, 0.0, self.table.column("time_total_s"))

    def evidence(self, prepared: KernelTable) -> NDArray[np.uint8]:
        """(n,) :class:`Evidence` of each row. prepared : the same kernels as models see them."""
        labels = prepared.extra.get("op")
        shaped = labels != "" if labels is not None else np.zeros(len(prepared), np.bool_)
        named = np.array([o in BUS_SHARE for o in self.operation], np.bool_)
        known = np.where(shaped, Evidence.SHAPES, np.where(named, Evidence.NAME, Evidence.TIME))
        return np.where(self.counted, Evidence.COUNTERS, known).astype(np.uint8)


def kernels_of_run(timeline: Timeline, counters: Sequence[KernelTable] = ()) -> RunKernels:
    """The distinct kernels of a timeline, with counters where there are some.

    counters : profiles of the same kernels with counters; joined by name and geometry.
    """
    distinct = distinct_kernels(timeline)
    return describe_kernels(distinct.table, counters).of_timeline(distinct.launches, distinct.row)


def describe_kernels(kernels: KernelTable, counters: Sequence[KernelTable] = ()) -> RunKernels:
    """The distinct kernels of a run, with counters where there are some (see :func:`kernels_of_run`)."""
    libraries = [library_kernel(name) for name in kernels.strings("kernel")]
    operators = kernels.extra.get(OPERATOR, [None] * len(kernels))
    operations = tuple(kind_of(o, lib) for o, lib in zip(operators, libraries, strict=True))
    table, counted, notes = join_counters(kernels, counters)
    matrix = [lib is not None and lib.operation.is_matrix for lib in libraries]
    communicates = np.asarray(kernels.strings("collective") != "", np.bool_)
    return RunKernels(table, counted, operations, np.array(matrix, np.bool_), communicates, notes)


def kind_of(operator: Operator | None, library: LibraryKernel | None) -> Operation | None:
    """The kind of work of a kernel: by its name, else by its operator."""
    by_operator = operation_of(operator) if operator is not None else None
    by_name = library.operation if library is not None else None
    # PyTorch's element-wise template also copies; the operator knows.
    if by_operator is Operation.COPY and by_name is Operation.ELEMENTWISE:
        return by_operator
    return by_name or by_operator


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


def join_counters(
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
            old = np.where(hit, np.nan, table.column(name))
            origin = np.where(use, source.origin_of(name)[position], table.origin_of(name)).astype(np.uint8)
            columns[name] = (np.where(use, given, old), origin)
    share = float(table.column("time_total_s")[hit].sum() / max(table.column("time_total_s").sum(), 1e-30))
    note = (
        f"counters found for {int(hit.sum())} of {n} distinct kernels, {format_percent(share, 0)} of the kernels' time"
    )
    table = table.with_columns(**columns)
    if OPERATOR in table.extra:
        # Work that was counted stands in the place of all that shapes would tell.
        operators = table.extra[OPERATOR].copy()
        operators[hit] = None
        table = dataclasses.replace(table, extra={**table.extra, OPERATOR: operators})
    return table, hit, (note,)


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
        row = exact.get((name, grid, block), -1)
        grids = by_block.get((name, block), set())
        if row < 0 and len(grids) == 1 and not (grid and next(iter(grids))):
            row = exact[name, next(iter(grids)), block]
        result.append(row)
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
