import numpy as np


def settle(height, rest, damping):
    """How many bounces a ball of each height makes before it rests."""
    bounces = np.zeros(len(height), dtype=np.int64)
    for i in range(len(height)):
        h = height[i]
        while h > rest:
            h = h * damping - 0.001
            bounces[i] += 1
    return bounces


drop = np.linspace(0.1, 12.0, 7500)
print(settle(drop, 0.01, 0.81).max())
