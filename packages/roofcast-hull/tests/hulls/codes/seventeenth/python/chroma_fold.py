"""Twelve pitch classes out of power spectra, then a piece's similarity to itself."""
import numpy as np

FRAMES = 2000
BINS = 1024
RATE = 22_050.0
GAIN = 100.0
EPS = 1e-9


def pitch_classes():
    hz = (np.arange(BINS) + 1.0) * RATE / (2.0 * BINS)
    note = 12.0 * np.log2(hz / 440.0)
    away = np.abs((note[:, None] - np.arange(12) + 6.0) % 12.0 - 6.0)
    return np.maximum(1.0 - away, 0.0)


def chroma(power, fold):
    loud = np.log1p(GAIN * power)
    folded = np.tensordot(loud, fold, axes=1)
    peak = folded.max(axis=1, keepdims=True)
    return folded / (peak + EPS)


def self_similarity(c):
    return c @ c.T


def main():
    rng = np.random.default_rng(12)
    power = rng.exponential(1.0, (FRAMES, BINS))
    c = chroma(power, pitch_classes())
    s = self_similarity(c)
    print(c.shape, s.mean())


if __name__ == "__main__":
    main()
