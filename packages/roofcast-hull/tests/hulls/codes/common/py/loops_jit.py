import numpy as np
from numba import cuda, njit, prange

N = 1000000
H, W = 800, 1200


@njit(parallel=True, fastmath=True)
def saxpy(a, x: "float32[N]", y: "float32[N]"):
    for i in prange(len(x)):
        y[i] = a * x[i] + y[i]


@njit
def row_sums(m: "float64[H, W]", out: "float64[H]"):
    rows, cols = m.shape
    for i in range(rows):
        s = 0.0
        for j in range(cols):
            s += m[i, j]
        out[i] = s


@njit
def mean_filter(img: "float64[H, W]", out: "float64[H, W]"):
    h, w = img.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            acc = 0.0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    acc += img[y + dy, x + dx]
            out[y, x] = acc / 9


@njit
def norm(x: "float64[N]"):
    total = 0.0
    for v in x:
        total += v * v
    return np.sqrt(total)


@njit
def while_scale(x: "float64[N]", f):
    i = 0
    while i < N:
        x[i] *= f
        i += 1


@njit
def weighted(x: "float64[N]", w: "float64[N]", y: "float64[N]"):
    for i, v in enumerate(x):
        y[i] = v * w[i]


def matmul_lists(a: "float64[300, 200]", b: "float64[200, 250]"):
    c = np.zeros((300, 250))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                c[i, j] += a[i, k] * b[k, j]
    return c
