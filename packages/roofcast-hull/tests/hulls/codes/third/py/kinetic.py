import numpy as np


def kinetic_energy(mass, velocity):
    return 0.5 * np.sum(mass * np.sum(velocity * velocity, axis=1))


if __name__ == "__main__":
    N = 400_000
    mass = np.ones(N)
    velocity = np.random.normal(size=(N, 3))
    print(kinetic_energy(mass, velocity))
