"""Velocities induced by regularised Stokeslets, one CUDA thread a target point."""
import math

import numpy as np
from numba import cuda, float32

TARGETS = 8192
SOURCES = 4096
BLOCK = 128


@cuda.jit
def stokeslet_kernel(targets, sources, forces, eps2, prefactor, velocity):
    t = cuda.grid(1)
    if t >= targets.shape[0]:
        return
    tx = targets[t, 0]
    ty = targets[t, 1]
    tz = targets[t, 2]
    u = float32(0.0)
    v = float32(0.0)
    w = float32(0.0)
    for s in range(sources.shape[0]):
        dx = tx - sources[s, 0]
        dy = ty - sources[s, 1]
        dz = tz - sources[s, 2]
        fx = forces[s, 0]
        fy = forces[s, 1]
        fz = forces[s, 2]
        inv = float32(1.0) / math.sqrt(dx * dx + dy * dy + dz * dz + eps2)
        along = (fx * dx + fy * dy + fz * dz) * (inv * inv * inv)
        u += fx * inv + dx * along
        v += fy * inv + dy * along
        w += fz * inv + dz * along
    velocity[t, 0] = prefactor * u
    velocity[t, 1] = prefactor * v
    velocity[t, 2] = prefactor * w


def main():
    rng = np.random.default_rng(4)
    targets = cuda.to_device(rng.random((TARGETS, 3), dtype=np.float32))
    sources = cuda.to_device(rng.random((SOURCES, 3), dtype=np.float32))
    forces = cuda.to_device(rng.standard_normal((SOURCES, 3)).astype(np.float32))
    velocity = cuda.device_array((TARGETS, 3), dtype=np.float32)

    blocks = (TARGETS + BLOCK - 1) // BLOCK
    viscosity = 1.0e-3
    stokeslet_kernel[blocks, BLOCK](targets, sources, forces, np.float32(1e-4),
                                    np.float32(1.0 / (8.0 * math.pi * viscosity)), velocity)
    cuda.synchronize()
    print(np.abs(velocity.copy_to_host()).max(axis=0))


if __name__ == "__main__":
    main()
