"""FAO-56 Penman-Monteith reference evapotranspiration of many stations and days.

Verified: 26 operations per value by running on object arrays of counting numbers at reduced size."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Surface:
    gamma: float = 0.066      # psychrometric constant, kPa / K
    soil_flux: float = 0.15   # MJ / m2 / day


def reference_et(temp, rh, u2, rn, surface=Surface()):
    """temp in deg C, rh in percent, u2 in m/s, rn in MJ/m2/day -> mm/day."""
    es = 0.6108 * np.exp(17.27 * temp / (temp + 237.3))
    ea = es * rh / 100.0
    delta = 4098.0 * es / (temp + 237.3) ** 2
    radiation = 0.408 * delta * (rn - surface.soil_flux)
    wind = surface.gamma * 900.0 / (temp + 273.0) * u2 * (es - ea)
    et = (radiation + wind) / (delta + surface.gamma * (1.0 + 0.34 * u2))
    return np.maximum(et, 0.0)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    shape = (365, 1200)
    season = np.cos(2 * np.pi * (np.arange(365) - 200) / 365)[:, None]
    temp = 12.0 + 9.0 * season + rng.normal(scale=3.0, size=shape)
    rh = np.clip(65.0 + rng.normal(scale=12.0, size=shape), 20, 100)
    u2 = rng.gamma(2.0, 1.2, size=shape)
    rn = np.clip(9.0 + 7.0 * season + rng.normal(scale=2.0, size=shape), 0, None)
    et = reference_et(temp, rh, u2, rn)
    print("annual mean of the stations [mm]:", et.sum(axis=0).mean())
