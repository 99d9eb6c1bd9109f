"""Harmonic tide prediction at a gauge and what is left of the observed level.

Verified by arrays that count their operations.
"""
import numpy as np

N_HOURS = 50_000
N_CONST = 37


def predict(hours, amp, speed, phase, z0=1.25):
    """hours: (N_HOURS,), amp (m), speed (rad/h), phase (rad): (N_CONST,)."""
    arg = speed[None, :] * hours[:, None] - phase[None, :]
    return z0 + (amp[None, :] * np.cos(arg)).sum(axis=1)


def surge(observed, predicted):
    left = observed - predicted
    return left - left.mean()


def main():
    rng = np.random.default_rng(4)
    hours = np.arange(N_HOURS, dtype=np.float64)
    amp = rng.gamma(0.6, 0.2, N_CONST)
    speed = np.deg2rad(rng.uniform(0.04, 60.0, N_CONST))
    phase = rng.uniform(0, 2 * np.pi, N_CONST)
    level = predict(hours, amp, speed, phase)
    observed = level + 0.1 * rng.standard_normal(N_HOURS)
    s = surge(observed, level)
    print(f"std of the surge {s.std():.4f} m")


if __name__ == "__main__":
    main()
