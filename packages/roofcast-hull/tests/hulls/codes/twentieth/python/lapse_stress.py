import numpy as np

# Life book under a lapse shock.  Everything is (policies, months).
N_POL = 6000
N_MON = 240
V = (1.02 ** (-1.0 / 12.0)) ** np.arange(1, N_MON + 1)


def in_force(qx, lapse, shock):
    stay = (1.0 - qx) * (1.0 - shock * lapse)
    return np.cumprod(stay, axis=1)


def present_value(alive, premium, v):
    return premium * (alive @ v)


def worst_of(base, up, down):
    """SCR of each policy: the worst of the three runs, never negative"""
    hit = np.maximum(base - up, base - down)
    return np.maximum(hit, 0.0)


def mass_lapse(alive, surrender, reserve):
    gap = surrender - reserve
    gap *= alive
    np.maximum(gap, 0.0, out=gap)
    return gap.sum(axis=0)


rng = np.random.default_rng(2016)
qx = rng.uniform(1e-4, 4e-3, (N_POL, N_MON))
lapse = rng.uniform(0.0, 0.02, (N_POL, N_MON))
premium = rng.uniform(20.0, 300.0, N_POL)

pv = []
for shock in (1.0, 1.5, 0.5):
    alive = in_force(qx, lapse, shock)
    pv.append(present_value(alive, premium, V))
scr = worst_of(pv[0], pv[1], pv[2])
surr = rng.uniform(0.0, 5e4, (N_POL, N_MON))
resv = rng.uniform(0.0, 5e4, (N_POL, N_MON))
print(scr.sum(), mass_lapse(alive, surr, resv)[:3])
