"""Product quantisation: asymmetric distances of a query to coded vectors through tables."""
import numpy as np

PARTS, WORDS, WIDTH = 8, 256, 16
VECTORS = 200_000


def adc_distances(query, codebook, codes):
    diff = query.reshape(PARTS, 1, WIDTH) - codebook
    table = (diff * diff).sum(axis=2)
    return table[np.arange(PARTS), codes].sum(axis=1)


rng = np.random.default_rng(2)
codebook = rng.standard_normal((PARTS, WORDS, WIDTH)).astype(np.float32)
codes = rng.integers(0, WORDS, (VECTORS, PARTS)).astype(np.uint8)
query = rng.standard_normal(PARTS * WIDTH).astype(np.float32)
dist = adc_distances(query, codebook, codes)
print(dist.dtype, dist.argmin(), dist.min())
