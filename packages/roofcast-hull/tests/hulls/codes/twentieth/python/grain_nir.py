import numpy as np

# near-infrared scans of wheat, one kernel a row, 2 nm steps from 900 nm
KERNELS = 8192
BANDS = 400
lam = 900.0 + 2.0 * np.arange(BANDS)


def absorbance(counts, dark, white):
    refl = (counts - dark) / (white - dark)
    return -np.log10(np.maximum(refl, 1e-4))


def snv(spectra):
    centre = spectra.mean(axis=1, keepdims=True)
    dev = spectra - centre
    scale = np.sqrt((dev * dev).sum(axis=1, keepdims=True) / (BANDS - 1))
    return dev / scale


def second_derivative(s, gap=5):
    return s[:, 2 * gap:] - 2.0 * s[:, gap:-gap] + s[:, :-2 * gap]


def protein(z, coef, bias):
    return z @ coef + bias


if __name__ == "__main__":
    gen = np.random.default_rng(77)
    counts = gen.uniform(3e3, 4e4, size=(KERNELS, BANDS))
    dark = gen.uniform(90.0, 110.0, size=BANDS)
    white = gen.uniform(5.0e4, 5.5e4, size=BANDS)
    a = absorbance(counts, dark, white)
    z = snv(a)
    d2 = second_derivative(z)
    coef = gen.normal(0.0, 0.05, BANDS)
    p = protein(z, coef, 11.8)
    print(d2.shape, p.mean(), p.std())
