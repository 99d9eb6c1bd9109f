import numpy as np


def count_dense(volume, level, counts):
    nx, ny, nz = volume.shape
    for i in range(nx):
        for k in range(nz):
            n = 0
            for j in range(ny):
                if volume[i, j, k] > level:
                    n += 1
            counts[i, k] = n


volume = np.random.rand(64, 48, 80).astype(np.float32)
counts = np.zeros((64, 80), dtype=np.int32)
count_dense(volume, 0.7, counts)
print(counts.sum())
