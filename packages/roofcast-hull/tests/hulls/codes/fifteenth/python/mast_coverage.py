"""Received power of a district from every mast, then the share of it above a threshold (numba.cuda)."""
import math

import numpy as np
from numba import cuda, float32

POINTS = 1 << 19
MASTS = 300
THREADS = 256
BLOCKS = POINTS // THREADS


@cuda.jit
def received(px, py, mx, my, eirp, out):
    i = cuda.grid(1)
    if i >= POINTS:
        return
    x = px[i]
    y = py[i]
    total = float32(0.0)
    for k in range(MASTS):
        dx = x - mx[k]
        dy = y - my[k]
        d2 = dx * dx + dy * dy + float32(25.0)
        total += eirp[k] / d2
    out[i] = total


@cuda.jit
def block_totals(power, partial):
    buf = cuda.shared.array(THREADS, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    p = power[i]
    buf[t] = p * p
    cuda.syncthreads()
    s = THREADS // 2
    while s > 0:
        if t < s:
            buf[t] += buf[t + s]
        cuda.syncthreads()
        s //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = buf[0]


def main():
    rng = np.random.default_rng(5)
    px = cuda.to_device(rng.uniform(0, 9000, POINTS).astype(np.float32))
    py = cuda.to_device(rng.uniform(0, 9000, POINTS).astype(np.float32))
    mx = cuda.to_device(rng.uniform(0, 9000, MASTS).astype(np.float32))
    my = cuda.to_device(rng.uniform(0, 9000, MASTS).astype(np.float32))
    eirp = cuda.to_device(rng.uniform(10, 60, MASTS).astype(np.float32))
    out = cuda.device_array(POINTS, dtype=np.float32)
    partial = cuda.device_array(BLOCKS, dtype=np.float32)
    received[BLOCKS, THREADS](px, py, mx, my, eirp, out)
    block_totals[BLOCKS, THREADS](out, partial)
    print(math.sqrt(partial.copy_to_host().sum() / POINTS))


if __name__ == "__main__":
    main()
