"""Recolouring for protanopia with numba.cuda: shift what is lost into green and blue; count changed pixels."""
import numpy as np
from numba import cuda

H, W = 1080, 1920


@cuda.jit
def recolour(src, dst):
    x, y = cuda.grid(2)
    if x >= W or y >= H:
        return
    r = src[y, x, 0]
    g = src[y, x, 1]
    b = src[y, x, 2]
    er = r - (0.152 * r + 1.053 * g - 0.205 * b)
    eg = g - (0.115 * r + 0.786 * g + 0.099 * b)
    eb = b - (1.052 * b - 0.004 * r - 0.048 * g)
    dst[y, x, 0] = r
    dst[y, x, 1] = min(1.0, max(0.0, g + 0.7 * er + eg))
    dst[y, x, 2] = min(1.0, max(0.0, b + 0.7 * er + eb))


@cuda.jit
def count_changed(a, b, threshold, counter):
    x, y = cuda.grid(2)
    if x < W and y < H:
        d = abs(a[y, x, 0] - b[y, x, 0]) + abs(a[y, x, 1] - b[y, x, 1]) + abs(a[y, x, 2] - b[y, x, 2])
        if d > threshold:
            cuda.atomic.add(counter, 0, 1)


def main():
    img = np.random.default_rng(1).random((H, W, 3)).astype(np.float32)
    src = cuda.to_device(img)
    dst = cuda.device_array((H, W, 3), dtype=np.float32)
    counter = cuda.to_device(np.zeros(1, dtype=np.int32))
    threads = (32, 8)
    blocks = ((W + 31) // 32, (H + 7) // 8)
    recolour[blocks, threads](src, dst)
    count_changed[blocks, threads](src, dst, 0.1, counter)
    print(counter.copy_to_host()[0])


if __name__ == "__main__":
    main()
