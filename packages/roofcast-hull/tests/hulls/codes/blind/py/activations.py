import numpy as np

SHAPE = (256, 4096)


def gelu():
    x = np.random.rand(*SHAPE).astype(np.float32)
    return 0.5 * x * (1.0 + np.tanh(0.7978845 * (x + 0.044715 * x * x * x)))


def leaky_relu():
    x = np.random.rand(*SHAPE).astype(np.float32)
    return np.where(x > 0, x, 0.01 * x)


def bias_add():
    x = np.random.rand(*SHAPE).astype(np.float32)
    b = np.zeros(4096, dtype=np.float32)
    return x + b
