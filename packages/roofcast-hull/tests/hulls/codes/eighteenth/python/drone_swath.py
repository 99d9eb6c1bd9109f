"""Where the pixels of a line scanner under a drone meet flat ground."""

import numpy as np


def body_to_ned(rot, vec):
    """rot (n,3,3) float32 attitude matrices, vec (n,3) pixels' view vectors."""
    return np.einsum("nij,nj->ni", rot, vec)


def ground_hit(origin, ray):
    scale = -origin[:, 2] / ray[:, 2]
    return origin[:, :2] + scale[:, None] * ray[:, :2]


def run(n=300_000):
    rng = np.random.default_rng(17)
    rot = rng.normal(size=(n, 3, 3)).astype(np.float32)
    vec = rng.normal(size=(n, 3)).astype(np.float32)
    org = rng.normal(size=(n, 3)).astype(np.float32)
    ned = body_to_ned(rot, vec)
    hits = ground_hit(org, ned)
    print(hits.shape, hits.dtype)


run()
