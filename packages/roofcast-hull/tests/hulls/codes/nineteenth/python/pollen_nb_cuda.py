"""Pollen carried by wind over a square region, first order upwind."""
import numpy as np
from numba import cuda

N = 400


@cuda.jit
def carry(c, u, v, dt, new):
    j, i = cuda.grid(2)
    if i >= 1 and j >= 1 and i < N and j < N:
        here = c[i, j]
        new[i, j] = here - dt * (u[i, j] * (here - c[i, j - 1]) + v[i, j] * (here - c[i - 1, j]))


@cuda.jit
def settle_out(c, ground, frac, n):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for k in range(start, n, stride):
        fall = c[k] * frac
        ground[k] += fall
        c[k] -= fall


rng = np.random.default_rng(60)
c = cuda.to_device(rng.random((N, N)))
u = cuda.to_device(rng.uniform(0.0, 0.4, (N, N)))
v = cuda.to_device(rng.uniform(0.0, 0.4, (N, N)))
new = cuda.to_device(np.zeros((N, N)))
ground = cuda.to_device(np.zeros(N * N))

tpb = (16, 16)
carry[(N // 16, N // 16), tpb](c, u, v, 0.5, new)
settle_out[64, 256](new.reshape(N * N), ground, 0.02, N * N)
print(ground.copy_to_host().sum())
