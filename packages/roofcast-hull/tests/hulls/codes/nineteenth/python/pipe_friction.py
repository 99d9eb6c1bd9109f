import numpy as np

PIPES = 20000


def colebrook(re, rough):
    """Darcy friction factors, iterated until nothing moves."""
    f = np.full(PIPES, 0.02)
    while True:
        inv = -2.0 * np.log10(rough / 3.7 + 2.51 / (re * np.sqrt(f)))
        new = 1.0 / (inv * inv)
        if np.abs(new - f).max() < 1e-10:
            return new
        f = new


def head_loss(f, length, diam, vel):
    return f * length / diam * vel ** 2 / (2.0 * 9.81)


if __name__ == "__main__":
    rng = np.random.default_rng(15)
    re = rng.uniform(5e3, 1e6, PIPES)
    rough = rng.uniform(1e-6, 1e-2, PIPES)
    f = colebrook(re, rough)
    diam = rng.uniform(0.05, 0.6, PIPES)
    length = rng.uniform(1, 300, PIPES)
    vel = rng.uniform(0.1, 3, PIPES)
    print(head_loss(f, length, diam, vel).sum())
