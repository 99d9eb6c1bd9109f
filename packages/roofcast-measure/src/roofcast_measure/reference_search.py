"""Random walks of the suite as float64 and whole numbers: transport of particles, and a docking search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_measure.inputs import Arrays, integer
from roofcast_measure.programs import Sizes

MULTIPLIER, INCREMENT, WORD = 1664525, 1013904223, 2**32
"""Of the linear congruential generator of Numerical Recipes, modulo 2^32."""


def advance(state: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) the next states of the generator."""
    return np.asarray((state * MULTIPLIER + INCREMENT) % WORD)


def start(n: int, cells: int) -> NDArray[np.int64]:
    """(3, n) the cell in which each walk begins."""
    p = np.arange(n)
    return np.stack([p % cells, p // cells % cells, p // cells // cells % cells])


def transport(a: Arrays, s: Sizes) -> Arrays:
    """Each particle on its own way: weight, events and tally, until it is absorbed."""
    n, cells, steps, absorb = (integer(s, name) for name in ("n", "cells", "steps", "absorb"))
    state, at = a["seed"].astype(np.int64), start(n, cells)
    weight, events, alive = np.ones(n), np.zeros(n, np.int64), np.ones(n, np.bool_)
    for _ in range(steps):
        cell = at[0] + cells * (at[1] + cells * at[2])
        weight[alive] *= a["survive"][cell[alive]]
        np.add.at(a["tally"], cell[alive], weight[alive])
        events[alive] += 1
        state = np.where(alive, advance(state), state)
        draw = state >> 16
        alive &= draw >= absorb
        for axis in range(3):
            for way, move in ((2 * axis, 1), (2 * axis + 1, -1)):
                moved = alive & (draw % 6 == way)
                at[axis, moved] = (at[axis, moved] + move) % cells
    return {"tally": a["tally"], "events": events, "weight": weight}


def docking(a: Arrays, s: Sizes) -> Arrays:
    """Each pose on its own way: the least score that it met, and where."""
    n, atoms, cells, iters = (integer(s, name) for name in ("n", "atoms", "cells", "iters"))
    offsets, energies = a["offset"].astype(np.int64).reshape(atoms, 3), a["map"].astype(np.int64)
    state, at = a["seed"].astype(np.int64), start(n, cells)
    trial, best = at.copy(), np.full(n, 2**31 - 1)
    step, good, bad = np.full(n, 4), np.zeros(n, np.int64), np.zeros(n, np.int64)
    for _ in range(iters + 1):
        r, c, t = ((trial[k][:, None] + offsets[:, k]) % cells for k in range(3))
        total: NDArray[Any] = energies[r + cells * (c + cells * t)].sum(axis=1)
        lower = total < best
        best, at = np.where(lower, total, best), np.where(lower, trial, at)
        good, bad = np.where(lower, good + 1, 0), np.where(lower, 0, bad + 1)
        step = np.where((good == 4) & (2 * step < cells), 2 * step, step)
        step = np.where(bad == 4, np.maximum(step // 2, 1), step)
        good, bad = np.where(good == 4, 0, good), np.where(bad == 4, 0, bad)
        for axis in range(3):
            state = advance(state)
            trial[axis] = (at[axis] + cells + (state >> 16) % (2 * step + 1) - step) % cells
    return {"score": best, "place": at[0] + cells * (at[1] + cells * at[2])}
