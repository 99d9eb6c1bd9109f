"""Steady temperature of a plate with a hot upper edge, Jacobi sweeps until nothing changes any more.

No class: how many sweeps are made hangs on the data.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

NY, NX = 60, 80
TOL = 1e-3


def steady_state(T, tol=TOL):
    change = np.inf
    sweeps = 0
    while change > tol:
        new = T.copy()
        new[1:-1, 1:-1] = 0.25 * (T[:-2, 1:-1] + T[2:, 1:-1] + T[1:-1, :-2] + T[1:-1, 2:])
        change = np.abs(new - T).max()
        T = new
        sweeps += 1
    return T, sweeps


if __name__ == "__main__":
    plate = np.zeros((NY, NX))
    plate[0, :] = 100.0
    plate, sweeps = steady_state(plate)
    print(f"{sweeps} sweeps, centre {plate[NY // 2, NX // 2]:.3f}")
