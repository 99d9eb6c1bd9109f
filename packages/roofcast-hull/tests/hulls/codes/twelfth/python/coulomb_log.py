"""Coulomb logarithm of electrons and ions (NRL formulary), and the collision rate that follows."""
import numpy as np


def collision_rate(density, temp_ev):
    cold = 23.0 - np.log(np.sqrt(density) / temp_ev ** 1.5)
    hot = 24.0 - np.log(np.sqrt(density) / temp_ev)
    lam = np.where(temp_ev < 10.0, cold, hot)
    return 2.91e-6 * density * lam / temp_ev ** 1.5


rng = np.random.default_rng(2)
density = 10.0 ** rng.uniform(10, 14, (500, 4000))
temp = 10.0 ** rng.uniform(-0.5, 3, (500, 4000))
nu = collision_rate(density, temp)
print(np.median(nu))
