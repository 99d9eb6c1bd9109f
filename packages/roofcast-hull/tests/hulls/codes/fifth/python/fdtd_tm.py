"""Yee's scheme in two dimensions (TM): Ez between Hx and Hy, walls that reflect."""
import numpy as np


def advance(ez, hx, hy, steps, c):
    for n in range(steps):
        hx -= c * (ez[:, 1:] - ez[:, :-1])
        hy += c * (ez[1:, :] - ez[:-1, :])
        ez[1:-1, 1:-1] += c * ((hy[1:, 1:-1] - hy[:-1, 1:-1]) - (hx[1:-1, 1:] - hx[1:-1, :-1]))


def main():
    nx, ny = 300, 400
    ez = np.zeros((nx, ny))
    hx = np.zeros((nx, ny - 1))
    hy = np.zeros((nx - 1, ny))
    y, x = np.mgrid[0:nx, 0:ny]
    ez[:] = np.exp(-((y - 150) ** 2 + (x - 200) ** 2) / 50.0)
    advance(ez, hx, hy, 100, 0.5)
    print(np.abs(ez).max(), (ez ** 2).sum())


if __name__ == "__main__":
    main()
