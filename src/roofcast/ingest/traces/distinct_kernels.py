"""The kernels of a run as a table: one row per distinct kernel, geometry, shapes and GPU."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, concatenate
from roofcast.core.numbering import number_values
from roofcast.core.records import dataclass
from roofcast.core.timeline import Activities, Collective, Operator, Timeline, Way, Work
from roofcast.core.unified_memory import Residents, bound_stalls_by_moves, find_stalls
from roofcast.ingest.traces.windows import Windows
from roofcast.operators.kernel_names import Operation, library_kernel
from roofcast.operators.traced_operators import operation_of

GROUPS = 1 << 30
"""Combinations of cells that are counted before those that occur are numbered anew; times the rows of a column they
stay below 2^63."""
OPERATOR = "operator"
"""Extra column: the :class:`Operator` whose work a kernel does; None where it is unknown or another kernel's."""


@dataclass(frozen=True)
class DistinctKernels:
    """The distinct kernels of a timeline."""

    table: KernelTable
    launches: NDArray[np.intp]
    """(m,) positions of all kernels among the activities."""
    row: NDArray[np.intp]
    """(m,) row of the table that each of them is of."""
    operator: NDArray[np.int64]
    """(n,) operator of each row; -1 where none is known."""
    keys: FloatArray
    """(n, k) what tells the rows apart."""


def kernel_table(timeline: Timeline) -> KernelTable:
    """One row per distinct kernel: mean time, how often it was launched, the time of all launches.

    The mean, not the median: launches times it are the time of all launches, which is what a run spends.
    """
    return distinct_kernels(timeline).table


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
    libraries = [library_kernel(str(timeline.names[n])) for n in names.tolist()]
    matrix = np.array([m is not None and m.operation.is_matrix for m in libraries])[inverse]
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


def distinct_kernels(timeline: Timeline) -> DistinctKernels:
    """The distinct kernels of a timeline, and which launch is of which."""
    work = timeline.activities
    launches = timeline.kernels()
    if not len(launches):
        file = timeline.provenance[0].file if timeline.provenance else "the trace"
        raise InputError(f"{one_line(file)}: a timeline without kernels (copies and memory sets only)")
    # What the operator's run is of matters, but its strides and scalar arguments seldom change a kernel's work.
    source = computing_operators(timeline)[launches]
    shapes = shapes_of(timeline)[source] if timeline.operators else source
    columns = [work.name[launches], work.device[launches], shapes]
    columns += [a[launches, i] for a in (work.grid, work.block) for i in range(3)]
    columns += [np.nan_to_num(work.regs[launches], nan=-1), np.nan_to_num(work.smem_bytes[launches], nan=-1)]
    columns += [np.nan_to_num(work.bytes[launches], nan=-1)]
    columns += [np.nan_to_num(work.group_size[launches], nan=-1), work.collective[launches].astype(np.int64)]
    row, first = grouped(columns)
    samples = launches[first]
    table = table_of(timeline, work, samples, Times.of(work, launches, row, len(samples)))
    known = source[first]
    if (known >= 0).any():
        operators = np.array([*timeline.operators, None], dtype=np.object_)
        table = dataclasses.replace(table, extra={OPERATOR: operators[known]})
    keys = np.stack([np.asarray(c[first], dtype=np.float64) for c in columns], axis=1)
    return DistinctKernels(table, launches, row, known, keys)


def shapes_of(timeline: Timeline) -> NDArray[np.int64]:
    """(operators + 1,) a number per distinct name, shapes and types; the last entry stands for no operator."""
    seen: dict[tuple[object, ...], int] = {}
    codes = [seen.setdefault((o.name, o.shapes, o.dtypes), len(seen)) for o in timeline.operators]
    return np.array([*codes, -1], np.int64)


def grouped(columns: list[NDArray[np.int64]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(m,) group of each row of equal cells, numbered by first appearance; (n,) first row of each group."""
    code, groups = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        if len(column) and (column == column[0]).all():
            continue
        distinct, place = number_values(column)
        code, groups = code * len(distinct) + place, groups * len(distinct)
        if groups > GROUPS:
            distinct, code = number_values(code)
            groups = len(distinct)
    distinct, inverse = number_values(code)
    first = np.zeros(len(distinct), np.intp)
    # Of several rows of a group the last that is written stays.
    first[inverse[::-1]] = np.arange(len(code))[::-1]
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[inverse], first[order]


@dataclass(frozen=True)
class Times:
    """Sums over the launches of each kernel, (n,) each."""

    count: FloatArray
    total_s: FloatArray
    squares_s2: FloatArray
    stall_s: FloatArray
    """While pages of unified memory moved or faults were handled."""
    clean: FloatArray
    """Launches beside no move and no fault."""
    clean_s: FloatArray
    """Of those."""
    paging_s: float = 0.0
    """Of all moves and faults, beside kernels or not; a scalar."""
    paging_bytes: float = 0.0
    """That moved; a scalar."""
    handled_s: FloatArray = field(default_factory=lambda: np.zeros(0))
    """While faults were handled or pages moved; none where nobody recorded faults."""
    untimed_s: FloatArray = field(default_factory=lambda: np.zeros(0))
    """Of stall_s, while no page moved; none where faults were recorded."""

    residents: Mapping[int, Residents] = field(default_factory=dict)
    """Of each device."""

    @classmethod
    def of(cls, work: Activities, launches: NDArray[np.intp], row: NDArray[np.intp], n: int) -> Times:
        """Add up m launches of n kernels. launches : (m,) positions among the work. row : (m,) kernel of each."""
        duration = work.duration_s[launches]
        waits = find_stalls_of(work, launches)
        stall = waits.stall_s
        sums = [
            np.bincount(row, weights=w, minlength=n).astype(np.float64)
            for w in (
                None, duration, duration**2, stall, stall <= 0, np.where(stall <= 0, duration, 0.0),
                waits.handled_s, waits.untimed_s,
            )
        ]  # fmt: skip
        moved = float(np.nansum(work.bytes[work.kind == Work.MIGRATION]))
        return cls(
            sums[0],
            sums[1],
            sums[2],
            sums[3],
            sums[4],
            sums[5],
            waits.paging_s,
            moved,
            sums[6],
            sums[7],
            find_residents(work),
        )

    @classmethod
    def none(cls) -> Times:
        """The times of no kernels, to which others are added."""
        empty: FloatArray = np.zeros(0)
        return cls(empty, empty, empty, empty, empty, empty)

    def plus(self, other: Times) -> Times:
        """The sums of both; the other may have more kernels."""
        new = len(other.count) - len(self.count)
        names = ("count", "total_s", "squares_s2", "stall_s", "clean", "clean_s")
        sums = [np.pad(getattr(self, name), (0, new)) + getattr(other, name) for name in names]
        paging = self.paging_s + other.paging_s, self.paging_bytes + other.paging_bytes
        size = len(other.count)
        devices = [*dict.fromkeys([*self.residents, *other.residents])]
        residents = {d: self.residents.get(d, Residents()).plus(other.residents.get(d, Residents())) for d in devices}
        both = ((self.handled_s, other.handled_s), (self.untimed_s, other.untimed_s))
        parts = [sum((np.pad(p, (0, size - len(p))) for p in pair), np.zeros(size)) for pair in both]
        return Times(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], *paging, parts[0], parts[1], residents)

    def columns(self) -> dict[str, FloatArray]:
        """Columns of a kernel table."""
        mean = self.total_s / self.count
        spread = np.sqrt(
            np.maximum(self.squares_s2 / self.count - mean**2, 0.0) * self.count / (self.count - 1.0).clip(1)
        )
        columns = {
            "time_s": np.where(mean > 0, mean, np.nan), "time_std_s": np.where(self.count > 1, spread, np.nan),
            "launches": self.count, "time_total_s": self.total_s,
        }  # fmt: skip
        if self.paging_s > 0:
            columns["migration_stall_s"] = np.minimum(self.stall_s / self.count, mean)
            share = mean / max(float(self.total_s.sum()), 1e-300)
            columns["migration_s"] = self.paging_s * share
            if self.paging_bytes > 0:
                columns["migration_bytes"] = self.paging_bytes * share
            most = max((r.most_bytes for r in self.residents.values()), default=0.0)
            if most > 0:
                columns["migration_resident_bytes"] = np.full(len(mean), most)
            if self.handled_s.any():
                columns["migration_handled_s"] = np.minimum(self.handled_s / self.count, mean)
            if self.untimed_s.any():
                columns["migration_untimed_s"] = np.minimum(self.untimed_s / self.count, columns["migration_stall_s"])
            columns["migration_stall_least_s"] = np.minimum(self.find_least_stalls(), columns["migration_stall_s"])
        return columns

    def find_least_stalls(self) -> FloatArray:
        r"""(n,) mean seconds that launches waited for pages at least; NaN where none ran beside no pages.

        .. math:: S = (T - N c) / n

        S : s. T, N : seconds and number of the launches beside pages. c : mean seconds of the others. n : launches.
        Reason: a kernel whose pages are there does the same work without a fault.
        """
        with quietly():
            clean_mean_s = self.clean_s / self.clean
        waited = (self.total_s - self.clean_s) - (self.count - self.clean) * clean_mean_s
        return np.asarray(np.maximum(waited, 0.0) / self.count)

    def flags(self) -> tuple[tuple[str, ...], ...]:
        """What each row says of its launches."""
        return tuple(("mean of its launches",) if c > 1 else () for c in self.count.tolist())


def find_residents(work: Activities) -> dict[int, Residents]:
    """Device -> its pages, by the moves from and to the host."""
    sign = np.where(work.way == Way.HOST_TO_DEVICE, 1.0, np.where(work.way == Way.DEVICE_TO_HOST, -1.0, 0.0))
    moved = (work.kind == Work.MIGRATION) & (sign != 0)
    mine = {d: np.flatnonzero(moved & (work.device == d)) for d in np.unique(work.device[moved]).tolist()}
    return {d: Residents.of(work.start_s[rows], (sign * work.bytes)[rows]) for d, rows in mine.items()}


class Stalls(NamedTuple):
    """Waits of launches for pages of their device, (m,) each."""

    stall_s: FloatArray
    """At most."""
    paging_s: float
    """Of all moves and faults, beside launches or not; a scalar."""
    handled_s: FloatArray
    """While faults were handled or pages moved; 0 where no faults were recorded, for then nobody knows whether a kernel
    asked for the pages."""
    untimed_s: FloatArray
    """Of `stall_s`, while no page moved to the device; 0 where faults were recorded."""


def find_stalls_of(work: Activities, launches: NDArray[np.intp]) -> Stalls:
    """The waits of launches, by the faults and moves of their device."""
    paging = np.isin(work.kind, (Work.MIGRATION, Work.FAULT))
    stall, handled, untimed = (np.zeros(len(launches)) for _ in range(3))
    whole = 0.0
    for device in np.unique(work.device[paging]).tolist():
        mine, pages = work.device[launches] == device, np.flatnonzero(paging & (work.device == device))
        of_device = launches[mine]
        stall[mine], seconds = find_stalls(
            work.start_s[of_device], work.end_s[of_device], work.start_s[pages], work.end_s[pages]
        )
        whole += seconds
        if (work.kind[pages] == Work.FAULT).any():
            handled[mine] = stall[mine]
        else:
            moved = pages[work.way[pages] == Way.HOST_TO_DEVICE]
            spans = work.start_s[of_device], work.end_s[of_device], work.start_s[moved], work.end_s[moved]
            stall[mine] = bound_stalls_by_moves(*spans)
            untimed[mine] = np.maximum(stall[mine] - find_stalls(*spans)[0], 0.0)
    return Stalls(stall, whole, handled, untimed)


def table_of(timeline: Timeline, work: Activities, samples: NDArray[np.intp], times: Times) -> KernelTable:
    """The table, one row per sample."""
    grid, block = work.grid[samples], work.block[samples]
    devices = [timeline.devices[i] if 0 <= i < len(timeline.devices) else None for i in work.device[samples].tolist()]

    def of_device(name: str) -> FloatArray:
        return np.array([getattr(d, name) if d else np.nan for d in devices], dtype=np.float64)

    def product(sizes: NDArray[np.int64]) -> FloatArray:
        return np.where((sizes > 0).all(axis=1), sizes.astype(np.float64).prod(axis=1), np.nan)

    numeric = {
        "launch": np.arange(len(samples), dtype=np.float64), **times.columns(),
        "grid_blocks": product(grid), "block_threads": product(block), "regs_per_thread": work.regs[samples],
        "smem_bytes_per_block": work.smem_bytes[samples], "sm_count": of_device("sm_count"),
        "capacity_bytes_dram": of_device("capacity_bytes_dram"),
    }  # fmt: skip
    together = work.collective[samples]
    common: dict[str, list[str]] = {}
    if (together != Collective.NONE).any():
        common["collective"] = [Collective(c).name.lower() if c else "" for c in together.tolist()]
        ordinary = together == Collective.NONE
        numeric["bytes_collective"] = np.where(ordinary, np.nan, work.bytes[samples])
        numeric["gpus_collective"] = np.where(ordinary, np.nan, work.group_size[samples])
    operators = [describe(timeline.operators[i]) if i >= 0 else "" for i in work.operator[samples].tolist()]
    return KernelTable.from_columns(
        {
            "kernel": [str(n) for n in timeline.names[work.name[samples]]],
            "gpu": [d.name if d else "" for d in devices],
            "compute_capability": [d.compute_capability if d else "" for d in devices],
            "grid": [str(tuple(g)) if g[0] > 0 else "" for g in grid.tolist()],
            "block": [str(tuple(b)) if b[0] > 0 else "" for b in block.tolist()],
            "config": operators,
            "timer": ["device"] * len(samples),
            **common,
        },
        {k: (v, Origin.COUNTED) for k, v in numeric.items() if not np.isnan(v).all()},
        flags=times.flags(),
        provenance=timeline.provenance[0] if timeline.provenance else None,
    )


def describe(operator: Operator) -> str:
    """An operator and its shapes in one line.

    >>> describe(Operator("aten::mm", ((4, 8), (8, 2)), ("float", "float")))
    'aten::mm [4x8] [8x2] float'
    """
    shapes = " ".join(f"[{'x'.join(str(n) for n in s)}]" for s in operator.shapes if s)
    kinds = " ".join(dict.fromkeys(t for t, s in zip(operator.dtypes, operator.shapes, strict=False) if s and t))
    return one_line(f"{operator.name} {shapes} {kinds}".strip(), 160)


def kernel_table_of(windows: Windows) -> KernelTable:
    """One row per distinct kernel of a run (see :func:`kernel_table`)."""
    if len(windows) == 1:
        return kernel_table(windows.whole())
    gathered = Gathered()
    last: Timeline | None = None
    for timeline in windows:
        last = timeline
        gathered.take(timeline)
    return gathered.table() if gathered.tables or last is None else kernel_table(last)


@dataclass
class Gathered:
    """Distinct kernels of the windows so far."""

    known: dict[bytes, int] = field(default_factory=dict)
    """What tells a kernel apart -> its row."""
    tables: list[KernelTable] = field(default_factory=list)
    """Kernels that a window was the first to show."""
    times: Times = field(default_factory=Times.none)
    keeps_rows: bool = False
    """Whether windows are asked for a second time (:meth:`locate`): four bytes per kernel."""
    rows: deque[NDArray[np.int32]] = field(default_factory=deque)
    """Row of each kernel of each window."""

    def take(self, timeline: Timeline) -> None:
        """The kernels of one window."""
        if not len(timeline.kernels()):
            return
        distinct = distinct_kernels(timeline)
        place, new = self.places(distinct)
        if new:
            chosen = distinct.table.select(new)
            operators = chosen.extra.get(OPERATOR, np.full(len(new), None, np.object_))
            self.tables.append(dataclasses.replace(chosen, extra={OPERATOR: operators}))
        if self.keeps_rows:
            self.rows.append(place[distinct.row].astype(np.int32))
        self.times = self.times.plus(
            Times.of(timeline.activities, distinct.launches, place[distinct.row], len(self.known))
        )

    def locate(self, timeline: Timeline) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions of a window's kernels among its activities, and their rows in the table of the run.

        timeline : the windows with kernels, in the order in which they were taken.
        """
        return timeline.kernels(), self.rows.popleft().astype(np.intp)

    def places(self, found: DistinctKernels) -> tuple[NDArray[np.int64], list[int]]:
        """Row of each kernel of a window among those of the run, and which are new."""
        places, new = [], []
        for i, key in enumerate(np.ascontiguousarray(found.keys)):
            text, size = key.tobytes(), len(self.known)
            places.append(self.known.setdefault(text, size))
            if len(self.known) > size:
                new.append(i)
        return np.array(places, np.int64), new

    def table(self) -> KernelTable:
        """The table of the run."""
        table = concatenate(self.tables)
        numeric = {"launch": np.arange(len(table), dtype=np.float64), **self.times.columns()}
        table = table.with_columns(**{k: (v, Origin.COUNTED) for k, v in numeric.items()})
        extra = table.extra if any(o is not None for o in table.extra[OPERATOR]) else {}
        provenance = self.tables[0].provenance
        return dataclasses.replace(table, extra=extra, flags=self.times.flags(), provenance=provenance, file=None)
