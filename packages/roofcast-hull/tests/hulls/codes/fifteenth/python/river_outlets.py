"""Follow flow directions of a drainage net down to the outlet of each cell."""
import numpy as np
from numba import njit, prange

CELLS = 200_000


@njit(parallel=True)
def outlets(downstream, outlet, hops):
    for c in prange(CELLS):
        here = np.int64(c)
        n = 0
        while downstream[here] != here:
            here = downstream[here]
            n += 1
        outlet[c] = here
        hops[c] = n


@njit(parallel=True)
def travel_hours(hops, slope, hours):
    for c in prange(CELLS):
        speed = 0.3 + 1.9 * np.sqrt(slope[c])
        hours[c] = hops[c] * 250.0 / (3600.0 * speed)


def main():
    rng = np.random.default_rng(9)
    down = np.maximum(np.arange(CELLS) - rng.integers(0, 900, CELLS), 0)
    outlet = np.empty(CELLS, np.int64)
    hops = np.empty(CELLS, np.int64)
    hours = np.empty(CELLS)
    outlets(down, outlet, hops)
    travel_hours(hops, rng.uniform(0.001, 0.1, CELLS), hours)
    print(hours.max())


if __name__ == "__main__":
    main()
