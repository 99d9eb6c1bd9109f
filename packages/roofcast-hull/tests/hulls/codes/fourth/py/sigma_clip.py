import numpy as np


def clipped_mean(x, times):
    """Throws out what lies too far from the mean until nothing does."""
    while True:
        mean, sigma = x.mean(), x.std()
        kept = x[np.abs(x - mean) <= times * sigma]
        if kept.size == x.size:
            return mean
        x = kept


dark_frame = np.random.default_rng(3).exponential(12.0, size=1024 * 600)
print(clipped_mean(dark_frame, 3.0))
