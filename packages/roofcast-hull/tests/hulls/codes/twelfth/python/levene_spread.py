"""First half of Levene's test: absolute deviations from the mean of each group, and their mean."""
import numpy as np


def spread(samples):
    centre = samples.mean(axis=1)
    dev = np.abs(samples - centre[:, None])
    return dev.mean(axis=1)


samples = np.random.default_rng(0).normal(size=(6000, 240))
print(spread(samples)[:3])
