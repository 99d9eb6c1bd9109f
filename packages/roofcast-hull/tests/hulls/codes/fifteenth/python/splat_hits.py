"""Detector hits into a pixel map: charge-weighted counts, then pedestal and gain."""
import numpy as np

HITS = 2_000_000
ROWS, COLS = 256, 192


def accumulate(row, col, charge):
    flat = row * COLS + col
    image = np.bincount(flat, weights=charge, minlength=ROWS * COLS)
    return image.reshape(ROWS, COLS)


def hot_pixels(image, limit):
    hits = image[image > limit]
    return np.sort(hits)


def main():
    rng = np.random.default_rng(30)
    row = rng.integers(0, ROWS, HITS)
    col = rng.integers(0, COLS, HITS)
    charge = rng.exponential(1.0, HITS)
    image = accumulate(row, col, charge)
    print(hot_pixels(image, 70.0)[-3:])


main()
