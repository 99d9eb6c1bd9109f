"""Run-off triangles of many portfolios: cumulative claims, loss ratios, Bornhuetter-Ferguson reserves."""
from dataclasses import dataclass

import numpy as np

PORTFOLIOS, ORIGINS, LAGS = 3000, 24, 32


@dataclass
class Book:
    paid: np.ndarray      # portfolio, origin, lag
    premium: np.ndarray   # portfolio, origin
    pattern: np.ndarray   # portfolio, origin: share that is still unpaid


def cumulate(book: Book):
    return np.add.accumulate(book.paid, axis=2)


def loss_ratio(book: Book):
    return book.paid.sum(axis=(1, 2)) / book.premium.sum(axis=1)


def bf_reserve(premium, pattern, ratio):
    return (premium * pattern * ratio[:, np.newaxis]).sum(axis=1)


def main():
    rng = np.random.default_rng(8)
    book = Book(rng.gamma(2.0, 50.0, size=(PORTFOLIOS, ORIGINS, LAGS)),
                rng.uniform(1e4, 2e4, size=(PORTFOLIOS, ORIGINS)),
                rng.uniform(0.0, 1.0, size=(PORTFOLIOS, ORIGINS)))
    c = cumulate(book)
    ratio = loss_ratio(book)
    print(c[:, :, -1].max(), bf_reserve(book.premium, book.pattern, ratio).sum())


main()
