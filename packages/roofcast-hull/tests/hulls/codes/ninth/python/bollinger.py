"""Bollinger bands of a price series with NumPy windows."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

N_TICKS = 500_000
WINDOW = 21
WIDTH = 2.0


def bollinger_bands(close):
    windows = sliding_window_view(close, WINDOW)
    mid = windows.mean(axis=1)
    dev = windows.std(axis=1)
    upper = mid + WIDTH * dev
    lower = mid - WIDTH * dev
    return mid, upper, lower


def percent_b(close, upper, lower):
    """0 at the lower band, 1 at the upper one."""
    last = close[WINDOW - 1:]
    return (last - lower) / (upper - lower)


def main():
    rng = np.random.default_rng(42)
    close = 100.0 * np.exp(np.cumsum(rng.normal(0.0, 5e-4, N_TICKS)))
    mid, upper, lower = bollinger_bands(close)
    b = percent_b(close, upper, lower)
    print("ticks outside of the bands:", np.count_nonzero((b < 0.0) | (b > 1.0)))


if __name__ == "__main__":
    main()
