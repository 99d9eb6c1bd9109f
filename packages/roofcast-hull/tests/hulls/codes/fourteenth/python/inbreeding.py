"""Inbreeding coefficient of each variant from a genotype matrix (0, 1, 2 copies)."""
import numpy as np

SAMPLES = 2000
VARIANTS = 5000


def inbreeding(geno):
    n = geno.shape[0]
    p = geno.sum(axis=0) / (2 * n)
    het = (geno == 1).mean(axis=0)
    return 1.0 - het / (2.0 * p * (1.0 - p))


if __name__ == "__main__":
    rng = np.random.default_rng(12)
    freq = rng.uniform(0.1, 0.9, VARIANTS)
    geno = (rng.random((SAMPLES, VARIANTS)) < freq).astype(np.int8) + (rng.random((SAMPLES, VARIANTS)) < freq).astype(np.int8)
    f = inbreeding(geno)
    print(f.mean(), geno.dtype)
