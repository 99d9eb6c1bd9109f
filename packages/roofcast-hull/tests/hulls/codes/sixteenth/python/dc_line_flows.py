"""DC approximation of a transmission grid: flows of lines, injections of buses, loading."""
import numpy as np


class Grid:
    BUSES = 70_000
    LINES = 900_000

    def __init__(self, seed=1):
        r = np.random.default_rng(seed)
        self.a = r.integers(0, self.BUSES, self.LINES)
        self.b = r.integers(0, self.BUSES, self.LINES)
        self.x = r.uniform(0.01, 0.2, self.LINES)
        self.limit = r.uniform(0.5, 4.0, self.LINES)
        self.theta = r.normal(0, 0.1, self.BUSES)


def line_flows(theta, a, b, x):
    return (theta[a] - theta[b]) / x


def injections(flow, a, b, buses):
    p = np.zeros(buses)
    np.add.at(p, a, flow)
    np.subtract.at(p, b, flow)
    return p


def worst_overload(flow, limit):
    return np.maximum(np.abs(flow) / limit - 1.0, 0.0).max()


def main():
    g = Grid()
    f = line_flows(g.theta, g.a, g.b, g.x)
    print(injections(f, g.a, g.b, Grid.BUSES).sum(), worst_overload(f, g.limit))


if __name__ == "__main__":
    main()
