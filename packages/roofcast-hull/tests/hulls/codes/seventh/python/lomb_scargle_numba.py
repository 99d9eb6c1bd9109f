"""Lomb-Scargle periodogram of an unevenly sampled light curve, one frequency a loop pass (Numba prange).
17 operations a sample and frequency, 10 a frequency (by hand; run with counting numbers at reduced size)."""
import numpy as np
from numba import njit, prange


@njit(parallel=True)
def lomb_scargle(t, y, freq):
    nf = freq.size
    power = np.empty(nf)
    for k in prange(nf):
        w = 2.0 * np.pi * freq[k]
        w2 = 2.0 * w
        s2 = 0.0
        c2 = 0.0
        for i in range(t.size):
            a = w2 * t[i]
            s2 += np.sin(a)
            c2 += np.cos(a)
        tau = np.arctan2(s2, c2) / w2
        yc = 0.0
        ys = 0.0
        cc = 0.0
        ss = 0.0
        for i in range(t.size):
            arg = w * (t[i] - tau)
            c = np.cos(arg)
            s = np.sin(arg)
            yc += y[i] * c
            ys += y[i] * s
            cc += c * c
            ss += s * s
        power[k] = 0.5 * (yc * yc / cc + ys * ys / ss)
    return power


def main():
    rng = np.random.default_rng(9)
    t = np.sort(rng.uniform(0.0, 100.0, 800))
    y = np.sin(2.0 * np.pi * 0.37 * t) + 0.3 * rng.standard_normal(800)
    y -= y.mean()
    freq = np.linspace(0.01, 2.0, 2000)
    p = lomb_scargle(t, y, freq)
    print("peak at", freq[p.argmax()])


if __name__ == "__main__":
    main()
