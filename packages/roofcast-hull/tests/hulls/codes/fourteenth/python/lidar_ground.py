import numpy as np

POINTS = 2_000_000


def ground_sum(z, intensity):
    """Sum of heights of the returns that are bright and low."""
    return z[(intensity > 0.2) & (z < 1.5)].sum()


def canopy_fraction(z, ground):
    return np.mean(z - ground > 2.0)


if __name__ == "__main__":
    gen = np.random.default_rng(4)
    z = gen.gamma(2.0, 1.5, POINTS)
    ground = gen.normal(0.0, 0.1, POINTS)
    intensity = gen.random(POINTS)
    print(ground_sum(z, intensity), canopy_fraction(z, ground))
