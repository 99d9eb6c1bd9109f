import numpy as np
from numba import njit

def pairwise(x, y):
    return ((x[:, None, :] - y[None, :, :]) ** 2).sum(-1)

@njit
def smooth(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])

def scale(a, factor, n):
    for i in range(n):
        a[i] = a[i] * factor

def relu(x):
    return np.maximum(x, 0)

def main():
    rng = np.random.default_rng(0)
    x = rng.random((2000, 16)).astype(np.float32)
    y = rng.random((500, 16)).astype(np.float32)
    print(pairwise(x, y).shape)
    u = np.zeros((900, 1200))
    v = np.zeros_like(u)
    for _ in range(10):
        smooth(u, v)
    n = 1 << 20
    a = np.ones(n, dtype=np.float32)
    scale(a, 2.0, n)
    out = relu(u)

if __name__ == "__main__":
    main()
