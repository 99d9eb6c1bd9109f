"""Stress of a polycrystal in Voigt notation, equivalent stress, elastic energy."""
import numpy as np

GRAINS = 600_000


def stress(stiffness, strain):
    return strain @ stiffness.T


def equivalent(s):
    d = s[:, :3] - np.roll(s[:, :3], 1, axis=1)
    shear = s[:, 3:]
    return np.sqrt(0.5 * np.square(d).sum(axis=1) + 3.0 * np.square(shear).sum(axis=1))


def mean_energy(s, e, volume):
    return 0.5 * np.sum(np.einsum("ij,ij->i", s, e) * volume) / GRAINS


def main():
    rng = np.random.default_rng(7)
    c = np.diag([1.6, 1.6, 1.6, 0.7, 0.7, 0.7])
    c[:3, :3] += 0.6
    e = rng.normal(0, 1e-3, (GRAINS, 6))
    s = stress(c, e)
    print(equivalent(s).max(), mean_energy(s, e, rng.uniform(0.5, 2.0, GRAINS)))


main()
