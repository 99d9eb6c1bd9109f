import numpy as np


def covariance(x):
    n = x.shape[0]
    mean = x.mean(axis=0)
    centred = x - mean
    return centred.T @ centred / (n - 1)


rng = np.random.default_rng(11)
samples = rng.normal(size=(6000, 18))
cov = covariance(samples)
values, vectors = np.linalg.eigh(cov)
print(values[::-1])
