"""Absolute encoders: Gray words to positions, and the speed from the wrapped differences."""
import numpy as np

SHAFTS, TICKS = 64, 40_000
BITS = 12


def to_binary(gray):
    b = gray ^ (gray >> 1)
    b = b ^ (b >> 2)
    b = b ^ (b >> 4)
    return b ^ (b >> 8)


def wrapped_speed(position, rate):
    turn = 1 << BITS
    half = turn // 2
    d = np.diff(position, axis=1)
    return ((d + half) % turn - half) * (rate / turn)


def main():
    rng = np.random.default_rng(12)
    angle = np.cumsum(rng.integers(0, 6, (SHAFTS, TICKS)), axis=1) % (1 << BITS)
    words = (angle ^ (angle >> 1)).astype(np.int32)
    pos = to_binary(words)
    assert (pos == angle).all()
    print(wrapped_speed(pos, 2000.0).mean())


main()
