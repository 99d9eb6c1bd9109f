"""Partial sums of the Fourier series of a square wave (the Gibbs phenomenon).

By hand: for each time and odd harmonic a product, a sine, a division and the sum; one factor a time.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

TERMS = 200
POINTS = 10000


def square_wave(t, terms=TERMS):
    k = np.arange(1, 2 * terms, 2)
    return 4.0 / np.pi * np.sum(np.sin(k[:, None] * t[None, :]) / k[:, None], axis=0)


if __name__ == "__main__":
    t = np.linspace(-np.pi, np.pi, POINTS)
    wave = square_wave(t)
    print("overshoot: %.4f" % (wave.max() - 1.0))
