"""Energy of the planar XY model on a periodic square lattice, with a few checkerboard Metropolis sweeps.

By hand: two differences, two cosines, a sum of the two and the running sum for each spin.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

L = 512
J = 1.0
rng = np.random.default_rng(9)


def energy(theta):
    right = np.roll(theta, -1, axis=1)
    down = np.roll(theta, -1, axis=0)
    return -J * np.sum(np.cos(theta - right) + np.cos(theta - down))


theta = rng.uniform(0, 2 * np.pi, size=(L, L))
i, j = np.indices((L, L))
colour = (i + j) % 2
start = energy(theta)
for sweep in range(6):
    for c in (0, 1):
        trial = theta + rng.uniform(-0.8, 0.8, size=(L, L))
        d_e = np.zeros((L, L))
        for axis in (0, 1):
            for shift in (-1, 1):
                other = np.roll(theta, shift, axis=axis)
                d_e += J * (np.cos(theta - other) - np.cos(trial - other))
        accept = (colour == c) & (rng.random((L, L)) < np.exp(-np.maximum(d_e, 0) / 0.7))
        theta = np.where(accept, trial, theta)
print("energy per spin: %.4f -> %.4f" % (start / L**2, energy(theta) / L**2))
