import math
import numpy as np
from numba import cuda, float32

NY, NX = 1536, 2048
TPB = (16, 16)


@cuda.jit(device=True)
def wet(level, bed):
    return max(level - bed, float32(0.0))


@cuda.jit
def face_flux(level, bed, flux, conv):
    i, j = cuda.grid(2)
    if i >= NY or j >= NX - 1:
        return
    d = float32(0.5) * (wet(level[i, j], bed[i, j]) + wet(level[i, j + 1], bed[i, j + 1]))
    flux[i, j] = conv * d * (level[i, j] - level[i, j + 1])


@cuda.jit
def bed_stress(u, v, depth, tau):
    x, y = cuda.grid(2)
    if x < NX and y < NY:
        uu = u[y, x]
        vv = v[y, x]
        tau[y, x] = float32(0.0025) * math.sqrt(uu * uu + vv * vv) / (depth[y, x] + float32(0.05))


def main():
    rng = np.random.default_rng(6)
    level = cuda.to_device(rng.uniform(0, 2, (NY, NX)).astype(np.float32))
    bed = cuda.to_device(rng.uniform(-1, 1, (NY, NX)).astype(np.float32))
    flux = cuda.device_array((NY, NX - 1), dtype=np.float32)
    tau = cuda.device_array((NY, NX), dtype=np.float32)
    face_flux[(NY // 16, NX // 16), TPB](level, bed, flux, np.float32(0.3))
    bed_stress[(NX // 16, NY // 16), TPB](level, level, bed, tau)
    print(flux.copy_to_host().sum(), tau.copy_to_host().max())


main()
