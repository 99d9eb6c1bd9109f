"""Azimuthal sums for a flat detector; the beam centre does not move within a run."""
import numpy as np

NY, NX, BINS = 1024, 1024, 512


def radius_map(y, x, cy=511.5, cx=511.5):
    return np.hypot(y[:, None] - cy, x[None, :] - cx)


def ring_sums(frame, radius):
    which = (radius * 0.6875).astype(np.int64)
    return np.bincount(which.ravel(), weights=frame.ravel(), minlength=BINS)


def polarisation(frame, radius, dist=900.0):
    c = dist / np.sqrt(dist * dist + radius * radius)
    return frame * 2.0 / (1.0 + c * c)


if __name__ == "__main__":
    y, x = np.arange(NY, dtype=float), np.arange(NX, dtype=float)
    r = radius_map(y, x)
    frame = np.random.default_rng(2).poisson(40, (NY, NX)).astype(float)
    print(ring_sums(polarisation(frame, r), r)[:4])
