"""Tap tones of violin plates: averaged spectra from hammer hits."""
import numpy as np

HITS, FRAME = 512, 4096
RATE = 44100


def windowed_spectra(hits, window):
    # hits: float64 (HITS, FRAME)
    return np.fft.fft(hits * window[None, :], axis=1)


def mean_power(spec):
    re = spec.real
    im = spec.imag
    return (re * re + im * im).mean(axis=0)


def centroid(power, freqs):
    """spectral centre of gravity in Hz"""
    return np.dot(power, freqs) / power.sum()


def main():
    rng = np.random.default_rng(440)
    t = np.arange(FRAME) / RATE
    hits = np.zeros((HITS, FRAME))
    for f, tau in ((275.0, 0.05), (392.0, 0.04), (460.0, 0.03)):
        phase = rng.uniform(0, 2 * np.pi, (HITS, 1))
        hits += np.exp(-t / tau) * np.sin(2 * np.pi * f * t + phase)
    window = np.hanning(FRAME)
    spec = windowed_spectra(hits, window)
    power = mean_power(spec)
    freqs = np.abs(np.fft.fftfreq(FRAME, 1.0 / RATE))
    print(f"{centroid(power, freqs):.1f} Hz")


if __name__ == "__main__":
    main()
