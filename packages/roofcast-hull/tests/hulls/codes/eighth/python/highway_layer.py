"""A highway layer (Srivastava et al.): y = t * relu(x Wh + bh) + (1 - t) * x, t = sigmoid(x Wt + bt).

Verified by arrays that count, at 8 x 64: the two products are 4*B*D*D, the rest 11 a value.
"""
import numpy as np

BATCH, DIM = 64, 2048


def highway(x, w_h, b_h, w_t, b_t):
    h = np.maximum(x @ w_h + b_h, 0.0)
    t = 1.0 / (1.0 + np.exp(-(x @ w_t + b_t)))
    return t * h + (1.0 - t) * x


class Highway:
    def __init__(self, dim=DIM, seed=0):
        rng = np.random.default_rng(seed)
        self.w_h = (rng.standard_normal((dim, dim)) / np.sqrt(dim)).astype(np.float32)
        self.w_t = (rng.standard_normal((dim, dim)) / np.sqrt(dim)).astype(np.float32)
        self.b_h = np.zeros(dim, dtype=np.float32)
        self.b_t = np.full(dim, -2.0, dtype=np.float32)

    def __call__(self, x):
        return highway(x, self.w_h, self.b_h, self.w_t, self.b_t)


if __name__ == "__main__":
    layer = Highway()
    x = np.random.default_rng(1).standard_normal((BATCH, DIM)).astype(np.float32)
    y = layer(x)
    print(y.shape, y.dtype, float(np.abs(y).mean()))
