"""Leaky echo state network: one step of the reservoir.

Verified: operations by running on object arrays of counting numbers at reduced size."""
import numpy as np


class Reservoir:
    def __init__(self, n_inputs, size, n_outputs, leak=0.3, radius=0.9, seed=0):
        rng = np.random.default_rng(seed)
        self.W = rng.normal(size=(size, size)) * radius / np.sqrt(size)
        self.W_in = rng.uniform(-0.5, 0.5, size=(size, n_inputs))
        self.W_out = rng.normal(size=(n_outputs, size)) * 0.01
        self.x = np.zeros(size)
        self.leak = leak

    def step(self, u):
        pre = self.W @ self.x + self.W_in @ u
        self.x = (1.0 - self.leak) * self.x + self.leak * np.tanh(pre)
        return self.W_out @ self.x


if __name__ == "__main__":
    net = Reservoir(n_inputs=4, size=600, n_outputs=3)
    rng = np.random.default_rng(1)
    signal = np.cumsum(rng.normal(size=(200, 4)), axis=0) * 0.1
    outputs = [net.step(u) for u in signal]
    print(np.array(outputs).shape, outputs[-1])
