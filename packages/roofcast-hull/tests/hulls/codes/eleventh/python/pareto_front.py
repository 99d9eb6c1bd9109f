"""By how many designs is each design dominated (three costs, less is better)?"""
import numpy as np


def dominated_by(cost):
    no_worse = (cost[:, None, :] <= cost[None, :, :]).all(axis=2)
    better = (cost[:, None, :] < cost[None, :, :]).any(axis=2)
    return (no_worse & better).sum(axis=0)


designs = np.random.default_rng(5).random((1500, 3))
count = dominated_by(designs)
print("front:", int((count == 0).sum()))
