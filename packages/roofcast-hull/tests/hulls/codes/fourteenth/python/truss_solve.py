import numpy as np

NODES = 600


def displacements(stiffness, load):
    """Static displacement of a spring network."""
    return np.linalg.solve(stiffness, load)


def strain_energy(stiffness, u):
    return 0.5 * np.einsum("i,ij,j->", u, stiffness, u)


if __name__ == "__main__":
    rng = np.random.default_rng(8)
    a = rng.standard_normal((NODES, NODES))
    stiffness = a @ a.T + NODES * np.eye(NODES)
    load = rng.standard_normal(NODES)
    u = displacements(stiffness, load)
    print(strain_energy(stiffness, u))
