"""Linear storage of many catchments, a day at a time."""
import numpy as np

DAYS = 365
BASINS = 5000


def route(rain, keep):
    store = np.empty((DAYS, BASINS))
    store[0] = rain[0]
    for d in range(1, DAYS):
        store[d] = keep * store[d - 1] + rain[d]
    return store


rng = np.random.default_rng(6)
rain = rng.gamma(0.4, 8.0, size=(DAYS, BASINS))
keep = rng.uniform(0.6, 0.98, size=BASINS)
store = route(rain, keep)

print("full at the end of the year:", store[-1].mean())
worst = int(store[-1].argmax())
print("fullest basin", worst)
for month in range(12):
    print(month + 1, round(store[month * 30, worst], 2))
