"""Content-aware narrowing of a picture: energy of pixels, cheapest seams row by row."""
import numpy as np
from numba import njit, prange

H, W = 1080, 1920


@njit(parallel=True)
def pixel_energy(grey, energy):
    for y in prange(1, H - 1):
        for x in range(1, W - 1):
            gx = grey[y, x + 1] - grey[y, x - 1]
            gy = grey[y + 1, x] - grey[y - 1, x]
            energy[y, x] = abs(gx) + abs(gy)


@njit
def cheapest(energy, cost):
    for y in range(1, H):
        for x in range(1, W - 1):
            best = min(cost[y - 1, x - 1], cost[y - 1, x])
            best = min(best, cost[y - 1, x + 1])
            cost[y, x] = energy[y, x] + best


def main():
    grey = np.random.default_rng(2).random((H, W)).astype(np.float32)
    energy = np.zeros((H, W), dtype=np.float32)
    pixel_energy(grey, energy)
    cost = energy.copy()
    cheapest(energy, cost)
    print(int(cost[H - 1, 1:-1].argmin()))


main()
