"""Roast log post-processing (bean probe, 1 Hz, 15 minutes a batch)."""
import numpy as np

N_ROASTS = 4096
N_SAMPLES = 900
FIRST_CRACK = 196.0


def rate_of_rise(bean, window=30):
    # degrees per minute over a trailing window
    return (bean[:, window:] - bean[:, :-window]) * (60.0 / window)


def development_ratio(bean, crack=FIRST_CRACK):
    past = bean > crack
    return past.sum(axis=1) / bean.shape[1]


def main():
    rng = np.random.default_rng(3)
    t = np.linspace(0.0, 15.0, N_SAMPLES)
    bean = 90.0 + 9.0 * t[None, :] + rng.normal(0, 0.4, (N_ROASTS, N_SAMPLES))
    ror = rate_of_rise(bean)
    dtr = development_ratio(bean)
    print("mean RoR %.2f  DTR %.3f" % (ror.mean(), dtr.mean()))


if __name__ == "__main__":
    main()
