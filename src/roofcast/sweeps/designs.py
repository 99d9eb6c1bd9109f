r"""What is said of single designs of a space: which axes matter, what a design draws, and the clock that it can hold.

.. math:: P = P_{idle} + \frac{E}{T} \max\left(1, \frac{f}{f_b}\right)^2, \quad
    f_{held} = f \left(\frac{P_{board} - P_{idle}}{P - P_{idle}}\right)^{1/3}

P : W of a design under the workload, as if no limit held it. E, T : J beside the idle board and s of all kernels
(:mod:`roofcast.models.power`). f, f_b : clock of the design and boost clock of the base. f_held : the clock that the
board's power allows, as dynamic power goes with C V^2 f.

Reason: the energy model takes a card's boost for the clock of full voltage, but a design is made in the base's process:
beyond the base's boost the voltage follows the clock. An estimate: the capacity that is switched is taken to grow with
the units in use alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.kit.table import pick_longest
from roofcast.models.power import draw_of
from roofcast.sweeps.reductions import Points
from roofcast.sweeps.space import IntArray, Space
from roofcast.sweeps.sums import add_up
from roofcast.sweeps.workload import Workload

MATTERS = 1e-3
"""Relative change of the time from which an axis matters, and from which a design is faster than another."""
SAMPLED = 64
"""Designs on which each axis is moved over its levels."""
KERNELS_MOST = 512
"""Kernels with most time that a design's power rests on."""


@dataclass(frozen=True)
class Power:
    """What designs draw under the workload; (m,) each, NaN where the board's power is unknown."""

    drawn_w: FloatArray
    """As if nothing held it."""
    board_w: FloatArray
    clock_hz: FloatArray
    """Of the design."""
    held_hz: FloatArray
    """The clock that the board's power allows; that of the design where it draws less."""


def find_axes_that_matter(work: Workload, space: Space, seed: int = 0) -> tuple[int, ...]:
    """Positions of axes along which the time changes by more than :data:`MATTERS` somewhere."""
    draw = np.random.default_rng(seed)
    shape = space.shape
    start = np.stack([draw.integers(0, n, SAMPLED) for n in shape])
    ends, moved = [], []
    for i, n in enumerate(shape):
        for level in sorted({0, n // 2, n - 1}):
            levels = start.copy()
            levels[i] = level
            ends.append(levels)
            moved.append(i)
    time = add_up(work, space, np.concatenate(ends, axis=1)).time_s.reshape(len(moved), SAMPLED)
    positions = []
    for i in range(len(shape)):
        along_axis = time[[k for k, a in enumerate(moved) if a == i]]
        with quietly():
            if np.nanmax(along_axis.max(axis=0) / along_axis.min(axis=0)) > 1 + MATTERS:
                positions.append(i)
    return tuple(positions)


def keep_least_designs(space: Space, points: Points, axes: tuple[int, ...]) -> Points:
    """Keep of the fastest those that no other matches with less of something and no more of anything that matters."""
    levels = levels_of(space, points.number)[list(axes)]
    least: list[int] = []
    for i in range(len(points.number)):
        alike = points.time_s <= points.time_s[i] * (1 + MATTERS)
        less = (levels <= levels[:, i : i + 1]).all(axis=0) & (levels < levels[:, i : i + 1]).any(axis=0)
        twin = any((levels[:, k] == levels[:, i]).all() for k in least)
        if not (alike & less).any() and not twin:
            least.append(i)
    return points.take(np.array(least, np.intp))


def levels_of(space: Space, numbers: IntArray) -> IntArray:
    """(axes, m) levels of processors."""
    columns = [space.levels_of(int(n), int(n) + 1) for n in numbers]
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(space.axes), 0), np.intp)


def estimate_power(work: Workload, space: Space, levels: IntArray) -> Power:
    """What designs draw while they run all kernels. levels : (axes, m)."""
    work, m = work.select(find_longest(work)), levels.shape[1]
    columns = space.columns(levels)
    there, _ = work.prepared.machines_there(columns, noted=False)
    estimate = work.estimate(columns)
    known = np.isfinite(estimate.time_s)
    draw = draw_of(
        work.kernels,
        there,
        estimate.time_s,
        estimate.time_s_by_resource_target.get(Resource.BYTES_DRAM),
        work.changes(m),
    )
    weight = work.weights[:, None]
    time = np.where(known, weight * estimate.time_s, 0.0).sum(axis=0)
    with quietly():
        dynamic = np.where(known, weight * draw.dynamic_j, 0.0).sum(axis=0) / time
        clock = np.broadcast_to(there.clock_hz, estimate.time_s.shape)[0]
        over = np.maximum(1.0, clock / space.base.clock_hz_boost) ** 2
        idle, board = (np.broadcast_to(v, estimate.time_s.shape)[0] for v in (draw.idle_w, draw.board_w))
        share = np.cbrt((board - idle) / (dynamic * over))
    return Power(idle + dynamic * over, board, clock, clock * np.minimum(share, 1.0))


def find_longest(work: Workload) -> NDArray[np.intp]:
    """The kernels with most time, in the order of the table."""
    return np.array(pick_longest(work.weights * work.kernels.column("time_s"), KERNELS_MOST), np.intp)
