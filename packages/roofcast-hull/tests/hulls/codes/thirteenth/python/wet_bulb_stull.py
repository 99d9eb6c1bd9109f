"""Stull's wet-bulb temperature (deg C) from temperature and relative humidity on a quarter-degree grid."""
import numpy as np


def wet_bulb(t: np.ndarray, rh: np.ndarray) -> np.ndarray:
    return (t * np.arctan(0.151977 * np.sqrt(rh + 8.313659))
            + np.arctan(t + rh)
            - np.arctan(rh - 1.676331)
            + 0.00391838 * rh ** 1.5 * np.arctan(0.023101 * rh)
            - 4.686035)


def main():
    rng = np.random.default_rng(5)
    t = rng.uniform(-10, 40, (721, 1440))
    rh = rng.uniform(5, 99, (721, 1440))
    tw = wet_bulb(t, rh)
    print(tw.min(), tw.max())


main()
