# Tracks of baselines in the uv plane while the sky turns.
import numpy as np

N_TIME, N_BASE = 1440, 2016
C = 299792458.0


def tracks(hour_angle, bx, by, bz, dec):
    s = np.sin(hour_angle)[:, None]
    c = np.cos(hour_angle)[:, None]
    u = s * bx + c * by
    v = (s * by - c * bx) * np.sin(dec) + bz * np.cos(dec)
    return u, v


rng = np.random.default_rng(1)
hour_angle = np.linspace(-np.pi / 2, np.pi / 2, N_TIME)
bx, by, bz = rng.normal(0, 3000, (3, N_BASE))
u, v = tracks(hour_angle, bx, by, bz, 0.6)
