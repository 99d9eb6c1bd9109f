"""Abelian sandpile: sites with four grains or more topple until none has."""
import numpy as np
from numba import njit


@njit
def relax(pile):
    rows, cols = pile.shape
    topplings = 0
    moved = True
    while moved:
        moved = False
        for i in range(rows):
            for j in range(cols):
                if pile[i, j] >= 4:
                    pile[i, j] -= 4
                    if i > 0:
                        pile[i - 1, j] += 1
                    if i < rows - 1:
                        pile[i + 1, j] += 1
                    if j > 0:
                        pile[i, j - 1] += 1
                    if j < cols - 1:
                        pile[i, j + 1] += 1
                    topplings += 1
                    moved = True
    return topplings


if __name__ == "__main__":
    pile = np.zeros((101, 101), dtype=np.int64)
    pile[50, 50] = 10000
    print(relax(pile), np.bincount(pile.ravel()))
