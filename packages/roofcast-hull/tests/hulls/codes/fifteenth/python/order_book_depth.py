"""Depth of a sorted order book: prices ordered, sizes taken along, notional run up."""
import numpy as np

ORDERS = 1 << 20


def ladder(price, size):
    by_price = np.argsort(price)
    p = price[by_price]
    s = size[by_price]
    return np.cumsum(p * s)


def imbalance(bid, ask):
    return (bid - ask) / (bid + ask)


def main():
    rng = np.random.default_rng(21)
    price = 100.0 + rng.exponential(0.4, ORDERS)
    size = rng.integers(1, 500, ORDERS).astype(np.float64)
    up = ladder(price, size)
    down = ladder(-price, size)
    print(imbalance(-down, up)[::200_000])


if __name__ == "__main__":
    main()
