from numba import njit, prange
import numpy as np

HEIGHT, WIDTH = 480, 640


@njit(parallel=True)
def over(fg, bg, matte, out):
    h, w, ch = fg.shape
    for y in prange(h):
        for x in range(w):
            a = np.int32(matte[y, x])
            for c in range(ch):
                out[y, x, c] = (fg[y, x, c] * a + bg[y, x, c] * (255 - a) + 127) // 255


@njit(parallel=True)
def rank_in_row(line, rank, reach=7):
    """How many of the fifteen samples around each are darker than it."""
    n = line.size
    for i in prange(reach, n - reach):
        me = line[i]
        r = 0
        for j in range(i - reach, i + reach + 1):
            if line[j] < me:
                r += 1
        rank[i] = r


rng = np.random.default_rng(40)
fg = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
bg = rng.integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
matte = rng.integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
out = np.empty_like(fg)
over(fg, bg, matte, out)
line = rng.normal(size=100000).astype(np.float32)
rank = np.zeros(100000, dtype=np.int32)
rank_in_row(line, rank)
print(out.mean(), rank.max())
