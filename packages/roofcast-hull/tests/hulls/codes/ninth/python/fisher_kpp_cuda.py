"""Fisher-KPP invasion front on a 2-D habitat, explicit Euler with numba.cuda."""
import argparse

import numpy as np
from numba import cuda

N = 2048
THREADS = (32, 8)


@cuda.jit
def fkpp_kernel(u, u_next, diff, growth, dt):
    j, i = cuda.grid(2)
    n, m = u.shape
    if 0 < i < n - 1 and 0 < j < m - 1:
        c = u[i, j]
        lap = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * c
        u_next[i, j] = c + dt * (diff * lap + growth * c * (1.0 - c))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()

    host = np.zeros((N, N), dtype=np.float32)
    host[N // 2 - 8:N // 2 + 8, N // 2 - 8:N // 2 + 8] = 1.0
    a = cuda.to_device(host)
    b = cuda.to_device(host)
    blocks = ((N + THREADS[0] - 1) // THREADS[0], (N + THREADS[1] - 1) // THREADS[1])

    for _ in range(args.steps):
        fkpp_kernel[blocks, THREADS](a, b, np.float32(0.2), np.float32(0.5), np.float32(1.0))
        a, b = b, a
    cuda.synchronize()
    print("occupied:", float(a.copy_to_host().mean()))


if __name__ == "__main__":
    main()
