"""Kernels x machines in blocks that stay in the cache, on all cores: how every model is asked for many of both.

A block has kernels of one source, and targets of which the catalog knows the same supplies (few of either are taken
together): what depends on the source alone is one value there, what depends on the pair of GPUs one row, and what
depends on the kernel one column. The
equations are the same functions on arrays whatever the shapes; NumPy spreads the rows and columns over the cells.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import field, replace
from functools import cache, partial
from itertools import chain
from typing import Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, common_cell, is_since_volta
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Estimate
from roofcast.formulas.values import over_cells
from roofcast.operators.operator_rows import EXTRA_COLUMNS

Rows = NDArray[np.intp]
Estimating = Callable[[KernelTable, Machines, Machines, AmountChanges | None], Estimate]
"""A model's equations for one block."""

TIMES = ("time_s", "time_low_s", "time_high_s")
BLOCK_CELLS = 1 << 18
"""Kernels x targets at once: 2 MiB for each intermediate result, so that threads do not wait after short calls."""

ROWS_MOST = 1 << 14
"""Kernels at once, where targets are few."""

COLUMNS_MOST = 512
"""Targets at once, so that a block has as many kernels as to share what is the same for all of them; more of them where
there are fewer kernels."""

COLUMNS_LEAST = 24
"""Fewer targets with the same supplies known are computed together with others: calls cost more than they save."""

ROWS_LEAST, CELLS_LEAST = 32, 4096
"""Kernels of a source, and their cells, from which they are computed by themselves, for the same reason."""

FEW = 8
"""Of so many kernels one may have another clock than the others of its column, to be computed by itself."""

THREADED_CELLS = 1 << 20
"""Kernels x targets from which several threads pay: two of them take 15 % more processor time for the same, and below
the answer is there in a fifth of a second anyway."""

KEPT_BYTES = 32_000_000
"""Just below the most that glibc adapts to."""

DERIVED = (Resource.INSTS_ISSUED, Resource.INSTS_LSU, Resource.BYTES_SHARED, Resource.BYTES_L2, Resource.FLOPS_FP32)
"""Resources that a kernel may use although no column of its table says so."""


class Holding(Protocol):
    """What decides the clocks of cells from a first estimate of them (:mod:`roofcast.models.held_clocks`)."""

    def look(self, block: Block, time_s: FloatArray | None, seconds: Mapping[Resource, FloatArray]) -> None:
        """Note what a block's cells draw. time_s : by the physics. seconds : per resource, on the targets."""

    def blocks(self) -> Iterator[Block]:
        """The cells of all blocks that run at another clock, at that clock."""

    @property
    def clock_hz(self) -> FloatArray:
        """(n, m) Hz of all cells."""


def estimate_in_blocks(
    estimate: Estimating, kernels: KernelTable, sources: Machines, targets: Machines, changes: AmountChanges | None,
    holding: Holding | None = None,
) -> Estimate:  # fmt: skip
    """A model's estimate of all kernels on all targets (see :class:`roofcast.models.base.Model`).

    holding : decides at which clocks the targets run; those of ``targets`` are the highest.
    """
    n, m = len(kernels), targets.index.shape[-1]
    keep_freed_memory()
    whole = Whole(n, m)
    blocks = [*blocks_of(kernels, sources, targets, changes)]
    # The largest first, that no core waits for one.
    tasks = sorted((b for b in blocks if not b.paired), key=lambda block: -len(block.rows) * len(block.columns))
    if not tasks:
        return replace(estimate(kernels, sources, targets, changes), assumed=(), notes=())

    def run(block: Block) -> None:
        estimated = estimate(block.kernels, block.sources, block.targets, block.changes)
        whole.take(block, estimated)
        if holding is not None:
            holding.look(block, estimated.physics_s, estimated.time_s_by_resource_target)

    run_all(run, tasks, min(THREADS_MOST.get() or cores(), len(tasks)) if n * m >= THREADED_CELLS else 1)
    for block in blocks:
        if block.paired:
            run(block)
    if holding is None:
        return whole.estimate()
    for block in holding.blocks():
        whole.take(block, estimate(block.kernels, block.sources, block.targets, block.changes))
    return replace(whole.estimate(), clock_hz=holding.clock_hz)


def run_all(run: Callable[[Block], None], blocks: list[Block], threads: int) -> None:
    """Run blocks, on several threads where there are."""
    if threads <= 1:
        for block in blocks:
            run(block)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        # In the caller's context, so that its handling of floating-point errors holds.
        for done in [pool.submit(copy_context().run, run, block) for block in blocks]:
            done.result()


@cache
def keep_freed_memory() -> None:
    """Let the C library keep what a block frees for the next one.

    Most hand arrays of this size back to the system at once, and each page of the next ones is a fault: a tenth of all
    processor time. glibc keeps more once a larger array has been freed (malloc(3), M_MMAP_THRESHOLD); others know of no
    such thing, and lose nothing.
    """
    np.empty(KEPT_BYTES, np.uint8)


THREADS_MOST = ContextVar("threads that a call may use; 0 for as many as there are cores", default=0)


@contextmanager
def on_threads(most: int) -> Iterator[None]:
    """Limit the threads of calls, where other processes have the other cores or the processor time counts."""
    before = THREADS_MOST.set(most)
    try:
        yield
    finally:
        THREADS_MOST.reset(before)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Block:
    """Some kernels on some targets."""

    rows: Rows
    columns: Rows
    kernels: KernelTable
    sources: Machines
    targets: Machines
    changes: AmountChanges | None
    paired: bool = False
    """Whether row and column i are one cell, which another block has at another clock: this one holds."""


def blocks_of(
    kernels: KernelTable, sources: Machines, targets: Machines, changes: AmountChanges | None
) -> Iterator[Block]:
    """Blocks that together are all kernels on all targets; the one with the first target before its rows' others."""
    n, m = len(kernels), targets.index.shape[-1]
    clock_hz = np.broadcast_to(targets.clock_hz, (n, m))
    groups_here = groups_of_rows(sources.index, m)
    few = np.zeros((0, 2), np.intp)
    # Of a single target all kernels are one short call, whatever their clocks.
    if changes is None and targets.index.shape[0] == 1 and m > 1 and n >= ROWS_LEAST and clock_hz.strides[0]:
        clock_hz, few = usual_clocks(clock_hz, groups_here)
    there = Targets(targets, clock_hz)
    known = supplies_known(kernels, targets) if m else np.zeros(0, np.intp)
    for group in groups_here:
        groups = groups_of_columns(known, there.is_varying(group))
        widest = max(COLUMNS_MOST, BLOCK_CELLS // len(group)) if len(group) else COLUMNS_MOST
        groups = [part for columns in groups for part in np.split(columns, range(widest, len(columns), widest))]
        length = min(max(1, BLOCK_CELLS * len(groups) // max(m, 1)), ROWS_MOST)
        for start in range(0, len(group) if m else 0, length):
            rows = group[start : start + length]
            part, here = kernels.once(rows.tobytes(), sources, partial(read_rows, kernels, sources, rows))
            most = max(BLOCK_CELLS // len(rows), 1)
            # Even parts of groups that are larger than the others; hardly larger ones stay whole.
            for columns in chain.from_iterable(np.array_split(c, max(round(len(c) / most), 1)) for c in groups):
                changed = None if changes is None else changes.part(rows).columns(columns.tolist())
                yield Block(rows, columns, part, here, there.select(rows, columns), changed)
        if n > ROWS_MOST:
            kernels.made.clear()
    yield from blocks_of_cells(kernels, sources, targets, few, np.broadcast_to(targets.clock_hz, (n, m))[*few.T])


def blocks_of_cells(
    kernels: KernelTable, sources: Machines, targets: Machines, cells: NDArray[np.intp], clock_hz: FloatArray
) -> Iterator[Block]:
    """Blocks of single cells, each a row of one target at a clock of its own. cells : (f, 2). clock_hz : (f,)."""
    index = np.broadcast_to(targets.index, (len(kernels), targets.width))
    for start in range(0, len(cells), ROWS_MOST):
        rows, columns = cells[start : start + ROWS_MOST].T
        part, here = read_rows(kernels, sources, rows)
        at = targets.cells(index[rows, columns][:, None], clock_hz[start : start + ROWS_MOST, None])
        yield Block(rows, columns, part, here, at, None, paired=True)


def usual_clocks(clock_hz: FloatArray, groups: list[Rows]) -> tuple[FloatArray, NDArray[np.intp]]:
    """Clocks with one for all kernels of a source, where it is the clock of nearly all; (f, 2) cells that have another.

    clock_hz : (n, m) Hz. A board's power lowers the clock of a few kernels below the highest: those are computed by
    themselves beside blocks of one clock, whose rates are a row.
    """
    usual, other = clock_hz.copy(), np.zeros(clock_hz.shape, np.bool_)
    for rows in groups:
        clock = clock_hz[rows]
        most = clock.max(axis=0)
        lower = clock != most
        count = lower.sum(axis=0)
        columns = np.flatnonzero((count > 0) & (count * FEW <= len(rows)))
        usual[np.ix_(rows, columns)] = most[columns]
        other[np.ix_(rows, columns)] = lower[:, columns]
    return usual, np.argwhere(other)


@dataclass(frozen=True)
class Targets:
    """The targets of all blocks; those of many are made once."""

    machines: Machines
    clock_hz: FloatArray
    """(n, m)"""
    made: dict[tuple[bytes, bytes], Machines] = field(default_factory=dict)

    @property
    def paired(self) -> bool:
        """Whether each kernel has targets of its own."""
        return bool(self.machines.index.shape[0] > 1)

    def is_varying(self, rows: Rows) -> NDArray[np.bool_]:
        """(m,) whether a target's clock is another for each of some kernels."""
        clock = self.clock_hz[rows]
        return np.asarray((clock != clock[:1]).any(axis=0)) & (not self.paired)

    def select(self, rows: Rows, columns: Rows) -> Machines:
        """Some targets for some kernels; one row where it is the same for all of them."""
        clock = self.clock_hz[np.ix_(rows, columns)]
        if self.paired:
            return self.machines.cells(self.machines.index[np.ix_(rows, columns)], clock)
        index = self.machines.index[:, columns]
        if (clock != clock[:1]).any():
            return self.machines.cells(index, clock)
        key = columns.tobytes(), clock[:1].tobytes()
        if key not in self.made:
            shared = replace(self.machines, shared=True)
            self.made[key] = shared.cells(index, common_cell(clock[:1]))
        return self.made[key]


def read_rows(kernels: KernelTable, sources: Machines, rows: Rows) -> tuple[KernelTable, Machines]:
    """Some kernels, and where they were measured; what models read of these is kept with them."""
    clock_hz = np.broadcast_to(sources.clock_hz, (len(kernels),))[rows]
    return select_rows(kernels, sources, rows), sources.cells(common(sources.index[rows]), common(clock_hz))


def groups_of_rows(index: Rows, targets: int) -> list[Rows]:
    """Kernels by source, in file order; those of sources with few of them, or on few targets, together."""
    groups = [np.flatnonzero(index == source) for source in dict.fromkeys(index.tolist())]
    least = max(ROWS_LEAST, CELLS_LEAST // max(targets, 1))
    large = [rows for rows in groups if len(rows) >= least]
    small = [rows for rows in groups if len(rows) < least]
    return sorted([*large, *([np.sort(np.concatenate(small))] if small else [])], key=lambda rows: int(rows[0]))


def groups_of_columns(known: Rows, varying: NDArray[np.bool_]) -> list[Rows]:
    """Targets by what the catalog knows of them, those alone whose clock is another for each kernel; the first first.

    known : (m,) a number for each set of supplies. varying : (m,).
    """
    keys = 2 * known + varying
    groups = [np.flatnonzero(keys == key) for key in dict.fromkeys(keys.tolist())]
    large = [columns for columns in groups if len(columns) >= COLUMNS_LEAST or varying[columns[0]]]
    small = [columns for columns in groups if len(columns) < COLUMNS_LEAST and not varying[columns[0]]]
    if small:
        large.append(np.sort(np.concatenate(small)))
    return sorted(large, key=lambda columns: int(columns[0]))


def supplies_known(kernels: KernelTable, targets: Machines) -> Rows:
    """(m,) a number for each set of supplies, of those that the kernels may use, that the catalog has for a target.

    GPUs since Volta stand apart from others: a cause that holds between those alone then holds for a block or does not.
    """
    if targets.index.shape[0] > 1:
        return np.zeros(targets.index.shape[1], np.intp)
    used = [r for r in Resource if r.value in kernels.numeric or r in DERIVED]
    in_catalog = np.stack(
        [targets.gather(is_since_volta)[0] > 0]
        + [targets.spread(targets.columns.supply(r).own, absent=False)[0] for r in used]
    )
    if (in_catalog == in_catalog[:, :1]).all():
        return np.zeros(in_catalog.shape[1], np.intp)
    _, number = np.unique(in_catalog, axis=1, return_inverse=True)
    return np.asarray(number.ravel(), dtype=np.intp)


Values = TypeVar("Values", bound=NDArray[Any])


def common(values: Values) -> Values:
    """(1,) the value where all are the same, else (n,) all of them."""
    return cast("Values", values[:1]) if (values == values[0]).all() else values


def select_rows(kernels: KernelTable, sources: Machines, rows: Rows) -> KernelTable:
    """Some rows, in ascending order; consecutive ones as views. One that has several cells stands several times.

    sources : where all rows were measured.
    """
    first, count = int(rows[0]), len(rows)
    consecutive = not (np.diff(rows) != 1).any()
    if count == len(kernels) and consecutive:
        return kernels
    part = slice_rows(kernels, slice(first, first + count)) if consecutive else kernels.select(rows)
    # Of a long table one part is read after the other.
    return part if len(kernels) > ROWS_MOST else part.taken_from(kernels, sources, rows)


def slice_rows(kernels: KernelTable, part: slice) -> KernelTable:
    """Consecutive rows as views, without the extra columns that no model reads."""
    return KernelTable(
        numeric={k: v[part] for k, v in kernels.numeric.items()},
        origin={k: v[part] for k, v in kernels.origin.items()},
        text={k: v[part] for k, v in kernels.text.items()},
        counters={k: v[part] for k, v in kernels.counters.items()},
        extra={k: v[part] for k, v in kernels.extra.items() if k in EXTRA_COLUMNS},
        flags=kernels.flags[part],
        provenance=kernels.provenance,
        file=None if kernels.file is None else kernels.file[part],
    )


Part = tuple[Block, NDArray[Any]]
"""What a block has at its cells."""


def put(whole: NDArray[Any], part: Part) -> None:
    """Write a block's cells into the whole."""
    block, values = part
    rows, columns = block.rows, block.columns
    if block.paired:
        whole[rows, columns] = np.broadcast_to(values, (len(rows), 1))[:, 0]
        return
    if rows[-1] - rows[0] != len(rows) - 1:
        whole[np.ix_(rows, columns)] = values
        return
    view = whole[rows[0] : rows[-1] + 1]
    if columns[-1] - columns[0] == len(columns) - 1:
        view[:, columns[0] : columns[-1] + 1] = values
    else:
        view[:, columns] = values


class Assembled(Mapping[Resource, FloatArray]):
    """Seconds per resource on the targets, (n, m) each, put together when they are asked for: most callers ask none."""

    def __init__(self, shape: tuple[int, int]) -> None:
        """Nothing yet."""
        self.shape = shape
        self.parts: dict[Resource, list[tuple[Block, Mapping[Resource, FloatArray]]]] = {r: [] for r in Resource}
        """What has them of each block: seconds that are carried become cells when they are put."""
        self.whole: dict[Resource, FloatArray] = {}

    def __getitem__(self, resource: Resource) -> FloatArray:
        """(n, m) s; NaN where a block has none."""
        if resource not in self.whole:
            whole = np.full(self.shape, np.nan)
            for block, seconds in self.parts[resource]:
                put(whole, (block, seconds[resource]))
            self.whole[resource] = whole
            self.parts[resource] = []
        return self.whole[resource]

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def add(self, block: Block, found: Mapping[Resource, FloatArray]) -> None:
        """Take a block's seconds."""
        for resource in found:
            self.parts[resource].append((block, found))

    def close(self) -> None:
        """Forget resources that no block has."""
        self.parts = {resource: parts for resource, parts in self.parts.items() if parts}


class Whole:
    """Where the blocks' results come together, from several threads."""

    def __init__(self, n: int, m: int) -> None:
        """Nothing yet of (n, m) cells."""
        self.shape = n, m
        # In one array, whose pages the system may hand out by the 2 MiB.
        self.times = np.empty((len(TIMES), n, m))
        self.reasons: list[Part] = []
        self.unclaimed: list[Part] = []
        self.targets = Assembled((n, m))
        self.kernels: dict[Resource, FloatArray] = {}
        """(n,) seconds per resource on the source, as the first target has them."""
        self.assumed: dict[int, tuple[str, ...]] = {}
        self.notes: dict[int, tuple[str, ...]] = {}
        self.coverage: float | None = None

    def take(self, block: Block, found: Estimate) -> None:
        """Add what a model says of a block."""
        cells = len(block.rows), 1 if block.paired else len(block.columns)
        for whole, name in zip(self.times, TIMES, strict=True):
            put(whole, (block, over_cells(getattr(found, name), cells, name)))
        if block.paired or np.isnan(found.time_s).any():
            self.reasons.append((block, found.reasons))
        if found.unclaimed is not None:
            self.unclaimed.append((block, found.unclaimed))
        elif block.paired and self.unclaimed:
            self.unclaimed.append((block, np.zeros(cells, np.bool_)))
        self.targets.add(block, found.time_s_by_resource_target)
        self.coverage = found.coverage
        if not block.paired and block.columns[0] == 0:
            rows = block.rows.tolist()
            self.assumed.update(zip(rows, found.assumed, strict=False))
            self.notes.update(zip(rows, found.notes, strict=False))
            for resource, seconds in found.time_s_by_resource_source.items():
                self.kernels.setdefault(resource, np.full(self.shape[0], np.nan))[block.rows] = seconds

    def estimate(self) -> Estimate:
        """All blocks' results as one."""
        self.targets.close()
        reasons = np.broadcast_to(np.array("", dtype=np.object_), self.shape)
        if self.reasons:
            reasons = reasons.copy()
            for part in self.reasons:
                put(reasons, part)

        unclaimed = np.zeros(self.shape, np.bool_)
        for part in self.unclaimed:
            put(unclaimed, part)

        def texts(found: Mapping[int, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
            return tuple(map(found.__getitem__, range(self.shape[0]))) if found else ()

        time_s, low_s, high_s = self.times
        return Estimate(
            time_s=time_s,
            time_low_s=low_s,
            time_high_s=high_s,
            coverage=self.coverage,
            time_s_by_resource_source={r: self.kernels[r] for r in Resource if r in self.kernels},
            time_s_by_resource_target=self.targets,
            reasons=reasons,
            assumed=texts(self.assumed),
            notes=texts(self.notes),
            unclaimed=unclaimed if self.unclaimed else None,
        )
