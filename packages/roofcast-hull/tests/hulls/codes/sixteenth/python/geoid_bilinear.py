"""Heights above the geoid: a grid of undulations, interpolated at benchmark positions."""
import numpy as np

GRID = (721, 1441)
MARKS = 400_000


def undulation(grid, row, col):
    i = np.floor(row).astype(np.int64)
    j = np.floor(col).astype(np.int64)
    fj = col - j
    north = grid[i, j] * (1.0 - fj) + grid[i, j + 1] * fj
    south = grid[i + 1, j] * (1.0 - fj) + grid[i + 1, j + 1] * fj
    return north + (row - i) * (south - north)


def adjust(levelled, ellipsoidal, n, tilt_ns, tilt_ew, row, col):
    """Misclosure after removal of a tilted plane, written over `levelled`."""
    levelled -= ellipsoidal
    levelled += n
    levelled -= tilt_ns * row + tilt_ew * col
    return levelled


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    grid = rng.normal(0.0, 30.0, GRID)
    row = rng.uniform(0, GRID[0] - 1.001, MARKS)
    col = rng.uniform(0, GRID[1] - 1.001, MARKS)
    n = undulation(grid, row, col)
    h = rng.uniform(0, 3000, MARKS)
    print(adjust(h - n, h, n, 1e-4, -2e-4, row, col).std())
