"""Momentary loudness of a stereo programme and a constant-power pan with preallocated results."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

N = 1_048_576
WINDOW, HOP = 1024, 256


def momentary(x):
    frames = sliding_window_view(x, WINDOW)[::HOP]
    return 10.0 * np.log10((frames * frames).mean(axis=1)) - 0.691


def pan(mono, angle, left, right):
    np.cos(angle, out=left)
    np.multiply(left, mono, out=left)
    np.sin(angle, out=right)
    np.multiply(right, mono, out=right)


def soft_knee(x, threshold, ratio):
    level = np.abs(x)
    over = np.maximum(level - threshold, 0.0)
    return np.copysign(level - over * (1.0 - 1.0 / ratio), x)


def main():
    x = np.random.default_rng(5).normal(0, 0.2, N).astype(np.float32)
    angle = np.linspace(0, np.pi / 2, N, dtype=np.float32)
    left = np.empty(N, np.float32)
    right = np.empty(N, np.float32)
    pan(soft_knee(x, 0.5, 4.0), angle, left, right)
    print(momentary(left).max(), momentary(right).max())


main()
