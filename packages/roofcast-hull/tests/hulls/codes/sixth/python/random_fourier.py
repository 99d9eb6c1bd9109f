"""Random Fourier features (Rahimi & Recht) for an approximate RBF kernel.

Verified: operations by running on object arrays of counting numbers at reduced size (2*n*d*D + 3*n*D)."""
import numpy as np


class RandomFourierFeatures:
    def __init__(self, n_features: int, n_components: int = 250, gamma: float = 0.05, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.weights = np.sqrt(2.0 * gamma) * rng.standard_normal((n_features, n_components))
        self.phases = rng.uniform(0.0, 2.0 * np.pi, n_components)
        self.scale = np.sqrt(2.0 / n_components)

    def transform(self, X: np.ndarray) -> np.ndarray:
        projection = X @ self.weights
        projection += self.phases
        return self.scale * np.cos(projection)


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 40))
    features = RandomFourierFeatures(n_features=40)
    Z = features.transform(X)
    approx = Z[:5] @ Z[:5].T
    d2 = ((X[:5, None] - X[None, :5]) ** 2).sum(-1)
    print(np.abs(approx - np.exp(-0.05 * d2)).max())
