"""A catastrophe treaty: what each layer pays, what stays with the cedant, and its tail curve."""
from typing import NamedTuple

import numpy as np

YEARS, EVENTS = 20_000, 24


class Layer(NamedTuple):
    attach: float
    limit: float
    share: float


TOWER = (Layer(5.0, 5.0, 0.9), Layer(10.0, 15.0, 1.0), Layer(25.0, 25.0, 1.0), Layer(50.0, 100.0, 0.75))
ATTACH = np.array([t.attach for t in TOWER])
LIMIT = np.array([t.limit for t in TOWER])
SHARE = np.array([t.share for t in TOWER])


def recoveries(loss, attach, limit):
    above = np.maximum(loss[:, None, :] - attach[None, :, None], 0.0)
    ceded = np.minimum(above, limit[None, :, None])
    return ceded.sum(axis=2)


def retained(loss, ceded, share):
    gross = loss.sum(axis=1)
    return np.maximum(gross - ceded @ share, 0.0)


def tail_means(net):
    ranked = np.sort(net)
    total = np.cumsum(ranked[::-1])
    return total / np.arange(1, YEARS + 1)


def main():
    rng = np.random.default_rng(21)
    loss = rng.pareto(1.6, (YEARS, EVENTS))
    ceded = recoveries(loss, ATTACH, LIMIT)
    net = retained(loss, ceded, SHARE)
    tail = tail_means(net)
    print(ceded.mean(axis=0), tail[[99, 199, 999]])


main()
