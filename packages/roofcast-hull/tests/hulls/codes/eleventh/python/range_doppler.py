import numpy as np

GATES = 2048
PULSES = 256


def doppler_map(cpi, taper):
    """Power in dB over range gates and Doppler bins of one coherent interval."""
    spectrum = np.fft.fft(cpi * taper, axis=1)
    power = spectrum.real ** 2 + spectrum.imag ** 2
    return 10.0 * np.log10(power + 1e-12)


rng = np.random.default_rng(11)
echoes = rng.standard_normal((GATES, PULSES)) + 1j * rng.standard_normal((GATES, PULSES))
echoes[700] += 8.0 * np.exp(2j * np.pi * 0.21 * np.arange(PULSES))
rdm = doppler_map(echoes, np.hamming(PULSES))
print(np.unravel_index(rdm.argmax(), rdm.shape))
