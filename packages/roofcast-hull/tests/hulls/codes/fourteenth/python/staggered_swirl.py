import numpy as np

M = 512
DX = 1.0 / M
DY = 1.0 / M


def divergence(u, v):
    return ((np.roll(u, -1, axis=1) - np.roll(u, 1, axis=1)) / (2.0 * DX)
            + (np.roll(v, -1, axis=0) - np.roll(v, 1, axis=0)) / (2.0 * DY))


def strain_rate(u, v):
    """Modulus of the rate of strain, periodic in both directions."""
    ux = (np.roll(u, -1, axis=1) - u) / DX
    vy = (np.roll(v, -1, axis=0) - v) / DY
    return np.sqrt(2.0 * (ux * ux + vy * vy))


xs = np.linspace(0, 2 * np.pi, M, endpoint=False)
X, Y = np.meshgrid(xs, xs)
u0 = np.sin(X) * np.cos(Y)
v0 = -np.cos(X) * np.sin(Y)
print(np.abs(divergence(u0, v0)).max(), strain_rate(u0, v0).max())
