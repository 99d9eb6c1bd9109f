"""Closed tours of delivery vans: their length, and what joining two customers would save."""
import numpy as np

STOPS = 30_000
TOURS, LEN = 8000, 48
CUSTOMERS = 1800


def tour_lengths(x, y, tours):
    px = x[tours]
    py = y[tours]
    legs = np.hypot(np.roll(px, -1, axis=1) - px, np.roll(py, -1, axis=1) - py)
    return legs.sum(axis=1)


def savings(depot, between):
    s = np.add.outer(depot, depot)
    s -= between
    return s


def load_profile(drops, picks):
    """Load on board after each stop."""
    start = drops.sum(axis=1, keepdims=True)
    return start + np.cumsum(picks - drops, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(44)
    x, y = rng.uniform(0, 50, (2, STOPS))
    tours = rng.integers(0, STOPS, (TOURS, LEN))
    print(tour_lengths(x, y, tours).mean())
    depot = rng.uniform(1, 50, CUSTOMERS)
    print(savings(depot, rng.uniform(1, 50, (CUSTOMERS, CUSTOMERS))).max())
    print(load_profile(rng.integers(0, 9, (TOURS, LEN)), rng.integers(0, 9, (TOURS, LEN))).max())
