"""Smoothed total variation of each pixel of an image, and the soft threshold that belongs to it."""
import numpy as np

SIDE = 1025


def variation(img, eps=1e-6):
    gx = img[:-1, 1:] - img[:-1, :-1]
    gy = img[1:, :-1] - img[:-1, :-1]
    return np.sqrt(gx * gx + gy * gy + eps)


def soft_threshold(x, lam):
    return np.sign(x) * np.maximum(np.abs(x) - lam, 0.0)


rng = np.random.default_rng(12)
picture = rng.random((SIDE, SIDE))
density = variation(picture)
print(density.sum())

coefficients = rng.normal(size=(1024, 1024))
small = soft_threshold(coefficients, 0.7)
print(np.count_nonzero(small) / small.size)
