"""Heads of a confined aquifer: conductances between cells, explicit steps with wells as sources."""
import numpy as np

NY, NX = 400, 500
STEPS = 200
DT_S = 0.02


def conductances(t):
    east = 2.0 * t[:, 1:] * t[:, :-1] / (t[:, 1:] + t[:, :-1])
    south = 2.0 * t[1:] * t[:-1] / (t[1:] + t[:-1])
    return east, south


def pump(head, east, south, source):
    for _ in range(STEPS):
        q_east = east[1:-1] * (head[1:-1, 1:] - head[1:-1, :-1])
        q_south = south[:, 1:-1] * (head[1:, 1:-1] - head[:-1, 1:-1])
        gain = (q_east[:, 1:] - q_east[:, :-1]) + (q_south[1:] - q_south[:-1])
        head[1:-1, 1:-1] += DT_S * (gain + source)
    return head


if __name__ == "__main__":
    rng = np.random.default_rng(40)
    t = np.exp(rng.normal(0.0, 0.5, (NY, NX)))
    east, south = conductances(t)
    source = np.zeros((NY - 2, NX - 2))
    source[90, 120] = source[300, 333] = -8.0
    head = np.full((NY, NX), 30.0)
    head = pump(head, east, south, source)
    print(head.min(), head.mean())
