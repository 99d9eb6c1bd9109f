import numpy as np


def along_direction(tensors, direction):
    """Contracts the last index of a field of coefficients with one direction."""
    return np.einsum("ijk,k->ij", tensors, direction)


coefficients = np.random.rand(60, 80, 50).astype(np.float32)
towards = np.full(50, 0.125, dtype=np.float32)
print(along_direction(coefficients, towards).shape)
