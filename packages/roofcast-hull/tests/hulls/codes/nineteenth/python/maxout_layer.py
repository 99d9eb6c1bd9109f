"""Forward pass of a maxout layer: each unit is the best of four linear pieces."""
import numpy as np

# the shapes of the second layer of our digit network
BATCH = 512
FEATURES = 256
UNITS, PIECES = 192, 4


def maxout(x, w):
    z = x @ w
    return z.reshape(BATCH, UNITS, PIECES).max(axis=2)


def main():
    rng = np.random.default_rng(13)
    x = rng.standard_normal((BATCH, FEATURES), dtype=np.float32)
    w = rng.standard_normal((FEATURES, UNITS * PIECES), dtype=np.float32) * np.float32(0.05)
    y = maxout(x, w)
    assert y.shape == (BATCH, UNITS)
    print(y.mean())


if __name__ == "__main__":
    main()
