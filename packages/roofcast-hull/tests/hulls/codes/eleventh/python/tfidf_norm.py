import numpy as np


def tfidf(counts):
    df = (counts > 0).sum(axis=0)
    idf = np.log((1 + counts.shape[0]) / (1 + df)) + 1
    total = counts.sum(axis=1, keepdims=True)
    weight = counts / total * idf
    length = np.sqrt((weight * weight).sum(axis=1, keepdims=True))
    return weight / length


documents, terms = 3000, 2000
rng = np.random.default_rng(9)
counts = rng.poisson(0.4, (documents, terms)).astype(np.float64)
counts[:, 0] += 1
vectors = tfidf(counts)
print(vectors.shape, (vectors[0] * vectors[1]).sum())
