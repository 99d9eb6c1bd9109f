"""Minimal model of glucose and insulin for a cohort: explicit Euler, one row of the record a minute."""
import numpy as np

PATIENTS = 20_000
MINUTES = 300
P1, P2, P3 = 0.028, 0.025, 1.3e-5
GB, IB = 92.0, 7.3


def simulate(insulin, g0):
    glucose = np.empty((MINUTES, PATIENTS))
    remote = np.zeros(PATIENTS)
    g = g0
    for t in range(MINUTES):
        g = g + P1 * (GB - g) - remote * g
        remote = remote + P3 * (insulin[t] - IB) - P2 * remote
        glucose[t] = g
    return glucose


def time_in_range(glucose):
    ok = (glucose >= 70.0) & (glucose <= 180.0)
    return ok.sum(axis=0) / MINUTES


if __name__ == "__main__":
    rng = np.random.default_rng(2)
    insulin = rng.uniform(5.0, 80.0, (MINUTES, PATIENTS))
    g = simulate(insulin, rng.uniform(180.0, 320.0, PATIENTS))
    print(time_in_range(g).mean())
