"""Which blocks of keys a block of queries should see: scores of pooled queries with pooled keys."""
import numpy as np

BLOCKS, BLOCK, DIM = 256, 32, 128


def block_scores(q, k):
    qb = q.reshape(BLOCKS, BLOCK, DIM).mean(axis=1)
    kb = k.reshape(BLOCKS, BLOCK, DIM).max(axis=1)
    return (qb @ kb.T) * DIM ** -0.5


def main():
    rng = np.random.default_rng(9)
    q = rng.standard_normal((BLOCKS * BLOCK, DIM), dtype=np.float32)
    k = rng.standard_normal((BLOCKS * BLOCK, DIM), dtype=np.float32)
    s = block_scores(q, k)
    print(np.argsort(s, axis=1)[:, -8:].shape)


if __name__ == "__main__":
    main()
