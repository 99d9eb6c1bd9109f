"""Forecasts of many kernels on the many processors of a space: compiled where numba is there, always checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast.analyses.sweeps.cell_tables import Layout, Tables, layout_of, layout_of_everything, tables_of
from roofcast.analyses.sweeps.space import IntArray, Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.errors import MissingExtraError, RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.models.physics.causes.collectives import find_collectives
from roofcast.models.physics.kernel_inputs import kernels_of
from roofcast.models.physics.library_times import find_uncounted_operators

TABLE_CELLS = 400_000
"""Kernels x grid cells that the model computes at once for tables."""
CELLS_LEAST = 4096
"""Tables of so few processors are made for the smallest space."""
CELLS_MOST, PROCESSORS_MOST = 200_000, 2_000_000
"""Processors that tables are made of, and those that the model computes one by one: minutes each."""
KEPT_CELLS = 24_000_000
"""Cells of tables that stay in memory; larger workloads are computed again for each run of processors."""
CHUNK = 1 << 16
"""Processors at a time."""
CHECKED_CELLS = 64
AGREE = 1e-9
"""Relative difference from the model beyond which the compiled path is not used."""


@dataclass(frozen=True)
class Block:
    """Kernels that share source and clock, with their tables."""

    rows: IntArray
    work: Workload
    layout: Layout


class Engine:
    """Forecasts of one workload over one space.

    ``direct`` names rows that the model itself computes: library operators, and whatever the check refuses.
    """

    def __init__(self, work: Workload, space: Space, *, threads: int | None = None) -> None:
        """Lay out the tables and check them against the model.

        Raises
        ------
        MissingExtraError : numba is not installed.
        RoofcastError : no kernel can be forecast.
        """
        try:
            from roofcast.analyses.sweeps import compiled
        except ImportError as error:
            raise MissingExtraError("sweeps need the extra sweep: pip install 'roofcast[sweep]'") from error
        from numba import get_num_threads

        # Compiled functions have no signature that a type checker sees.
        self.compiled: Any = compiled
        self.work, self.space = work, space
        self.threads = min(threads or get_num_threads(), get_num_threads())
        self.known = np.flatnonzero(work.prepared.index >= 0)
        if not len(self.known):
            raise RoofcastError("no kernel can be forecast: the source GPU is unknown; give --from GPU")
        library = library_rows(work)
        plain = self.known[~library[self.known]]
        self.direct = self.known[library[self.known]]
        self.blocks: list[Block] = []
        for members, layout in groups_of(work, space, plain):
            if worth_tables(space, layout):
                self.blocks += parts_of(work, space, members, layout)
            else:
                self.direct = np.concatenate([self.direct, members])
        self.cache: dict[int, tuple[FloatArray, ...]] = {}
        cells = sum(len(b.rows) * width(space, b.layout) for b in self.blocks)
        self.keeps = cells <= KEPT_CELLS
        self.check()

    def tables(self, position: int) -> tuple[FloatArray, ...]:
        """Tables of one block, kept where they fit."""
        found = self.cache.get(position)
        if found is None:
            block = self.blocks[position]
            found = arrays(tables_of(block.work, self.space, block.layout))
            if self.keeps:
                self.cache[position] = found
        return found

    def check(self) -> None:
        """Compare a few cells of each block with the model; blocks that differ go the model's own way."""
        good: list[Block] = []
        for block in self.blocks:
            small = self.keeps and len(block.rows) <= CHECKED_CELLS
            tables = tables_of(block.work, self.space, block.layout) if small else None
            if self.agrees(block, tables):
                if tables is not None:
                    self.cache[len(good)] = arrays(tables)
                good.append(block)
                continue
            wider = dataclasses.replace(block, layout=layout_of_everything(self.space))
            if grid_cells(self.space, wider.layout) <= min(
                max(self.space.size, CELLS_LEAST), CELLS_MOST
            ) and self.agrees(wider):
                length = max(1, TABLE_CELLS // s_cells(self.space, wider.layout))
                parts = (np.arange(i, min(i + length, len(block.rows))) for i in range(0, len(block.rows), length))
                good += [dataclasses.replace(wider, rows=block.rows[p], work=block.work.rows(p)) for p in parts]
            else:
                self.direct = np.concatenate([self.direct, block.rows])
        self.blocks = good

    def agrees(self, block: Block, tables: Tables | None = None) -> bool:
        """Whether some cells of a block are the model's.

        tables : of the whole block, where they are there already; else those of some kernels are made.
        """
        draw = np.random.default_rng(1)
        count = max(8, min(CHECKED_CELLS, 8 * CHECKED_CELLS // len(block.rows)))
        levels = np.stack([draw.integers(0, n, count) for n in self.space.shape])
        part = block
        if tables is None:
            rows = draw.permutation(len(block.rows))[:CHECKED_CELLS]
            part = dataclasses.replace(block, rows=rows, work=block.work.rows(rows))
            tables = tables_of(part.work, self.space, part.layout)
        mine = self.every(part, tables, levels)
        right = part.work.estimate(self.space.processors(levels))
        return all(
            np.allclose(a, b, rtol=AGREE, atol=0.0, equal_nan=True)
            for a, b in zip(mine, (right.time_s, right.time_low_s, right.time_high_s), strict=True)
        )

    def every(self, block: Block, tables: Tables, levels: IntArray) -> Every:
        """(n, m) time, low, high of one block's kernels on processors."""
        n, m = len(block.rows), levels.shape[1]
        out: Every = tuple(np.full((n, m), np.nan) for _ in range(3))  # type: ignore[assignment]  # three
        sums = [np.zeros(m) for _ in range(3)]
        best, at = np.full((1, n), np.inf), np.zeros((1, n), dtype=np.intp)
        self.compiled.accumulate(
            *arrays(tables), *self.indices(block.layout, levels), *sums, best, at, np.arange(n), *out
        )
        return out

    def indices(self, layout: Layout, levels: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Positions of processors in the tables."""
        late = [levels[a] for a, roofs in layout.late for _ in roofs]
        stacked = np.ascontiguousarray(np.stack(late)) if late else np.zeros((0, levels.shape[1]), np.intp)
        return (
            layout.index(self.space, levels, layout.s_axes), layout.index(self.space, levels, layout.d_axes), stacked,
        )  # fmt: skip

    def totals(self, levels: IntArray, every: Every | None = None) -> Totals:
        """Weighted sums over all kernels for each processor, and each kernel's best.

        every : time, low and high, (n, m) each of float32 or float64, filled with every forecast; NaN where there is
            none.
        """
        m, n = levels.shape[1], len(self.work)
        total, low, high = (np.zeros(m) for _ in range(3))
        best, best_at = np.full(n, np.inf), np.full(n, -1, dtype=np.intp)
        for out in every or ():
            out.fill(np.nan)
        kept = every or tuple(np.empty((0, 0)) for _ in range(3))
        for position, block in enumerate(self.blocks):
            mine = np.full((self.threads, len(block.rows)), np.inf)
            at = np.full(mine.shape, -1, dtype=np.intp)
            self.compiled.accumulate(
                *self.tables(position), *self.indices(block.layout, levels), total, low, high, mine, at,
                block.rows, *kept,
            )  # fmt: skip
            first = mine.argmin(axis=0)
            best[block.rows], best_at[block.rows] = mine.min(axis=0), at[first, np.arange(len(first))]
        for start in range(0, m if len(self.direct) else 0, DIRECT):
            part = slice(start, min(start + DIRECT, m))
            found = self.by_model(levels[:, part])
            weight = self.work.weights[self.direct, None]
            for out, values in zip((total, low, high), found, strict=True):
                out[part] += (weight * values).sum(axis=0)
            for out, values in zip(every or (), found, strict=every is not None):
                out[self.direct, part] = values
            filled = np.where(np.isnan(found[0]), np.inf, found[0])
            least, at = filled.min(axis=1), filled.argmin(axis=1) + start
            better = least < best[self.direct]
            best[self.direct] = np.where(better, least, best[self.direct])
            best_at[self.direct] = np.where(better, at, best_at[self.direct])
        return Totals(total, low, high, best, best_at)

    def by_model(self, levels: IntArray) -> Every:
        """(direct, m) time, low, high of the rows that the model itself computes."""
        found = self.work.rows(self.direct).estimate(self.space.processors(levels))
        return found.time_s, found.time_low_s, found.time_high_s


Every = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Time, low and high of every kernel (rows) on every processor."""
PROBED_KERNELS = 48
"""Kernels of a group on which axes are sorted."""

DIRECT = 2048
"""Processors at a time where the model itself computes."""


@dataclass(frozen=True)
class Totals:
    """Weighted sums over kernels per processor, and each kernel's best processor of the chunk."""

    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    best_s: FloatArray
    """(n,) s; infinite where there is no forecast."""
    best_at: IntArray


def arrays(tables: Tables) -> tuple[FloatArray, ...]:
    """The tables as the compiled function takes them: what one look-up needs lies side by side."""
    t = tables
    on_s = np.stack([t.inner, t.scale_s, t.blind_s, t.beside, t.flight, *t.late], axis=-1)
    on_d = np.stack([t.dram, t.dram_inverse, t.scale_d, t.blind_d], axis=-1)
    return on_s, on_d, t.factors, t.kernel, t.norms


def width(space: Space, layout: Layout) -> int:
    """Cells of all tables per kernel."""
    s, d = s_cells(space, layout), int(np.prod([space.shape[a] for a in layout.d_axes], initial=1))
    late = sum(len(r) for _, r in layout.late)
    return s * (5 + late) + 4 * d


def grid_cells(space: Space, layout: Layout) -> float:
    """Hypothetical processors that tables are made of."""
    axes = (layout.s_axes, layout.d_axes, *((a,) for a, _ in layout.late))
    return float(sum(np.prod([float(space.shape[a]) for a in group]) for group in axes))


def s_cells(space: Space, layout: Layout) -> int:
    """Cells of the grid of the axes that shape launches."""
    return int(np.prod([space.shape[a] for a in layout.s_axes], initial=1))


@np.errstate(all="ignore")
def library_rows(work: Workload) -> np.ndarray:
    """(n,) rows that the model treats as library operators, and collectives."""
    here, _ = work.machines([])
    c = work.model.constants
    found = find_uncounted_operators(work.kernels, kernels_of(work.kernels, here, c.drain_cycles, c.insts_per_fma))
    result = np.zeros(len(work), np.bool_) if found is None else np.asarray(found.code >= 0)
    result[find_collectives(work.kernels)] = True
    return result


def groups_of(work: Workload, space: Space, rows: IntArray) -> Iterator[tuple[IntArray, Layout]]:
    """Kernels grouped by source and kind of clock, with what each axis does to them."""
    keys = np.stack([work.prepared.index[rows], work.prepared.clocks.kind[rows]], axis=1)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    for number in range(int(group.max(initial=-1)) + 1):
        members = rows[group.ravel() == number]
        yield members, layout_of(work.rows(members[:: max(1, len(members) // PROBED_KERNELS)]), space)


def parts_of(work: Workload, space: Space, members: IntArray, layout: Layout) -> Iterator[Block]:
    """A group in parts whose tables the model computes at once."""
    length = max(1, TABLE_CELLS // s_cells(space, layout))
    for start in range(0, len(members), length):
        part = members[start : start + length]
        yield Block(part, work.rows(part), layout)


def worth_tables(space: Space, layout: Layout) -> bool:
    """Whether tables have fewer cells than the space has processors; else the model computes each processor.

    Raises
    ------
    RoofcastError : neither can be done in reasonable time and memory.
    """
    cells = grid_cells(space, layout)
    if cells <= min(max(space.size, CELLS_LEAST), CELLS_MOST):
        return True
    if space.size <= PROCESSORS_MOST:
        return False
    finest = max((layout.s_axes, layout.d_axes), key=lambda axes: np.prod([float(space.shape[a]) for a in axes]))
    raise RoofcastError(
        f"axes {', '.join(space.axes[a].key for a in finest)} have {cells:.3g} combinations, which shape a kernel "
        f"together: give fewer levels (at most {CELLS_MOST:,} combinations), or sample = {PROCESSORS_MOST} processors"
    )
