"""Supernova distances against a flat cosmology with marginalised offset."""
import numpy as np

N = 3_000_000


def chi_square(mu, model, sigma):
    w = 1.0 / (sigma * sigma)
    d = mu - model
    a = np.sum(w * d * d)
    b = np.sum(w * d)
    c = np.sum(w)
    return a - b * b / c


def distance_modulus(z, h0=70.0, q0=-0.55):
    dl = 299792.458 / h0 * (z + 0.5 * (1.0 - q0) * z ** 2)
    return 5.0 * np.log10(dl) + 25.0


def main():
    rng = np.random.default_rng(6)
    z = rng.uniform(0.01, 1.2, N)
    model = distance_modulus(z)
    sigma = rng.uniform(0.08, 0.3, N)
    mu = model + sigma * rng.standard_normal(N)
    print(chi_square(mu, model, sigma) / N)


if __name__ == "__main__":
    main()
