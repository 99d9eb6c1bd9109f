"""Running sums, orders, transforms and products in batches, in NumPy."""

import numpy as np

ROWS, COLS = 4096, 1024


def running(a=np.zeros(1 << 20)):
    return np.cumsum(a)


def rows(a=np.zeros((4096, 1024), dtype=np.float32)):
    c = np.cumsum(a, axis=1)
    return c


def columns(a=np.zeros((4096, 1024))):
    return a.cumsum(axis=0)


def order(v=np.zeros(1 << 22, dtype=np.int32)):
    return np.sort(v)


def order_rows(v=np.zeros((2048, 512), dtype=np.float32)):
    v.sort(axis=-1)


def ranks(v=np.zeros(1 << 16)):
    return np.argsort(v)


def spectrum(x=np.zeros((256, 4096), dtype=np.complex64)):
    return np.fft.fft(x)


def plane(x=np.zeros((1024, 2048), dtype=np.complex128)):
    return np.fft.fft2(x)


def scaled(a=np.zeros(1 << 20, dtype=np.float32), w=np.zeros(1 << 20, dtype=np.float32)):
    t = a * w
    s = np.cumsum(t)
    return s / 2.0


def batched(a=np.zeros((64, 128, 96), dtype=np.float32), b=np.zeros((64, 96, 160), dtype=np.float32)):
    return a @ b


def batched_shared(a=np.zeros((64, 128, 96)), b=np.zeros((96, 160))):
    return a @ b


def letters(a=np.zeros((8, 12, 128, 64), dtype=np.float32), b=np.zeros((8, 12, 64, 128), dtype=np.float32)):
    return np.einsum("bhik,bhkj->bhij", a, b)


def rows_times_vectors(a=np.zeros((512, 256, 64)), x=np.zeros((512, 64))):
    return np.einsum("bij,bj->bi", a, x)


def half_spectrum(x=np.zeros((64, 8192), dtype=np.float32)):
    return np.fft.rfft(x, axis=-1)


def largest_so_far(h=np.zeros((2000, 365), dtype=np.float32)):
    return np.maximum.accumulate(h, axis=1)


def power(x=np.zeros(1 << 20, dtype=np.complex128)):
    return np.abs(np.fft.fft(x)) ** 2
