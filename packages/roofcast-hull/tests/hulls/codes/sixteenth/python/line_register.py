"""Shifts between two sweeps of a line scanner: phase correlation of complex samples along lines."""
import numpy as np

LINES, WIDTH = 1024, 1024


def correlate(a, b):
    fa = np.fft.fft(a, axis=1)
    fb = np.fft.fft(b, axis=1)
    cross = fa * fb.conj()
    return np.fft.ifft(cross / np.abs(cross), axis=1)


def shifts(corr):
    return np.argmax(corr.real ** 2 + corr.imag ** 2, axis=1)


def main():
    rng = np.random.default_rng(9)
    a = rng.normal(size=(LINES, WIDTH)) + 1j * rng.normal(size=(LINES, WIDTH))
    b = np.roll(a, 5, axis=1)
    print(np.bincount(shifts(correlate(a, b))).argmax())


main()
