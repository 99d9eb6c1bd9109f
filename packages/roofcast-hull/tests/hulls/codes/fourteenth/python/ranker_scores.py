import numpy as np

QUERIES = 512
ITEMS = 3000
DIM = 64


def score(q, items, prior):
    return q @ items.T + prior


def above(scores, threshold):
    hits = scores > threshold[:, None]
    return hits.sum(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(77)
    q = rng.standard_normal((QUERIES, DIM)).astype(np.float32)
    items = rng.standard_normal((ITEMS, DIM)).astype(np.float32)
    prior = rng.standard_normal(ITEMS).astype(np.float32)
    s = score(q, items, prior)
    threshold = np.full(QUERIES, 12.0, dtype=np.float32)
    n = above(s, threshold)
    print(s.dtype, n.mean())
