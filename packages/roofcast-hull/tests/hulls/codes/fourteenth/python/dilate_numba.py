import numpy as np
from numba import njit, prange

H = 720
W = 1280
R = 2


@njit(parallel=True)
def dilate(img, out):
    for y in prange(R, H - R):
        for x in range(R, W - R):
            m = img[y, x]
            for dy in range(-R, R + 1):
                for dx in range(-R, R + 1):
                    v = img[y + dy, x + dx]
                    if v > m:
                        m = v
            out[y, x] = m


img = np.random.default_rng(1).integers(0, 255, (H, W)).astype(np.uint8)
out = np.zeros((H, W), dtype=np.uint8)
dilate(img, out)
print(out.sum())
