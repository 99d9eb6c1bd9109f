"""Tractions on fault patches: normal and shear stress from stress tensors.

Verified: operations by running einsum on object arrays of counting numbers at reduced size
(products of 3 terms: 5 or 6 operations, border)."""
import numpy as np


def resolve(sigma, normal):
    """sigma: (n, 3, 3) stress tensors, normal: (n, 3) unit normals -> normal stress, shear stress (n,)."""
    traction = np.einsum("nij,nj->ni", sigma, normal)
    sigma_n = np.einsum("ni,ni->n", traction, normal)
    squared = np.einsum("ni,ni->n", traction, traction)
    tau = np.sqrt(np.maximum(squared - sigma_n * sigma_n, 0.0))
    return sigma_n, tau


def main():
    rng = np.random.default_rng(42)
    n = 15000
    a = rng.normal(size=(n, 3, 3))
    sigma = 0.5 * (a + a.transpose(0, 2, 1)) - 50.0 * np.eye(3)
    normal = rng.normal(size=(n, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    sigma_n, tau = resolve(sigma, normal)
    coulomb = tau + 0.4 * sigma_n
    print("patches above failure:", int((coulomb > -15).sum()))


if __name__ == "__main__":
    main()
