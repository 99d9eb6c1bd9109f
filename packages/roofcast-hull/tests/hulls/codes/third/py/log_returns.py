"""Returns of a table of prices, a row for each day."""
import numpy as np


def log_returns(prices):
    logs = np.log(prices)
    return logs[1:, :] - logs[:-1, :]


prices = np.full((2520, 500), 100.0)
returns = log_returns(prices)
print(returns.std())
