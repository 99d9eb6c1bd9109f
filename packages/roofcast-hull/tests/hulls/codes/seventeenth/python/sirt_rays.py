"""Algebraic tomography with a dense system matrix: normalising weights, then simultaneous sweeps."""
import numpy as np

RAYS = 3000
PIXELS = 4096
SWEEPS = 20
RELAX = 0.9
EPS = 1e-6


def ray_and_pixel_weights(system):
    rows = system.sum(axis=1)
    cols = system.sum(axis=0)
    return 1.0 / np.maximum(rows, EPS), 1.0 / np.maximum(cols, EPS)


def sirt(system, data, image, by_ray, by_pixel):
    for _ in range(SWEEPS):
        residual = (data - system @ image) * by_ray
        image = np.maximum(image + RELAX * by_pixel * (system.T @ residual), 0.0)
    return image


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    system = rng.random((RAYS, PIXELS), dtype=np.float32)
    truth = rng.random(PIXELS, dtype=np.float32)
    by_ray, by_pixel = ray_and_pixel_weights(system)
    start = np.zeros(PIXELS, dtype=np.float32)
    image = sirt(system, system @ truth, start, by_ray, by_pixel)
    print(np.abs(image - truth).mean())
