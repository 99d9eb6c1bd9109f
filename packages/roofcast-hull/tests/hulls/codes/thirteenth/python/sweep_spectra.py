"""Mean power spectrum of the tapered sweeps of a frequency-modulated radar."""
import numpy as np

SWEEPS, SAMPLES = 1024, 2048


def mean_spectrum(x, taper):
    z = np.fft.fft(x * taper, axis=1)
    return (np.abs(z) ** 2).mean(axis=0)


rng = np.random.default_rng(6)
t = np.arange(SAMPLES) / SAMPLES
beat = np.exp(2j * np.pi * 311.0 * t)
sweeps = beat + rng.normal(size=(SWEEPS, SAMPLES)) + 1j * rng.normal(size=(SWEEPS, SAMPLES))
taper = np.blackman(SAMPLES)
print(mean_spectrum(sweeps, taper).argmax())

# the tone stands well above the noise, and where it was put
spectrum = mean_spectrum(sweeps, taper)
floor_level = np.median(spectrum)
print(10 * np.log10(spectrum.max() / floor_level), "dB above the noise")
for bin_ in range(305, 318):
    bar = int(2 * np.log10(spectrum[bin_] / floor_level) * 5)
    print(f"{bin_:4d} {'#' * max(bar, 0)}")
