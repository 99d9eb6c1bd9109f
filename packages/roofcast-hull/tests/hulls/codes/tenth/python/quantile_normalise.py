"""Quantile normalisation of an expression matrix (genes x samples), ties in order of appearance.

By hand: three sorts of the columns, row means of the sorted matrix, and a look-up by rank.
Operations of a sort are taken as n*log2(n) comparisons a column.
Verified: run once with NumPy; operations counted twice by reading.
"""
import numpy as np

GENES = 5000
SAMPLES = 64


def quantile_normalise(x):
    order = np.argsort(x, axis=0)
    ranks = np.argsort(order, axis=0)
    target = np.sort(x, axis=0).mean(axis=1)
    return target[ranks]


def main():
    rng = np.random.default_rng(2)
    shift = rng.normal(6.0, 0.5, size=SAMPLES)
    scale = rng.uniform(0.8, 1.3, size=SAMPLES)
    expr = rng.gamma(2.0, 1.0, size=(GENES, SAMPLES)) * scale + shift
    norm = quantile_normalise(expr)
    print("medians before:", np.round(np.median(expr, axis=0)[:4], 3))
    print("medians after: ", np.round(np.median(norm, axis=0)[:4], 3))


main()
