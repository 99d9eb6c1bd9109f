"""Profiles of protein alignments; residues are codes 0 to 19."""
import numpy as np


def residue_counts(codes):
    return np.bincount(codes, minlength=20)


def column_log_odds(msa, background):
    hits = (msa[:, :, None] == np.arange(20)).sum(axis=0)
    freq = (hits + background) / (msa.shape[0] + 1.0)
    return np.log2(freq / background)


def main():
    rng = np.random.default_rng(0)
    database = rng.integers(0, 20, 3_000_000).astype(np.uint8)
    background = residue_counts(database) / len(database)
    msa = rng.integers(0, 20, (300, 400)).astype(np.uint8)
    odds = column_log_odds(msa, background)
    print(odds.shape, odds.max())


main()
