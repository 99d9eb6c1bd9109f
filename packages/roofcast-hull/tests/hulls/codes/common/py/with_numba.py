"""Kernels of numba.cuda."""

import math

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def product(a, b, c):
    left = cuda.shared.array((TILE, TILE), dtype=float32)
    right = cuda.shared.array((TILE, TILE), dtype=float32)
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for t in range(cuda.gridDim.x):
        left[y, x] = a[row, t * TILE + x]
        right[y, x] = b[t * TILE + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[y, k] * right[k, x]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def sums(x, out):
    held = cuda.shared.array(128, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    held[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            held[t] += held[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        out[cuda.blockIdx.x] = held[0]


@cuda.jit("void(float64[:, :], float64[:, :], float64)")
def heat(u, new, k):
    i, j = cuda.grid(2)
    if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
        new[i, j] = u[i, j] + k * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])


@cuda.jit
def histogram(data, counts):
    start = cuda.grid(1)
    for i in range(start, data.shape[0], cuda.gridsize(1)):
        cuda.atomic.add(counts, data[i], 1)


def main():
    n = 768
    a = cuda.to_device(np.random.rand(n, n).astype(np.float32))
    b = cuda.device_array((n, n), dtype=np.float32)
    c = cuda.device_array_like(a)
    product[(n // TILE, n // TILE), (TILE, TILE)](a, b, c)
    x = cuda.to_device(np.ones(1 << 20, dtype=np.float32))
    out = cuda.device_array((1 << 20) // 128, dtype=np.float32)
    sums[(1 << 20) // 128, 128](x, out)
    u = cuda.to_device(np.zeros((1200, 900)))
    blocks = (math.ceil(1200 / 8), math.ceil(900 / 32))
    heat[blocks, (8, 32)](u, cuda.device_array_like(u), 0.1)
    data = np.random.randint(0, 256, size=4_000_000).astype(np.int32)
    counts = np.zeros(256, dtype=np.int32)
    histogram[80, 256](data, counts)


if __name__ == "__main__":
    main()
