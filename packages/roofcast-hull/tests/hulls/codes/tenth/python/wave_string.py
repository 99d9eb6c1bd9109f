"""A plucked string with fixed ends: leapfrog step and the energy at half a step.

By hand: 7 operations an inner point for a step (the ends are zeros); 4 a point for each kind of energy.
Verified: run once with NumPy; operations with self-counting numbers.
"""
import numpy as np

N = 1_000_000
C = 1.0
DX = 1.0 / (N - 1)
DT = 0.5 * DX / C


def step(u, u_prev, r2):
    u_next = np.zeros_like(u)
    u_next[1:-1] = 2.0 * u[1:-1] - u_prev[1:-1] + r2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u_next


def energy(u, u_prev):
    velocity = (u - u_prev) / DT
    kinetic = 0.5 * DX * np.sum(velocity**2)
    slope = np.diff(u) / DX
    tension = 0.5 * C**2 * DX * np.sum(slope**2)
    return kinetic, tension


if __name__ == "__main__":
    x = np.linspace(0.0, 1.0, N)
    u = np.where(x < 0.3, x / 0.3, (1.0 - x) / 0.7)
    u_prev = u.copy()
    r2 = (C * DT / DX) ** 2
    for _ in range(50):
        u, u_prev = step(u, u_prev, r2), u
    print(energy(u, u_prev))
