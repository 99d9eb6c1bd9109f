"""A software phase-locked loop, and the calibration polynomial of its readings."""
import math

import numpy as np
from numba import njit, prange

SAMPLES = 500000
DEGREE = 8


@njit
def phase_lock(x, kp, ki, out):
    phase = 0.0
    freq = 0.1
    for n in range(x.size):
        err = x[n] * math.cos(phase)
        freq += ki * err
        phase += freq + kp * err
        if phase > 2 * math.pi:
            phase -= 2 * math.pi
        out[n] = freq


@njit(parallel=True)
def calibrate(raw, coef, out):
    for i in prange(raw.size):
        acc = 0.0
        for k in range(DEGREE, -1, -1):
            acc = acc * raw[i] + coef[k]
        out[i] = acc


def main():
    t = np.arange(SAMPLES)
    x = np.sin(0.1 * t + 0.3)
    freq = np.zeros(SAMPLES)
    phase_lock(x, 0.1, 0.01, freq)
    coef = np.random.default_rng(70).normal(size=DEGREE + 1)
    cal = np.zeros(SAMPLES)
    calibrate(freq, coef, cal)
    print(freq[-1], cal[-1])


if __name__ == "__main__":
    main()
