import math

import numpy as np
from numba import cuda, float32

ROWS, COLS = 512, 768
R = 2


@cuda.jit
def bilateral(img, ws, inv_range, out):
    x, y = cuda.grid(2)
    if x < R or y < R or x >= COLS - R or y >= ROWS - R:
        return
    centre = img[y, x]
    acc = float32(0.0)
    norm = float32(0.0)
    for dy in range(-R, R + 1):
        for dx in range(-R, R + 1):
            v = img[y + dy, x + dx]
            d = v - centre
            w = ws[dy + R, dx + R] * math.exp(d * d * inv_range)
            acc += w * v
            norm += w
    out[y, x] = acc / norm


@cuda.jit
def tile_energy(x, sums):
    part = cuda.shared.array(256, dtype=float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    part[t] = x[i] * x[i]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]


def main():
    rng = np.random.default_rng(50)
    img = rng.random((ROWS, COLS), dtype=np.float32)
    g = np.exp(-0.5 * (np.arange(-R, R + 1) / 1.4) ** 2)
    ws = np.outer(g, g).astype(np.float32)
    d_img = cuda.to_device(img)
    d_ws = cuda.to_device(ws)
    d_out = cuda.to_device(np.zeros_like(img))
    threads = (32, 8)
    blocks = (COLS // 32, ROWS // 8)
    bilateral[blocks, threads](d_img, d_ws, np.float32(-12.5), d_out)
    d_sums = cuda.device_array(ROWS * COLS // 256, dtype=np.float32)
    tile_energy[ROWS * COLS // 256, 256](d_img.reshape(ROWS * COLS), d_sums)
    print(d_out.copy_to_host().mean(), d_sums.copy_to_host().sum())


if __name__ == "__main__":
    main()
