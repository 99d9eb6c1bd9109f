"""Strike-tone analysis of a carillon: 512 strikes, 4096 samples each."""
import numpy as np
from numpy.fft import fft

STRIKES = 512
FRAME = 4096


def spectra(frames, window):
    return fft(frames * window, axis=1)


def partial_power(spec):
    half = spec[:, : FRAME // 2]
    return half.real * half.real + half.imag * half.imag


def loudest(power):
    return power.max(axis=1)


frames = np.random.default_rng(1).normal(size=(STRIKES, FRAME))
window = np.hanning(FRAME)
S = spectra(frames, window)
P = partial_power(S)
print(10 * np.log10(loudest(P))[:5])
