"""Continuous ranked probability score of an ensemble forecast at many stations."""
import numpy as np


def crps(ens, obs):
    skill = np.abs(ens - obs[:, None]).mean(axis=1)
    spread = np.abs(ens[:, :, None] - ens[:, None, :]).mean(axis=(1, 2))
    return skill - 0.5 * spread


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    obs = rng.normal(12.0, 4.0, 4000)
    ens = obs[:, None] + rng.normal(0.0, 2.0, (4000, 32))
    print(crps(ens, obs).mean())

    # one station the slow way
    e, o = ens[7], obs[7]
    by_hand = 0.0
    for a in e:
        by_hand += abs(a - o) / len(e)
        for b in e:
            by_hand -= 0.5 * abs(a - b) / len(e) ** 2
    assert abs(by_hand - crps(ens, obs)[7]) < 1e-12
