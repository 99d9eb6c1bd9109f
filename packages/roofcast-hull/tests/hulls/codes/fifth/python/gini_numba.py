import numpy as np
from numba import njit, prange


@njit(parallel=True, fastmath=True)
def gini(income, index):
    towns, people = income.shape
    for i in prange(towns):
        spread = 0.0
        total = 0.0
        for a in range(people):
            total += income[i, a]
            for b in range(people):
                spread += abs(income[i, a] - income[i, b])
        index[i] = spread / (2.0 * people * total)


def main():
    income = np.random.default_rng(12).lognormal(10.0, 0.8, size=(2000, 60))
    index = np.empty(2000)
    gini(income, index)
    print(index.min(), index.mean(), index.max())


if __name__ == "__main__":
    main()
