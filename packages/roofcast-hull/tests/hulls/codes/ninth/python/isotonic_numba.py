"""Isotonic regression by pooling adjacent violators."""
import numpy as np
from numba import njit

N_OBS = 1_000_000


@njit(cache=True)
def pool_adjacent(y, weight, fitted):
    n = y.shape[0]
    level = np.empty(n)
    mass = np.empty(n)
    count = np.empty(n, np.int64)
    top = -1
    for i in range(n):
        top += 1
        level[top] = y[i]
        mass[top] = weight[i]
        count[top] = 1
        while top > 0 and level[top - 1] > level[top]:
            total = mass[top - 1] + mass[top]
            level[top - 1] = (mass[top - 1] * level[top - 1] + mass[top] * level[top]) / total
            mass[top - 1] = total
            count[top - 1] += count[top]
            top -= 1
    pos = 0
    for b in range(top + 1):
        for _ in range(count[b]):
            fitted[pos] = level[b]
            pos += 1
    return top + 1


def main():
    rng = np.random.default_rng(8)
    y = np.log1p(np.arange(N_OBS)) + rng.normal(0.0, 1.0, N_OBS)
    fitted = np.empty(N_OBS)
    blocks = pool_adjacent(y, np.ones(N_OBS), fitted)
    print(f"{blocks} blocks, rms residual {np.sqrt(np.mean((y - fitted) ** 2)):.4f}")


if __name__ == "__main__":
    main()
