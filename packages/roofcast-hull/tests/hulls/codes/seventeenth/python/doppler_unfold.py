"""Weather radar sweep: velocities unfolded, specific differential phase, rain."""
import numpy as np

RAYS, GATES = 720, 1000
NYQUIST = 12.5
HALF = 6
GATE_KM = 0.25
BEAMS = (RAYS, GATES - 2 * HALF)


def unfold(v, first_guess):
    folds = np.rint((first_guess - v) / (2.0 * NYQUIST))
    return v + 2.0 * NYQUIST * folds


def kdp(phi):
    return (phi[:, 2 * HALF:] - phi[:, :-2 * HALF]) / (4.0 * HALF * GATE_KM)


def rain_rate(dbz, k):
    z = 10.0 ** (dbz / 10.0)
    by_z = (z / 300.0) ** (1.0 / 1.4)
    by_k = 44.0 * np.abs(k) ** 0.822
    return np.where(dbz > 45.0, by_k, by_z)


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    wind = rng.normal(0.0, 18.0, (RAYS, GATES))
    folded = (wind + NYQUIST) % (2 * NYQUIST) - NYQUIST
    v = unfold(folded, wind + rng.normal(0.0, 2.0, (RAYS, GATES)))
    phi = np.cumsum(rng.random((RAYS, GATES)), axis=1)
    k = kdp(phi)
    rain = rain_rate(rng.uniform(0.0, 55.0, BEAMS), k)
    print(np.abs(v - wind).max(), rain.mean())
