"""Line of sight over terrain: what the western edge sees of each row, and the shade of a low sun."""
import numpy as np
from numba import njit, prange

ROWS, COLS = 1500, 2000


@njit(parallel=True)
def visible_from_edge(height, eye, seen):
    for r in prange(height.shape[0]):
        base = height[r, 0] + eye
        best = -1e9
        for x in range(1, height.shape[1]):
            slope = (height[r, x] - base) / x
            if slope >= best:
                seen[r, x] = 1.0
            else:
                seen[r, x] = 0.0
            best = max(best, slope)


height = np.random.default_rng(0).random((ROWS, COLS)) * 50.0
seen = np.zeros((ROWS, COLS))
visible_from_edge(height, 1.8, seen)
print(seen.mean())
