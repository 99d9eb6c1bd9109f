"""Clocks under a load that lasts, where no estimate at the clocks of single launches is at hand to decide them.

A variation of a GPU holds the share of its clock that the GPU itself holds, as its base clock follows its boost clock,
unless its board's power is another: more of any supply is never slower, though the board would have to feed it. The
equation stands in :mod:`roofcast.models.held_clocks`.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.results import Conditions
from roofcast.kit.quantities import count_of
from roofcast.models.cell_blocks import blocks_of
from roofcast.models.held_clocks import HeldClocks, find_hot
from roofcast.models.physics.model import Mechanistic
from roofcast.models.promises import nominal


def holds_power(conditions: Conditions) -> bool:
    """Return whether boards lower their clocks under these conditions."""
    return conditions.sustained and conditions.clock == "auto"


def sustain_clocks(kernels: KernelTable, here: Machines, there: Machines, conditions: Conditions) -> FloatArray:
    """(n, m) Hz that the targets' boards hold under the kernels; the clocks of ``there`` where nothing binds.

    here : where they were measured, index (n,). there : index (1, m) or (n, 1), clocks (n, m) of single launches.
    """
    clock = there.clock_hz
    if not holds_power(conditions):
        return clock
    as_sold = nominal(there)
    if as_sold is there:
        return hold_clocks(kernels, here, there, conditions)
    held = clock * (hold_clocks(kernels, here, as_sold, conditions) / as_sold.clock_hz)
    capped = there.gather("tdp_w") != as_sold.gather("tdp_w")
    if capped.any():
        held = np.where(capped, hold_clocks(kernels, here, there, conditions), held)
    return held if (held < clock).any() else clock


def hold_clocks(kernels: KernelTable, here: Machines, there: Machines, conditions: Conditions) -> FloatArray:
    """The same, whatever GPUs the targets vary."""
    hot = np.flatnonzero(find_hot(kernels, here))
    if not len(hot):
        return there.clock_hz
    some, n, physics = kernels.select(hot).taken_from(kernels, here, hot), len(kernels), Mechanistic().parts
    clock = np.broadcast_to(there.clock_hz, (n, there.width))[hot]
    # One row for all kernels, where it is: rates are then a row as well.
    clock = clock[:1] if len(there.index) == 1 and (clock == clock[:1]).all() else clock
    index = there.index[hot] if len(there.index) > 1 else there.index
    at, of = there.cells(index, clock), here.cells(here.index[hot], here.clock_hz[hot])
    holding = HeldClocks(physics, some, of, at, conditions, np.ones(len(hot), np.bool_))
    for block in blocks_of(some, of, at, None):
        parts = physics(block.kernels, block.sources, block.targets, conditions)
        holding.look(block, parts.time_s, parts.roofs.target)
    if holding.clock_hz is at.clock_hz:
        return there.clock_hz
    whole = np.array(np.broadcast_to(there.clock_hz, (n, there.width)))
    whole[hot] = holding.clock_hz
    return whole


def describe_held(notes: list[str], clock_hz: FloatArray, held_hz: FloatArray) -> list[str]:
    """Notes on the targets' clocks with what their boards hold under a load that lasts."""
    lower = np.sum(held_hz < clock_hz, axis=0).tolist()
    of = count_of(len(held_hz), "kernel")
    return [
        f"{note}; {n} of {of} lower, as the board's power holds (--load burst: single launches)"
        if n and note else note
        for note, n in zip(notes, lower, strict=False)
    ]  # fmt: skip
