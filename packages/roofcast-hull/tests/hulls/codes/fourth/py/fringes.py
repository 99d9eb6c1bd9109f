"""Interference of two slits on a screen."""
import numpy as np


def intensity(x, y, half_gap, wave_number):
    near = np.hypot(x[None, :] - half_gap, y[:, None])
    far = np.hypot(x[None, :] + half_gap, y[:, None])
    return np.cos(wave_number * (near - far)) ** 2


across = np.linspace(-2.0, 2.0, 400)
depth = np.linspace(1.0, 9.0, 300)
picture = intensity(across, depth, 0.05, 40.0)
print(picture.mean())
