"""Powder scattering of a cluster by the Debye formula: I(q) = sum_ij f_i f_j sin(q r_ij) / (q r_ij).

Verified by a Python translation that counts, at 20 atoms and 3 q: 16 operations a pair i < j, 2 an atom.
"""
import math

import numpy as np
from numba import njit, prange

N_ATOMS = 512
N_Q = 256


@njit(parallel=True, fastmath=True, cache=False)
def debye(qs, pos, f, out):
    n = pos.shape[0]
    for iq in prange(qs.shape[0]):
        q = qs[iq]
        acc = 0.0
        for i in range(n):
            acc += f[i] * f[i]
            for j in range(i + 1, n):
                dx = pos[i, 0] - pos[j, 0]
                dy = pos[i, 1] - pos[j, 1]
                dz = pos[i, 2] - pos[j, 2]
                x = q * math.sqrt(dx * dx + dy * dy + dz * dz)
                acc += 2.0 * f[i] * f[j] * math.sin(x) / x
        out[iq] = acc


if __name__ == "__main__":
    rng = np.random.default_rng(8)
    pos = rng.uniform(-10.0, 10.0, (N_ATOMS, 3))
    f = rng.uniform(6.0, 30.0, N_ATOMS)
    qs = np.linspace(0.3, 12.0, N_Q)
    out = np.empty(N_Q)
    debye(qs, pos, f, out)
    print(out[:4])
