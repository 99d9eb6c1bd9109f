"""GC content and GC skew in windows of 100 bases; bases are coded A, C, G, T = 0 .. 3."""
import numpy as np

WIDTH = 100


def gc_fraction(seq):
    strong = (seq == 1) | (seq == 2)
    return strong.reshape(-1, WIDTH).mean(axis=1)


def gc_skew(seq):
    g = (seq == 2).reshape(-1, WIDTH).sum(axis=1)
    c = (seq == 1).reshape(-1, WIDTH).sum(axis=1)
    return (g - c) / np.maximum(g + c, 1)


genome = np.random.default_rng(13).integers(0, 4, 6_000_000, dtype=np.uint8)
print(gc_fraction(genome)[:4])
print(gc_skew(genome)[:4])

# the first window the slow way
window = genome[:WIDTH].tolist()
assert abs(gc_fraction(genome)[0] - (window.count(1) + window.count(2)) / WIDTH) < 1e-12
