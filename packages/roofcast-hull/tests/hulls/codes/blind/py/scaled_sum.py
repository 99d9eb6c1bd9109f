import numpy as np

N = 1_500_000


def axpy():
    x = np.ones(N, dtype=np.float32)
    y = np.zeros(N, dtype=np.float32)
    y += np.float32(2.0) * x
    return y


def clip_and_scale():
    v = np.linspace(-3.0, 3.0, N)
    out = np.minimum(np.maximum(v, -1.0), 1.0) * 0.5
    return out
