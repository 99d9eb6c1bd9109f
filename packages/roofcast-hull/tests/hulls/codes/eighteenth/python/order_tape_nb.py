import numpy as np
import numba as nb

TRADES = 3_000_000
SYMBOLS = 512


@nb.njit
def notional_by_symbol(symbol, price, qty, total):
    for t in range(symbol.shape[0]):
        total[symbol[t]] += price[t] * qty[t]


@nb.njit
def hail_fall(z0, v0, melt):
    """Seconds until each stone is on the ground or gone."""
    out = np.zeros(z0.size)
    for i in range(z0.size):
        z, v, m = z0[i], v0[i], 1.0
        while z > 0.0 and m > 0.01:
            v += 0.1 * (9.81 - 0.02 * v * v / m)
            z -= 0.1 * v
            m *= melt
            out[i] += 0.1
    return out


@nb.njit(parallel=True)
def signed_volume(price, qty, out):
    for t in nb.prange(1, price.shape[0]):
        step = price[t] - price[t - 1]
        if step > 0.0:
            out[t] = qty[t]
        elif step < 0.0:
            out[t] = -qty[t]
        else:
            out[t] = 0.0


if __name__ == "__main__":
    rng = np.random.default_rng(20)
    sym = rng.integers(0, SYMBOLS, TRADES)
    px = 50 + np.cumsum(rng.normal(0, 0.01, TRADES))
    qty = rng.integers(1, 500, TRADES).astype(np.float64)
    tot = np.zeros(SYMBOLS)
    notional_by_symbol(sym, px, qty, tot)
    flow = np.empty(TRADES)
    signed_volume(px, qty, flow)
    print(tot[:3], flow.sum(), hail_fall(px[:1000] * 20, px[:1000], 0.998)[:3])
