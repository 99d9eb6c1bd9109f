"""Accelerations of satellites: point mass and the oblateness of the Earth."""
import numpy as np

MU = 398600.4418
K_J2 = 1.5 * 1.08262668e-3 * 6378.137 ** 2


def accelerations(pos):
    x, y, z = pos.T
    r2 = x * x + y * y + z * z
    radial = -MU / (r2 * np.sqrt(r2))
    q = K_J2 / r2
    s = 5.0 * z * z / r2
    plane = radial * (1.0 + q * (1.0 - s))
    return np.stack([plane * x, plane * y, radial * (1.0 + q * (3.0 - s)) * z], axis=1)


if __name__ == "__main__":
    n = 400_000
    rng = np.random.default_rng(4)
    direction = rng.standard_normal((n, 3))
    pos = 7000.0 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    acc = accelerations(pos)
    print(acc.shape, np.abs(acc).max())
