"""Mass curves of rain storms: cumulative depth, scaled by storm total, and depth per quartile."""
import numpy as np

STORMS = 720
STEPS = 1440


def mass_curves(depth):
    total = depth.sum(axis=1)
    curve = np.cumsum(depth, axis=1)
    return curve / total[:, None]


def huff_quartiles(depth):
    q = depth.reshape(STORMS, 4, STEPS // 4).sum(axis=2)
    return q.argmax(axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    depth = rng.gamma(0.3, 2.0, (STORMS, STEPS)).astype(np.float32)
    m = mass_curves(depth)
    k = huff_quartiles(depth)
    print(m[0, ::240], np.bincount(k, minlength=4))
