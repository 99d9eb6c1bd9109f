import numpy as np

BOATS, ANGLES, SPEEDS = 120, 181, 40


class Polar:
    def __init__(self, table, angle):
        self.table = table
        self.angle = angle


def vmg(table, angle):
    return table * np.cos(np.deg2rad(angle))[None, :, None]


def best_upwind(table, angle):
    """For each boat and wind speed the best velocity made good."""
    return vmg(table, angle).max(axis=1)


def handicap(best, reference):
    ratio = best / reference
    return np.exp(np.log(ratio).mean(axis=1))


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    p = Polar(rng.uniform(2, 12, (BOATS, ANGLES, SPEEDS)), np.arange(181.0))
    best = best_upwind(p.table, p.angle)
    print(handicap(best, best[0])[:3])
