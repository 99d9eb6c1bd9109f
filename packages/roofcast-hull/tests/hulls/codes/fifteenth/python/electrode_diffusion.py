"""Lithium in particles of an electrode: harmonic face conductances, one explicit step a call."""
import numpy as np

PARTICLES, SHELLS = 8000, 64
DT = 0.02


def step(c, k):
    face = 2.0 * k[:, :-1] * k[:, 1:] / (k[:, :-1] + k[:, 1:])
    flux = face * (c[:, :-1] - c[:, 1:])
    new = c.copy()
    new[:, 1:-1] -= DT * (flux[:, 1:] - flux[:, :-1])
    return new


def state_of_charge(c, volume):
    return c @ volume


def main():
    rng = np.random.default_rng(5)
    c = rng.uniform(0.2, 0.9, (PARTICLES, SHELLS))
    k = rng.uniform(0.5, 1.5, (PARTICLES, SHELLS))
    r = np.linspace(0.0, 1.0, SHELLS + 1)
    volume = r[1:] ** 3 - r[:-1] ** 3
    for _ in range(20):
        c = step(c, k)
    print(state_of_charge(c, volume).mean())


if __name__ == "__main__":
    main()
