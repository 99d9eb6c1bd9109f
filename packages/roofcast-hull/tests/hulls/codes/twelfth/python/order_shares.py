"""Share of each order line in its customer's revenue: an aggregate joined back to the rows."""
import numpy as np

LINES, CUSTOMERS = 3_000_000, 20_000


def shares(customer, price):
    revenue = np.bincount(customer, weights=price, minlength=CUSTOMERS)
    return price / revenue[customer]


def hash_join(left_keys, right_keys):
    table = {}
    for row, key in enumerate(right_keys):
        table.setdefault(key, []).append(row)
    pairs = []
    for row, key in enumerate(left_keys):
        for other in table.get(key, ()):
            pairs.append((row, other))
    return pairs


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    customer = rng.integers(0, CUSTOMERS, LINES)
    price = rng.random(LINES)
    part = shares(customer, price)
    print(part.sum(), len(hash_join([1, 2, 2, 3], [2, 3, 3])))
