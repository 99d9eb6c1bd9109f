"""Ant colony for a delivery round: the array parts of one generation."""
import numpy as np

CITIES = 1200
ANTS = 256


class Colony:
    def __init__(self, xy, alpha=1.0, beta=3.0):
        self.dist = pair_lengths(xy) + np.eye(len(xy)) * 1e6
        self.trail = np.ones_like(self.dist)
        self.alpha, self.beta = alpha, beta


def pair_lengths(xy):
    dx = xy[:, None, 0] - xy[None, :, 0]
    dy = xy[:, None, 1] - xy[None, :, 1]
    return np.sqrt(dx * dx + dy * dy)


def attraction(trail, dist, beta):
    w = trail * dist ** (-beta)
    return w / w.sum(axis=1, keepdims=True)


def tour_lengths(dist, tours):
    nxt = np.roll(tours, -1, axis=1)
    return dist[tours, nxt].sum(axis=1)


def evaporate(trail, rho, floor):
    trail *= 1.0 - rho
    np.maximum(trail, floor, out=trail)


def deposit(trail, tours, lengths):
    for a in range(ANTS):
        trail[tours[a, :-1], tours[a, 1:]] += 1.0 / lengths[a]


def main():
    rng = np.random.default_rng(8)
    col = Colony(rng.random((CITIES, 2)))
    p = attraction(col.trail, col.dist, col.beta)
    tours = np.argsort(rng.random((ANTS, CITIES)) - 1e-3 * p[:ANTS], axis=1)
    le = tour_lengths(col.dist, tours)
    evaporate(col.trail, 0.1, 1e-3)
    deposit(col.trail, tours, le)
    print(le.min(), col.trail.max())


if __name__ == "__main__":
    main()
