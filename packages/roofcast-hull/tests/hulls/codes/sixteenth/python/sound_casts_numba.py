"""Speed of sound along hydrographic casts, and the time of a ping to the sea floor."""
import numpy as np
from numba import float64, guvectorize, vectorize

CASTS, LEVELS = 3000, 400


@vectorize([float64(float64, float64, float64)], nopython=True, target="parallel")
def sound_speed(t, s, d):
    ds = s - 35.0
    return (1448.96 + 4.591 * t - 0.05304 * t * t + 2.374e-4 * t * t * t + 1.340 * ds
            + 0.0163 * d + 1.675e-7 * d * d - 0.01025 * t * ds - 7.139e-13 * t * d * d * d)


@guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()", nopython=True, target="parallel")
def travel_time(c, z, out):
    total = 0.0
    for k in range(z.shape[0] - 1):
        total += 2.0 * (z[k + 1] - z[k]) / (c[k] + c[k + 1])
    out[0] = total


def main():
    rng = np.random.default_rng(12)
    z = np.linspace(0.0, 4000.0, LEVELS)
    temperature = 2.0 + 18.0 * rng.random((CASTS, LEVELS))
    salinity = 34.0 + rng.random((CASTS, LEVELS))
    c = sound_speed(temperature, salinity, z)
    t = travel_time(c, z)
    print(c.mean(), t.mean())


if __name__ == "__main__":
    main()
