"""Batch normalisation from scratch (training pass of a fully connected network).

Verified: operations by running on object arrays of counting numbers at reduced size (7*N*D + 11*D)."""
import numpy as np


class BatchNorm:
    def __init__(self, dim, momentum=0.9, eps=1e-5):
        self.gamma = np.ones(dim)
        self.beta = np.zeros(dim)
        self.running_mean = np.zeros(dim)
        self.running_var = np.ones(dim)
        self.momentum = momentum
        self.eps = eps

    def forward(self, x):
        mu = x.mean(axis=0)
        centred = x - mu
        var = (centred ** 2).mean(axis=0)
        inv_std = 1.0 / np.sqrt(var + self.eps)
        self.running_mean = self.momentum * self.running_mean + (1.0 - self.momentum) * mu
        self.running_var = self.momentum * self.running_var + (1.0 - self.momentum) * var
        return self.gamma * centred * inv_std + self.beta


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    layer = BatchNorm(250)
    x = rng.normal(loc=3.0, scale=2.0, size=(600, 250))
    y = layer.forward(x)
    print(y.mean(), y.std(), layer.running_mean[:3])
