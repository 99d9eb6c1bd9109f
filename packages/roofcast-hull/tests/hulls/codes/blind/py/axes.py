import numpy as np


def channels_first():
    img = np.zeros((480, 640, 3), dtype=np.float32)
    return np.ascontiguousarray(np.transpose(img, (2, 0, 1)))


def flip():
    a = np.zeros((1000, 800))
    return a[::-1, :].copy()


def transpose_loops():
    a = np.zeros((300, 400))
    b = np.empty((400, 300))
    for i in range(300):
        for j in range(400):
            b[j, i] = a[i, j]
    return b
