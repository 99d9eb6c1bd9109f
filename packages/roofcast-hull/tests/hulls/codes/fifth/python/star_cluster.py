"""Gravity in a small cluster of stars, every pair, softened."""
import numpy as np


def accelerations(pos, mass, soft):
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    pull = mass * (np.sum(d * d, axis=2) + soft) ** -1.5
    return np.sum(d * pull[:, :, np.newaxis], axis=1)


def main():
    rng = np.random.default_rng(5)
    n = 600
    pos = rng.normal(size=(n, 3))
    vel = 0.1 * rng.normal(size=(n, 3))
    mass = np.full(n, 1.0 / n)
    dt = 0.01
    acc = accelerations(pos, mass, 1e-4)
    for step in range(10):
        vel += 0.5 * dt * acc
        pos += dt * vel
        acc = accelerations(pos, mass, 1e-4)
        vel += 0.5 * dt * acc
    print("kinetic", 0.5 * np.sum(mass[:, None] * vel ** 2))


if __name__ == "__main__":
    main()
