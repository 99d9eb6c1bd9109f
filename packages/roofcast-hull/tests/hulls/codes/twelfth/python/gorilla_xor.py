"""Gorilla-like compression of a time series: XOR with the value before, and how many leading bits would be saved."""
import numpy as np

POINTS = 4_000_000


def xor_stream(bits):
    return bits[1:] ^ bits[:-1]


def changed_share(stream):
    return np.count_nonzero(stream) / stream.size


def main():
    values = np.round(np.cumsum(np.random.default_rng(7).normal(size=POINTS)), 1)
    bits = values.view(np.uint64)
    stream = xor_stream(bits)
    print(changed_share(stream))


main()
