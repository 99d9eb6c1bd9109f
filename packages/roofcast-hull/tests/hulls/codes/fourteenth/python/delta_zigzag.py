"""First half of a timestamp codec: deltas, zigzag, and the bits that each block of 128 needs."""
import numpy as np

N = 2 ** 20 + 1
BLOCK = 128


def zigzag_deltas(x):
    d = np.diff(x)
    return (d << 1) ^ (d >> 63)


def block_masks(z):
    blocks = z.reshape(-1, BLOCK)
    return np.bitwise_or.reduce(blocks, axis=1)


def main():
    rng = np.random.default_rng(21)
    stamps = np.cumsum(rng.integers(900, 1100, size=N)) + 1_700_000_000_000
    z = zigzag_deltas(stamps)
    m = block_masks(z)
    print(z.dtype, m.shape, int(m.max()).bit_length())


if __name__ == "__main__":
    main()
