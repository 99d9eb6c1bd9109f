r"""Clocks under a load that lasts: a board holds its power, and lowers its SM clock until it does.

.. math:: P_{idle} + \frac{E_c \, (V(f) / V_0)^2 + E_m}{T(f)} \le P_{board}, \qquad
    T(f) = T_0 \left(\frac{f_0}{f}\right)^{s}, \quad s = \frac{\ln (T_1 / T_0)}{\ln (f_0 / f_1)}, \quad f \le f_0

f_0 : Hz, the clock that the GPU takes for a single launch, T_0 : s at it. E_c, E_m : J of the launch on the chip at
f_0, and in memory and L2 (:mod:`roofcast.models.power`). V : voltage at a clock. s : share of the time that follows the
SM clock, from the model at f_1 = 0.7 f_0. f : the highest clock that holds the board's power; it counts
the more, the more the kernel would draw at f_0: wholly from 1.3 times the board's power on.

Reason: power is joules over seconds, and one launch after a pause is over before the board's regulator has averaged it:
products of 8192 run 10 to 17 % faster alone than in loops of 3 s (own measurements on an H100 and an H200, 700 W).
A variation of a GPU holds the share of its clock that the GPU itself holds, as its base clock follows its boost clock,
unless its board's power is another: more of any supply is never slower, though the board would have to feed it.
Kernels whose work nobody counted, or whose clock nobody recorded, are left alone: a table of times was taken under
whatever load its board held, and the rates of library operators were sustained when they were measured.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.formulas.energy import voltage_share
from roofcast.kit.quantities import count_of
from roofcast.models.cell_blocks import blocks_of, put
from roofcast.models.physics.kernel_inputs import bytes_counted
from roofcast.models.physics.model import Mechanistic
from roofcast.models.power import Draw, draw_of, full_clock_hz, idle_w
from roofcast.models.promises import nominal

LOWER = 0.7
"""f_1 over f_0."""
SURE = 0.3
"""How much more than the board's power a kernel draws at f_0 that is held for sure: joules have a doubt of 20 %."""
HOT = 0.7
"""Share of the board's power that a kernel draws on its source from which it may reach a board's limit elsewhere."""


def sustain_clocks(kernels: KernelTable, here: Machines, there: Machines, conditions: Conditions) -> FloatArray:
    """(n, m) Hz that the targets' boards hold under the kernels; the clocks of ``there`` where nothing binds.

    here : where they were measured, index (n,). there : index (1, m) or (n, 1), clocks (n, m) of single launches.
    """
    clock = there.clock_hz
    if not conditions.sustained or conditions.clock != "auto":
        return clock
    as_sold = nominal(there)
    if as_sold is there:
        return hold_clocks(kernels, here, there, conditions)
    held = clock * (hold_clocks(kernels, here, as_sold, conditions) / as_sold.clock_hz)
    capped = there.gather("tdp_w") != as_sold.gather("tdp_w")
    if capped.any():
        held = np.where(capped, hold_clocks(kernels, here, there, conditions), held)
    return held if (held < clock).any() else clock


@quietly(overflow=True)
def hold_clocks(kernels: KernelTable, here: Machines, there: Machines, conditions: Conditions) -> FloatArray:
    """The same, whatever GPUs the targets vary."""
    clock = there.clock_hz
    time = kernels.column("time_s")[:, None]
    dram_s = kernels.column(Resource.BYTES_DRAM.value)[:, None] / here.rate(Resource.BYTES_DRAM)[:, None]
    usual = draw_of(kernels, column(here), time, dram_s)
    power_w = usual.idle_w + usual.dynamic_j / time
    recorded = bytes_counted(kernels) & (kernels.column("clock_hz") > 0)
    hot = np.flatnonzero(recorded & (power_w > HOT * usual.board_w)[:, 0])
    if not len(hot):
        return clock
    time_there, drawn = draw_there(kernels, here, there, hot, conditions)
    over = drawn.idle_w + drawn.dynamic_j / time_there > drawn.board_w
    if not over.any():
        return clock
    # Few of them draw more than few of the boards have: only of these another clock is asked for.
    rows, columns = np.flatnonzero(over.any(axis=1)), np.flatnonzero(over.any(axis=0))
    whole = np.array(np.broadcast_to(clock, (len(kernels), clock.shape[1])))
    slower = np.full(over.shape, np.nan)
    lowered = there.cells(there.index[:, columns], LOWER * whole[:, columns])
    slower[np.ix_(rows, columns)], _ = draw_there(kernels, here, lowered, hot[rows], conditions)
    full = there.gather(full_clock_hz)

    def cells(values: FloatArray) -> FloatArray:
        return np.asarray(np.broadcast_to(values, over.shape)[over])

    most = whole[hot]
    draw = Draw(*(cells(v) for v in (drawn.idle_w, drawn.board_w, drawn.dynamic_j, drawn.chip_j)))
    full = cells(full if len(full) == 1 else full[hot])
    most[over] = hold_power(draw, time_there[over], slower[over], most[over], full)
    whole[hot] = most
    return whole if (whole < clock).any() else clock


def draw_there(
    kernels: KernelTable, here: Machines, there: Machines, rows: NDArray[np.intp], conditions: Conditions
) -> tuple[FloatArray, Draw]:
    """(r, m) s of some kernels by the physics, and what they draw. there : clocks (n, m)."""
    some, index = kernels.select(rows), there.index if len(there.index) == 1 else there.index[rows]
    clock = np.broadcast_to(there.clock_hz, (len(kernels), there.width))[rows]
    # One row for all kernels, where it is: rates are then a row as well.
    clock = clock[:1] if len(index) == 1 and (clock == clock[:1]).all() else clock
    at = there.cells(index, clock)
    drawn = np.empty((3, len(rows), there.width))
    for block in blocks_of(some, here.cells(here.index[rows], here.clock_hz[rows]), at, None):
        parts = Mechanistic().parts(block.kernels, block.sources, block.targets, conditions)
        dram_s = parts.roofs.target.get(Resource.BYTES_DRAM)
        draw = draw_of(block.kernels, block.targets, parts.time_s, dram_s)
        for whole, values in zip(drawn, (parts.time_s, draw.dynamic_j, draw.chip_j), strict=True):
            put(whole, (block, values))
    return drawn[0], Draw(at.gather(idle_w), at.gather("tdp_w"), drawn[1], drawn[2])


def describe_held(notes: list[str], clock_hz: FloatArray, held_hz: FloatArray) -> list[str]:
    """Notes on the targets' clocks with what their boards hold under a load that lasts."""
    lower = np.sum(held_hz < clock_hz, axis=0).tolist()
    of = count_of(len(held_hz), "kernel")
    return [
        f"{note}; {n} of {of} lower, as the board's power holds (--load burst: single launches)"
        if n and note else note
        for note, n in zip(notes, lower, strict=False)
    ]  # fmt: skip


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
