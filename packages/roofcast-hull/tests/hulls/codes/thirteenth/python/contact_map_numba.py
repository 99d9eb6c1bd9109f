"""Residues of a protein nearer than 8 Angstrom, as a map of bytes."""
import numpy as np
from numba import cuda

RESIDUES = 2048


@cuda.jit
def contacts(ca, touch, limit):
    i, j = cuda.grid(2)
    n = ca.shape[0]
    if i < n and j < n:
        dx = ca[i, 0] - ca[j, 0]
        dy = ca[i, 1] - ca[j, 1]
        dz = ca[i, 2] - ca[j, 2]
        touch[i, j] = dx * dx + dy * dy + dz * dz < limit


chain = np.random.default_rng(5).normal(0, 2.2, (RESIDUES, 3)).cumsum(axis=0).astype(np.float32)
ca = cuda.to_device(chain)
touch = cuda.device_array((RESIDUES, RESIDUES), dtype=np.uint8)
blocks = (RESIDUES // 16, RESIDUES // 16)
contacts[blocks, (16, 16)](ca, touch, np.float32(64.0))
print(touch.copy_to_host().sum())
