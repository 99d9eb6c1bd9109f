"""Trace-by-trace spectral mute of a shot record: forward, taper, back."""
import numpy as np

TRACES = 512
SAMPLES = 1024


def to_spectra(record):
    return np.fft.fft(record, axis=1)


def mute(spectra, taper):
    return np.fft.ifft(spectra * taper, axis=1)


def make_taper(low, high):
    f = np.abs(np.fft.fftfreq(SAMPLES, d=0.004))
    return np.clip((f - low) / 3.0, 0, 1) * np.clip((high - f) / 8.0, 0, 1)


rng = np.random.default_rng(1)
record = rng.standard_normal((TRACES, SAMPLES)) + 1j * rng.standard_normal((TRACES, SAMPLES))
spectra = to_spectra(record)
clean = mute(spectra, np.broadcast_to(make_taper(5.0, 70.0), (TRACES, SAMPLES)).astype(np.complex128))
print(np.abs(clean).mean())
