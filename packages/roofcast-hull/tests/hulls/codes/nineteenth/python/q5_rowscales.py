"""Five bits a weight, one scale a row."""
import numpy as np

OUT, IN = 512, 2048


def row_scale(w):
    return np.abs(w).max(axis=1) / np.float32(15.0)


def to_q5(w, scale):
    return np.clip(np.rint(w / scale[:, None]), -16, 15).astype(np.int8)


def row_error(w, q, scale):
    miss = w - q * scale[:, None]
    return (miss * miss).sum(axis=1)


if __name__ == "__main__":
    w = np.random.default_rng(5).standard_normal((OUT, IN), dtype=np.float32)
    s = row_scale(w)
    q = to_q5(w, s)
    err = row_error(w, q, s)
    print("worst row", err.argmax(), err.max())
