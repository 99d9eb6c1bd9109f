"""Regularity of spike trains and phase locking of field potentials."""
import numpy as np

CELLS, SPIKES = 6000, 501
PAIRS, SAMPLES = 1024, 2048


def isi_cv(times):
    isi = np.diff(times, axis=1)
    return isi.std(axis=1) / isi.mean(axis=1)


def local_variation(times):
    isi = np.diff(times, axis=1)
    a, b = isi[:, :-1], isi[:, 1:]
    return 3.0 * np.mean(((a - b) / (a + b)) ** 2, axis=1)


def phase_locking(a, b):
    d = a - b
    return np.hypot(np.cos(d).mean(axis=-1), np.sin(d).mean(axis=-1))


if __name__ == "__main__":
    g = np.random.default_rng(11)
    t = np.cumsum(g.exponential(0.05, (CELLS, SPIKES)), axis=1)
    print(isi_cv(t).mean(), local_variation(t).mean())
    pa = g.uniform(-np.pi, np.pi, (PAIRS, SAMPLES))
    print(phase_locking(pa, pa + g.normal(0, 0.5, pa.shape)).mean())
