"""How often each byte occurs."""

import numpy as np


def byte_counts(data):
    counts = np.zeros(256, dtype=np.int64)
    for value in data:
        counts[value] += 1
    return counts


if __name__ == "__main__":
    print(byte_counts(np.zeros(1 << 20, dtype=np.uint8)))
