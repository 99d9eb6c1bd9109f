"""Planck radiance over wavelength and temperature, and the sum over the band.
Operations counted by a counting array subclass at full size."""
import numpy as np

H = 6.62607015e-34
C = 2.99792458e8
KB = 1.380649e-23


def planck(lam, temp):
    dlam = 2.0e-9
    prefactor = (2.0 * H * C * C) / lam**5
    x = (H * C / KB) / (lam[:, None] * temp[None, :])
    radiance = prefactor[:, None] / np.expm1(x)
    band = radiance.sum(axis=0) * dlam
    return radiance, band


if __name__ == "__main__":
    lam = 400e-9 + 2.0e-9 * np.arange(512)
    temp = np.linspace(2500.0, 9000.0, 300)
    radiance, band = planck(lam, temp)
    print(radiance.shape, band[:3])
