"""Hudson's FST of two populations from allele frequencies at a million sites."""
import numpy as np

N1, N2 = 180, 226


def hudson_fst(p1, p2):
    num = (p1 - p2) ** 2 - p1 * (1 - p1) / (N1 - 1) - p2 * (1 - p2) / (N2 - 1)
    den = p1 * (1 - p2) + p2 * (1 - p1)
    return num.sum() / den.sum()


rng = np.random.default_rng(11)
freq1 = rng.beta(0.5, 0.5, 1_000_000)
freq2 = np.clip(freq1 + rng.normal(0, 0.1, 1_000_000), 0, 1)
print(hudson_fst(freq1, freq2))

# populations that are one have none
same = rng.beta(0.5, 0.5, 1_000_000)
draw1 = rng.binomial(N1, same) / N1
draw2 = rng.binomial(N2, same) / N2
print("drawn from one population:", hudson_fst(draw1, draw2))

# ones that share nothing have all
apart = hudson_fst(np.ones(1_000_000), np.zeros(1_000_000))
assert abs(apart - 1.0) < 1e-9
