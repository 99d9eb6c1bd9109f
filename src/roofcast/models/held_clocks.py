r"""Clocks under a load that lasts: a board holds its power, and lowers its SM clock until it does.

.. math:: P_{idle} + \frac{E_c \, (V(f) / V_0)^2 + E_m}{T(f)} \le P_{board}, \qquad
    T(f) = T_0 \left(\frac{f_0}{f}\right)^{s}, \quad s = \frac{\ln (T_1 / T_0)}{\ln (f_0 / f_1)}, \quad f \le f_0

f_0 : Hz, the clock that the GPU takes for a single launch, T_0 : s at it. E_c, E_m : J of the launch on the chip at
f_0, and in memory and L2 (:mod:`roofcast.models.power`). V : voltage at a clock. s : share of the time that follows the
SM clock, from the model at f_1 = 0.7 f_0. f : the highest clock that holds the board's power; it counts
the more, the more the kernel would draw at f_0: wholly from 1.3 times the board's power on.

Reason: power is joules over seconds, and one launch after a pause is over before the board's regulator has averaged it:
products of 8192 run 10 to 17 % faster alone than in loops of 3 s (own measurements on an H100 and an H200, 700 W).
Kernels whose work nobody counted, or whose clock nobody recorded, are left alone: a table of times was taken under
whatever load its board held, and the rates of library operators were sustained when they were measured.

T_0 is what an estimate at the clocks of single launches has: only cells that draw more than their boards have are asked
for T_1, and then once more at the clock that they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.formulas.energy import voltage_share
from roofcast.models.cell_blocks import Block, blocks_of_cells
from roofcast.models.physics.kernel_inputs import bytes_counted
from roofcast.models.physics.stages import select_rows
from roofcast.models.power import Draw, draw_of, full_clock_hz

LOWER = 0.7
"""f_1 over f_0."""
SURE = 0.3
"""How much more than the board's power a kernel draws at f_0 that is held for sure: joules have a doubt of 20 %."""
HOT = 0.7
"""Share of the board's power that a kernel draws on its source from which it may reach a board's limit elsewhere."""

Physics = Callable[[KernelTable, Machines, Machines, Conditions], Any]
"""The parts of a forecast by physics: :meth:`roofcast.models.physics.model.Mechanistic.parts`."""


def physics_of(model: object) -> Physics | None:
    """The physics of a model, which decides the clocks of its targets; None where it has none of its own."""
    return cast("Physics | None", getattr(getattr(model, "physics", model), "parts", None))


@quietly(overflow=True)
def find_hot(kernels: KernelTable, here: Machines) -> NDArray[np.bool_]:
    """(n,) kernels that may reach a board's power. here : where they were measured, index (n,)."""
    recorded = bytes_counted(kernels) & (kernels.column("clock_hz") > 0)
    if not recorded.any():
        return recorded
    time = kernels.column("time_s")[:, None]
    dram_s = kernels.column(Resource.BYTES_DRAM.value)[:, None] / here.rate(Resource.BYTES_DRAM)[:, None]
    usual = draw_of(kernels, column(here), time, dram_s)
    return recorded & (usual.idle_w + usual.dynamic_j / time > HOT * usual.board_w)[:, 0]


@dataclass(frozen=True)
class Over:
    """Cells that draw more at f_0 than their boards have."""

    cells: NDArray[np.intp]
    """(c, 2) kernels and targets."""
    time_s: FloatArray
    """(c,) T_0."""
    draw: Draw
    """(c,) each."""


class HeldClocks:
    """The clocks that boards hold, found from estimates at those of single launches."""

    def __init__(
        self, physics: Physics, kernels: KernelTable, here: Machines, there: Machines, conditions: Conditions,
        hot: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Nothing seen yet. here : index (n,). there : those that are ``limited`` may run slower. hot : (n,)."""
        self.physics, self.kernels, self.conditions = physics, kernels, conditions
        self.here, self.there = here, there
        self.first_hz = np.broadcast_to(there.clock_hz, (len(kernels), there.width))
        limited = np.ones((1, 1), np.bool_) if there.limited is None else there.limited
        self.limited = np.broadcast_to(limited, self.first_hz.shape)
        self.hot = hot
        self.seen: list[Over] = []

    @quietly(overflow=True)
    def look(self, block: Block, time_s: FloatArray | None, seconds: Mapping[Resource, FloatArray]) -> None:
        """Note what a block's hot kernels draw. time_s : T_0. seconds : per resource, on the targets."""
        rows = np.flatnonzero(self.hot[block.rows])
        if not len(rows) or time_s is None:
            return
        part, there = block.kernels, block.targets
        some = part if len(rows) == len(part) else part.once(("hot", rows.tobytes()), None, lambda: part.select(rows))
        index = there.index[rows] if len(there.index) > 1 else there.index
        machines = there.cells(index, select_rows(there.clock_hz, rows))
        dram_s = seconds.get(Resource.BYTES_DRAM)
        time_s = select_rows(time_s, rows)
        draw = draw_of(some, machines, time_s, None if dram_s is None else select_rows(dram_s, rows))
        more = np.broadcast_to(draw.idle_w + draw.dynamic_j / time_s > draw.board_w, (len(rows), machines.width))
        at, beside = np.nonzero(more)
        cells = np.stack((block.rows[rows[at]], block.columns[at if block.paired else beside]), axis=1)

        def drawn(values: FloatArray) -> FloatArray:
            return np.asarray(np.broadcast_to(values, more.shape)[at, beside])

        if len(cells):
            of = Draw(*(drawn(v) for v in (draw.idle_w, draw.board_w, draw.dynamic_j, draw.chip_j)))
            self.seen.append(Over(cells, drawn(time_s), of))

    @cached_property
    def cells(self) -> NDArray[np.intp]:
        """(c, 2) cells that draw more at f_0 than their boards have, whatever blocks they came from in one order."""
        cells = np.concatenate([np.zeros((0, 2), np.intp), *(over.cells for over in self.seen)])
        return cells[self.order(cells)]

    @staticmethod
    def order(cells: NDArray[np.intp]) -> NDArray[np.intp]:
        """(c,) places of cells by row, then by column."""
        return np.lexsort(cells.T[::-1])

    @cached_property
    def asked(self) -> list[Block]:
        """Those cells at f_1."""
        return [*blocks_of_cells(self.kernels, self.here, self.there, self.cells, LOWER * self.first_hz[*self.cells.T])]

    @cached_property
    def held_hz(self) -> FloatArray:
        """(c,) Hz that their boards hold, f_0 at most."""
        cells, most = self.cells, self.first_hz[*self.cells.T]
        if not len(cells):
            return np.asarray(most)
        order = self.order(np.concatenate([over.cells for over in self.seen]))

        def joined(of: Callable[[Over], FloatArray]) -> FloatArray:
            return np.concatenate([of(over) for over in self.seen])[order]

        draw = Draw(
            joined(lambda over: over.draw.idle_w), joined(lambda over: over.draw.board_w),
            joined(lambda over: over.draw.dynamic_j), joined(lambda over: over.draw.chip_j),
        )  # fmt: skip
        slower = [
            self.physics(block.kernels, block.sources, block.targets, self.conditions).time_s[:, 0]
            for block in self.asked
        ]
        full = np.broadcast_to(self.there.gather(full_clock_hz), self.first_hz.shape)[*cells.T]
        with quietly(overflow=True):
            held = hold_power(draw, joined(lambda over: over.time_s), np.concatenate(slower), most, full)
        return np.asarray(held)

    def blocks(self) -> Iterator[Block]:
        """The cells that draw too much, at the clocks that they hold; kernels are those that were asked at f_1."""
        run_hz = np.where(self.limited[*self.cells.T], self.held_hz, self.first_hz[*self.cells.T])
        if not (run_hz < self.first_hz[*self.cells.T]).any():
            return
        start = 0
        for block in self.asked:
            end = start + len(block.rows)
            yield replace(block, targets=block.targets.at(run_hz[start:end, None]))
            start = end

    @cached_property
    def clock_hz(self) -> FloatArray:
        """(n, m) Hz that boards hold; the very clocks of the first estimate where none holds a lower one."""
        if not (self.held_hz < self.first_hz[*self.cells.T]).any():
            return self.there.clock_hz
        whole = self.first_hz.copy()
        whole[*self.cells.T] = self.held_hz
        return whole


def hold_power(draw: Draw, time_s: FloatArray, slower_s: FloatArray, most: FloatArray, full: FloatArray) -> FloatArray:
    """(...) Hz, f of the equation above. time_s, slower_s : (...) T_0, T_1. most, full : Hz, f_0, full voltage's."""
    share = np.clip(np.log(slower_s / time_s) / -np.log(LOWER), 0.0, 1.0)
    beyond = draw.dynamic_j - draw.chip_j
    low, high = 0.3 * most, most * 1.0
    for _ in range(30):
        clock = 0.5 * (low + high)
        switched = draw.chip_j * (voltage_share(clock, full) / voltage_share(most, full)) ** 2
        power = draw.idle_w + (switched + beyond) / (time_s * (most / clock) ** share)
        low, high = np.where(power <= draw.board_w, clock, low), np.where(power <= draw.board_w, high, clock)
    sure = np.clip(((draw.idle_w + draw.dynamic_j / time_s) / draw.board_w - 1.0) / SURE, 0.0, 1.0)
    return np.where(sure > 0, most * (low / most) ** sure, most)
