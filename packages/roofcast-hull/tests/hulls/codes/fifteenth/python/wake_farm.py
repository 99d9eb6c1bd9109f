"""Jensen wakes of a wind farm: each turbine under all others, then the power curve."""
import numpy as np

TURBINES = 1200
ROTOR = 126.0
SPREAD = 0.05


def deficits(x, y):
    dx = x[:, None] - x[None, :]
    dy = y[:, None] - y[None, :]
    radius = 0.5 * ROTOR + SPREAD * np.abs(dx)
    inside = (dx > 0.0) & (np.abs(dy) < radius)
    loss = np.where(inside, 0.57 * (0.5 * ROTOR / radius) ** 2, 0.0)
    return np.sqrt((loss ** 2).sum(axis=1))


def power(wind, deficit):
    v = wind * (1.0 - deficit)
    ramp = np.clip((v - 3.0) / 9.0, 0.0, 1.0)
    return 5.0 * ramp ** 3


if __name__ == "__main__":
    rng = np.random.default_rng(14)
    x = rng.uniform(0, 40_000, TURBINES)
    y = rng.uniform(0, 20_000, TURBINES)
    d = deficits(x, y)
    print(power(np.full(TURBINES, 9.5), d).sum())
