"""Crest factors of vibration records: peak over root mean square."""
import numpy as np
from numba import guvectorize


@guvectorize(["void(float32[:], float32[:])"], "(n)->()", target="parallel")
def crest(signal, out):
    peak = np.float32(0.0)
    energy = np.float32(0.0)
    for i in range(signal.shape[0]):
        a = abs(signal[i])
        if a > peak:
            peak = a
        energy += a * a
    out[0] = peak / np.sqrt(energy / signal.shape[0])


records = np.random.default_rng(12).standard_normal((2000, 4096)).astype(np.float32)
factors = crest(records)
print(factors.shape, factors.mean())
