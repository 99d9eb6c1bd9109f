"""Heat in a plate whose conductivity differs from place to place (explicit step, CUDA)."""
import numpy as np
from numba import cuda

TPB = 16


@cuda.jit
def conduct(t, k, t_new, dt):
    i, j = cuda.grid(2)
    ny, nx = t.shape
    if 0 < i < ny - 1 and 0 < j < nx - 1:
        here = t[i, j]
        kc = k[i, j]
        flux = 0.5 * (kc + k[i - 1, j]) * (t[i - 1, j] - here)
        flux += 0.5 * (kc + k[i + 1, j]) * (t[i + 1, j] - here)
        flux += 0.5 * (kc + k[i, j - 1]) * (t[i, j - 1] - here)
        flux += 0.5 * (kc + k[i, j + 1]) * (t[i, j + 1] - here)
        t_new[i, j] = here + dt * flux


def main():
    ny, nx = 640, 480
    rng = np.random.default_rng(6)
    t = np.zeros((ny, nx), dtype=np.float32)
    t[ny // 3 : ny // 2, nx // 3 : nx // 2] = 100.0
    k = rng.uniform(0.2, 1.0, (ny, nx)).astype(np.float32)
    d_t = cuda.to_device(t)
    d_new = cuda.to_device(t)
    d_k = cuda.to_device(k)
    blocks = ((ny + TPB - 1) // TPB, (nx + TPB - 1) // TPB)
    for step in range(100):
        conduct[blocks, (TPB, TPB)](d_t, d_k, d_new, np.float32(0.2))
        d_t, d_new = d_new, d_t
    print(d_t.copy_to_host().sum())


if __name__ == "__main__":
    main()
