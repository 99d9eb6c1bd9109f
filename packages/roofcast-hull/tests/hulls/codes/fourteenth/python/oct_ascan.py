"""Depth profiles (A-scans) of optical coherence tomography out of spectral fringes."""
import numpy as np
from numpy.fft import fft

N_LINES = 512
N_PIX = 2048


def reconstruct(fringes, window):
    depth = fft(fringes * window, axis=1)
    level = 20.0 * np.log10(np.abs(depth))
    return depth, level


if __name__ == "__main__":
    rng = np.random.default_rng(8)
    k = np.linspace(0.0, 1.0, N_PIX)
    z = rng.uniform(50, 400, size=(N_LINES, 1))
    fringes = 1.0 + 0.3 * np.cos(2 * np.pi * z * k) + 0.01 * rng.standard_normal((N_LINES, N_PIX))
    window = np.hanning(N_PIX)
    depth, level = reconstruct(fringes, window)
    print(level.max(), depth.dtype)
