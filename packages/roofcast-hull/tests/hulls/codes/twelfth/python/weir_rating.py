"""Discharge over sharp-crested weirs: an hourly year of stages at 300 gauges."""
import numpy as np

GAUGES, HOURS = 300, 8760


def discharge(stage, crest, coef):
    head = np.maximum(stage - crest[:, None], 0.0)
    return coef[:, None] * head ** 1.5


if __name__ == "__main__":
    rng = np.random.default_rng(3)
    stage = rng.gamma(2.0, 0.4, (GAUGES, HOURS))
    crest = rng.uniform(0.2, 0.6, GAUGES)
    coef = 1.84 * rng.uniform(1.0, 12.0, GAUGES)
    q = discharge(stage, crest, coef)
    print(q.shape, q.mean())
