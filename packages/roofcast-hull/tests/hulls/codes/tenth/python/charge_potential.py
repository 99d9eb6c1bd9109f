"""Electrostatic potential at each of N softened point charges and the energy of the whole (the constant self terms included).

By hand for a pair: 3 differences, 3 squares, 3 sums, softening, root, division, running sum; 3 a charge for the energy.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

N = 1500
SOFTENING = 0.05


def potential_energy(pos, charge):
    diff = pos[:, None, :] - pos[None, :, :]
    dist = np.sqrt((diff**2).sum(axis=-1) + SOFTENING**2)
    potential = (charge[None, :] / dist).sum(axis=1)
    total = 0.5 * np.sum(charge * potential)
    return potential, total


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    pos = rng.uniform(-1.0, 1.0, size=(N, 3))
    charge = np.where(np.arange(N) % 2 == 0, 1.0, -1.0)
    potential, total = potential_energy(pos, charge)
    print("energy", total, "highest potential", potential.max())
