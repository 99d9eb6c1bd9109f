"""Harris corner response, one thread a pixel (numba.cuda): gradients of a 3x3 window are made on the way.
97 operations a pixel of the inside (by hand; run with counting numbers at reduced size)."""
import numpy as np
from numba import cuda, float32

K = 0.04


@cuda.jit
def harris_kernel(img, resp, k):
    x, y = cuda.grid(2)
    h, w = img.shape
    if x < 2 or y < 2 or x >= w - 2 or y >= h - 2:
        return
    sxx = float32(0.0)
    syy = float32(0.0)
    sxy = float32(0.0)
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            ix = (img[y + dy, x + dx + 1] - img[y + dy, x + dx - 1]) * float32(0.5)
            iy = (img[y + dy + 1, x + dx] - img[y + dy - 1, x + dx]) * float32(0.5)
            sxx += ix * ix
            syy += iy * iy
            sxy += ix * iy
    det = sxx * syy - sxy * sxy
    trace = sxx + syy
    resp[y, x] = det - k * trace * trace


def main():
    rng = np.random.default_rng(7)
    img = rng.random((512, 512)).astype(np.float32)
    d_img = cuda.to_device(img)
    d_resp = cuda.to_device(np.zeros((512, 512), dtype=np.float32))
    threads = (16, 16)
    blocks = ((512 + 15) // 16, (512 + 15) // 16)
    harris_kernel[blocks, threads](d_img, d_resp, np.float32(K))
    cuda.synchronize()
    resp = d_resp.copy_to_host()
    print("corners", int((resp > 0.01 * resp.max()).sum()))


if __name__ == "__main__":
    main()
