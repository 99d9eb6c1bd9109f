"""Photons in a scattering slab: each thread follows one until it leaves or has hardly any weight left."""
import math

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32


@cuda.jit
def follow(rng, out, albedo, thickness):
    i = cuda.grid(1)
    if i >= out.shape[0]:
        return
    z = 0.0
    mu = 1.0
    weight = 1.0
    while weight > 1e-4 and z >= 0.0 and z <= thickness:
        z += -mu * math.log(1.0 - xoroshiro128p_uniform_float32(rng, i))
        weight *= albedo
        mu = 2.0 * xoroshiro128p_uniform_float32(rng, i) - 1.0
    if z > thickness:
        out[i] = weight
    else:
        out[i] = 0.0


def main():
    n = 1 << 18
    states = create_xoroshiro128p_states(n, seed=1)
    out = cuda.device_array(n, dtype=np.float32)
    follow[(n + 255) // 256, 256](states, out, 0.9, 5.0)
    print("transmitted", out.copy_to_host().mean())


if __name__ == "__main__":
    main()
