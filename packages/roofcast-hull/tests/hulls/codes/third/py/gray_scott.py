"""Reaction and diffusion of two chemicals on a torus."""
import numpy as np

DU, DV, F, K = 0.16, 0.08, 0.035, 0.065


def laplacian(z):
    return np.roll(z, 1, 0) + np.roll(z, -1, 0) + np.roll(z, 1, 1) + np.roll(z, -1, 1) - 4 * z


def react(u, v):
    uvv = u * v * v
    u2 = u + DU * laplacian(u) - uvv + F * (1 - u)
    v2 = v + DV * laplacian(v) + uvv - (F + K) * v
    return u2, v2


u = np.ones((512, 512))
v = np.zeros((512, 512))
for _ in range(100):
    u, v = react(u, v)
