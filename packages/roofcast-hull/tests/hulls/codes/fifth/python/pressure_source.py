# right side of the pressure equation of the lid-driven cavity
import numpy as np


def pressure_source(b, u, v, rho, dt, dx, dy):
    b[1:-1, 1:-1] = rho * (
        ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) / dt
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
    )


ny, nx = 250, 350
rng = np.random.default_rng(8)
u = rng.normal(size=(ny, nx))
v = rng.normal(size=(ny, nx))
b = np.zeros((ny, nx))
pressure_source(b, u, v, 1.0, 0.001, 2.0 / (nx - 1), 2.0 / (ny - 1))
print(b.min(), b.max())
