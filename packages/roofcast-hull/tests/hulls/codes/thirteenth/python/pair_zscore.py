"""How many deviations a pair of prices is away from its usual spread."""
import numpy as np


def zscore(a, b, beta):
    spread = np.log(a) - beta * np.log(b)
    mu = spread.mean()
    var = (spread * spread).mean() - mu * mu
    return (spread - mu) / np.sqrt(var)


n = 2_000_000
rng = np.random.default_rng(9)
steps = rng.normal(0, 1e-4, n).cumsum()
a = 50 * np.exp(steps)
b = 30 * np.exp(steps + rng.normal(0, 1e-3, n))
print(zscore(a, b, 0.98)[-1])

# how often is it out of its band?
z = zscore(a, b, 0.98)
for band in (1.0, 2.0, 3.0):
    share = np.count_nonzero(np.abs(z) > band) / n
    print(f"beyond {band:.0f} deviations: {100 * share:.2f} %")
assert abs(z.mean()) < 1e-6
assert abs(z.std() - 1.0) < 1e-6
