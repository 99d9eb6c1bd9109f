import numpy as np

PORTFOLIOS, SCENARIOS = 256, 4096
CUT = 3891          # the 95 % quantile


def tail_risk(losses):
    ordered = np.sort(losses, axis=1)
    var = ordered[:, CUT]
    shortfall = ordered[:, CUT:].mean(axis=1)
    return var, shortfall


rng = np.random.default_rng(2026)
losses = rng.standard_t(4, size=(PORTFOLIOS, SCENARIOS))
v, es = tail_risk(losses)
assert np.all(es >= v)
print(v[:3], es[:3])
