"""Euler step of the Kuramoto model, all oscillators coupled.
Operations counted by a counting array subclass at full size."""
import numpy as np


def kuramoto_step(theta, omega, coupling=1.5, dt=0.01):
    n = theta.shape[0]
    diff = theta[None, :] - theta[:, None]
    pull = np.sin(diff).sum(axis=1) * (coupling / n)
    return np.mod(theta + dt * (omega + pull), 2.0 * np.pi)


def main():
    rng = np.random.default_rng(11)
    theta = rng.uniform(0.0, 2.0 * np.pi, 1024)
    omega = rng.standard_cauchy(1024) * 0.1
    for _ in range(5):
        theta = kuramoto_step(theta, omega)
    r = np.abs(np.exp(1j * theta).mean())
    print("order parameter", r)


if __name__ == "__main__":
    main()
