"""Multiplicative updates of a non-negative factorisation (one half-step)."""
import numpy as np

BINS, FRAMES, PARTS = 600, 800, 16
EPS = 1e-9


def update_gains(V, W, H):
    top = W.T @ V
    gram = W.T @ W
    bottom = gram @ H
    return H * top / (bottom + EPS)


if __name__ == "__main__":
    rng = np.random.default_rng(40)
    V = rng.random((BINS, FRAMES))
    W = rng.random((BINS, PARTS))
    H = rng.random((PARTS, FRAMES))
    H = update_gains(V, W, H)
    print(H.mean())
