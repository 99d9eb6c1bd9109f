"""Open fives of a batch of gomoku boards (1 black, -1 white): windows of five in rows and columns."""
import numba as nb
import numpy as np

GAMES, SIZE = 20000, 15


@nb.njit(parallel=True, cache=False)
def count_fives(boards, fives):
    for g in nb.prange(GAMES):
        n = 0
        for i in range(SIZE):
            for j in range(SIZE - 4):
                row = boards[g, i, j] + boards[g, i, j + 1] + boards[g, i, j + 2] + boards[g, i, j + 3] + boards[g, i, j + 4]
                col = boards[g, j, i] + boards[g, j + 1, i] + boards[g, j + 2, i] + boards[g, j + 3, i] + boards[g, j + 4, i]
                n += (row == 5) + (col == 5)
        fives[g] = n


boards = np.random.default_rng(1).integers(-1, 2, (GAMES, SIZE, SIZE)).astype(np.int32)
fives = np.zeros(GAMES, dtype=np.int32)
count_fives(boards, fives)
