import numpy as np

PINGS, SAMPLES = 256, 1024


def ping_spectrum(echo, taper):
    return np.fft.fft(echo * taper, axis=1)


def ping_power(spec):
    return spec.real ** 2 + spec.imag ** 2


def mean_level_db(power):
    floor = 1e-12
    return 10.0 * np.log10(power.mean(axis=0) + floor)


if __name__ == "__main__":
    rng = np.random.default_rng(21)
    echo = rng.normal(size=(PINGS, SAMPLES))
    taper = np.blackman(SAMPLES)
    spec = ping_spectrum(echo, taper)
    power = ping_power(spec)
    level = mean_level_db(power)
    print(level.shape, level.max())
