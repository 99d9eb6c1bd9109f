"""Production-constrained gravity model of trips between zones."""
import numpy as np

ORIGINS, DESTINATIONS = 1200, 1600
BETA = 0.08               # per km


def trip_table(ox, oy, production, dx, dy, jobs, beta=BETA):
    """Trips T[i, j]: every row adds up to production[i]."""
    ex = ox[:, None] - dx[None, :]
    ey = oy[:, None] - dy[None, :]
    dist = np.sqrt(ex * ex + ey * ey)
    weight = jobs[None, :] * np.exp(-beta * dist)
    total = weight.sum(axis=1)
    return (production / total)[:, None] * weight


def main():
    rng = np.random.default_rng(5)
    ox, oy = rng.uniform(0.0, 40.0, (2, ORIGINS))
    dx, dy = rng.uniform(0.0, 40.0, (2, DESTINATIONS))
    production = rng.integers(100, 5000, ORIGINS).astype(float)
    jobs = rng.integers(50, 9000, DESTINATIONS).astype(float)
    trips = trip_table(ox, oy, production, dx, dy, jobs)
    assert np.allclose(trips.sum(axis=1), production)
    print("busiest pair:", np.unravel_index(trips.argmax(), trips.shape), trips.max())


if __name__ == "__main__":
    main()
