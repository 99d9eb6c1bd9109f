"""Heating degree days of a year on a grid of half-degree cells."""
import numpy as np

DAYS, NLAT, NLON = 365, 90, 180
BASE = np.float32(18.0)


def heating_degree_days(tmin, tmax):
    tmean = np.float32(0.5) * (tmin + tmax)
    deficit = np.maximum(BASE - tmean, np.float32(0.0))
    return deficit.sum(axis=0)


if __name__ == "__main__":
    rng = np.random.default_rng(7)
    season = 10.0 * np.cos(2 * np.pi * np.arange(DAYS) / DAYS)[:, None, None]
    tmax = (15.0 - season + 4.0 * rng.standard_normal((DAYS, NLAT, NLON))).astype(np.float32)
    tmin = tmax - np.float32(9.0)
    hdd = heating_degree_days(tmin, tmax)
    print(hdd.dtype, hdd.shape, hdd.max())
