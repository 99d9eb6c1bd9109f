"""Pressure to altitude in the standard atmosphere, on a grid of longitudes and latitudes."""
import numpy as np


def pressure_altitude(p):
    return np.where(p > 22632.0,
                    44330.0 * (1.0 - (p / 101325.0) ** 0.1903),
                    11000.0 + 6341.6 * np.log(22632.0 / p))


pressure = np.linspace(8000.0, 101325.0, 144 * 288).reshape(144, 288)
print(pressure_altitude(pressure).max())
