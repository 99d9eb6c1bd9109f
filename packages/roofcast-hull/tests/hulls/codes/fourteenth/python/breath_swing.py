import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

N_SAMPLES = 100_000
WIDTH = 25


def swing(sig):
    """Largest minus smallest value in each window of 25 samples."""
    w = sliding_window_view(sig, WIDTH)
    return w.max(axis=1) - w.min(axis=1)


t = np.arange(N_SAMPLES) / 25.0
chest = np.sin(2 * np.pi * 0.27 * t) + 0.05 * np.random.default_rng(3).standard_normal(N_SAMPLES)
amp = swing(chest)
print(amp.shape, amp.mean())
