"""Heights of pressure levels from a batch of radiosonde ascents."""
import numpy as np

RD = 287.05
G = 9.80665
ASCENTS, LEVELS = 400, 60


def virtual_temp(t, q):
    return t * (1.0 + 0.608 * q)


def layer_thickness(p, tv):
    mean_tv = 0.5 * (tv[:, 1:] + tv[:, :-1])
    return RD / G * mean_tv * np.log(p[:, :-1] / p[:, 1:])


def geopotential(z0, dz):
    # height of the top of every layer
    return z0[:, None] + np.cumsum(dz, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    t = rng.uniform(210.0, 300.0, (ASCENTS, LEVELS))
    q = rng.uniform(0.0, 0.02, (ASCENTS, LEVELS))
    p = np.sort(rng.uniform(1e4, 1e5, (ASCENTS, LEVELS)), axis=1)[:, ::-1].copy()
    z0 = rng.uniform(0.0, 900.0, ASCENTS)
    tv = virtual_temp(t, q)
    dz = layer_thickness(p, tv)
    z = geopotential(z0, dz)
    print(z.max())
