from numba import njit, prange
import numpy as np


@njit(parallel=True, fastmath=True)
def unsharp(img, out, amount):
    h, w = img.shape
    for y in prange(1, h - 1):
        for x in range(1, w - 1):
            s = 0.0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    s += img[y + dy, x + dx]
            out[y, x] = img[y, x] + amount * (img[y, x] - s / 9.0)


def main():
    img = np.zeros((1024, 1280))
    out = np.zeros_like(img)
    unsharp(img, out, 0.7)


main()
