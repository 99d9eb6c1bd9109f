import math

import numpy as np
from numba import cuda

GRAINS = 1 << 20
SIDE = 512
TPB = 256


@cuda.jit
def push_grains(x, y, vx, vy, beta, dt):
    i = cuda.grid(1)
    if i >= x.shape[0]:
        return
    px = x[i]
    py = y[i]
    r2 = px * px + py * py
    g = (beta[i] - np.float32(1.0)) / (r2 * math.sqrt(r2))
    ux = vx[i] + dt * g * px
    uy = vy[i] + dt * g * py
    vx[i] = ux
    vy[i] = uy
    x[i] = px + dt * ux
    y[i] = py + dt * uy


@cuda.jit
def splat(x, y, weight, img):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for i in range(start, x.shape[0], stride):
        c = int((x[i] + np.float32(4.0)) * np.float32(64.0))
        r = int((y[i] + np.float32(4.0)) * np.float32(64.0))
        if c >= 0 and c < SIDE and r >= 0 and r < SIDE:
            cuda.atomic.add(img, (r, c), weight[i])


@cuda.jit
def stretch(img, out, black, gain):
    c, r = cuda.grid(2)
    if r < SIDE and c < SIDE:
        v = (img[r, c] - black) * gain
        out[r, c] = math.asinh(max(v, np.float32(0.0)))


def main():
    rng = np.random.default_rng(67)
    pos = rng.normal(0.0, 0.05, (2, GRAINS)).astype(np.float32)
    pos[0] += 1.0
    vel = rng.normal(0.0, 0.02, (2, GRAINS)).astype(np.float32)
    vel[1] += 1.0
    x, y = cuda.to_device(pos[0].copy()), cuda.to_device(pos[1].copy())
    vx, vy = cuda.to_device(vel[0].copy()), cuda.to_device(vel[1].copy())
    beta = cuda.to_device(rng.uniform(0.0, 0.6, GRAINS).astype(np.float32))
    w = cuda.to_device(rng.random(GRAINS).astype(np.float32))
    blocks = (GRAINS + TPB - 1) // TPB
    for _ in range(50):
        push_grains[blocks, TPB](x, y, vx, vy, beta, np.float32(0.01))
    img = cuda.to_device(np.zeros((SIDE, SIDE), np.float32))
    splat[1024, TPB](x, y, w, img)
    out = cuda.device_array((SIDE, SIDE), np.float32)
    stretch[(SIDE // 16, SIDE // 16), (16, 16)](img, out, np.float32(0.5), np.float32(0.1))
    print(out.copy_to_host().max())


if __name__ == "__main__":
    main()
