# densitometry of scanned gels: one row a lane, already straightened
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

LANES = 2400
PIX = 2048
RADIUS = 12


def rolling_floor(lanes):
    win = sliding_window_view(lanes, 2 * RADIUS + 1, axis=1)
    return win.min(axis=-1)


def net_signal(lanes, floor):
    inner = lanes[:, RADIUS:-RADIUS]
    return np.maximum(inner - floor, 0.0)


def band_share(net, lo, hi):
    part = net[:, lo:hi].sum(axis=1)
    whole = net.sum(axis=1)
    return part / whole


def main():
    rng = np.random.default_rng(90)
    lanes = rng.gamma(2.0, 30.0, (LANES, PIX))
    fl = rolling_floor(lanes)
    net = net_signal(lanes, fl)
    print(band_share(net, 400, 656)[:6])


main()
