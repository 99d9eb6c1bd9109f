import math

import numpy as np
from numba import cuda


@cuda.jit
def yearly_spread(daily, spread):
    station = cuda.grid(1)
    if station >= daily.shape[0]:
        return
    low = daily[station, 0]
    high = low
    for day in range(1, daily.shape[1]):
        value = daily[station, day]
        low = min(low, value)
        high = max(high, value)
    spread[station] = high - low


daily = np.random.normal(11.0, 6.0, size=(3000, 365))
spread = np.zeros(3000)
d_daily = cuda.to_device(daily)
d_spread = cuda.to_device(spread)
threads = 128
yearly_spread[math.ceil(3000 / threads), threads](d_daily, d_spread)
print(d_spread.copy_to_host()[:5])
