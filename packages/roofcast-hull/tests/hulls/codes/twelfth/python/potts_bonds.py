import numpy as np


def bond_energy(spins, coupling=1.0):
    """Energy of a q-state Potts model on a periodic square."""
    right = spins == np.roll(spins, -1, axis=1)
    down = spins == np.roll(spins, -1, axis=0)
    return -coupling * (right.sum() + down.sum())


lattice = np.random.default_rng(11).integers(0, 5, size=(2048, 2048), dtype=np.int32)
print(bond_energy(lattice))
