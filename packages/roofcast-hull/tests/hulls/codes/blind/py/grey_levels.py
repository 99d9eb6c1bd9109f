import numpy as np


def histogram():
    img = np.random.randint(0, 256, size=(720, 1280), dtype=np.uint8)
    counts = np.zeros(256, dtype=np.int64)
    for y in range(720):
        for x in range(1280):
            counts[img[y, x]] += 1
    return counts


def threshold():
    img = np.random.randint(0, 256, size=(720, 1280), dtype=np.uint8)
    return (img > 127).astype(np.uint8)


def lookup():
    img = np.random.randint(0, 256, size=(720, 1280), dtype=np.uint8)
    table = np.arange(256, dtype=np.float32)
    return table[img]
