import numpy as np


def smooth(prices, level, alpha, keep):
    for day in range(1, prices.shape[0]):
        level[day] = alpha * prices[day] + keep * level[day - 1]


prices = np.random.uniform(90.0, 110.0, size=(1000, 400))
level = np.empty((1000, 400))
level[0] = prices[0]
smooth(prices, level, 0.06, 0.94)
print(level[-1].mean())
