"""Column scans over one partition of the shipments table."""
import numpy as np

ROWS = 1_000_000
CARRIERS = 24
CITIES = 5000


def discounted_revenue(price, disc, day):
    keep = (day >= 100) & (day < 465) & (disc > 0.05)
    return (price[keep] * disc[keep]).sum()


def cost_by_carrier(carrier, cost):
    return np.bincount(carrier, weights=cost, minlength=CARRIERS)


def decode_city(codes, dictionary):
    return dictionary[codes]


def load():
    rng = np.random.default_rng(1995)
    price = rng.uniform(900.0, 105000.0, ROWS)
    disc = rng.integers(0, 11, ROWS) / 100.0
    day = rng.integers(0, 2556, ROWS).astype(np.int32)
    carrier = rng.integers(0, CARRIERS, ROWS).astype(np.int32)
    codes = rng.integers(0, CITIES, ROWS).astype(np.int16)
    lat = rng.uniform(-60.0, 70.0, CITIES).astype(np.float32)
    return price, disc, day, carrier, codes, lat


def main():
    price, disc, day, carrier, codes, lat = load()
    print(discounted_revenue(price, disc, day))
    print(cost_by_carrier(carrier, price))
    print(decode_city(codes, lat).mean())


if __name__ == "__main__":
    main()
