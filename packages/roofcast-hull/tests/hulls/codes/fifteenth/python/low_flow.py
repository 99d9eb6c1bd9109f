"""Seven-day low flow (7Q) of gauged catchments, and a baseflow share from it."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

STATIONS, DAYS = 400, 3650
WINDOW = 7


def seven_day_minimum(flow):
    windows = sliding_window_view(flow, WINDOW, axis=1)
    return windows.mean(axis=-1).min(axis=1)


def baseflow_share(flow, low):
    base = np.minimum(flow, low[:, None])
    return base.sum(axis=1) / flow.sum(axis=1)


def main():
    rng = np.random.default_rng(11)
    flow = rng.gamma(1.4, 12.0, size=(STATIONS, DAYS))
    low = seven_day_minimum(flow)
    share = baseflow_share(flow, low)
    for s in range(0, STATIONS, 100):
        print(s, round(low[s], 3), round(share[s], 3))


if __name__ == "__main__":
    main()
