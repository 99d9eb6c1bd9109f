import numpy as np

AGENTS = 65_536
ROUNDS = 300


def agree(x, rounds):
    """Gossip on a ring: everyone takes the mean of itself and both neighbours."""
    for _ in range(rounds):
        x = (np.roll(x, 1) + x + np.roll(x, -1)) / 3.0
    return x


opinions = np.random.default_rng(10).normal(size=AGENTS)
print(agree(opinions, ROUNDS).std())
