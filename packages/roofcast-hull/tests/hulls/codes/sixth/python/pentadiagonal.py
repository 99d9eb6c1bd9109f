# Product of a pentadiagonal matrix, kept by its diagonals, with a vector: plain loops over NumPy arrays.
# Verified: 9*n - 12 operations by running it with numbers that count themselves at full size.
import numpy as np


def penta_matvec(sub2, sub1, diag, sup1, sup2, x):
    n = len(diag)
    y = np.zeros(n)
    for i in range(n):
        s = diag[i] * x[i]
        if i >= 1:
            s += sub1[i] * x[i - 1]
        if i >= 2:
            s += sub2[i] * x[i - 2]
        if i < n - 1:
            s += sup1[i] * x[i + 1]
        if i < n - 2:
            s += sup2[i] * x[i + 2]
        y[i] = s
    return y


if __name__ == "__main__":
    n = 4000
    ones = np.ones(n)
    x = np.sin(np.linspace(0.0, np.pi, n))
    # fourth difference of a clamped beam
    y = penta_matvec(ones, -4.0 * ones, 6.0 * ones, -4.0 * ones, ones, x)
    print(np.abs(y[2:-2]).max())
