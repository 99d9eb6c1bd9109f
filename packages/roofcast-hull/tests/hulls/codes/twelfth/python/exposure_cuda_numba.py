"""Expected positive exposure, discounted: a thread for each scenario walks the dates."""
import numpy as np
from numba import cuda

DATES, SCENARIOS = 120, 100_000


@cuda.jit
def discounted_exposure(value, discount, collateral, out):
    s = cuda.grid(1)
    if s < out.shape[0]:
        total = 0.0
        for d in range(DATES):
            total += discount[d] * max(value[d, s] - collateral[s], 0.0)
        out[s] = total / DATES


value = np.random.default_rng(6).normal(0.0, 10.0, (DATES, SCENARIOS))
discount = np.exp(-0.02 * np.arange(DATES) / 12.0)
collateral = np.full(SCENARIOS, 2.5)
d_value = cuda.to_device(value)
d_discount = cuda.to_device(discount)
d_collateral = cuda.to_device(collateral)
d_out = cuda.device_array(SCENARIOS)
threads = 128
discounted_exposure[(SCENARIOS + threads - 1) // threads, threads](d_value, d_discount, d_collateral, d_out)
print(d_out.copy_to_host().mean())
