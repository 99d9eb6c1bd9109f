"""Pieces of MP2: the first quarter of the integral transformation, and the pair energy."""
import numpy as np

NAO = 40
NOCC, NVIRT = 20, 60


def first_quarter(eri, coeff):
    return np.einsum("pqrs,pi->iqrs", eri, coeff)


def pair_energy(iajb, denom):
    exchange = iajb.transpose(0, 3, 2, 1)
    return np.sum(iajb * (2.0 * iajb - exchange) / denom)


def main():
    rng = np.random.default_rng(1)
    eri = rng.standard_normal((NAO, NAO, NAO, NAO)) * 0.01
    coeff = rng.standard_normal((NAO, NAO))
    half = first_quarter(eri, coeff)
    print("quarter", half.shape, half[0, 0, 0, :3])

    iajb = rng.standard_normal((NOCC, NVIRT, NOCC, NVIRT)) * 0.02
    denom = -(0.5 + rng.random((NOCC, NVIRT, NOCC, NVIRT)))
    print("E(2) =", pair_energy(iajb, denom))


main()
