"""Phase field of a precipitate on a periodic sheet, with rolls; free energy beside it."""
import numpy as np

NY, NX = 700, 900
KAPPA, MOBILITY, DT = 0.6, 1.0, 0.05


def allen_cahn(phi):
    lap = (np.roll(phi, 1, 0) + np.roll(phi, -1, 0) + np.roll(phi, 1, 1)
           + np.roll(phi, -1, 1) - 4.0 * phi)
    return phi + DT * MOBILITY * (KAPPA * lap + phi - phi ** 3)


def free_energy(phi):
    gy = phi[1:, :-1] - phi[:-1, :-1]
    gx = phi[:-1, 1:] - phi[:-1, :-1]
    well = 0.25 * (1.0 - phi[:-1, :-1] ** 2) ** 2
    return (well + 0.5 * KAPPA * (gx ** 2 + gy ** 2)).sum()


phi = np.random.default_rng(0).uniform(-0.1, 0.1, (NY, NX))
for _ in range(30):
    phi = allen_cahn(phi)
print(free_energy(phi))
