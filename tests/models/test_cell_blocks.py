"""Blocks of kernels and targets: which cells go together, each cell once, and what is copied."""

from __future__ import annotations

import numpy as np
import pytest

import roofcast
from frozen_kinds import SOURCES, draw_hot
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.models import cell_blocks
from roofcast.models.cell_blocks import (
    Assembled,
    Block,
    Targets,
    blocks_of,
    common,
    groups_of_columns,
    groups_of_rows,
    put,
    select_rows,
    usual_clocks,
)
from roofcast.models.physics.constants import PRIOR
from roofcast.models.physics.model import read_kernels


def listed(groups: list[np.ndarray]) -> list[list[int]]:
    return [group.tolist() for group in groups]


def test_sources_with_many_rows_stand_alone_and_the_others_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_blocks, "ROWS_LEAST", 3)
    monkeypatch.setattr(cell_blocks, "CELLS_LEAST", 12)
    index = np.array([7, 5, 7, 5, 7, 2, 2, 2, 2], np.intp)
    assert listed(groups_of_rows(index, 4)) == [[0, 2, 4], [1, 3], [5, 6, 7, 8]]
    assert listed(groups_of_rows(index, 3)) == [[0, 1, 2, 3, 4], [5, 6, 7, 8]]
    assert listed(groups_of_rows(index, 0)) == [list(range(9))]
    assert listed(groups_of_rows(np.array([1, 1, 1, 1], np.intp), 3)) == [[0, 1, 2, 3]]


def test_targets_of_other_supplies_or_varying_clocks_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_blocks, "COLUMNS_LEAST", 2)
    known = np.array([1, 0, 1, 2, 0, 3], np.intp)
    still = np.zeros(6, np.bool_)
    assert listed(groups_of_columns(known, still)) == [[0, 2], [1, 4], [3, 5]]
    varying = np.array([False, False, True, False, False, True])
    assert listed(groups_of_columns(known, varying)) == [[0, 3], [1, 4], [2], [5]]


def test_a_clock_that_nearly_all_have_is_theirs_and_the_few_are_cells() -> None:
    clock = np.full((16, 3), 2.0)
    clock[3, 0] = 1.5  # one of eight or more: by itself
    clock[[1, 2, 5], 1] = 1.0  # three of sixteen: a column of many clocks
    clock[[8, 9], 2] = 1.0  # two of sixteen are still few
    usual, few = usual_clocks(clock, [np.arange(16)])
    assert usual[:, 0].tolist() == [2.0] * 16
    assert usual[:, 1].tolist() == clock[:, 1].tolist()
    assert few.tolist() == [[3, 0], [8, 2], [9, 2]]
    assert clock[3, 0] == 1.5


def test_equal_values_are_one_and_rows_in_sequence_are_views() -> None:
    assert common(np.array([4.0, 4.0])).tolist() == [4.0]
    assert common(np.array([4.0, 5.0])).tolist() == [4.0, 5.0]
    kernels = draw_hot(1, 8)
    sources = machines_of(("A10",))
    assert select_rows(kernels, sources, np.arange(8)) is kernels
    part = select_rows(kernels, sources, np.arange(2, 6))
    assert np.shares_memory(part.numeric["time_s"], kernels.numeric["time_s"])
    apart = select_rows(kernels, sources, np.array([0, 2, 3]))
    assert not np.shares_memory(apart.numeric["time_s"], kernels.numeric["time_s"])
    for found, rows in ((part, range(2, 6)), (apart, (0, 2, 3))):
        assert found.strings("kernel").tolist() == [f"hot{i}" for i in rows]
        assert len(found.flags) == len(rows)
        assert found.files().tolist() == kernels.files()[[*rows]].tolist()


@pytest.mark.parametrize("rows", [[1, 1, 3], [0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 1, 2, 4]])
def test_a_kernel_with_several_cells_stands_for_each_of_them(rows: list[int]) -> None:
    """On several GPUs of which each slows it: as many rows as there are kernels, or as from first to last."""
    kernels, sources = draw_hot(1, 8), Machines.of([roofcast.gpu("A10")], np.zeros(8, np.intp))
    part = select_rows(kernels, sources, np.array(rows))
    assert part.strings("kernel").tolist() == [f"hot{i}" for i in rows]
    here = sources.cells(np.zeros(len(rows), np.intp), sources.clock_hz[rows])
    assert read_kernels(part, here, PRIOR).time_s[:, 0].tolist() == kernels.column("time_s")[rows].tolist()


def machines_of(names: tuple[str, ...], clock_hz: np.ndarray | None = None) -> Machines:
    found = Machines.of([roofcast.gpu(name) for name in names])
    return found.cells(found.index[None, :], found.clock_hz[None, :] if clock_hz is None else clock_hz)


def blocks(kernels: KernelTable, there: Machines) -> list[Block]:
    here = Machines.of([roofcast.gpu(name) for name in SOURCES])
    index = np.arange(len(kernels)) % len(SOURCES)
    return [*blocks_of(kernels, here.cells(index, here.clock_hz[index]), there, None)]


@pytest.mark.parametrize("cells", [1, 7, 1 << 17])
@pytest.mark.parametrize("rows", [5, 1 << 14])
@pytest.mark.parametrize("columns", [2, 512])
@pytest.mark.parametrize("lower", [(), ((3, 0), (40, 2)), tuple((i, 1) for i in range(60))])
def test_every_cell_is_in_one_block_of_allowed_size_at_its_clock(
    monkeypatch: pytest.MonkeyPatch, cells: int, rows: int, columns: int, lower: tuple[tuple[int, int], ...]
) -> None:
    for name, value in (("BLOCK_CELLS", cells), ("ROWS_MOST", rows), ("COLUMNS_MOST", columns), ("CELLS_LEAST", 8)):
        monkeypatch.setattr(cell_blocks, name, value)
    monkeypatch.setattr(cell_blocks, "ROWS_LEAST", 10)
    kernels, targets = draw_hot(2, 66), ("H100 SXM5 80GB", "MI100", "T4", "L40S", "A10")
    clock = np.tile(machines_of(targets).clock_hz, (66, 1))
    for i, j in lower:
        clock[i, j] *= 0.8 + 0.001 * i
    there = machines_of(targets, clock if lower else None)
    seen = np.zeros((66, 5), np.intp)
    at = np.full((66, 5), np.nan)
    for block in blocks(kernels, there):
        assert block.kernels.strings("kernel").tolist() == [f"hot{i}" for i in block.rows]
        if block.paired:
            assert len(block.rows) == len(block.columns) <= rows
            seen[block.rows, block.columns] += 2
        else:
            assert len(block.rows) <= rows
            assert len(block.columns) <= max(columns, cells // len(block.rows))
            seen[np.ix_(block.rows, block.columns)] += 1
            names = [p.name for p in block.targets.processors]
            assert [names[i] for i in block.targets.index[0]] == [roofcast.gpu(targets[j]).name for j in block.columns]
        put(at, (block, np.broadcast_to(block.targets.clock_hz, (len(block.rows), block.targets.width))))
    assert set(seen.ravel().tolist()) == ({1, 3} if lower and len(lower) < 4 else {1})
    np.testing.assert_array_equal(at, clock)


def test_seconds_come_together_when_asked_and_absent_ones_are_forgotten() -> None:
    kernels = draw_hot(3, 12)
    here = Machines.of([roofcast.gpu("T4")])
    whole = Assembled((12, 2))
    there = machines_of(("T4", "A10"))
    for rows, columns in ((np.arange(4), np.arange(2)), (np.array([5, 8]), np.array([1])), (np.array([9, 10]), [0])):
        block = Block(rows, np.asarray(columns, np.intp), kernels, here, there, None)
        whole.add(block, {Resource.BYTES_DRAM: np.full((len(rows), len(columns)), float(rows[0] + 1))})
    expected = np.full((12, 2), np.nan)
    expected[:4], expected[[5, 8], 1], expected[[9, 10], 0] = 1.0, 6.0, 10.0
    whole.close()
    assert [*whole] == [Resource.BYTES_DRAM]
    assert len(whole) == 1
    np.testing.assert_array_equal(whole[Resource.BYTES_DRAM], expected)
    assert whole[Resource.BYTES_DRAM] is whole[Resource.BYTES_DRAM]


def test_targets_whose_clock_is_the_same_for_all_are_one_row() -> None:
    clock = np.tile(machines_of(("T4", "A10")).clock_hz, (4, 1))
    clock[2, 1] /= 2
    targets = Targets(machines_of(("T4", "A10")), clock)
    assert targets.is_varying(np.arange(4)).tolist() == [False, True]
    assert targets.is_varying(np.array([0, 1, 3])).tolist() == [False, False]
    assert targets.select(np.arange(4), np.array([0])).clock_hz.shape == (1, 1)
    assert targets.select(np.arange(4), np.array([0, 1])).clock_hz.shape == (4, 2)
    first = targets.select(np.array([0, 1]), np.array([1]))
    assert targets.select(np.array([0, 3]), np.array([1])) is first
