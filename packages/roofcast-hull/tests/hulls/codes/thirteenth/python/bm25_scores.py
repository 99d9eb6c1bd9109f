"""BM25 of every document for the words of one long query, from dense term counts."""
import numpy as np

K1, B = 1.2, 0.75


def bm25(tf, length, idf):
    norm = K1 * (1.0 - B + B * length / length.mean())
    return (idf * tf * (K1 + 1.0) / (tf + norm[:, None])).sum(axis=1)


docs, words = 5000, 200
rng = np.random.default_rng(2)
tf = rng.poisson(0.6, (docs, words)).astype(np.float64)
length = rng.integers(40, 2000, docs).astype(np.float64)
df = (tf > 0).sum(axis=0)
idf = np.log(1.0 + (docs - df + 0.5) / (df + 0.5))
print(np.argmax(bm25(tf, length, idf)))

# one document the slow way
scores = bm25(tf, length, idf)
d = 17
norm = K1 * (1 - B + B * length[d] / (sum(length) / docs))
by_hand = 0.0
for w in range(words):
    by_hand += idf[w] * tf[d, w] * (K1 + 1) / (tf[d, w] + norm)
assert abs(by_hand - scores[d]) < 1e-9
