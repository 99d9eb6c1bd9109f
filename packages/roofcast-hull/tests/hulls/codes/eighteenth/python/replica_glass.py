# float32 throughout
# SK model, parallel tempering: bookkeeping only, the moves are in the C extension
import numpy as np

REPLICAS, SPINS = 256, 1024


def energies(s, J):
    # halved: every bond stands twice in J
    field = s @ J
    return -0.5 * (field * s).sum(axis=1)


def swap_odds(E, beta):
    return np.minimum(1.0, np.exp((E[1:] - E[:-1]) * (beta[1:] - beta[:-1])))


rng = np.random.default_rng(1975)
J = rng.normal(0, SPINS ** -0.5, (SPINS, SPINS)).astype(np.float32)
s = rng.choice(np.array([-1, 1], dtype=np.float32), (REPLICAS, SPINS))
E = energies(s, J)
beta = np.linspace(0.2, 3.0, REPLICAS).astype(np.float32)
odds = swap_odds(E, beta)
print("replica of lowest energy:", int(E.argmin()))
print(E.min(), odds[:3])
